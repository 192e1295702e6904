"""Finds out where the message stands after which a filter lets nothing through."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from everword.db.pool import Database
from everword.db.statements import fetch_optional
from everword.domain.caller import NamespaceScope
from everword.domain.not_found import MemoryNotFound
from everword_search.records.model import MemoryFilter
from everword_search.records.store import namespaced
from everword_search.retrieval.index.store import SQL


@dataclass(frozen=True)
class _Place:
    as_of_time: datetime
    as_of_conversation_id: UUID
    as_of_seq: int


async def find_as_of(
    database: Database, namespace: NamespaceScope, wanted: MemoryFilter
) -> MemoryFilter:
    """Return a filter that says where its message stands. Raises MemoryNotFound where there is no such message."""
    if wanted.as_of_message_id is None or wanted.as_of_time is not None:
        return wanted
    parameters = {**namespaced(namespace.id), "message_id": wanted.as_of_message_id}
    async with database.transaction(namespace.id) as conn:
        place = await fetch_optional(conn, SQL["find_as_of"], parameters, _Place)
    if place is None:
        raise MemoryNotFound(memory_id=str(wanted.as_of_message_id))
    return replace(wanted, **vars(place))
