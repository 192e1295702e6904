"""Injects faults at random points, many at once, but never two in one place."""

from __future__ import annotations

import asyncio
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

from faults.history import History, Promise
from faults.world import Fault, World

#: What was injected, by kind and place.
Injected = Counter[tuple[str, str]]


def plan(faults: Sequence[Fault], count: int, seed: int) -> list[Fault]:
    """Return so many faults in random order: each once, as far as the count goes, and the rest at random."""
    drawn = random.Random(seed)
    chosen = drawn.sample(faults, k=min(count, len(faults)))
    chosen += drawn.choices(faults, k=count - len(chosen))
    drawn.shuffle(chosen)
    return chosen


async def inject(
    world: World, faults: list[Fault], every_s: float, history: History, say: Callable[[str], None]
) -> Injected:
    """Begin a fault every so often on the average, and return what was injected once all are over.

    What does not come back in time breaks a promise, and the run goes on.
    """
    injected: Injected = Counter()
    free: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def carry_out(fault: Fault) -> None:
        async with free[fault.place]:
            try:
                await fault.inject(world)
            except TimeoutError:
                words = f"{fault.place} {fault.kind}: it did not come back"
                history.hold(Promise.ENDS, False, words)
        injected[fault.kind, fault.place] += 1
        say(f"{injected.total()}: {fault.place} {fault.kind}")

    async with asyncio.TaskGroup() as group:
        for fault in faults:
            await asyncio.sleep(world.random.uniform(0.0, 2 * every_s))
            group.create_task(carry_out(fault))
    return injected
