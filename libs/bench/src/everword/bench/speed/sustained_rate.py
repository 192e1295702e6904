"""Searches at fixed rates, independent of the answers: with all replicas of the search service, and with one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from everword.bench.speed.bench_stack import BenchStack
from everword.bench.speed.replicas import Replica, address_of, replicas
from everword.bench.speed.row import Floor, Row
from everword.bench.speed.searches import EMPTY_CALLS, empty_call, search
from everword.bench.speed.timers import closed_loop, open_loop, until_no_faster
from everword.client import Client

#: Largest p95 of a sustained rate, in ms.
P95_MS = 60.0
RATES = (10, 25, 50, 75, 100, 125, 150, 200, 300, 400)
SECONDS_EACH = 4.0
_FLOOR_CALLERS = 16


@dataclass(frozen=True)
class SustainedRate:
    """The highest rate with a good 95th percentile and no failed call, and the figures of each rate."""

    held: float
    rates: Mapping[str, Any]


async def measure(
    bench: BenchStack, name: str, scale: int, queries: Sequence[str], seconds: float
) -> Row:
    """Return the rate that all replicas sustain in a namespace; `details` has the rate of the first alone."""
    with replicas(bench, "search") as all_:
        async with _client_of(bench, name, all_[:1]) as client:
            alone = await climb(client, queries, seconds)
        for replica in all_[1:]:
            async with _client_of(bench, name, [replica]) as client:
                await prepare(client, queries)
        async with _client_of(bench, name, all_) as client:
            before = [replica.busy_s for replica in all_]
            together = await climb(client, queries, seconds)
            busy = [replica.busy_s - at for replica, at in zip(all_, before, strict=True)]
            empty = await closed_loop(
                lambda _: empty_call(client), range(EMPTY_CALLS), callers=_FLOOR_CALLERS
            )
    floor = Floor(len(empty.each_s) / empty.wall_s, f"empty calls of {_FLOOR_CALLERS} callers")
    details = {
        "rates": together.rates,
        "replicas": len(all_),
        "busy_s": [round(each, 2) for each in busy],
        "one_replica_per_s": alone.held,
        "one_replica_rates": alone.rates,
    }
    return Row("search_load_100k", scale, together.held, "searches/s", floor, details)


@asynccontextmanager
async def _client_of(
    bench: BenchStack, name: str, these: Sequence[Replica]
) -> AsyncIterator[Client]:
    settings = replace(bench.settings(name), search_address=address_of(these))
    async with Client.connect(settings) as client:
        yield client


async def prepare(client: Client, queries: Sequence[str]) -> None:
    """Search until vectors are cached and the namespace is loaded."""
    await until_no_faster(lambda query: search(client, query), queries)


async def climb(client: Client, queries: Sequence[str], seconds: float) -> SustainedRate:
    """Search at growing rates, after preparation, until the service cannot keep up.

    Raises the error of the first search if no search is answered.
    """
    await prepare(client, queries)
    held = 0.0
    rates: dict[str, Any] = {}
    for rate in RATES:
        times = await open_loop(lambda query: search(client, query), queries, rate, seconds)
        if times.error and not (times.each_s or rates):
            raise times.error
        rates[str(rate)] = {**times.details(), "failed": times.failed}
        if times.failed or times.ms(0.95) > P95_MS:
            break
        held = float(rate)
    return SustainedRate(held, rates)
