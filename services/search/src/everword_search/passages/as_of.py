"""Resolve a filter's period and `as_of_message_id`, and find facts learned after that message."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from everword.db.pool import Database
from everword.db.statements import fetch_all, fetch_optional
from everword.domain.caller import NamespaceScope
from everword.domain.not_found import MemoryNotFound
from everword_search.passages.named_filter import resolve_period
from everword_search.passages.store import SQL
from everword_search.records.model import MemoryFilter
from everword_search.records.store import namespaced


@dataclass(frozen=True)
class _MessagePlaceRow:
    as_of_time: datetime
    as_of_conversation_id: UUID
    as_of_seq: int


@dataclass(frozen=True)
class _LaterMemoryRow:
    memory_id: UUID


async def find_as_of(
    database: Database,
    namespace: NamespaceScope,
    memory_filter: MemoryFilter,
    now: datetime | None = None,
) -> MemoryFilter:
    """Return the filter with the position of its `as_of_message_id`, excluding facts learned after that message.

    Such facts are excluded by id, because they may be valid since long before the message. A named period becomes times
    relative to `now`. Raises MemoryNotFound if the message does not exist, and InvalidArgument for an unknown period.
    """
    memory_filter = await resolve_period(database, namespace, memory_filter, now)
    if memory_filter.as_of_message_id is None or memory_filter.as_of_time is not None:
        return memory_filter
    parameters = {**namespaced(namespace.id), "message_id": memory_filter.as_of_message_id}
    async with database.transaction(namespace.id) as conn:
        place = await fetch_optional(conn, SQL["find_as_of"], parameters, _MessagePlaceRow)
        if place is None:
            raise MemoryNotFound(memory_id=str(memory_filter.as_of_message_id))
        later = await fetch_all(
            conn, SQL["find_later_memories"], {**parameters, **vars(place)}, _LaterMemoryRow
        )
    excluded = [*(memory_filter.excluded_memory_ids or ()), *(each.memory_id for each in later)]
    return replace(memory_filter, **vars(place), excluded_memory_ids=excluded or None)
