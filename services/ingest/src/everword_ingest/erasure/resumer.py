"""Go on with erasures in the background: in short transactions, from wherever the last one ended.

It runs in every ingest process. Who holds the row of an erasure is at it; the others find it taken, and a process that
dies leaves what it had not committed to the next.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from uuid import UUID

import psycopg

from everword.db.pool import Database
from everword.domain.background import end_tasks
from everword.domain.errors import EverwordError
from everword_ingest.erasure import store
from everword_ingest.erasure.model import Did
from everword_ingest.erasure.removal import BATCH, follow, repeat_on_conflict

log = logging.getLogger(__name__)
#: How often it looks for what another process has left.
INTERVAL_S = 5.0
#: Between two batches: others' writes and reads come first.
PAUSE_S = 0.01
#: Erasures that one round looks at.
ERASURES = 100


class ErasureResumer:
    """Ends what `erase` began."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._task: asyncio.Task[None] | None = None
        self._more = asyncio.Event()

    def start(self) -> None:
        self._task = asyncio.create_task(self._run())

    def wake(self) -> None:
        """Say that an erasure has begun. Never blocks."""
        self._more.set()

    async def stop(self) -> None:
        await end_tasks([self._task])

    async def _run(self) -> None:
        while True:
            try:
                await self.resume()
            except psycopg.Error as error:
                log.warning("erasures wait", extra={"error": type(error).__name__})
            with suppress(TimeoutError):
                await asyncio.wait_for(self._more.wait(), INTERVAL_S)
            self._more.clear()

    async def resume(self) -> None:
        """Go on with all erasures that are not done, a batch of each in turn, until none is left or all fail."""
        async with self._database.connection() as conn:
            running = await store.running_erasures(conn, ERASURES)
        while running:
            left = []
            for row in running:
                if not await self._step(row.namespace_id, row.id):
                    left.append(row)
                await asyncio.sleep(PAUSE_S)
            running = left

    async def _step(self, namespace_id: int, erasure_id: UUID) -> bool:
        """Delete a batch; return whether there is nothing more to do for now."""
        try:
            did = await repeat_on_conflict(lambda: self._erase_batch(namespace_id, erasure_id))
        except (psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure):
            return False
        except (psycopg.Error, EverwordError) as error:
            # The message of an error may hold what was written: its name must do.
            log.warning("erasure failed", extra={"error": type(error).__name__})
            async with self._database.transaction(namespace_id) as conn:
                await store.fail_erasure(conn, namespace_id, erasure_id, type(error).__name__)
            return True
        if did.done and did.counts:
            log.info("erasure done", extra={"erasure_id": str(erasure_id)})
        return did.done

    async def _erase_batch(self, namespace_id: int, erasure_id: UUID) -> Did:
        async with self._database.transaction(namespace_id) as conn:
            did = await store.erase_batch(conn, erasure_id, BATCH)
            await follow(conn, namespace_id, did)
        return did
