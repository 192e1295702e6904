"""List summaries."""

from __future__ import annotations

from everword.db.pool import STATEMENT_CAP_S, Database
from everword.domain.caller import NamespaceScope
from everword.domain.deadline import remaining
from everword.domain.records import SummaryRecord
from everword.rpc.pages import PageRequest, open_cursor
from everword_search.records.freshness import fresh_transaction
from everword_search.records.store import use_custom_plans
from everword_search.summaries import store
from everword_search.summaries.model import SummaryFilter

#: A page ends before this many bytes, unless its first summary alone is larger.
MAX_PAGE_BYTES = 8 * 1024 * 1024


async def list_summaries(
    database: Database,
    namespace: NamespaceScope,
    summary_filter: SummaryFilter,
    newest_first: bool,
    page: PageRequest,
    max_chars: int | None,
    at_least_as_fresh: str = "",
) -> tuple[list[SummaryRecord], str]:
    """Return a page of summaries in the requested order and the token of the next page. Raises InvalidPageToken."""
    cursor = await open_cursor(database, namespace, "ListSummaries", page)
    after = (cursor.after[0], cursor.after[1]) if cursor.after else None
    async with fresh_transaction(database, namespace, at_least_as_fresh) as conn:
        # Each combination of filters has its own index, which a generic plan would not use.
        await use_custom_plans(conn, remaining(STATEMENT_CAP_S))
        found = await store.list_summaries(
            conn,
            namespace.id,
            summary_filter,
            newest_first,
            after,
            cursor.limit,
            MAX_PAGE_BYTES,
            max_chars,
        )
    summaries = found[: cursor.size]
    if not found or found[0].available <= len(summaries):
        return list(summaries), ""
    last = summaries[-1]
    return list(summaries), cursor.token([last.latest_at.isoformat(), str(last.id)])
