"""HTTP request bodies are admitted while there is capacity, however their senders behave."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Awaitable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import cycle, islice
from statistics import quantiles
from typing import Any

import psutil
import pytest
import pytest_asyncio

from everword.v1 import admin_service_pb2 as admin
from support.callers import bearer, make_namespaces
from support.databases import cloned
from support.http_process import serving_all, serving_hastily
from support.loops import BUSY
from support.mcp import over_http, said
from support.raw_http import CHUNKED, Answer, RawRequest, begun, post
from support.stack import Stack, running_stack
from support.with_constants import TESTS

pytestmark = pytest.mark.asyncio(loop_scope="module")

MIB = 1 << 20
OPERATORS_KEY = "operators-key-for-tests"
OPERATOR = {"authorization": f"Bearer {OPERATORS_KEY}", "x-everword-namespace": "acme"}
JSON = {"content-type": "application/json"}
PROTO = {"content-type": "application/proto"}
APPEND = "/everword.v1.IngestService/AppendMessages"
#: Seconds until a body must have arrived, and seconds for which an unwanted body is still read, in these tests.
RECEIVE_S = 2.0
DRAIN_S = 0.5
#: Maximal number of a caller's waiting requests, in these tests.
WAITING = 100
#: Peak memory of a process above its idle memory: two bodies of maximal size, and one that is parsed.
MEMORY = 320 * MIB
#: Limit of the 95th percentile of health checks, in seconds.
HEALTH_S = 0.1 * BUSY


@dataclass(frozen=True)
class Served:
    """A process that serves HTTP, and a request whose body it reads."""

    url: str
    pid: int
    path: str
    headers: dict[str, str]
    max_bytes: int


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    with cloned(postgres_url) as database:
        async with running_stack(database, admin_key=OPERATORS_KEY, embedder=False) as stack:
            await make_namespaces(stack, "acme", metadata=bearer(OPERATORS_KEY))
            yield stack


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def both(stack: Stack) -> AsyncIterator[dict[str, Served]]:
    bodies = "everword.admission.bodies"
    constants = {
        f"{bodies}:RECEIVE_S": RECEIVE_S,
        f"{bodies}:DRAIN_S": DRAIN_S,
        f"{bodies}:WAITING_OF_CALLER": WAITING,
    }
    async with serving_all(stack, constants) as (urls, process):
        accept = {"accept": "application/json, text/event-stream"}
        yield {
            "gateway": Served(urls["gateway"], process.pid, APPEND, {**JSON, **OPERATOR}, 32 * MIB),
            "mcp": Served(
                urls["mcp"], process.pid, "/mcp", {**JSON, **OPERATOR, **accept}, 4 * MIB
            ),
        }


@pytest.fixture(params=["gateway", "mcp"])
def served(both: dict[str, Served], request: pytest.FixtureRequest) -> Served:
    found: Served = both[request.param]
    return found


def _reason(answer: Answer) -> str:
    """Return the reason of an error of the gateway, which is its only one."""
    details = [each for each in answer.json()["details"] if each["type"].endswith("ErrorInfo")]
    [info] = details
    reason: str = info["debug"]["reason"]
    return reason


def _message(answer: Answer) -> str:
    told = answer.json()
    message: str = told.get("error", told)["message"]
    return message


# Floods


def _hostile(size: int) -> list[tuple[bytes, dict[str, str]]]:
    """Return bodies of `size` bytes that take a multiple of their size in memory if parsed naively."""
    key = b'{"conversation": {"key": {"sessionKey": "%b"}}}'
    texts = b'{"messages": [%b{"content": "\xf0\x9f\x98\x80"}]}'
    text = b'{"content": "%b"},'
    return [
        (key % (b"a" * size), JSON),
        (key % (b"\\n" * (size // 2)), JSON),
        (texts % (text % (b"a" * MIB) * (size // MIB - 1)), JSON),
        (texts % (text % (b"\\u00e9" * (MIB // 2)) * (size // MIB // 3 - 1)), JSON),
        (b'{"messages": [%b[]]}' % (b"[]," * (size // 3)), JSON),
        (b'{"messages": [%b{}]}' % (b"{}," * (size // 3)), JSON),
        (b"\x1a\x00" * (min(size, 15 * MIB) // 2), PROTO),
        # This request is forwarded to a service, which refuses it.
        (texts % (text % (b"a" * MIB) * 14), JSON),
    ]


@pytest.mark.parametrize("count", [12, pytest.param(100, marks=pytest.mark.long)])
async def test_flood_of_large_bodies_keeps_memory_low_and_health_checks_fast(
    stack: Stack, count: int
) -> None:
    arguments = ("--gateway", "{address}")
    async with serving_hastily(stack, {}, *arguments) as (url, process):
        before = _memory(process.pid)
        flood = asyncio.gather(
            *(
                post(url, APPEND, body, {**headers, **OPERATOR})
                for body, headers in islice(cycle(_hostile(30 * MIB)), count)
            )
        )
        answers, took, peak = await _beside(url, process.pid, flood)
    assert {answer.status for answer in answers} == {400, 413}
    assert quantiles(took, n=20)[-1] <= HEALTH_S
    assert peak - before <= MEMORY


async def _beside(
    url: str, pid: int, flood: Awaitable[list[Answer]]
) -> tuple[list[Answer], list[float], int]:
    """Return the answers to a flood, the seconds of concurrent health checks, and the peak memory."""
    asking = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "support.http_health", url),
        stdin=PIPE,
        stdout=PIPE,
        cwd=TESTS,
    )
    assert asking.stdout is not None
    await asking.stdout.readline()
    peak = 0

    async def look() -> None:
        nonlocal peak
        while True:
            peak = max(peak, _memory(pid))
            await asyncio.sleep(0.02)

    looking = asyncio.create_task(look())
    try:
        answers = await flood
    finally:
        looking.cancel()
        told, _ = await asking.communicate(b"")
    return answers, json.loads(told.splitlines()[-1]), peak


def _memory(pid: int) -> int:
    return int(psutil.Process(pid).memory_info().rss)


async def _tenant(stack: Stack) -> dict[str, str]:
    """Return the header of a caller with a new key."""
    api_key = admin.ApiKey(namespace="acme", role=admin.API_KEY_ROLE_WRITE)
    created = await stack.admin.CreateApiKey(
        admin.CreateApiKeyRequest(api_key=api_key), metadata=bearer(OPERATORS_KEY)
    )
    return {"authorization": f"Bearer {created.secret}"}


async def test_append_is_not_delayed_by_flood_of_another_caller(
    stack: Stack, both: dict[str, Served]
) -> None:
    gateway = both["gateway"]
    append = json.dumps(
        {
            "conversation": {"key": {"sessionKey": "s"}},
            "messages": [{"role": "ROLE_USER", "content": "a lamp " * 40_000}],
        }
    ).encode()
    known = {**JSON, **OPERATOR}
    assert (await post(gateway.url, APPEND, append, known)).status == 200
    # One caller whose bodies wait for each other, and others with invented keys.
    tenant = await _tenant(stack)
    flood = [*([tenant] * 20), {}, *({"authorization": f"Bearer guess-{n}"} for n in range(20))]
    async with AsyncExitStack() as open_requests:
        for headers in flood:
            sent = await open_requests.enter_async_context(
                begun(gateway.url, APPEND, {**JSON, **CHUNKED, **headers})
            )
            await sent.send_chunk(b"{")
        started = time.perf_counter()
        assert (await post(gateway.url, APPEND, append, known)).status == 200
        assert time.perf_counter() - started < RECEIVE_S / 2


async def test_mcp_tool_call_is_not_delayed_by_flood_of_another_caller(
    stack: Stack, both: dict[str, Served]
) -> None:
    mcp = both["mcp"]
    flood = {**mcp.headers, **CHUNKED, **await _tenant(stack)}
    async with AsyncExitStack() as open_requests:
        for _ in range(20):
            await open_requests.enter_async_context(begun(mcp.url, mcp.path, flood))
        async with over_http(mcp.url, **OPERATOR) as client:
            started = time.perf_counter()
            note = {"content": "a lamp " * 20_000}
            said(await client.call_tool("memory_write", note))
            assert time.perf_counter() - started < RECEIVE_S / 2


async def test_short_chunked_bodies_do_not_wait_for_each_other(both: dict[str, Served]) -> None:
    """Clients in Node.js do not send a body's length; with one key, waiting calls do not delay others."""
    gateway = both["gateway"]
    headers = {**JSON, **OPERATOR}
    message = {"role": "ROLE_USER", "content": "A lamp."}
    append = {"conversation": {"key": {"sessionKey": "w"}}, "messages": [message]}
    stored = await post(gateway.url, APPEND, json.dumps(append).encode(), headers)
    token = stored.json()["consistencyToken"]
    waiting = {"consistencyToken": token, "stage": "INDEXING_STAGE_EMBEDDED"}
    path = "/everword.v1.IngestService/WaitForIndexing"
    started = time.perf_counter()

    async def wait() -> int:
        options = {**headers, **CHUNKED, "connect-timeout-ms": "1000"}
        async with begun(gateway.url, path, options) as request:
            await request.send_chunk(json.dumps(waiting).encode())
            await request.send_chunk(b"")
            return (await request.answer()).status

    # No worker makes vectors here, so the calls wait.
    assert set(await asyncio.gather(*(wait() for _ in range(4)))) == {504}
    assert time.perf_counter() - started < 3


