"""Read one conversation."""

from __future__ import annotations

from uuid import UUID

from everword.db.pool import Connection, Database
from everword.domain.caller import NamespaceScope
from everword.domain.not_found import ConversationNotFound
from everword.domain.records import ConversationRecord
from everword_search.records import store
from everword_search.records.freshness import ensure_fresh
from everword_search.records.model import ConversationKey


async def get_conversation(
    database: Database,
    namespace: NamespaceScope,
    wanted: UUID | ConversationKey,
    at_least_as_fresh: str = "",
) -> ConversationRecord:
    """Return the conversation with an id or a key. Raises ConversationNotFound."""
    async with database.transaction(namespace.id) as conn:
        await ensure_fresh(database, conn, namespace, at_least_as_fresh)
        return await read_conversation(conn, namespace.id, wanted)


async def read_conversation(
    conn: Connection, namespace_id: int, wanted: UUID | ConversationKey
) -> ConversationRecord:
    """Return the conversation with an id or a key. Raises ConversationNotFound."""
    if isinstance(wanted, UUID):
        found = await store.get_conversation(conn, namespace_id, wanted)
        described = {"conversation_id": str(wanted)}
    else:
        key = (wanted.session_key, wanted.agent, wanted.channel)
        found = await store.find_conversation(conn, namespace_id, *key)
        described = {"session_key": wanted.session_key}
    if found is None:
        raise ConversationNotFound("", **described)
    return found
