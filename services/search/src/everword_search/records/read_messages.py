"""List the messages of a conversation, and find a message by its external id."""

from __future__ import annotations

from uuid import UUID

from everword.db.pool import Connection, Database
from everword.domain.caller import NamespaceScope
from everword.domain.not_found import ConversationNotFound, MessageNotFound
from everword.domain.records import MessageRecord
from everword.rpc.pages import PageRequest, open_cursor
from everword_search.records import store
from everword_search.records.freshness import fresh_transaction
from everword_search.records.model import ExternalMessageKey
from everword_search.records.read_conversations import read_conversation


async def find_message(conn: Connection, namespace_id: int, key: ExternalMessageKey) -> UUID:
    """Return the id of the message with an external id. Raises MessageNotFound and ConversationNotFound."""
    conversation = await read_conversation(conn, namespace_id, key.conversation)
    found = await store.find_message(conn, namespace_id, conversation.id, key.external_id)
    if found is None:
        raise MessageNotFound(external_id=key.external_id)
    return found


#: A page ends before this many bytes, unless its first message alone is larger.
MAX_PAGE_BYTES = 8 * 1024 * 1024


async def list_messages(
    database: Database,
    namespace: NamespaceScope,
    conversation_id: UUID,
    newest_first: bool,
    page: PageRequest,
    start_seq: int = 0,
    at_least_as_fresh: str = "",
) -> tuple[list[MessageRecord], str]:
    """Return a page of messages in the requested order and the token of the next page. Raises ConversationNotFound.

    The first page begins at position `start_seq`, unless it is 0.
    """
    cursor = await open_cursor(database, namespace, "ListMessages", page)
    after = start_seq + (1 if newest_first else -1) if start_seq else None
    if cursor.after:
        after = int(cursor.after[0])
    async with fresh_transaction(database, namespace, at_least_as_fresh) as conn:
        found = await store.list_messages(
            conn,
            namespace.id,
            conversation_id,
            newest_first,
            after,
            cursor.limit,
            MAX_PAGE_BYTES,
        )
        known = found or await store.get_conversation(conn, namespace.id, conversation_id)
    if not known:
        raise ConversationNotFound(conversation_id=conversation_id)
    messages = found[: cursor.size]
    more = bool(found) and found[0].available > len(messages)
    return list(messages), cursor.token([messages[-1].seq]) if more else ""
