"""Begin runs at night and go on with them in the background, in every ingest process.

Who holds the row of a run is at it; a process that dies leaves what it had not committed to the next.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from uuid import UUID

import psycopg

from everword.db.pool import Database
from everword.domain.background import end_tasks
from everword.domain.errors import EverwordError
from everword.domain.ids import new_id
from everword.domain.periods import Calendar, last_night
from everword.domain.times import utc_now
from everword_ingest.erasure.removal import repeat_on_conflict
from everword_ingest.retention import store
from everword_ingest.retention.steps import remove_batch

log = logging.getLogger(__name__)
#: How often it looks whether a night is over, and for what another process has left.
INTERVAL_S = 10.0
#: Between two batches: others' writes and reads come first.
PAUSE_S = 0.01
#: Runs that one round looks at.
RUNS = 100


class RetentionRunner:
    """Removes what policies let go."""

    def __init__(self, database: Database, follow_up: Callable[[], None]) -> None:
        """`follow_up` is called after a run: there may be summaries to write again."""
        self._database = database
        self._follow_up = follow_up
        self._task: asyncio.Task[None] | None = None
        self._more = asyncio.Event()

    def start(self) -> None:
        self._task = asyncio.create_task(self._run())

    def wake(self) -> None:
        """Say that a run has begun. Never blocks."""
        self._more.set()

    async def stop(self) -> None:
        await end_tasks([self._task])

    async def _run(self) -> None:
        while True:
            try:
                await self.begin(utc_now())
                await self.resume()
            except (psycopg.Error, EverwordError) as error:
                log.warning("retention waits", extra={"error": type(error).__name__})
            with suppress(TimeoutError):
                await asyncio.wait_for(self._more.wait(), INTERVAL_S)
            self._more.clear()

    async def begin(self, now: datetime) -> int:
        """Begin the runs of nights that are over; return how many."""
        async with self._database.connection() as conn:
            idle = await store.idle_retention(conn)
        begun = 0
        for row in idle:
            calendar = Calendar(row.time_zone, row.day_cutoff_minutes)
            night = last_night(calendar, now)
            # The first one is the night after somebody has said it.
            if night > max(last_night(calendar, row.set_at), row.night or night.min):
                async with self._database.transaction(row.namespace_id) as conn:
                    await store.begin_run(conn, row.namespace_id, new_id(), night)
                begun += 1
        return begun

    async def resume(self) -> None:
        """Go on with all runs that are not done, a batch of each in turn, until none is left or all fail."""
        async with self._database.connection() as conn:
            running = await store.running_retention(conn, RUNS)
        while running:
            left = []
            for row in running:
                if not await self._step(row.namespace_id, row.id):
                    left.append(row)
                await asyncio.sleep(PAUSE_S)
            running = left

    async def _step(self, namespace_id: int, run_id: UUID) -> bool:
        """Remove a batch; return whether there is nothing more to do for now."""
        try:
            done = await repeat_on_conflict(lambda: self._remove_batch(namespace_id, run_id))
        except (psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure):
            return False
        except (psycopg.Error, EverwordError) as error:
            # The message of an error may hold what was written: its name must do.
            log.warning("retention failed", extra={"error": type(error).__name__})
            async with self._database.transaction(namespace_id) as conn:
                await store.fail_run(conn, namespace_id, run_id, type(error).__name__)
            return True
        if done:
            self._follow_up()
        return done

    async def _remove_batch(self, namespace_id: int, run_id: UUID) -> bool:
        async with self._database.transaction(namespace_id) as conn:
            return await remove_batch(conn, namespace_id, run_id)
