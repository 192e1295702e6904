"""How fast the embedding queue drains, and what that costs searches: `make bench-drain`.

The drain is measured against the embedder alone, which gets the same texts with nothing else to do; searches against
searches while nothing drains. Every round measures both sides, and the median of the rounds' ratios counts; a round in
which the embedder alone was not equally fast before and after the drain is shown and not counted.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass

from bench.bench_stack import BenchStack, bench_stack, messages, queries

SEED = 20_240_229
CALLERS = 4
WARM_UP = 64
#: Maximal relative difference of the embedder's own speed within a valid round.
STEADY = 0.1
#: Seconds after a write in which services and Postgres are still busy, which must not count against the embedder.
SETTLE_S = 3.0


@dataclass(frozen=True)
class DrainRound:
    """The measurement of one queue."""

    passages: int
    #: Seconds of the embedder alone, before and after the drain.
    before_s: float
    after_s: float
    drain_s: float

    @property
    def ratio(self) -> float:
        """The drain's rate divided by the rate of the embedder alone."""
        return (self.before_s + self.after_s) / 2 / self.drain_s

    @property
    def steady(self) -> bool:
        """Return whether the machine's speed was equal before and after; otherwise other processes used it."""
        return abs(self.before_s - self.after_s) <= STEADY * min(self.before_s, self.after_s)


@dataclass(frozen=True)
class SearchRound:
    """Searches with and without a concurrent drain."""

    idle_searches: int
    draining_searches: int
    idle_p95_s: float
    draining_p95_s: float

    @property
    def ratio(self) -> float:
        return self.draining_p95_s / self.idle_p95_s


async def drain_round(on: BenchStack, passages: int, rng: random.Random) -> DrainRound:
    with on.worker_paused():
        await on.fill(messages(passages, rng))
        texts = on.pending_texts()
        await asyncio.sleep(SETTLE_S)
        before_s = await on.measure_embedding(texts)
    drain_s = await on.drained()
    return DrainRound(len(texts), before_s, await on.measure_embedding(texts), drain_s)


async def search_round(
    on: BenchStack, passages: int, idle_s: float, rng: random.Random
) -> SearchRound:
    idle = await searches_during(on, lambda: asyncio.sleep(idle_s), rng)
    with on.worker_paused():
        await on.fill(messages(passages, rng))
    draining = await searches_during(on, on.drained, rng)
    return SearchRound(len(idle), len(draining), p95(idle), p95(draining))


async def searches_during(
    on: BenchStack, work: Callable[[], Awaitable[object]], rng: random.Random
) -> list[float]:
    """Search with several callers in a loop until `work` ends; return the durations."""
    times: list[float] = []
    asked = queries(rng)
    done = asyncio.Event()

    async def call() -> None:
        while not done.is_set():
            times.append(await on.search(next(asked)))

    callers = [asyncio.create_task(call()) for _ in range(CALLERS)]
    await work()
    done.set()
    await asyncio.gather(*callers)
    return times


def p95(times: list[float]) -> float:
    return statistics.quantiles(times, n=20)[-1]


async def measure(
    passages: int, rounds: int, idle_s: float
) -> tuple[list[DrainRound], list[SearchRound]]:
    rng = random.Random(SEED)
    async with bench_stack() as on:
        await on.fill(messages(WARM_UP, rng))
        await on.drained()
        await searches_during(on, lambda: asyncio.sleep(2), rng)
        drains = [await drain_round(on, passages, rng) for _ in range(rounds)]
        searches = [await search_round(on, passages, idle_s, rng) for _ in range(rounds)]
    return drains, searches


def report(drains: list[DrainRound], searches: list[SearchRound]) -> None:
    print(f"{'passages':>10} {'before/s':>10} {'drained/s':>10} {'after/s':>10} {'ratio':>7}")
    for one in drains:
        rates = [one.passages / took for took in (one.before_s, one.drain_s, one.after_s)]
        columns = " ".join(f"{rate:10.1f}" for rate in rates)
        print(f"{one.passages:10} {columns} {one.ratio:7.3f}{'' if one.steady else '  disturbed'}")
    print(f"\n{'searches':>10} {'idle p95':>10} {'p95':>10} {'ratio':>7}")
    for two in searches:
        times = f"{two.idle_p95_s * 1000:7.0f} ms {two.draining_p95_s * 1000:7.0f} ms"
        print(f"{two.draining_searches:10} {times} {two.ratio:7.2f}")
    steady = [one.ratio for one in drains if one.steady]
    summary = {
        "drain_ratio": round(statistics.median(steady), 3) if steady else None,
        "search_p95_ratio": round(statistics.median(two.ratio for two in searches), 2),
        "drain_rounds": [asdict(one) for one in drains],
        "search_rounds": [asdict(two) for two in searches],
    }
    print(f"\n{json.dumps(summary)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, default=1500)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--idle-seconds", type=float, default=10.0)
    given = parser.parse_args()
    report(*asyncio.run(measure(given.passages, given.rounds, given.idle_seconds)))


if __name__ == "__main__":
    main()
