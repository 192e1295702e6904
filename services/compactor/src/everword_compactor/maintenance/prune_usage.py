"""Forgets what language models were asked long ago."""

from __future__ import annotations

from everword.db.blocking import BlockingDatabase, execute, fetch_values
from everword_compactor.maintenance.store import SQL

#: Enough to compare a month with that of the year before. Reports may come as late, and no later.
KEEP = "400 days"
BATCH = 10_000


def prune_usage(database: BlockingDatabase) -> None:
    """Do one round, for every namespace. Rows that another process is at are left to it."""
    with database.connection() as conn:
        for namespace_id in fetch_values(conn, SQL["namespaces_with_old_usage"], {"keep": KEEP}):
            batch = {"namespace_id": namespace_id, "keep": KEEP, "batch": BATCH}
            execute(conn, SQL["prune_usage"], batch)
