"""`everword web`: gateway, MCP and console in one process, each on its own port."""

from __future__ import annotations

import asyncio
import socket
import struct
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from statistics import quantiles
from typing import Any

import httpx2
import psutil
import pytest
import pytest_asyncio

from everword.embedded.ports import free_ports
from everword.v1 import admin_service_pb2 as admin
from support.callers import bearer, make_namespaces
from support.command_line import EVERWORD, environment
from support.databases import cloned
from support.hostile_bodies import APPEND, beside, flood, hostile_bodies
from support.http_process import serving, serving_all
from support.loops import BUSY
from support.mcp import over_http, said
from support.raw_http import post
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")

OPERATORS_KEY = "operators-key-for-tests"
OPERATOR = {"authorization": f"Bearer {OPERATORS_KEY}", "x-everword-namespace": "acme"}
INGEST = "/everword.v1.IngestService"
SEARCH = "/everword.v1.SearchService/Search"
JSON = {"content-type": "application/json"}
#: Seconds for which hostile bodies are sent.
FLOOD_S = 3.0
#: Limits of the 95th percentile, in seconds: of health checks, and of another tenant's calls, on a busy machine.
HEALTH_S, CALL_S = 0.1 * BUSY, 1.0 * BUSY


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    with cloned(postgres_url) as database:
        async with running_stack(database, admin_key=OPERATORS_KEY, embedder=False) as stack:
            await make_namespaces(stack, "acme", metadata=bearer(OPERATORS_KEY))
            yield stack


async def test_web_serves_each_part_on_its_own_port_only(stack: Stack) -> None:
    async with serving_all(stack) as (urls, process), httpx2.AsyncClient(timeout=30) as http:
        async with over_http(urls["mcp"], **OPERATOR) as tools:
            assert said(await tools.call_tool("memory_stats", {}))
        gateway, console = urls["gateway"], urls["console"]
        call: dict[str, Any] = {"json": {"query": "x"}, "headers": OPERATOR}
        assert (await http.post(gateway + SEARCH, **call)).status_code == 200
        assert "<form" in (await http.get(console + "/sign-in")).text
        for url in (gateway, urls["mcp"]):
            assert (await http.get(url + "/sign-in")).status_code in (401, 404, 405)
        for url in (console, urls["mcp"]):
            assert (await http.post(url + SEARCH, **call)).status_code in (403, 404)
        for url in (console, gateway):
            assert (await http.get(url + "/mcp", headers=OPERATOR)).status_code in (404, 405)
        listening = {
            each.laddr.port
            for each in psutil.Process(process.pid).net_connections("tcp")
            if each.status == psutil.CONN_LISTEN
        }
        assert listening == {int(url.rpartition(":")[2]) for url in urls.values()}


async def test_web_on_sigterm_answers_open_calls_and_ends_all_servers(stack: Stack) -> None:
    message = {"role": "ROLE_USER", "content": "A lamp."}
    append = {"conversation": {"key": {"sessionKey": "s"}}, "messages": [message]}
    async with (
        serving_all(stack) as (urls, process),
        httpx2.AsyncClient(base_url=urls["gateway"], headers=OPERATOR, timeout=30) as http,
    ):
        stored = (await http.post(f"{INGEST}/AppendMessages", json=append)).json()
        # No embedder runs here, so the call lasts until its deadline.
        waiting = {"consistencyToken": stored["consistencyToken"], "stage": 2}
        deadline = {"connect-timeout-ms": "1500"}
        call = asyncio.ensure_future(
            http.post(f"{INGEST}/WaitForIndexing", json=waiting, headers=deadline)
        )
        await asyncio.sleep(0.5)
        process.terminate()
        assert (await call).status_code == 504
        async with asyncio.timeout(10):
            assert await process.wait() == 0


async def test_web_on_sigterm_cancels_a_stream_that_does_not_end(stack: Stack) -> None:
    constants = {"everword_web.listeners:GRACE_S": 1}
    async with (
        serving_all(stack, constants) as (urls, process),
        httpx2.AsyncClient(base_url=urls["gateway"], headers=OPERATOR, timeout=30) as http,
    ):
        watch: dict[str, Any] = {
            "url": "/everword.v1.SearchService/WatchMemories",
            "content": struct.pack(">BI", 0, 2) + b"{}",
            "headers": {"content-type": "application/connect+json"},
        }
        async with http.stream("POST", **watch) as answered:
            assert answered.status_code == 200
            process.terminate()
            async with asyncio.timeout(10):
                assert await process.wait() == 0


async def test_web_with_a_port_in_use_names_it_and_serves_nothing(stack: Stack) -> None:
    free = free_ports(1)[0]
    with socket.create_server(("127.0.0.1", 0)) as used:
        taken = f"127.0.0.1:{used.getsockname()[1]}"
        command = [EVERWORD, "web", "--gateway", f"127.0.0.1:{free}", "--console", taken]
        process = await asyncio.create_subprocess_exec(
            *command, stderr=PIPE, env=environment(stack)
        )
        _, errors = await process.communicate()
    assert process.returncode == 1
    assert errors.decode() == f"Error: Cannot listen on {taken}: Address already in use.\n"


@pytest.mark.parametrize(
    ("options", "status"), [((), 200), (("--host", "memory.example.com"), 303)], ids=["own", "host"]
)
async def test_console_uses_configured_key_unless_a_host_is_named(
    stack: Stack, options: tuple[str, ...], status: int
) -> None:
    command = ("web", "--console", "{address}", *options)
    variables = {"EVERWORD_API_KEY": OPERATORS_KEY, "EVERWORD_NAMESPACE": "acme"}
    async with (
        serving(stack, *command, **variables) as url,
        httpx2.AsyncClient(base_url=url) as visitor,
    ):
        assert (await visitor.get("/conversations")).status_code == status


async def test_a_flood_at_the_gateway_delays_neither_mcp_nor_the_console(stack: Stack) -> None:
    key = admin.ApiKey(namespace="acme", role=admin.API_KEY_ROLE_WRITE)
    made = await stack.admin.CreateApiKey(
        admin.CreateApiKeyRequest(api_key=key), metadata=bearer(OPERATORS_KEY)
    )
    hostile = {**JSON, "authorization": f"Bearer {made.secret}"}
    bodies = list(hostile_bodies(APPEND, 256 * 1024).values())
    async with (
        serving_all(stack) as (urls, process),
        over_http(urls["mcp"], **OPERATOR) as tools,
    ):

        async def send(body: bytes) -> int:
            return (await post(urls["gateway"], f"{INGEST}/AppendMessages", body, hostile)).status

        async def call() -> None:
            said(await tools.call_tool("memory_stats", {}))

        await call()
        found = await beside(urls["console"], process.pid, flood(send, bodies, FLOOD_S), call)
    assert {400} <= set(found.statuses) <= {200, 400}
    assert quantiles(found.health, n=20)[-1] <= HEALTH_S
    assert quantiles(found.calls, n=20)[-1] <= CALL_S
