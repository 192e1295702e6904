"""Change what a caller may change of a conversation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.not_found import ConversationNotFound
from everword.domain.records import ConversationRecord
from everword.domain.tokens import ConsistencyToken
from everword_ingest import store


async def update_conversation(
    database: Database,
    namespace: NamespaceScope,
    conversation_id: UUID,
    fields: Sequence[str],
    values: dict[str, Any],
) -> tuple[ConversationRecord, ConsistencyToken]:
    """Set the named fields to their values. Raises ConversationNotFound."""
    async with database.write(namespace.id) as write:
        changed = await store.update_conversation(
            write.conn, namespace.id, conversation_id, fields, values
        )
    if changed is None:
        raise ConversationNotFound(conversation_id=conversation_id)
    return changed, ConsistencyToken(namespace.id, write.position, 0)
