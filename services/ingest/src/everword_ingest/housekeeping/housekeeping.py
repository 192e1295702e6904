"""Periodic work of ingest: fold counts, measure storage, number changes, delete old request ids and changes."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import psycopg

from everword.db.periodic import PeriodicTask
from everword.db.pool import Connection, Database
from everword.db.statements import execute, fetch_all, fetch_value, fetch_values, load_statements

SQL = load_statements("everword_ingest.housekeeping")
INTERVAL_S = 10.0
#: The share of its time that a process spends on finding what to fold: with many namespaces it looks less often.
POLLING_SHARE = 0.02
#: The longest pause, whatever looking took: a search reads all rows of its namespace.
LONGEST_S = 120.0
#: A namespace's counts are folded once it has this many rows: reading a few hundred costs nothing.
FOLD_ROWS = 200
#: For how long it holds how much a namespace stores.
MEASURED_S = 8.0
#: Rows that one statement folds, and namespaces that one round does.
FOLDED_AT_ONCE, NAMESPACES = 20_000, 1_000
#: Callers are promised 7 days; a day more covers clocks and pauses.
REQUEST_RETENTION = "8 days"
#: Watchers resume within a day.
CHANGE_RETENTION = "1 day"
PRUNE_BATCH = 10_000


async def fold(conn: Connection, namespace_id: int) -> None:
    """Fold the counts of a namespace into one row, except rows that another process is folding."""
    parameters = {"namespace_id": namespace_id, "limit": FOLDED_AT_ONCE}
    while await fetch_value(conn, SQL["fold_corpus_counts"], parameters) == FOLDED_AT_ONCE:
        pass


@dataclass(frozen=True)
class _OldRows:
    """Ids of a namespace's rows that are to be deleted."""

    namespace_id: int
    ids: list[Any]


class Housekeeping(PeriodicTask):
    """Runs in every ingest process; what one folds, the others skip."""

    def __init__(self, database: Database) -> None:
        super().__init__(
            "housekeeping",
            INTERVAL_S,
            [
                self.fold_counts,
                self.measure_stored,
                self.number_changes,
                self.prune_requests,
                self.prune_changes,
            ],
        )
        self._database = database
        self._look_at = 0.0
        self._measure_at = 0.0

    async def fold_counts(self) -> None:
        """Fold counts of namespaces with many count rows, unless such namespaces were looked for lately."""
        started = time.monotonic()
        if started < self._look_at:
            return
        async with self._database.connection() as conn:
            limits = {"rows": FOLD_ROWS, "limit": NAMESPACES}
            crowded = await fetch_values(conn, SQL["find_crowded"], limits)
            elapsed = time.monotonic() - started
            # If there may be more, look again at once.
            pause_s = 0.0 if len(crowded) == NAMESPACES else elapsed / POLLING_SHARE
            self._look_at = started + min(pause_s, LONGEST_S)
            for namespace_id in crowded:
                with suppress(psycopg.errors.ForeignKeyViolation):  # it was deleted meanwhile
                    await fold(conn, namespace_id)

    async def measure_stored(self) -> None:
        """Measure what namespaces hold that may hold so much, and that no process measured lately."""
        started = time.monotonic()
        if started < self._measure_at:
            return
        async with self._database.connection() as conn:
            long_ago = {"measured_s": MEASURED_S}
            due = await fetch_values(conn, SQL["list_unmeasured"], long_ago)
        for namespace_id in due:
            async with self._database.transaction(namespace_id) as conn:
                await execute(conn, SQL["measure_stored"], {"namespace_id": namespace_id})
        elapsed = time.monotonic() - started
        self._measure_at = started + min(elapsed / POLLING_SHARE, LONGEST_S)

    async def number_changes(self) -> None:
        """Number changes, because searches on a standby cannot, and others read changes without a number repeatedly."""
        async with self._database.connection() as conn:
            due = await fetch_values(conn, SQL["unnumbered_namespaces"], {})
        for namespace_id in due:
            with suppress(psycopg.errors.ForeignKeyViolation):  # it was deleted meanwhile
                async with self._database.transaction(namespace_id) as conn:
                    await execute(conn, SQL["number_changes"], {"namespace_id": namespace_id})

    async def prune_requests(self) -> None:
        """Delete request ids that are too old to be repeated."""
        await self._prune("append_requests", REQUEST_RETENTION)

    async def prune_changes(self) -> None:
        """Delete changes of memories that watchers cannot ask for any more."""
        await self._prune("memory_changes", CHANGE_RETENTION)

    async def _prune(self, table: str, keep: str) -> None:
        limits = {"keep": keep, "batch": PRUNE_BATCH}
        async with self._database.connection() as conn:
            for old in await fetch_all(conn, SQL[f"old_{table}"], limits, _OldRows):
                rows = {"namespace_id": old.namespace_id, "ids": old.ids, "keep": keep}
                await execute(conn, SQL[f"prune_{table}"], rows)
