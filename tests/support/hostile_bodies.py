"""Bodies that take far longer to parse than to send, and timing of other calls meanwhile."""

from __future__ import annotations

import asyncio
import gzip
import json
import sys
import time
from asyncio.subprocess import PIPE
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

import psutil

from support.with_constants import TESTS

#: Templates for the hostile value: a request of AppendMessages, and a tool call.
APPEND = b'{"conversation": {"key": {"sessionKey": "s"}}, "messages": %b}'
TOOL_CALL = (
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", '
    b'"params": {"name": "memory_search", "arguments": {"query": "x", "more": %b}}}'
)
BATCH = b"[%b]" % b", ".join([TOOL_CALL % b"1"] * 500)


def hostile_bodies(around: bytes, size: int) -> Mapping[str, bytes]:
    """Return bodies of about `size` bytes, by a description."""
    # Some are truncated, since a parser works up to the error.
    values = {
        "empty objects": b"[%b{}]" % (b"{}," * (size // 3)),
        "empty lists": b"[%b[]]" % (b"[]," * (size // 3)),
        "deep lists": b"[" * size,
        "deep objects": b'{"a":' * (size // 5),
        "equal keys": b"{%b}" % b",".join([b'"content":1'] * (size // 12)),
        "unknown fields": b"{%b}" % b",".join(b'"f%d":1' % n for n in range(size // 10)),
        "a long number": b"1" * size,
        "long numbers": b"[%b1]" % ((b"9" * 4000 + b",") * (size // 4001)),
        "small numbers": b"[%b1]" % (b"1," * (size // 2)),
        "escapes": b'"%b"' % (b"\\u00e9" * (size // 6)),
        "spaces": b" " * size,
    }
    return {name: around % value[:size] for name, value in values.items()} | {
        "compressed": gzip.compress(around % (b"[]," * size)),
        "no JSON": bytes(size),
    }


@dataclass(frozen=True)
class HostileLoadResult:
    """The result of a load, and the seconds of health checks and another tenant's calls meanwhile."""

    statuses: Counter[int]
    health: list[float]
    calls: list[float]
    #: CPU seconds of the process.
    cpu_s: float


async def flood(
    send: Callable[[bytes], Awaitable[int]], bodies: Sequence[bytes], seconds: float
) -> Counter[int]:
    """Send all bodies at once, repeatedly for some seconds; return the number of responses by status."""
    statuses: Counter[int] = Counter()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        statuses.update(await asyncio.gather(*map(send, bodies)))
    return statuses


async def beside(
    url: str,
    pid: int,
    load: Awaitable[Counter[int]],
    call: Callable[[], Awaitable[object]] | None = None,
) -> HostileLoadResult:
    """Time health checks of a process, and repeated calls of `call`, while a load lasts."""
    asking = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "support.http_health", url), stdin=PIPE, stdout=PIPE, cwd=TESTS
    )
    assert asking.stdout is not None
    await asking.stdout.readline()
    took: list[float] = []

    async def over_and_over() -> None:
        while call is not None:
            started = time.perf_counter()
            await call()
            took.append(time.perf_counter() - started)
            await asyncio.sleep(0.05)

    before = _cpu_s(pid)
    calling = asyncio.create_task(over_and_over())
    try:
        statuses = await load
        spent = _cpu_s(pid) - before
        if calling.done():
            await calling
    finally:
        calling.cancel()
        printed, _ = await asking.communicate(b"")
    return HostileLoadResult(statuses, json.loads(printed.splitlines()[-1]), took, spent)


def _cpu_s(pid: int) -> float:
    times = psutil.Process(pid).cpu_times()
    return times.user + times.system
