"""Wait for what happens elsewhere, and not longer than it may take."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable


async def until(condition: Callable[[], bool | Awaitable[bool]], within_s: float = 30.0) -> None:
    """Return once `condition` holds. Raises TimeoutError where it does not in time.

    The limit is for what never comes true: it is far from what a busy machine takes, and
    short of the minute after which the server ends what nobody waits for.
    """
    async with asyncio.timeout(within_s):
        while True:
            found = condition()
            if await found if inspect.isawaitable(found) else found:
                return
            await asyncio.sleep(0.02)
