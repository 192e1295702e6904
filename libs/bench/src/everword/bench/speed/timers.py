"""Times of calls: one caller that waits for answers, several callers, or a fixed rate independent of the answers."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from everword.bench.metrics import percentile
from everword.client import CallError

T = TypeVar("T")
Call = Callable[[T], Awaitable[object]]
#: A round that takes more of the time of the fastest one before found everything loaded.
_NO_FASTER = 0.9
#: So many such rounds in a row.
_AS_SLOW = 2


@dataclass(frozen=True)
class Times:
    """The seconds that each call took, and all of them together."""

    each_s: Sequence[float]
    wall_s: float
    failed: int = 0
    #: Error of the first call that failed.
    error: Exception | None = None

    def ms(self, share: float) -> float:
        """Return a percentile in milliseconds."""
        return 1000 * (percentile(self.each_s, share) or 0.0)

    def details(self) -> dict[str, Any]:
        shares = {"p50_ms": 0.5, "p95_ms": 0.95, "p99_ms": 0.99}
        return {
            "calls": len(self.each_s),
            **{name: round(self.ms(share), 3) for name, share in shares.items()},
        }


async def together(work: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Run all coroutines concurrently. The first error cancels the others and is raised without a group."""
    try:
        async with asyncio.TaskGroup() as group:
            for one in work:
                group.create_task(one)
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None


async def closed_loop(call: Call[T], given: Iterable[T], callers: int = 1) -> Times:
    """Make a call for each of `given`; every caller waits for its answer before it calls again."""
    rest = iter(given)
    each: list[float] = []

    async def caller() -> None:
        for one in rest:
            started = time.perf_counter()
            await call(one)
            each.append(time.perf_counter() - started)

    begun = time.perf_counter()
    await together(caller() for _ in range(callers))
    return Times(each, time.perf_counter() - begun)


async def until_no_faster(call: Call[T], given: Sequence[T]) -> None:
    """Make all calls, round after round, until two rounds in a row are no faster: by then everything is loaded."""
    fastest, as_slow = math.inf, 0
    # While it is loaded, which may take longer than a round, nothing gets faster.
    while as_slow < _AS_SLOW:
        elapsed = (await closed_loop(call, given)).wall_s
        as_slow = 0 if elapsed <= _NO_FASTER * fastest else as_slow + 1
        fastest = min(fastest, elapsed)


async def open_loop(call: Call[T], given: Sequence[T], rate: float, seconds: float) -> Times:
    """Call at a fixed rate, cycling through `given`. The time of a call counts from its scheduled start.

    So a server that falls behind is charged for the calls that had to wait; no call waits for an earlier answer. Calls
    that fail with a CallError or a RuntimeError, as calls beyond capacity do, are counted and have no time.
    """
    number = max(1, round(rate * seconds))
    each: list[float] = []
    failed: list[Exception] = []

    async def one(index: int) -> None:
        due = begun + index / rate
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        try:
            await call(given[index % len(given)])
        except (CallError, RuntimeError) as error:
            failed.append(error)
        else:
            each.append(time.perf_counter() - due)

    begun = time.perf_counter()
    await together(one(index) for index in range(number))
    return Times(each, time.perf_counter() - begun, len(failed), next(iter(failed), None))


async def until(done: asyncio.Event, call: Call[T], given: Sequence[T], pause_s: float) -> Times:
    """Call again and again, with a pause after each answer, until something else is done."""
    each: list[float] = []
    begun = time.perf_counter()
    while not done.is_set():
        started = time.perf_counter()
        await call(given[len(each) % len(given)])
        each.append(time.perf_counter() - started)
        await asyncio.sleep(pause_s)
    return Times(each, time.perf_counter() - begun)
