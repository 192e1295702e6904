"""Injects faults at random times, several at once, but never two in one place."""

from __future__ import annotations

import asyncio
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

from faults.history import History, Promise
from faults.world import Fault, World

#: Number of injected faults by kind and place.
Injected = Counter[tuple[str, str]]


def plan(faults: Sequence[Fault], count: int, seed: int) -> list[Fault]:
    """Return `count` faults in random order: each once if the count allows, and random ones besides."""
    drawn = random.Random(seed)
    chosen = drawn.sample(faults, k=min(count, len(faults)))
    chosen += drawn.choices(faults, k=count - len(chosen))
    drawn.shuffle(chosen)
    return chosen


async def inject(
    world: World, faults: list[Fault], every_s: float, history: History, say: Callable[[str], None]
) -> Injected:
    """Start a fault every `every_s` seconds on average; return the injected ones after all have ended.

    A process or server that does not recover in time violates a promise, and the run continues.
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
