"""What ingest does beside its calls: fold counts, forget old request ids."""

from __future__ import annotations

import asyncio
import logging

import psycopg

from everword.db.pool import Database
from everword.db.statements import execute
from everword_ingest.store import SQL

log = logging.getLogger(__name__)
INTERVAL_S = 10.0
#: A namespace's counts are folded once it has this many rows: reading a few hundred costs nothing.
FOLD_ROWS = 200
#: Callers are promised 7 days; a day more covers clocks and pauses.
KEEP_REQUESTS = "8 days"
PRUNE_BATCH = 10_000


class Housekeeping:
    """Runs in every ingest process; what one is at, the others skip."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(INTERVAL_S)
            try:
                await self.sweep()
            except psycopg.Error as error:
                log.warning("housekeeping failed", extra={"error": str(error)})

    async def sweep(self) -> None:
        """Do one round."""
        async with self._database.connection() as conn:
            await execute(conn, SQL["fold_corpus_counts"], {"rows": FOLD_ROWS})
            keep = {"keep": KEEP_REQUESTS, "batch": PRUNE_BATCH}
            await execute(conn, SQL["prune_append_requests"], keep)
