"""Find or make a conversation by its key, and change it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.ids import new_id
from everword.domain.not_found import ConversationNotFound
from everword.domain.records import ConversationRecord
from everword.domain.tokens import ConsistencyToken
from everword_ingest.conversations import store
from everword_ingest.conversations.model import ConversationSpec


async def ensure_conversation(
    database: Database, namespace: NamespaceScope, spec: ConversationSpec
) -> tuple[ConversationRecord, bool, ConsistencyToken]:
    """Return the conversation with the key in `spec`, and whether this call made it. Raises SubjectConflict."""
    created = False
    async with database.write(namespace.id) as write:
        conn = write.conn
        found = await store.find_conversation(conn, namespace.id, spec)
        if found is None:
            created = await store.insert_conversation(conn, namespace.id, new_id(), spec)
            # If another caller was faster, its row is visible now, because the insert waited for it.
            found = await store.find_conversation(conn, namespace.id, spec)
    if found is None:
        raise ConversationNotFound
    found.check_subject(spec.subject)
    return found, created, ConsistencyToken(namespace.id, write.position, 0)


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
