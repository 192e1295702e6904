"""Read one conversation, and list conversations."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from everword.db.pool import STATEMENT_CAP_S, Connection, Database
from everword.domain.caller import NamespaceScope
from everword.domain.deadline import remaining
from everword.domain.not_found import ConversationNotFound
from everword.domain.records import ConversationRecord
from everword.rpc.pages import PageRequest, open_cursor
from everword_search.records import store
from everword_search.records.freshness import fresh_transaction
from everword_search.records.model import ConversationFilter, ConversationKey
from everword_search.records.store import use_custom_plans


async def get_conversation(
    database: Database,
    namespace: NamespaceScope,
    key: UUID | ConversationKey,
    at_least_as_fresh: str = "",
) -> ConversationRecord:
    """Return the conversation with an id or a key. Raises ConversationNotFound."""
    async with fresh_transaction(database, namespace, at_least_as_fresh) as conn:
        return await read_conversation(conn, namespace.id, key)


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


_AFTER_ALL = UUID(int=2**128 - 1)


async def list_conversations(
    database: Database,
    namespace: NamespaceScope,
    conversation_filter: ConversationFilter,
    page: PageRequest,
    at_least_as_fresh: str = "",
) -> tuple[Sequence[ConversationRecord], str]:
    """Return a page of conversations, newest first, and the token of the next page."""
    cursor = await open_cursor(database, namespace, "ListConversations", page)
    after = cursor.after_id or _AFTER_ALL
    async with fresh_transaction(database, namespace, at_least_as_fresh) as conn:
        # Some filters have their own index, which a generic plan would not use.
        await use_custom_plans(conn, remaining(STATEMENT_CAP_S))
        found = await store.list_conversations(
            conn, namespace.id, conversation_filter, after, cursor.limit
        )
    return cursor.cut(found, lambda last: [str(last.id)])
