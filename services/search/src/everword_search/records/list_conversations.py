"""List conversations by when they were made."""

from __future__ import annotations

from uuid import UUID

from everword.db.pool import STATEMENT_CAP_S, Database
from everword.domain.caller import NamespaceScope
from everword.domain.deadline import remaining
from everword.domain.records import ConversationRecord
from everword_search.records import store
from everword_search.records.freshness import ensure_fresh
from everword_search.records.model import ConversationFilter, PageRequest
from everword_search.records.pages import open_cursor
from everword_search.retrieval.index.query_plans import use_custom_plans

DEFAULT_PAGE = 50
_AFTER_ALL = UUID(int=2**128 - 1)


async def list_conversations(
    database: Database,
    namespace: NamespaceScope,
    wanted: ConversationFilter,
    page: PageRequest,
    at_least_as_fresh: str = "",
) -> tuple[list[ConversationRecord], str]:
    """Return a page of conversations, newest first, and the token of the next one."""
    cursor = await open_cursor(database, namespace, "ListConversations", page, DEFAULT_PAGE)
    after = UUID(cursor.after[0]) if cursor.after else _AFTER_ALL
    async with database.transaction(namespace.id) as conn:
        await ensure_fresh(database, conn, namespace, at_least_as_fresh)
        # Some filters have their own index.
        await use_custom_plans(conn, remaining(STATEMENT_CAP_S))
        found = await store.list_conversations(conn, namespace.id, wanted, after, cursor.size + 1)
    conversations = found[: cursor.size]
    more = len(found) > cursor.size
    return conversations, cursor.token([str(conversations[-1].id)]) if more else ""
