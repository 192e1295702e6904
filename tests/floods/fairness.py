"""Effect of a tenant's import on another tenant's appends, until they have vectors, and on its searches."""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from everword.client.channel import open_channel
from everword.embedded.folder import RunningStack
from everword.embedded.ports import Ports
from everword.embedded.settings import StackSettings
from everword.embedded.stack import stack
from everword.v1 import ingest_service_pb2 as ingest
from everword.v1.admin_service_pb2 import CreateNamespaceRequest, Namespace
from everword.v1.admin_service_pb2_grpc import AdminServiceStub
from everword.v1.search_service_pb2 import GetStatsRequest
from floods.calls import Services, Tenant, sentences
from support.callers import within
from support.calls import append_request
from support.waits import until

#: Maximal factor of the median duration during the import.
LIMITS = {"append → EMBEDDED": 5.0, "search": 2.0}
STREAMS, BATCH = 4, 100
#: Number of calls timed alone, and the minimum during the import and while its vectors are made.
ALONE, CALLS = 80, 40
#: Timeout of an importing stream, in seconds.
IMPORT_S = 3600.0
#: Seconds within which the other tenant's messages must have vectors.
EMBEDDED_S = 600.0


@dataclass(frozen=True)
class Times:
    """Seconds of consecutive calls, by kind."""

    seconds: dict[str, list[float]]

    def median(self, kind: str) -> float:
        return statistics.median(self.seconds[kind])

    def worst(self, kind: str) -> float:
        return max(self.seconds[kind])


async def run(messages: int, tell: Callable[[str], None]) -> dict[str, Times]:
    """Return the other tenant's times: alone, during the import, and while the import's vectors are made."""
    async with stack(StackSettings(data=None, ports=Ports.free())) as running:
        services = Services.at(running.addresses["ingest"], running.addresses["search"])
        async with open_channel(running.addresses["ingest"]) as channel:
            for name in ("import", "other"):
                made = CreateNamespaceRequest(namespace=Namespace(name=name))
                await AdminServiceStub(channel).CreateNamespace(made)
        other = Tenant(services, "other", seed=1)
        await other.fill()
        await _all_embedded(services)
        found = {"alone": await _timed(other, calls=ALONE)}
        importer = await _import(running, messages)
        await asyncio.sleep(3)
        found["beside the import"] = await _timed(other, lambda: importer.returncode is None)
        await importer.wait()
        if importer.returncode:
            raise RuntimeError("the import failed")
        waiting = await _pending(services, "import")
        tell(f"{messages} messages are imported; {waiting} vectors are to be made")
        found["beside its vectors"] = await _timed(other)
        waiting = await _pending(services, "import")
        tell(f"{waiting} are still to be made")
        return found


async def _all_embedded(services: Services) -> None:
    """Wait until the other tenant has no pending vectors, so that its own work does not delay it."""

    async def is_embedded() -> bool:
        await asyncio.sleep(1)
        return await _pending(services, "other") == 0

    await until(is_embedded, EMBEDDED_S)


async def _import(running: RunningStack, messages: int) -> Process:
    command = (sys.executable, "-m", "floods.fairness", "--import", running.addresses["ingest"])
    return await asyncio.create_subprocess_exec(*command, "--messages", str(messages), stdout=PIPE)


async def _pending(services: Services, namespace: str) -> int:
    stats = await services.search.GetStats(GetStatsRequest(), metadata=within(namespace))
    return stats.embedding.pending


async def _timed(
    tenant: Tenant, goes_on: Callable[[], bool] = lambda: False, calls: int = CALLS
) -> Times:
    kinds: dict[str, Callable[[], Awaitable[object]]] = {
        "append → EMBEDDED": tenant.embedded,
        "search": tenant.search,
    }
    seconds: dict[str, list[float]] = {kind: [] for kind in kinds}
    while goes_on() or len(seconds["search"]) < calls:
        for kind, call in kinds.items():
            started = time.perf_counter()
            await call()
            seconds[kind].append(time.perf_counter() - started)
            await asyncio.sleep(0.1)
    return Times(seconds)


async def import_messages(address: str, messages: int) -> None:
    """Import as one tenant, with several streams at once."""
    said = sentences()

    async def batches(stream: int) -> AsyncIterator[ingest.ImportMessagesRequest]:
        for number in range(messages // STREAMS // BATCH):
            texts = [
                f"{said[(number * BATCH + n) % len(said)]} ({stream}, {number}, {n})"
                for n in range(BATCH)
            ]
            key = f"s{stream}-{number // 5}"
            yield ingest.ImportMessagesRequest(batch=append_request(*texts, session_key=key))

    service = Services.at(address, address).ingest
    await asyncio.gather(
        *(
            service.ImportMessages(batches(stream), metadata=within("import"), timeout=IMPORT_S)
            for stream in range(STREAMS)
        )
    )


def _told(found: dict[str, Times]) -> tuple[list[dict[str, object]], bool]:
    """Return a row for each kind and time, and whether all are within their limits."""
    rows: list[dict[str, object]] = []
    within_limits = True
    for when, times in found.items():
        for kind, limit in LIMITS.items():
            ratio = times.median(kind) / found["alone"].median(kind)
            within_limits &= ratio <= limit
            figures = {"median_ms": times.median(kind) * 1000, "worst_ms": times.worst(kind) * 1000}
            rounded = {name: round(value, 1) for name, value in figures.items()}
            calls = len(times.seconds[kind])
            rows.append(
                {"when": when, "kind": kind, **rounded, "ratio": round(ratio, 2), "calls": calls}
            )
    return rows, within_limits


def main(arguments: Sequence[str] | None = None) -> None:
    options = argparse.ArgumentParser(prog="floods.fairness", description=__doc__)
    options.add_argument("--messages", type=int, default=200_000)
    options.add_argument(
        "--import", dest="address", help="import at this address, and do nothing else"
    )
    options.add_argument("--json", type=Path, help="file to write the rows to")
    given = options.parse_args(arguments)
    if given.address:
        asyncio.run(import_messages(given.address, given.messages))
        return
    rows, within_limits = _told(
        asyncio.run(run(given.messages, lambda text: print(text, flush=True)))
    )
    for row in rows:
        print(row)
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1) + "\n")
    sys.exit(0 if within_limits else 1)


if __name__ == "__main__":
    main()
