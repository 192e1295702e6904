"""Messages sent again under an external id: find the stored ones, and refuse erased ones."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from uuid import UUID

from everword.db.pool import Connection
from everword.db.statements import Pending
from everword.domain.errors import ContentErased, ExternalIdConflict
from everword_ingest.conversations.model import LockedConversation
from everword_ingest.erasure import store as erasures
from everword_ingest.erasure.store import ErasedIdRow
from everword_ingest.messages import store
from everword_ingest.messages.model import AppendRequest, NewMessage
from everword_ingest.messages.store import ExternalMessageRow


async def ask_existing(
    conn: Connection, namespace_id: int, conversation_id: UUID, messages: Sequence[NewMessage]
) -> Pending[ExternalMessageRow] | None:
    """Send the query for messages stored under the given external ids; None if there are no ids."""
    ids = {message.external_id for message in messages if message.external_id is not None}
    if not ids:
        return None
    return await store.ask_external_messages(conn, namespace_id, conversation_id, sorted(ids))


def compare_existing(
    messages: Sequence[NewMessage], rows: Sequence[ExternalMessageRow]
) -> dict[str, ExternalMessageRow]:
    """Return the stored messages by external id. Raises ExternalIdConflict if a content differs."""
    by_id: dict[str, NewMessage] = {}
    for message in messages:
        if message.external_id is not None:
            first = by_id.setdefault(message.external_id, message)
            if first is not message:
                raise ExternalIdConflict(
                    "Two messages of the request have the same external id.",
                    external_id=message.external_id,
                )
    for row in rows:
        if row.identity != _identity(by_id[row.external_id]):
            raise ExternalIdConflict(external_id=row.external_id)
    return {row.external_id: row for row in rows}


def _identity(message: NewMessage) -> tuple[object, ...]:
    """Return the values that two messages under one external id must share; see `ExternalMessageRow.identity`."""
    texts = (message.content, message.tool_args, message.tool_result)
    hashes = [sha256(text.encode()).digest() for text in texts]
    return (message.role, message.author, message.tool_name, *hashes)


async def ask_erased(
    conn: Connection,
    namespace_id: int,
    conversation: LockedConversation,
    request: AppendRequest,
) -> Pending[ErasedIdRow] | None:
    """Send the query for erased external ids of the request; None if there are none, or if they are allowed."""
    ids = {message.external_id for message in request.messages if message.external_id is not None}
    if not ids or request.allow_erased:
        return None
    return await erasures.ask_erased_ids(
        conn,
        namespace_id,
        conversation.channel,
        conversation.agent,
        conversation.session_key,
        sorted(ids),
    )


async def check_erased(asked: Pending[ErasedIdRow] | None) -> None:
    """Raise ContentErased for a message whose external id was erased."""
    for row in await asked.rows() if asked else []:
        raise ContentErased(external_id=row.id)
