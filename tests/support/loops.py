"""Measures blocking steps of the event loop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

#: `make test` allows this multiple of the promised durations, since it runs on busy machines of different speed and
#: profiling slows the code further. `make test-floods` checks the promised durations.
BUSY = 5
#: CPU seconds that `_reference` takes on an idle machine.
_REFERENCE_S = 0.0077


@asynccontextmanager
async def longest_step() -> AsyncIterator[list[float]]:
    """Yield a list; after the block it has the longest blocking step of the event loop, in seconds."""
    longest = [0.0]

    async def watch() -> None:
        while True:
            begun = time.thread_time()
            await asyncio.sleep(0.002)
            longest[0] = max(longest[0], time.thread_time() - begun)

    watching = asyncio.create_task(watch())
    await asyncio.sleep(0.01)
    try:
        yield longest
        await asyncio.sleep(0.01)
    finally:
        watching.cancel()


def slowness() -> float:
    """Return how many times slower this machine computes now than an idle one; at least 1.

    Another virtual machine on the same processor makes CPU times longer, too.
    """
    return max(1.0, min(_reference() for _ in range(5)) / _REFERENCE_S)


def _reference() -> float:
    begun = time.thread_time()
    sum(number * number for number in range(200_000))
    return time.thread_time() - begun
