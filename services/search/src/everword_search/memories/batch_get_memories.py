"""Read several memories."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.errors import RequestTooLarge
from everword.domain.not_found import MemoryNotFound
from everword.domain.records import MemoryRecord
from everword_search.records import store
from everword_search.records.freshness import fresh_transaction
from everword_search.records.tiers import Tier, chars_read, parts_read

#: Maximum bytes of the texts in one response; half of the transport's limit.
MAX_BYTES = 16 * 1024 * 1024


async def batch_get_memories(
    database: Database,
    namespace: NamespaceScope,
    memory_ids: Sequence[UUID],
    at_least_as_fresh: str = "",
    tier: Tier = Tier.FULL,
) -> list[MemoryRecord]:
    """Return memories in the requested order, with as much text as the tier needs.

    Raises MemoryNotFound for the first missing id, and RequestTooLarge if one response could not hold them.
    """
    async with fresh_transaction(database, namespace, at_least_as_fresh) as conn:
        chars = chars_read(tier, None)
        size = 0 if chars else await store.memory_bytes(conn, namespace.id, memory_ids)
        if size > MAX_BYTES and len(memory_ids) > 1:
            raise RequestTooLarge(
                "The memories are too large for one answer; ask for fewer.",
                bytes=size,
                limit_bytes=MAX_BYTES,
            )
        memories = await store.read_memories(
            conn, namespace.id, memory_ids, (), chars, parts_read(tier)
        )
    found = {memory.id for memory in memories}
    for memory_id in memory_ids:
        if memory_id not in found:
            raise MemoryNotFound(memory_id=memory_id)
    return list(memories)
