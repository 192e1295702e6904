"""Health checks are answered in time during the heaviest admitted requests."""

from __future__ import annotations

import asyncio
import json
import sys
from asyncio.subprocess import PIPE
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from functools import partial
from statistics import quantiles

import psutil
import pytest

from everword.client.channel import open_channel
from everword.v1.ingest_service_pb2_grpc import IngestServiceStub
from everword.v1.search_service_pb2 import SearchRequest
from everword.v1.search_service_pb2_grpc import SearchServiceStub
from support.calls import append_request
from support.databases import DatabaseUnderTest
from support.service_process import free_address, is_serving, service_process
from support.waits import until
from support.with_constants import TESTS

MIB = 1 << 20
#: Limit in seconds of the 95th percentile of health checks.
HEALTH_S = 0.1
#: A service's memory above its idle memory: a few times the largest request.
MEMORY = 200 * MIB


@pytest.mark.long
async def test_health_checks_are_answered_in_time_under_the_heaviest_requests(
    database: DatabaseUnderTest,
) -> None:
    addresses = {"ingest": free_address(), "search": free_address()}
    async with AsyncExitStack() as running:
        processes = {
            name: await running.enter_async_context(service_process(name, database, address))
            for name, address in addresses.items()
        }
        channels = {
            name: await running.enter_async_context(open_channel(address))
            for name, address in addresses.items()
        }
        for channel in channels.values():
            await until(partial(is_serving, channel))
        ingest, search = (
            IngestServiceStub(channels["ingest"]),
            SearchServiceStub(channels["search"]),
        )
        await ingest.AppendMessages(append_request("The lamp is red."))
        await search.Search(SearchRequest(query="lamp"))
        before = {name: _memory(process.pid) for name, process in processes.items()}
        loads: dict[str, Callable[[], Awaitable[object]]] = {
            "dots": lambda: ingest.AppendMessages(append_request(*["a." * (MIB // 2)] * 15)),
            "emoji": lambda: ingest.AppendMessages(append_request(*["😀" * 250_000] * 4)),
            "long searches": lambda: asyncio.gather(
                *(search.Search(SearchRequest(query=_long(n))) for n in range(300)),
                return_exceptions=True,
            ),
        }
        for name, load in loads.items():
            took = await _health_beside(list(addresses.values()), load)
            assert quantiles(took, n=20)[-1] <= HEALTH_S, name
            grown = {
                each: _memory(process.pid) - before[each] for each, process in processes.items()
            }
            assert max(grown.values()) <= MEMORY, (name, grown)


def _long(number: int) -> str:
    return f"lamp {number} {'word ' * 1600}"


def _memory(pid: int) -> int:
    return int(psutil.Process(pid).memory_info().rss)


async def _health_beside(
    addresses: list[str], load: Callable[[], Awaitable[object]]
) -> list[float]:
    """Return the seconds of health checks during a load, and shortly after."""
    command = (sys.executable, "-m", "fuzz.health", *addresses)
    asking = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, cwd=TESTS)
    assert asking.stdout is not None
    await asking.stdout.readline()
    await load()
    answered, _ = await asking.communicate(b"")
    return [each for took in json.loads(answered.splitlines()[-1]).values() for each in took]
