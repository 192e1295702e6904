"""Change what a caller may change of a conversation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.errors import ConversationNotFound, InvalidArgument
from everword.domain.records import ConversationRecord
from everword_ingest import store

CHANGEABLE = frozenset({"title", "settings", "active", "client_session_id"})


async def update_conversation(
    database: Database,
    namespace: NamespaceScope,
    conversation_id: UUID,
    fields: Sequence[str],
    values: dict[str, Any],
) -> ConversationRecord:
    """Set the named fields to their values. Raises InvalidArgument and ConversationNotFound."""
    wrong = sorted(set(fields) - CHANGEABLE)
    if wrong or not fields:
        known = ", ".join(sorted(CHANGEABLE))
        text = f"{', '.join(wrong) or 'an empty mask'} cannot be changed; name any of {known}"
        raise InvalidArgument(violations=(("update_mask", text),))
    async with database.transaction(namespace.id) as conn:
        changed = await store.update_conversation(
            conn, namespace.id, conversation_id, fields, values
        )
    if changed is None:
        raise ConversationNotFound(conversation_id=conversation_id)
    return changed
