"""List memories by time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from everword.db.pool import STATEMENT_CAP_S, Database
from everword.domain.caller import NamespaceScope
from everword.domain.deadline import remaining
from everword.domain.records import MemoryRecord
from everword.rpc.pages import DEFAULT_CONTENT_CHARS, FIRST_PAGE, PageRequest, open_cursor
from everword_search.endings.read_endings import Endings, read_endings
from everword_search.passages import store
from everword_search.passages.as_of import find_as_of
from everword_search.passages.store import Scope
from everword_search.records.freshness import fresh_transaction
from everword_search.records.model import EVERYTHING, MemoryFilter, max_parts
from everword_search.records.store import read_memories, use_custom_plans, use_generic_plans


@dataclass(frozen=True)
class BrowseRequest:
    """Filter, order and page of a list of memories."""

    filter: MemoryFilter = EVERYTHING
    newest_first: bool = True
    page: PageRequest = FIRST_PAGE
    #: Maximum characters of each memory; 0 means the default.
    max_content_chars: int = 0
    at_least_as_fresh: str = ""


@dataclass(frozen=True)
class BrowsePage:
    """A page of memories."""

    memories: Sequence[MemoryRecord]
    #: Outdated facts of the memories.
    endings: Endings
    next_page_token: str


async def browse(
    database: Database, namespace: NamespaceScope, request: BrowseRequest
) -> BrowsePage:
    """Return a page of memories in the requested order.

    Raises MemoryNotFound if the filter's `as_of_message_id` does not exist.
    """
    chars = request.max_content_chars or DEFAULT_CONTENT_CHARS
    cursor = await open_cursor(database, namespace, "Browse", request.page, item_chars=chars)
    after = (cursor.after[0], cursor.after[1]) if cursor.after else None
    filter_ = await find_as_of(
        database, namespace, request.filter, at_least_as_fresh=request.at_least_as_fresh
    )
    async with fresh_transaction(database, namespace, request.at_least_as_fresh) as conn:
        await use_custom_plans(conn, remaining(STATEMENT_CAP_S))
        scope = Scope(namespace.id, filter_)
        places = await store.browse(conn, scope, request.newest_first, after, cursor.limit)
        shown, token = cursor.cut(
            places, lambda last: [last.occurred_at.isoformat(), str(last.source_id)]
        )
        ids = [place.source_id for place in shown]
        memories = await read_memories(
            conn, namespace.id, ids, max_chars=chars, max_parts=max_parts(chars)
        )
        await use_generic_plans(conn, remaining(STATEMENT_CAP_S))
        endings = await read_endings(conn, scope, ids)
    return BrowsePage(memories, endings, token)
