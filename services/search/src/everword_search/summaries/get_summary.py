"""Read one summary."""

from __future__ import annotations

from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.not_found import SummaryNotFound
from everword.domain.records import SummaryRecord
from everword_search.records.freshness import ensure_fresh
from everword_search.summaries import store


async def get_summary(
    database: Database,
    namespace: NamespaceScope,
    wanted: UUID | str,
    at_least_as_fresh: str = "",
) -> SummaryRecord:
    """Return the whole of a summary, by its id or its name. Raises SummaryNotFound."""
    async with database.transaction(namespace.id) as conn:
        await ensure_fresh(database, conn, namespace, at_least_as_fresh)
        if isinstance(wanted, str):
            summary_id = await store.find_named(conn, namespace.id, wanted)
            if summary_id is None:
                raise SummaryNotFound(name=wanted)
            wanted = summary_id
        found = await store.get_summaries(conn, namespace.id, [wanted])
    if not found:
        raise SummaryNotFound(summary_id=wanted)
    return found[0]
