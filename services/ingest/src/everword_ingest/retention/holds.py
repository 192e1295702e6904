"""Create, list and end legal holds, and refuse erasures of data on hold."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.ids import new_id
from everword.domain.not_found import ConversationNotFound, LegalHoldNotFound
from everword.rpc.pages import PageRequest, open_cursor
from everword_ingest.retention import store
from everword_ingest.retention.model import LegalHold

DEFAULT_PAGE = 20


async def create_legal_hold(
    database: Database,
    namespace: NamespaceScope,
    subject: str | None,
    conversation_id: UUID | None,
    reason: str,
) -> LegalHold:
    """Keep the data of a subject or a conversation; with neither, the whole namespace. Raises ConversationNotFound."""
    async with database.transaction(namespace.id) as conn:
        # Wait for the current step of a run, and for the beginning of an erasure.
        await store.lock_job_starts(conn, namespace.id)
        if conversation_id and not await store.lock_conversation(
            conn, namespace.id, conversation_id
        ):
            raise ConversationNotFound(conversation_id=conversation_id)
        # A repeated request gets the hold of the first one. The lock on starts of jobs keeps them apart.
        scope = (subject, conversation_id, reason)
        return await store.find_hold(conn, namespace.id, *scope) or await store.insert_hold(
            conn, namespace.id, new_id(), *scope
        )


async def list_legal_holds(
    database: Database, namespace: NamespaceScope, page: PageRequest
) -> tuple[Sequence[LegalHold], str]:
    """Return a page of holds, oldest first, and the token of the next one. Raises InvalidPageToken."""
    cursor = await open_cursor(database, namespace, "ListLegalHolds", page, default=DEFAULT_PAGE)
    async with database.transaction(namespace.id) as conn:
        found = await store.list_holds(conn, namespace.id, cursor.after_id, cursor.limit)
    return cursor.cut(found, lambda last: [str(last.id)])


async def delete_legal_hold(
    database: Database, namespace: NamespaceScope, hold_id: UUID
) -> LegalHold:
    """End a hold, and return it. Raises LegalHoldNotFound."""
    async with database.transaction(namespace.id) as conn:
        hold = await store.delete_hold(conn, namespace.id, hold_id)
    if hold is None:
        raise LegalHoldNotFound(hold_id=hold_id)
    return hold
