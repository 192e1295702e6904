"""A run: a stack, two tenants, and one flood after another."""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import time
from asyncio.subprocess import PIPE
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from everword.client.channel import open_channel
from everword.embedded.folder import RunningStack
from everword.embedded.ports import Ports
from everword.embedded.settings import StackSettings
from everword.embedded.stack import stack
from everword.v1.admin_service_pb2 import CreateNamespaceRequest, Namespace
from everword.v1.admin_service_pb2_grpc import AdminServiceStub
from floods.calls import Services, Tenant

#: Timed calls of the other tenant, and their number.
TIMED = ("append", "search")
CALLS = 40
#: Seconds until timing starts, and total duration of a flood in seconds.
GROWS_S = 3.0
LASTS_S = 25.0


@dataclass(frozen=True)
class Row:
    """Effect of one kind of flood on one kind of call."""

    flood: str
    timed: str
    #: Medians, in milliseconds.
    alone_ms: float
    beside_ms: float
    answered: int
    refused: int

    @property
    def ratio(self) -> float:
        return self.beside_ms / self.alone_ms

    def as_json(self) -> dict[str, object]:
        return {**asdict(self), "ratio": round(self.ratio, 2)}


async def run(callers: int, kinds: Sequence[str], tell: Callable[[str], None]) -> list[Row]:
    """Return a row for each kind of flood and of timed call. An empty `kinds` selects all."""
    async with stack(StackSettings(data=None, ports=Ports.free())) as running:
        services = Services.at(running.addresses["ingest"], running.addresses["search"])
        async with open_channel(running.addresses["ingest"]) as channel:
            for name in ("flood", "other"):
                await AdminServiceStub(channel).CreateNamespace(
                    CreateNamespaceRequest(namespace=Namespace(name=name))
                )
                await Tenant(services, name, seed=1).fill()
        other = Tenant(services, "other", seed=3)
        for kind in TIMED:
            await _median_ms(other, kind)
        rows: list[Row] = []
        for kind in kinds or other.kinds():
            rows += await _measure_other_tenant(running, other, kind, callers)
            tell(kind)
        return rows


async def _measure_other_tenant(
    running: RunningStack, other: Tenant, kind: str, callers: int
) -> list[Row]:
    alone = {timed: await _median_ms(other, timed) for timed in TIMED}
    addresses = running.addresses["ingest"], running.addresses["search"]
    command = (sys.executable, "-m", "floods.flood", *addresses, kind, str(callers), str(LASTS_S))
    flood = await asyncio.create_subprocess_exec(*command, stdout=PIPE)
    await asyncio.sleep(GROWS_S)
    beside = {timed: await _median_ms(other, timed) for timed in TIMED}
    if flood.returncode is not None:
        raise RuntimeError(f"the flood of {kind} ended before the calls beside it")
    counts = json.loads((await flood.communicate())[0])
    return [Row(kind, timed, alone[timed], beside[timed], **counts) for timed in TIMED]


async def _median_ms(tenant: Tenant, kind: str) -> float:
    times = []
    call = tenant.kinds()[kind]
    for _ in range(CALLS):
        started = time.perf_counter()
        await call()
        times.append(time.perf_counter() - started)
        await asyncio.sleep(0.02)
    return statistics.median(times) * 1000
