"""Count uses of memories, and set how important they are."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.not_found import MemoryNotFound
from everword.domain.tokens import ConsistencyToken
from everword_ingest.memories import store
from everword_ingest.request_ids.claims import claim_request


async def mark_used(
    database: Database,
    namespace: NamespaceScope,
    memory_ids: Sequence[UUID],
    request_id: str,
    body_hash: bytes,
) -> bool:
    """Count one use of each memory; False where the request was counted before. Raises MemoryNotFound."""
    async with database.transaction(namespace.id) as conn:
        if await claim_request(conn, namespace.id, request_id, body_hash) is not None:
            return False
        found = await store.find_memory_ids(conn, namespace.id, memory_ids)
        for memory_id in memory_ids:
            if memory_id not in found:
                raise MemoryNotFound(memory_id=memory_id)
        await store.insert_memory_use(conn, namespace.id, memory_ids)
    return True


async def update_memory(
    database: Database, namespace: NamespaceScope, memory_id: UUID, importance_class: int
) -> ConsistencyToken:
    """Set a memory's class, in its own table and in the index. Raises MemoryNotFound."""
    async with database.write(namespace.id) as write:
        conn = write.conn
        if not await store.update_memory_class(conn, namespace.id, memory_id, importance_class):
            raise MemoryNotFound(memory_id=memory_id)
    return ConsistencyToken(namespace.id, write.position, 0)
