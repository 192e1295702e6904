"""What ingest does beside its calls: fold counts, forget old request ids."""

from __future__ import annotations

import asyncio
import logging
import time

import psycopg

from everword.db.pool import Connection, Database
from everword.db.statements import execute
from everword_ingest import store

log = logging.getLogger(__name__)
INTERVAL_S = 10.0
#: The share of its time that a process spends on finding what to fold: with many namespaces it looks less often.
LOOKING_SHARE = 0.02
#: A namespace's counts are folded once it has this many rows: reading a few hundred costs nothing.
FOLD_ROWS = 200
#: Rows that one statement folds, and namespaces that one round does.
FOLDED_AT_ONCE, NAMESPACES = 20_000, 1_000
#: Callers are promised 7 days; a day more covers clocks and pauses.
KEEP_REQUESTS = "8 days"
PRUNE_BATCH = 10_000


async def fold(conn: Connection, namespace_id: int) -> None:
    """Fold the counts of a namespace into one row, but for those that another process folds."""
    while await store.fold_corpus_counts(conn, namespace_id, FOLDED_AT_ONCE) == FOLDED_AT_ONCE:
        pass


class Housekeeping:
    """Runs in every ingest process; what one folds, the others skip."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._task: asyncio.Task[None] | None = None
        self._look_at = 0.0

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
            keep = {"keep": KEEP_REQUESTS, "batch": PRUNE_BATCH}
            await execute(conn, store.SQL["prune_append_requests"], keep)
            started = time.monotonic()
            if started < self._look_at:
                return
            crowded = await store.find_crowded(conn, FOLD_ROWS, NAMESPACES)
            took = time.monotonic() - started
            for namespace_id in crowded:
                await fold(conn, namespace_id)
            # Where that was not all, the others come next.
            self._look_at = started + (0.0 if len(crowded) == NAMESPACES else took / LOOKING_SHARE)
