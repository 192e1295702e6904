"""Read one memory."""

from __future__ import annotations

from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.records import MemoryRecord
from everword_search.records.batch_get_memories import batch_get_memories


async def get_memory(
    database: Database, namespace: NamespaceScope, memory_id: UUID
) -> MemoryRecord:
    """Return the whole of a memory. Raises MemoryNotFound."""
    memories = await batch_get_memories(database, namespace, [memory_id])
    return memories[0]
