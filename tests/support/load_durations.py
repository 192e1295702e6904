"""Times health checks and another tenant's appends while a load lasts."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from asyncio.subprocess import PIPE
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from statistics import quantiles

from everword.v1.ingest_service_pb2_grpc import IngestServiceStub
from support.callers import within
from support.calls import append_request
from support.with_constants import TESTS

#: Long enough to be parsed and indexed in a thread, like an e-mail with a long thread.
LONG_TEXT = "Many words are said here, and none of them is new. " * 1500


@dataclass(frozen=True)
class LoadDurations:
    """Durations while a load lasted, in seconds."""

    #: Health checks: the maximum and the 95th percentile.
    health_s: float
    health_p95_s: float
    #: Appends: the maximum.
    append_s: float
    load_s: float

    def best(self, other: LoadDurations) -> LoadDurations:
        """Return the smaller durations: a real freeze recurs each time, delays by other processes do not."""
        return LoadDurations(
            min(self.health_s, other.health_s),
            min(self.health_p95_s, other.health_p95_s),
            min(self.append_s, other.append_s),
            min(self.load_s, other.load_s),
        )


async def measure_during_load(
    addresses: Sequence[str],
    ingest: IngestServiceStub,
    namespace: str,
    load: Callable[[], Awaitable[object]],
) -> LoadDurations:
    """Run a load, with health checks of services from a separate process, and appends to a namespace."""
    command = (sys.executable, "-m", "fuzz.health", *addresses)
    asking = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, cwd=TESTS)
    assert asking.stdout is not None
    await asking.stdout.readline()
    appending = asyncio.create_task(_append(ingest, namespace))
    began = time.perf_counter()
    await load()
    took = time.perf_counter() - began
    appending.cancel()
    appended = await appending
    answered, _ = await asking.communicate(b"")
    health = [each for took in json.loads(answered.splitlines()[-1]).values() for each in took]
    return LoadDurations(max(health), quantiles(health, n=20)[-1], max(appended), took)


async def _append(ingest: IngestServiceStub, namespace: str) -> list[float]:
    """Append until cancelled; returns the seconds of each call, including an unfinished one."""
    took, number = list[float](), 0
    while True:
        number += 1
        request = append_request(f"{number}. {LONG_TEXT}")
        began = time.perf_counter()
        try:
            await ingest.AppendMessages(request, metadata=within(namespace), timeout=120)
            took.append(time.perf_counter() - began)
            await asyncio.sleep(0.05)
        except asyncio.CancelledError:
            return [*took, time.perf_counter() - began]
