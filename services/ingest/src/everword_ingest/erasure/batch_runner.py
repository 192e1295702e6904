"""Deletes in the background, in short transactions, each continuing after the last one.

It runs in every ingest process. The process that locks the row of a deletion works on it and the others skip it; the
uncommitted work of a process that dies is done by the next.
"""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from typing import ClassVar
from uuid import UUID

import psycopg

from everword.db.pool import Connection, Database
from everword.domain.background import end_tasks
from everword.domain.errors import EverwordError
from everword_ingest.erasure.model import RunningDeletion
from everword_ingest.erasure.removal import repeat_on_conflict

log = logging.getLogger(__name__)
#: Between two batches: others' writes and reads come first.
PAUSE_S = 0.01


class BatchRunner(ABC):
    """Continues deletions that are not done."""

    #: Description of the deletions in the log.
    name: ClassVar[str]

    def __init__(self, database: Database, interval_s: float) -> None:
        """Look for unfinished work of other processes every `interval_s` seconds."""
        self._database = database
        self._interval_s = interval_s
        self._task: asyncio.Task[None] | None = None
        self._more = asyncio.Event()

    def start(self) -> None:
        self._task = asyncio.create_task(self._run())

    def wake(self) -> None:
        """Say that a deletion has begun. Never blocks."""
        self._more.set()

    async def stop(self) -> None:
        await end_tasks([self._task])

    async def _run(self) -> None:
        while True:
            try:
                await self.begin()
                await self.resume()
            except (psycopg.Error, EverwordError) as error:
                log.warning(
                    "deletion.round_failed",
                    extra={"deletion": self.name, "error": type(error).__name__},
                )
            with suppress(TimeoutError):
                await asyncio.wait_for(self._more.wait(), self._interval_s)
            self._more.clear()

    async def begin(self) -> int:
        """Begin the deletions that have become due; return how many."""
        return 0

    async def resume(self) -> None:
        """Continue all deletions that are not done, a batch of each in turn, until none is left or all fail."""
        async with self._database.connection() as conn:
            running = await self._list_running(conn)
        while running:
            left = []
            for row in running:
                if not await self._step(row.namespace_id, row.id):
                    left.append(row)
                await asyncio.sleep(PAUSE_S)
            running = left

    async def _step(self, namespace_id: int, id_: UUID) -> bool:
        """Delete a batch; return whether there is nothing more to do for now."""
        try:
            return await repeat_on_conflict(lambda: self._delete_batch(namespace_id, id_))
        except (psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure):
            return False
        except (psycopg.Error, EverwordError) as error:
            # The message of an error may contain stored text: its name must do.
            log.warning(
                "deletion.failed", extra={"deletion": self.name, "error": type(error).__name__}
            )
            async with self._database.transaction(namespace_id) as conn:
                await self._record_failure(conn, namespace_id, id_, type(error).__name__)
            return True

    @abstractmethod
    async def _list_running(self, conn: Connection) -> Sequence[RunningDeletion]:
        """Return deletions that are not done."""

    @abstractmethod
    async def _delete_batch(self, namespace_id: int, id_: UUID) -> bool:
        """Delete a batch in one transaction; return whether nothing is left."""

    @abstractmethod
    async def _record_failure(
        self, conn: Connection, namespace_id: int, id_: UUID, error: str
    ) -> None: ...
