"""Find or make a conversation by its key, change it, and end its session."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    wake: Callable[[], None],
) -> tuple[ConversationRecord, ConsistencyToken]:
    """Set the named fields to their values; closing a conversation ends its session. Raises ConversationNotFound."""
    closes = "active" in fields and not values["active"]
    async with database.write(namespace.id) as write:
        changed = await store.update_conversation(
            write.conn, namespace.id, conversation_id, fields, values
        )
        if changed is not None and closes:
            await store.end_session(write.conn, namespace.id, conversation_id)
    if changed is None:
        raise ConversationNotFound(conversation_id=conversation_id)
    if closes:
        wake()
    return changed, ConsistencyToken(namespace.id, write.position, 0)


async def end_conversation(
    database: Database,
    namespace: NamespaceScope,
    target: UUID | ConversationSpec,
    wake: Callable[[], None],
) -> UUID:
    """End the session of a conversation, and return its id. Raises ConversationNotFound."""
    async with database.write(namespace.id) as write:
        conversation, _ = await store.lock_conversation(write.conn, namespace.id, target)
        if conversation is not None:
            await store.end_session(write.conn, namespace.id, conversation.id)
    if conversation is None:
        if isinstance(target, UUID):
            raise ConversationNotFound(conversation_id=target)
        raise ConversationNotFound(session_key=target.session_key)
    wake()
    return conversation.id
