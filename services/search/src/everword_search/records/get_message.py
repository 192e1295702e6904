"""Read one message."""

from __future__ import annotations

from uuid import UUID

from everword.db.pool import Connection, Database
from everword.domain.caller import NamespaceScope
from everword.domain.not_found import MessageNotFound
from everword.domain.records import MessageRecord
from everword_search.records import store
from everword_search.records.freshness import ensure_fresh
from everword_search.records.get_conversation import read_conversation
from everword_search.records.model import ExternalMessageKey


async def get_message(
    database: Database,
    namespace: NamespaceScope,
    wanted: UUID | ExternalMessageKey,
    at_least_as_fresh: str = "",
) -> MessageRecord:
    """Return a message as it was sent, by its id or the caller's own. Raises MessageNotFound, ConversationNotFound."""
    async with database.transaction(namespace.id) as conn:
        await ensure_fresh(database, conn, namespace, at_least_as_fresh)
        message_id = await _find(conn, namespace.id, wanted)
        found = await store.get_message(conn, namespace.id, message_id)
    if found is None:
        raise MessageNotFound(message_id=message_id)
    return found


async def _find(conn: Connection, namespace_id: int, wanted: UUID | ExternalMessageKey) -> UUID:
    if isinstance(wanted, UUID):
        return wanted
    conversation = await read_conversation(conn, namespace_id, wanted.conversation)
    found = await store.find_message(conn, namespace_id, conversation.id, wanted.external_id)
    if found is None:
        raise MessageNotFound(external_id=wanted.external_id)
    return found
