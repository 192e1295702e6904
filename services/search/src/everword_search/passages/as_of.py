"""Resolve a filter's period, tasks, address and `as_of_message_id`, and find facts learned after that message."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from everword.db.pool import Database
from everword.db.statements import fetch_all, fetch_optional
from everword.domain.caller import NamespaceScope
from everword.domain.not_found import MemoryNotFound
from everword_search.passages.filter_places import resolve_places
from everword_search.passages.named_filter import resolve_period
from everword_search.passages.store import SQL
from everword_search.records.freshness import fresh_transaction
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
    at_least_as_fresh: str = "",
) -> MemoryFilter:
    """Return the filter with the position of its `as_of_message_id`, excluding facts learned after that message.

    Such facts are excluded by id, because they may be valid since long before the message. A named period becomes times
    relative to `now`, and tasks and an address become conversations, memories and kinds. Raises MemoryNotFound if the
    message does not exist, InvalidArgument for an unknown period or address, and the errors of `ensure_fresh`.
    """
    memory_filter = await resolve_period(database, namespace, memory_filter, now)
    if memory_filter.names_places:
        async with fresh_transaction(database, namespace, at_least_as_fresh) as conn:
            memory_filter = await resolve_places(conn, namespace, memory_filter)
    if memory_filter.as_of_message_id is None or memory_filter.as_of_time is not None:
        return memory_filter
    parameters = {**namespaced(namespace.id), "message_id": memory_filter.as_of_message_id}
    async with fresh_transaction(database, namespace, at_least_as_fresh) as conn:
        place = await fetch_optional(conn, SQL["find_as_of"], parameters, _MessagePlaceRow)
        if place is None:
            raise MemoryNotFound(memory_id=str(memory_filter.as_of_message_id))
        later = await fetch_all(
            conn, SQL["find_later_memories"], {**parameters, **vars(place)}, _LaterMemoryRow
        )
    excluded = [*(memory_filter.excluded_memory_ids or ()), *(each.memory_id for each in later)]
    return replace(memory_filter, **vars(place), excluded_memory_ids=excluded or None)