# Bodies that are not admitted, or not completely


async def _drip(request: RawRequest) -> Answer:
    """Send one byte at a time until there is an answer."""
    answered = asyncio.ensure_future(request.answer())
    while not answered.done():
        await request.send_chunk(b" ")
        await asyncio.wait([answered], timeout=0.1)
    return await answered


async def test_slow_body_times_out_and_frees_its_connection_and_capacity(served: Served) -> None:
    async with AsyncExitStack() as open_requests:
        # Each may have the maximal size, so one is received while the other waits.
        dripping = [
            await open_requests.enter_async_context(
                begun(served.url, served.path, {**served.headers, **CHUNKED})
            )
            for _ in range(2)
        ]
        started = time.perf_counter()
        for answer in await asyncio.gather(*map(_drip, dripping)):
            assert answer.status == 408
            assert _message(answer) == "Nothing was received for too long; call again."
            if served.path == APPEND:
                assert answer.json()["code"] == "deadline_exceeded"
                assert _reason(answer) == "DEADLINE_EXCEEDED"
        assert time.perf_counter() - started < 3 * RECEIVE_S
        for each in dripping:
            assert await each.ended()
    assert not [
        each for each in psutil.Process(served.pid).net_connections() if _is_of(served, each)
    ]
    # The whole capacity is available again.
    started = time.perf_counter()
    body = b"[%b]" % (b" " * (served.max_bytes - 2))
    answers = await asyncio.gather(
        *(post(served.url, served.path, body, served.headers) for _ in range(2))
    )
    assert {answer.status for answer in answers} == {400}
    assert time.perf_counter() - started < RECEIVE_S


