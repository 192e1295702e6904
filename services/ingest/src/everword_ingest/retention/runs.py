"""Begin runs, and read the record of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.ids import new_id
from everword.rpc.pages import PageRequest, open_cursor
from everword_ingest.retention import store
from everword_ingest.retention.model import RunRow

DEFAULT_PAGE = 20


async def run_retention(
    database: Database, namespace: NamespaceScope, wake: Callable[[], None]
) -> RunRow:
    """Begin a run, and return it, or the one that goes on already. `wake` is called after the commit."""
    async with database.transaction(namespace.id) as conn:
        await store.begin_run(conn, namespace.id, new_id(), night=None)
        run = await store.running_run(conn, namespace.id)
        if run is None:  # the one that was in the way has ended meanwhile
            [run] = await store.list_runs(conn, namespace.id, None, 1)
    wake()
    return run


async def list_retention_runs(
    database: Database, namespace: NamespaceScope, page: PageRequest
) -> tuple[Sequence[RunRow], str]:
    """Return a page of runs, latest first, and the token of the next one. Raises InvalidPageToken."""
    cursor = await open_cursor(database, namespace, "ListRetentionRuns", page, default=DEFAULT_PAGE)
    async with database.transaction(namespace.id) as conn:
        found = await store.list_runs(conn, namespace.id, cursor.after_id, cursor.limit)
    return cursor.cut(found, lambda last: [str(last.id)])
