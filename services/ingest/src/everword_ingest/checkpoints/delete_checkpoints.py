"""Delete checkpoints: what is gone already is no error."""

from __future__ import annotations

from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword_ingest.checkpoints import store


async def delete_checkpoints(
    database: Database,
    namespace: NamespaceScope,
    *,
    checkpoint_id: UUID | None = None,
    conversation_id: UUID | None = None,
    name: str | None = None,
) -> int:
    """Delete a checkpoint, those of a name, or those of a conversation; return how many there were."""
    async with database.transaction(namespace.id) as conn:
        return await store.delete_checkpoints(
            conn,
            namespace.id,
            checkpoint_id=checkpoint_id,
            conversation_id=conversation_id,
            name=name,
        )
