"""Waits for asynchronous conditions with a time limit."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable


async def until(condition: Callable[[], bool | Awaitable[bool]], within_s: float = 30.0) -> None:
    """Return once `condition` holds. Raises TimeoutError if it does not in time.

    The default limit only serves conditions that never come true: it is far above the time that a busy machine takes,
    and below the minute after which the server ends calls without a waiting client.
    """
    async with asyncio.timeout(within_s):
        while True:
            found = condition()
            if await found if inspect.isawaitable(found) else found:
                return
            await asyncio.sleep(0.02)
