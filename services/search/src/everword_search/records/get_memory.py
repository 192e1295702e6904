"""Read one memory."""

from __future__ import annotations

from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.errors import MemoryNotFound
from everword.domain.records import MemoryRecord
from everword_search.records.batch_get_memories import batch_get_memories
from everword_search.summaries.store import find_named


async def get_memory(
    database: Database, namespace: NamespaceScope, wanted: UUID | str
) -> MemoryRecord:
    """Return the whole of a memory, by its id or by the name of a summary. Raises MemoryNotFound."""
    memory_id = wanted
    if isinstance(memory_id, str):
        async with database.transaction(namespace.id) as conn:
            named = await find_named(conn, namespace.id, memory_id)
        if named is None:
            raise MemoryNotFound(name=memory_id)
        memory_id = named
    [memory] = await batch_get_memories(database, namespace, [memory_id])
    return memory
