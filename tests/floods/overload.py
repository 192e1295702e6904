"""`make test-overload`: behaviour of a service at ten times its capacity."""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import grpc
import psutil

from everword.client.channel import open_channel
from everword.embedded.folder import RunningStack
from everword.embedded.ports import Ports
from everword.embedded.settings import StackSettings
from everword.embedded.stack import stack
from everword.v1.admin_service_pb2 import CreateNamespaceRequest, Namespace
from everword.v1.admin_service_pb2_grpc import AdminServiceStub
from floods.calls import Services, Tenant

#: Kinds of calls, with their service.
KINDS = {"search": "search", "browse": "search", "append": "ingest"}
TIMES = 10
CALLERS = 8
LASTS_S = 20.0
#: Recovery: this many consecutive calls, each within twice the 95th percentile of unloaded ones.
STEADY = 5
#: Maximal factor of admitted calls' 95th percentile over that of unloaded ones.
LIMIT = 3.0
RECOVERY_S = 10.0


async def run(tell: Callable[[dict[str, Any]], None]) -> bool:
    """Report a row for each kind of call; return whether all are within their limits."""
    kept = True
    async with stack(StackSettings(data=None, ports=Ports.free())) as running:
        services = Services.at(running.addresses["ingest"], running.addresses["search"])
        async with open_channel(running.addresses["ingest"]) as channel:
            namespace = Namespace(name="flood")
            await AdminServiceStub(channel).CreateNamespace(
                CreateNamespaceRequest(namespace=namespace)
            )
        tenant = Tenant(services, "flood", seed=1)
        await tenant.fill()
        await tenant.embedded()
        for kind in KINDS:
            row = await _overload(running, tenant, kind)
            tell(row)
            kept &= _is_kept(row)
    return kept


async def _overload(running: RunningStack, tenant: Tenant, kind: str) -> dict[str, Any]:
    call = tenant.kinds()[kind]
    await _times(call, 30)
    unloaded = _p95(await _times(call, 60))
    alone = await _flooding(running, kind, rate=0, seconds=8)
    sustained = json.loads((await alone.communicate())[0].splitlines()[-1])["answered_per_s"]
    async with _watched(_pid_of(running, KINDS[kind])) as memory:
        flood = await _flooding(running, kind, TIMES * sustained, LASTS_S)
        assert flood.stdout is not None
        # The flood has ended; its last calls may still wait.
        await flood.stdout.readline()
        recovered = await _recovered(call, 2 * unloaded)
        flooded = json.loads(await flood.stdout.readline())
        await flood.wait()
    return {
        "kind": kind,
        "sustained_per_s": sustained,
        "offered_per_s": flooded["offered_per_s"],
        "answered_per_s": flooded["answered_per_s"],
        "statuses": flooded["statuses"],
        "unloaded_p95_ms": round(unloaded * 1000, 1),
        "admitted_p95_ms": flooded["p95_ms"],
        "ratio": round(flooded["p95_ms"] / unloaded / 1000, 2),
        "memory_mib": [round(each / (1 << 20)) for each in (memory[0], max(memory))],
        "recovered_s": round(recovered, 1),
    }


def _is_kept(row: dict[str, Any]) -> bool:
    plain = set(row["statuses"]) <= {"OK", "RESOURCE_EXHAUSTED", "DEADLINE_EXCEEDED"}
    return plain and row["ratio"] <= LIMIT and row["recovered_s"] <= RECOVERY_S


async def _times(call: Callable[[], Awaitable[object]], count: int) -> list[float]:
    seconds = []
    for _ in range(count):
        started = time.perf_counter()
        await call()
        seconds.append(time.perf_counter() - started)
        await asyncio.sleep(0.02)
    return seconds


def _p95(seconds: Sequence[float]) -> float:
    return statistics.quantiles(seconds, n=20)[-1]


async def _recovered(call: Callable[[], Awaitable[object]], within_s: float) -> float:
    """Return the seconds until consecutive calls are answered in time again."""
    started, quick = time.perf_counter(), 0
    first = started
    while quick < STEADY:
        began = time.perf_counter()
        try:
            await call()
            took = time.perf_counter() - began
        except grpc.aio.AioRpcError:
            took = float("inf")
        if took > within_s:
            quick = 0
        else:
            first = first if quick else began
            quick += 1
        if time.perf_counter() - started > 6 * RECOVERY_S:
            return float("inf")
        await asyncio.sleep(0.05)
    return first - started


def _pid_of(running: RunningStack, name: str) -> int:
    return next(each.pid for each in running.processes if each.name == name)


@asynccontextmanager
async def _watched(pid: int) -> AsyncIterator[list[int]]:
    """Yield the memory of a process in bytes, sampled twice a second while the block lasts."""
    process = psutil.Process(pid)
    seen = [process.memory_info().rss]

    async def watch() -> None:
        while True:
            await asyncio.sleep(0.5)
            seen.append(process.memory_info().rss)

    task = asyncio.create_task(watch())
    try:
        yield seen
    finally:
        task.cancel()


async def _flooding(running: RunningStack, kind: str, rate: float, seconds: float) -> Process:
    """Start a flood; it prints a line after its last call was made, and one after the last has ended."""
    addresses = running.addresses["ingest"], running.addresses["search"]
    flood = [*addresses, kind, str(rate), str(seconds)]
    command = (sys.executable, "-m", "floods.overload", "--flood", *flood)
    return await asyncio.create_subprocess_exec(*command, stdout=PIPE)


async def flood(ingest: str, search: str, kind: str, rate: float, seconds: float) -> dict[str, Any]:
    """Make `rate` calls a second, independent of their results; with 0, a few callers call continuously."""
    call = Tenant(Services.at(ingest, search), "flood", seed=2).kinds()[kind]
    statuses: Counter[str] = Counter()
    took: list[float] = []
    began = time.monotonic()

    async def one() -> None:
        started = time.perf_counter()
        try:
            await call()
            statuses["OK"] += 1
            took.append(time.perf_counter() - started)
        except grpc.aio.AioRpcError as error:
            statuses[error.code().name] += 1

    async def caller() -> None:
        while time.monotonic() < began + seconds:
            await one()

    calls: set[asyncio.Task[None]] = set()
    if not rate:
        await asyncio.gather(*(caller() for _ in range(CALLERS)))
    offered = 0
    while rate and (now := time.monotonic() - began) < seconds:
        while offered < now * rate:
            offered += 1
            task = asyncio.create_task(one())
            calls.add(task)
            task.add_done_callback(calls.discard)
        await asyncio.sleep(0.005)
    lasted = time.monotonic() - began
    answered = statuses["OK"] / lasted
    print("{}", flush=True)
    if calls:
        await asyncio.wait(calls, timeout=60)
    return {
        "offered_per_s": round(offered / lasted, 1),
        "answered_per_s": round(answered, 1),
        "statuses": dict(statuses),
        "p95_ms": round(_p95(took) * 1000, 1) if len(took) > 1 else float("inf"),
    }


def main() -> None:
    options = argparse.ArgumentParser(prog="floods.overload", description=__doc__)
    options.add_argument(
        "--flood", nargs=5, metavar=("INGEST", "SEARCH", "KIND", "RATE", "SECONDS")
    )
    given = options.parse_args()
    if given.flood:
        ingest, search, kind, rate, seconds = given.flood
        print(json.dumps(asyncio.run(flood(ingest, search, kind, float(rate), float(seconds)))))
        return
    kept = asyncio.run(run(lambda row: print(json.dumps(row), flush=True)))
    sys.exit(0 if kept else 1)


if __name__ == "__main__":
    main()