def _is_of(served: Served, connection: Any) -> bool:
    port = int(served.url.rpartition(":")[2])
    return bool(connection.status == "ESTABLISHED" and connection.laddr.port == port)


async def test_body_over_limit_is_refused_by_content_length_or_after_reading(
    served: Served,
) -> None:
    size = str(served.max_bytes + 1)
    async with begun(
        served.url, served.path, {**served.headers, "content-length": size}
    ) as request:
        refused = await request.answer()
        assert await request.ended()
    body = bytes(served.max_bytes + 1)
    async with begun(served.url, served.path, {**served.headers, **CHUNKED}) as request:
        await request.send_chunk(body)
        found = await request.answer()
        assert await request.ended()
    for answer in (refused, found):
        assert answer.status == 413
        assert _message(answer).startswith("The request exceeds the size limit")
        if served.path == APPEND:
            assert answer.json()["code"] == "resource_exhausted"
            assert _reason(answer) == "REQUEST_TOO_LARGE"


async def test_request_over_limit_of_waiting_bodies_is_refused(served: Served) -> None:
    async with AsyncExitStack() as open_requests:
        waiting = [
            await open_requests.enter_async_context(
                begun(served.url, served.path, {**served.headers, **CHUNKED})
            )
            for _ in range(WAITING + 2)
        ]
        answers = [asyncio.ensure_future(each.answer()) for each in waiting]
        [first], rest = await asyncio.wait(answers, return_when=asyncio.FIRST_COMPLETED)
        for each in rest:
            each.cancel()
        answer = await first
        assert answer.status == 429
        assert _message(answer) == "Too many concurrent calls; retry after a pause."
        if served.path == APPEND:
            assert answer.json()["code"] == "resource_exhausted"
            assert _reason(answer) == "OVERLOADED"
            assert "google.rpc.RetryInfo" in [each["type"] for each in answer.json()["details"]]


async def test_connection_with_unread_body_of_unknown_path_is_closed(served: Served) -> None:
    headers = {**served.headers, "content-length": str(MIB)}
    async with begun(served.url, "/nothing", headers) as request:
        assert (await request.answer()).status == 404
        started = time.perf_counter()
        while time.perf_counter() - started < 2 * DRAIN_S:
            await request.send(b" ")
            await asyncio.sleep(0.05)
        async with asyncio.timeout(DRAIN_S):
            assert await request.ended()
