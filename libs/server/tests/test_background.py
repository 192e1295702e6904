"""Background tasks end, even if a cancellation gets lost."""

from __future__ import annotations

import asyncio

from everword.domain.background import end_tasks


async def test_end_tasks_cancels_again_if_the_first_cancellation_is_lost() -> None:
    coming = asyncio.get_running_loop().create_future()

    async def wait_as_pools_do() -> None:
        while True:
            # Returns the result where a cancellation comes at the same time: so it is in Python 3.11.
            await asyncio.wait_for(asyncio.shield(coming), 60)
            await asyncio.sleep(60)

    task = asyncio.create_task(wait_as_pools_do())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    coming.set_result(None)
    await asyncio.wait_for(end_tasks([task, None]), 10)
    assert task.cancelled()


async def test_end_tasks_ignores_errors_of_tasks() -> None:
    async def fail() -> None:
        raise ValueError("on its own")

    failing = asyncio.create_task(fail())
    going = asyncio.create_task(asyncio.sleep(60))
    await end_tasks([failing, going])
    assert going.cancelled()
    await end_tasks([])
