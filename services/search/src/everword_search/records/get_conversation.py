"""Read one conversation."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.errors import ConversationNotFound
from everword.domain.records import ConversationRecord
from everword_search.records import store


@dataclass(frozen=True)
class ConversationKey:
    """The key that a caller knows a conversation by."""

    session_key: str
    agent: str = ""
    channel: str = ""


async def get_conversation(
    database: Database, namespace: NamespaceScope, wanted: UUID | ConversationKey
) -> ConversationRecord:
    """Return the conversation with an id or a key. Raises ConversationNotFound."""
    async with database.transaction(namespace.id) as conn:
        if isinstance(wanted, UUID):
            found = await store.get_conversation(conn, namespace.id, wanted)
            described = {"conversation_id": str(wanted)}
        else:
            key = (wanted.session_key, wanted.agent, wanted.channel)
            found = await store.find_conversation(conn, namespace.id, *key)
            described = {"session_key": wanted.session_key}
    if found is None:
        raise ConversationNotFound("", **described)
    return found
