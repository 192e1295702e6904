"""A worker is added, and shards are moved to it, while clients append and search."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Iterator
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path

import grpc
import pytest

from everword.db.cluster import list_nodes, measure_shards, read_balance
from everword.db.migrate import migrate
from everword.v1 import search_service_pb2 as pb
from support.callers import make_namespaces, within
from support.calls import append_request
from support.citus_cluster import (
    Cluster,
    citus_programs,
    connect,
    running_cluster,
    running_worker,
)
from support.citus_database import distribute_filled
from support.stack import Stack, running_stack

NAMESPACES = [f"tenant-{number}" for number in range(12)]
APPENDERS = 3


@dataclass
class Traffic:
    """Acknowledged messages by namespace, and the errors of calls."""

    stored: dict[str, list[str]] = field(default_factory=lambda: {name: [] for name in NAMESPACES})
    errors: Counter[str] = field(default_factory=Counter)
    searches: int = 0
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    async def append(self, stack: Stack, client: int) -> None:
        """Append messages one after the other, each again until it is acknowledged."""
        number = 0
        while not self.ended.is_set():
            name = NAMESPACES[(client * 5 + number) % len(NAMESPACES)]
            text = f"Kiwi {number} of client {client}."
            request = append_request(text, session_key=f"of {client}", request_id=text)
            with suppress(_Failed):
                await self._call(stack.ingest.AppendMessages(request, metadata=within(name)))
                self.stored[name].append(text)
                number += 1

    async def search(self, stack: Stack) -> None:
        while not self.ended.is_set():
            name = NAMESPACES[self.searches % len(NAMESPACES)]
            request = pb.SearchRequest(query="kiwi", mode=pb.SEARCH_MODE_LEXICAL)
            with suppress(_Failed):
                await self._call(stack.search.Search(request, metadata=within(name)))
            self.searches += 1

    async def _call(self, call: Awaitable[object]) -> None:
        try:
            await call
        except grpc.aio.AioRpcError as error:
            self.errors[error.code().name] += 1
            await asyncio.sleep(0.2)
            raise _Failed from error


class _Failed(Exception):
    pass


@pytest.fixture
def growing() -> Iterator[tuple[Cluster, Path, Path]]:
    """A cluster of its own, its programs and its folder."""
    programs = citus_programs()
    with tempfile.TemporaryDirectory() as name:
        # PostgreSQL's user must be able to traverse the folder.
        Path(name).chmod(0o711)
        with running_cluster(programs, Path(name)) as cluster:
            yield cluster, programs, Path(name)


def test_no_message_is_lost_while_a_worker_is_added_and_shards_move(
    growing: tuple[Cluster, Path, Path],
) -> None:
    cluster, programs, folder = growing
    database = distribute_filled(cluster).database

    async def run() -> None:
        traffic = Traffic()
        async with AsyncExitStack() as nodes, running_stack(database, embedder=False) as stack:
            await make_namespaces(stack, *NAMESPACES)
            clients = [
                *(asyncio.create_task(traffic.append(stack, each)) for each in range(APPENDERS)),
                asyncio.create_task(traffic.search(stack)),
            ]
            await asyncio.sleep(2)
            before = sum(map(len, traffic.stored.values()))
            added = running_worker(programs, folder, cluster)
            await asyncio.to_thread(nodes.enter_context, added)
            await asyncio.to_thread(_rebalance, cluster)
            assert sum(map(len, traffic.stored.values())) > before > 0
            traffic.ended.set()
            await asyncio.gather(*clients)
            for name, texts in traffic.stored.items():
                assert await _listed(stack, name) == Counter(texts), name
        assert set(traffic.errors) <= {"UNAVAILABLE"}, traffic.errors

    asyncio.run(run())


def _rebalance(cluster: Cluster) -> None:
    """Move shards to the new node, as docs/citus.md says."""
    migrate(cluster.coordinator)
    with connect(cluster.coordinator) as conn:
        assert read_balance(conn).planned_moves > 0
        conn.execute("SELECT citus_rebalance_start()")
        until = time.monotonic() + 300
        while read_balance(conn).is_running:
            assert time.monotonic() < until
            time.sleep(1)
        assert read_balance(conn).planned_moves == 0
        assert all(node.is_reachable for node in list_nodes(conn))
        assert min(each.shards for each in measure_shards(conn)) > 0
        assert len(measure_shards(conn)) == len(cluster.workers) + 1


async def _listed(stack: Stack, name: str) -> Counter[str]:
    """Return the messages of a namespace."""
    found: Counter[str] = Counter()
    request = pb.ListConversationsRequest(page_size=100)
    listed = await stack.search.ListConversations(request, metadata=within(name))
    for conversation in listed.conversations:
        page = pb.ListMessagesRequest(conversation_id=conversation.id, page_size=100)
        while True:
            messages = await stack.search.ListMessages(page, metadata=within(name))
            found.update(each.body.content for each in messages.messages)
            page.page_token = messages.next_page_token
            if not page.page_token:
                break
    return found
