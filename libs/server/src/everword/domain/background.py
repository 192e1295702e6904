"""End what runs in the background of a service."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

#: After this time a task that goes on is cancelled once more.
AGAIN_S = 0.5


async def end_tasks(tasks: Iterable[asyncio.Task[Any] | None]) -> None:
    """Cancel tasks until they are done, and ignore their exceptions.

    One cancellation may get lost: `asyncio.wait_for` of Python 3.11, with which psycopg's pool waits for a connection,
    returns its result if both come at the same time.
    """
    going = {task for task in tasks if task is not None}
    while going:
        for task in going:
            task.cancel()
        done, going = await asyncio.wait(going, timeout=AGAIN_S)
        # Retrieve exceptions, so that asyncio does not report them as never retrieved.
        await asyncio.gather(*done, return_exceptions=True)
