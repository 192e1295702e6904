"""Read one memory in full."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from everword.db.pool import Connection, Database
from everword.domain.caller import NamespaceScope
from everword.domain.memory_kinds import MemoryKind
from everword.domain.not_found import MemoryNotFound
from everword.domain.records import MemoryRecord, MessageRecord, SummaryRecord
from everword_search.records import store
from everword_search.records.freshness import fresh_transaction
from everword_search.records.model import ExternalMessageKey
from everword_search.records.read_messages import find_message
from everword_search.records.tiers import Tier, chars_read, parts_read
from everword_search.summaries.store import find_named, get_summaries

#: Kinds whose whole record is returned, too.
_RECORDS = frozenset({MemoryKind.MESSAGE, MemoryKind.SUMMARY})


@dataclass(frozen=True)
class FullMemory:
    """A memory, with its record if it is a message or a summary."""

    #: The index's record; None if the message or summary is not indexed.
    memory: MemoryRecord | None
    message: MessageRecord | None = None
    summary: SummaryRecord | None = None


async def get_memory(
    database: Database,
    namespace: NamespaceScope,
    key: UUID | str | ExternalMessageKey,
    at_least_as_fresh: str = "",
    tier: Tier = Tier.FULL,
    *,
    include_unindexed: bool = False,
) -> FullMemory:
    """Return a memory in a tier, by id, by the name of a summary, or by the external id of a message.

    `include_unindexed` also returns messages and summaries that are not indexed.

    Raises MemoryNotFound, MessageNotFound and ConversationNotFound.
    """
    chars = chars_read(tier, None)
    async with fresh_transaction(database, namespace, at_least_as_fresh) as conn:
        memory_id = await _find(conn, namespace.id, key)
        found = await store.read_memories(
            conn, namespace.id, [memory_id], [0], chars, parts_read(tier)
        )
        memory = found[0] if found else None
        if memory is None and not include_unindexed:
            raise MemoryNotFound(memory_id=memory_id)
        if memory and (chars is not None or memory.kind not in _RECORDS):
            return FullMemory(memory)
        message, summary = None, None
        if memory is None or memory.kind == MemoryKind.MESSAGE:
            message = await store.get_message(conn, namespace.id, memory_id)
        if message is None and (memory is None or memory.kind == MemoryKind.SUMMARY):
            summaries = await get_summaries(conn, namespace.id, [memory_id])
            summary = summaries[0] if summaries else None
    if not (memory or message or summary):
        raise MemoryNotFound(memory_id=memory_id)
    return FullMemory(memory, message, summary)


async def _find(
    conn: Connection, namespace_id: int, wanted: UUID | str | ExternalMessageKey
) -> UUID:
    if isinstance(wanted, UUID):
        return wanted
    if isinstance(wanted, ExternalMessageKey):
        return await find_message(conn, namespace_id, wanted)
    memory_id = await find_named(conn, namespace_id, wanted)
    if memory_id is None:
        raise MemoryNotFound(name=wanted)
    return memory_id
