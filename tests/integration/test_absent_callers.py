"""Callers that vanish or stop reading, and calls that gRPC drops, leave no resources in use."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from contextlib import suppress
from typing import Any

import grpc
import pytest

from everword.v1 import admin_service_pb2 as admin
from everword.v1 import search_service_pb2 as search
from everword.v1.admin_service_pb2_grpc import AdminServiceStub
from everword.v1.search_service_pb2_grpc import SearchServiceStub
from everword.v1.watch_pb2 import WatchMemoriesRequest
from faults.proxy import running_proxy
from support.calls import append
from support.databases import DatabaseUnderTest
from support.stack import Stack, running_stack
from support.waits import until

#: Limit of open long calls of a namespace.
STREAMS = 32
READING = (
    "SELECT count(*) FROM pg_stat_activity "
    "WHERE datname = current_database() AND xact_start < now() - interval '.1 s'"
)


async def _may_watch(stack: Stack) -> bool:
    call = stack.search.WatchMemories(WatchMemoriesRequest())
    with suppress(grpc.aio.AioRpcError):
        await call.read()
        call.cancel()
        return True
    return False


async def _read_all(call: Any) -> None:
    while await call.read() is not grpc.aio.EOF:
        pass


async def test_streams_of_unreachable_client_end(
    database: DatabaseUnderTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("everword.rpc.server._SILENT_MS", 1000)
    monkeypatch.setattr("everword.rpc.server._ANSWER_MS", 500)
    async with (
        running_stack(database, embedder=False) as stack,
        running_proxy(int(stack.addresses["search"].rpartition(":")[2])) as proxy,
        grpc.aio.insecure_channel(f"127.0.0.1:{proxy.port}") as channel,
    ):
        watching = SearchServiceStub(channel)
        calls = [watching.WatchMemories(WatchMemoriesRequest()) for _ in range(STREAMS)]
        await asyncio.gather(*(call.read() for call in calls))
        assert not await _may_watch(stack)
        # The connection stays open, but nothing passes through it.
        gone = asyncio.ensure_future(proxy.stall(60))
        try:
            await until(lambda: _may_watch(stack))
        finally:
            gone.cancel()


async def test_export_that_client_does_not_read_frees_database_connection(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("everword_ingest.admin.servicer.TAKE_S", 0.5)
    await append(stack, "It is long.")
    with stack.database.connect() as conn:
        conn.execute("UPDATE messages SET content = repeat('long ', 4000000)")
    async with grpc.aio.insecure_channel(stack.addresses["ingest"]) as channel:
        call = AdminServiceStub(channel).ExportNamespace(
            admin.ExportNamespaceRequest(name="default")
        )
        await call.read()

        async def reads(many: int) -> bool:
            with stack.database.connect() as conn:
                return conn.execute(READING).fetchone() == (many,)

        await until(lambda: reads(1))
        await until(lambda: reads(0))
        with pytest.raises(grpc.aio.AioRpcError) as ended:
            await _read_all(call)
    assert ended.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    assert "did not read the stream" in (ended.value.details() or "")


async def test_calls_of_burst_succeed_or_are_refused_as_exhausted(stack: Stack) -> None:
    options = [("grpc.use_local_subchannel_pool", 1), ("grpc.enable_retries", 0)]
    async with grpc.aio.insecure_channel(stack.addresses["search"], options) as channel:
        browse = SearchServiceStub(channel).Browse
        await browse(search.BrowseRequest())
        made = [browse(search.BrowseRequest()) for _ in range(900)]
        await asyncio.sleep(0)
        time.sleep(0.5)  # noqa: ASYNC251 - the services' event loop is this one
        codes = Counter([await call.code() for call in made])
    assert codes.keys() <= {grpc.StatusCode.OK, grpc.StatusCode.RESOURCE_EXHAUSTED}
