"""Keys revoked under heavy load: one second later, none works for any RPC or protocol."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial

import grpc
import httpx2
import pytest
from mcp import Client as McpClient

from everword.v1 import admin_service_pb2 as admin
from everword.v1 import maintenance_service_pb2 as maintenance
from everword.v1 import search_service_pb2 as search
from everword.v1 import watch_pb2 as watch
from support.callers import Metadata, bearer
from support.calls import append
from support.databases import DatabaseUnderTest
from support.http_process import serving
from support.mcp import http_server, over_http
from support.stack import Stack, running_stack
from support.waits import until

OPERATORS_KEY = "operators-key-for-tests"
OPERATOR = bearer(OPERATORS_KEY)
#: Seconds in which RevokeApiKey promises to end calls and open streams.
FORGOTTEN_S = 1.0
#: Tolerance in seconds for a busy machine.
LATE_S = 0.5

Call = Callable[[], Awaitable[object]]


class Storm:
    """Continuous calls with one key, with start and end of the last answered call of each kind."""

    def __init__(self) -> None:
        self.ended = asyncio.Event()
        self.succeeded: dict[str, tuple[float, float]] = {}

    async def reaches(self, ways: set[str]) -> bool:
        return self.succeeded.keys() == ways

    async def blow(self, way: str, call: Call) -> None:
        while not self.ended.is_set():
            begun = time.monotonic()
            with suppress(grpc.aio.AioRpcError, httpx2.HTTPError, ConnectionRefusedError):
                await call()
                self.succeeded[way] = begun, time.monotonic()
            await asyncio.sleep(0.01)


async def _over_http(client: httpx2.AsyncClient) -> None:
    answer = await client.post("/everword.v1.SearchService/Browse", json={})
    answer.raise_for_status()


async def _over_mcp(client: McpClient) -> None:
    result = await client.call_tool("memory_stats", {})
    if result.is_error:
        raise ConnectionRefusedError


def _ways(stack: Stack, key: Metadata, http: httpx2.AsyncClient, mcp: McpClient) -> dict[str, Call]:
    return {
        "ingest": partial(append, stack, "Again.", metadata=key),
        "search": lambda: stack.search.Browse(search.BrowseRequest(), metadata=key),
        "compactor": lambda: stack.maintenance.GetQueueStatus(
            maintenance.GetQueueStatusRequest(), metadata=key
        ),
        "gateway": partial(_over_http, http),
        "mcp": partial(_over_mcp, mcp),
    }


async def test_key_revoked_under_load_is_refused_by_every_protocol_within_a_second(
    database: DatabaseUnderTest,
) -> None:
    async with (
        running_stack(database, admin_key=OPERATORS_KEY, embedder=False) as stack,
        serving(stack, "web", "--gateway", "{address}") as gateway,
        http_server(stack, "memory") as mcp_url,
    ):
        wanted = admin.ApiKey(namespace="default", role=admin.API_KEY_ROLE_WRITE)
        made = await stack.admin.CreateApiKey(
            admin.CreateApiKeyRequest(api_key=wanted), metadata=OPERATOR
        )
        key = bearer(made.secret)
        headers = {"authorization": f"Bearer {made.secret}"}
        async with (
            httpx2.AsyncClient(base_url=gateway, headers=headers) as http,
            over_http(mcp_url, Authorization=headers["authorization"]) as mcp,
            asyncio.TaskGroup() as group,
        ):
            storm = Storm()
            ways = _ways(stack, key, http, mcp)
            for way, call in ways.items():
                for _ in range(4):
                    group.create_task(storm.blow(way, call))
            stream = group.create_task(_watched(stack, key))
            await until(partial(storm.reaches, set(ways)))
            revoke = admin.RevokeApiKeyRequest(api_key_id=made.api_key.id)
            await stack.admin.RevokeApiKey(revoke, metadata=OPERATOR)
            revoked = time.monotonic()
            await asyncio.sleep(2 * FORGOTTEN_S)
            storm.ended.set()
        for begun, ended in storm.succeeded.values():
            assert begun - revoked <= FORGOTTEN_S, storm.succeeded
            assert ended - revoked <= FORGOTTEN_S + LATE_S, storm.succeeded
        assert stream.result() - revoked <= FORGOTTEN_S + LATE_S


async def _watched(stack: Stack, key: Metadata) -> float:
    """Return the time at which an open stream was refused."""
    call = stack.search.WatchMemories(watch.WatchMemoriesRequest(), metadata=key)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        async for _ in call:
            pass
    assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED
    return time.monotonic()
