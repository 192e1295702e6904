"""Read one memory, whole."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.not_found import MemoryNotFound
from everword.domain.records import MemoryRecord, MessageRecord, SummaryRecord
from everword.v1.memory_pb2 import MEMORY_KIND_MESSAGE, MEMORY_KIND_SUMMARY
from everword_search.records import store
from everword_search.records.freshness import fresh_transaction
from everword_search.records.tiers import Tier, chars_read, parts_read
from everword_search.summaries.store import find_named, get_summaries


@dataclass(frozen=True)
class WholeMemory:
    """A memory, with what it is beyond what memories of all kinds share."""

    memory: MemoryRecord
    message: MessageRecord | None = None
    summary: SummaryRecord | None = None


async def get_memory(
    database: Database,
    namespace: NamespaceScope,
    wanted: UUID | str,
    at_least_as_fresh: str = "",
    tier: Tier = Tier.FULL,
) -> WholeMemory:
    """Return the whole of a memory, or what a tier is made of, by its id or by the name of a summary.

    Raises MemoryNotFound.
    """
    chars = chars_read(tier, None)
    async with fresh_transaction(database, namespace, at_least_as_fresh) as conn:
        memory_id = (
            await find_named(conn, namespace.id, wanted) if isinstance(wanted, str) else wanted
        )
        if memory_id is None:
            raise MemoryNotFound(name=wanted)
        found = await store.read_memories(
            conn, namespace.id, [memory_id], [0], chars, parts_read(tier)
        )
        if not found:
            raise MemoryNotFound(memory_id=memory_id)
        memory = found[0]
        if chars is not None:
            return WholeMemory(memory)
        if memory.kind == MEMORY_KIND_MESSAGE:
            message = await store.get_message(conn, namespace.id, memory_id)
            return WholeMemory(memory, message=message)
        if memory.kind == MEMORY_KIND_SUMMARY:
            summaries = await get_summaries(conn, namespace.id, [memory_id])
            return WholeMemory(memory, summary=summaries[0] if summaries else None)
    return WholeMemory(memory)
