"""Say how much a memory matters, after it was stored."""

from __future__ import annotations

from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.not_found import MemoryNotFound
from everword.domain.tokens import ConsistencyToken
from everword_ingest import store


async def update_memory(
    database: Database, namespace: NamespaceScope, memory_id: UUID, importance_class: int
) -> ConsistencyToken:
    """Set a memory's class, in its own table and in the index. Raises MemoryNotFound."""
    async with database.write(namespace.id) as write:
        conn = write.conn
        if not await store.update_memory_class(conn, namespace.id, memory_id, importance_class):
            raise MemoryNotFound(memory_id=memory_id)
    return ConsistencyToken(namespace.id, write.position, 0)
