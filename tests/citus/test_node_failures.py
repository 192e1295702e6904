"""A worker is killed while messages are appended to namespaces on both workers."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import grpc
import pytest

from everword.v1 import search_service_pb2 as search
from support.callers import make_namespaces, within
from support.calls import append_request, reason
from support.citus_cluster import Cluster, connect, temporary_cluster
from support.databases import prepare_distributed_template
from support.refusals import refused
from support.stack import Stack, running_stack
from support.waits import until

NAMESPACES = 8
#: Acknowledged messages in each namespace before the fault, during it, and after it.
MESSAGES = 5
PAUSE_S = 0.05
UNAVAILABLE = (grpc.StatusCode.UNAVAILABLE, "STORAGE_UNAVAILABLE")


@dataclass
class Writer:
    """Appends numbered messages to a namespace, and repeats a failed request until it is acknowledged."""

    stack: Stack
    namespace: str
    acknowledged: list[str] = field(default_factory=list)
    errors: Counter[tuple[grpc.StatusCode, str]] = field(default_factory=Counter)

    async def run(self) -> None:
        while True:
            content = f"{self.namespace} {len(self.acknowledged)}"
            request = append_request(content, request_id=content)
            try:
                await self.stack.ingest.AppendMessages(request, metadata=within(self.namespace))
            except grpc.aio.AioRpcError as error:
                self.errors[error.code(), reason(error)] += 1
            else:
                self.acknowledged.append(content)
            await asyncio.sleep(PAUSE_S)


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with temporary_cluster(durable=True) as cluster:
        prepare_distributed_template(cluster.coordinator, cluster.workers)
        yield cluster


@asynccontextmanager
async def _writing(writers: list[Writer]) -> AsyncIterator[None]:
    tasks = [asyncio.create_task(writer.run()) for writer in writers]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


def _workers_of(cluster: Cluster, names: list[str]) -> dict[str, str]:
    """Return the URL of the worker with each namespace's rows."""
    by_port = {urlsplit(url).port: url for url in cluster.workers}
    with connect(cluster.coordinator) as conn:
        rows = conn.execute(
            "SELECT n.name, p.nodeport FROM namespaces n JOIN pg_dist_shard_placement p "
            "ON p.shardid = get_shard_id_for_distribution_column('messages', n.id) WHERE n.name = ANY(%s)",
            [names],
        ).fetchall()
    return {name: by_port[port] for name, port in rows}


async def _more(writers: list[Writer]) -> None:
    """Wait until each writer has further acknowledged messages."""
    wanted = {id(writer): len(writer.acknowledged) + MESSAGES for writer in writers}
    await until(lambda: all(len(each.acknowledged) >= wanted[id(each)] for each in writers))


async def test_a_killed_worker_fails_its_namespaces_alone_and_loses_nothing(
    cluster: Cluster,
) -> None:
    names = [f"tenant-{number}" for number in range(NAMESPACES)]
    async with running_stack(cluster.database, embedder=False) as stack:
        await make_namespaces(stack, *names)
        places = _workers_of(cluster, names)
        # Citus locks reference tables on the first one.
        killed, other = sorted(cluster.workers)
        assert set(places.values()) == {killed, other}
        writers = [Writer(stack, name) for name in names]
        lost = [each for each in writers if places[each.namespace] == killed]
        kept = [each for each in writers if places[each.namespace] == other]
        async with _writing(writers):
            await _more(writers)
            cluster.servers[killed].kill()
            try:
                await until(lambda: all(each.errors for each in lost))
                before = [len(each.acknowledged) for each in lost]
                await _more(kept)
                assert [len(each.acknowledged) for each in lost] == before
                request = search.SearchRequest(query="tenant", mode=search.SEARCH_MODE_LEXICAL)
                found = await refused(
                    stack.search.Search(request, metadata=within(lost[0].namespace))
                )
                assert (found.code, found.reason) == UNAVAILABLE
                await stack.search.Search(request, metadata=within(kept[0].namespace))
                # A namespace is a row on each node.
                made = await refused(make_namespaces(stack, "made-meanwhile"))
                assert (made.code, made.reason) == UNAVAILABLE
            finally:
                cluster.servers[killed].start()
            await _more(writers)
            await make_namespaces(stack, "made-meanwhile")
    assert {error for each in lost for error in each.errors} == {UNAVAILABLE}
    assert [each.errors for each in kept if each.errors] == []
    _ensure_stored_once(cluster, writers)


def _ensure_stored_once(cluster: Cluster, writers: list[Writer]) -> None:
    with connect(cluster.coordinator) as conn:
        rows = conn.execute(
            "SELECT content, count(*) FROM messages GROUP BY content ORDER BY 2 DESC"
        ).fetchall()
    stored: dict[str, int] = dict(rows)
    # The last request of a writer may be stored without an acknowledgement, because the test ends before it.
    assert {text for each in writers for text in each.acknowledged} <= set(stored)
    assert set(stored.values()) == {1}
