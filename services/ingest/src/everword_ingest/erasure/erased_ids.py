"""Refuse what was erased when it comes again under the same external ids."""

from __future__ import annotations

from everword.db.pool import Connection
from everword.db.statements import Pending
from everword.domain.errors import ContentErased
from everword_ingest.erasure.store import ErasedIdRow, ask_erased_ids
from everword_ingest.model import AppendRequest
from everword_ingest.store import LockedConversation


async def ask_erased(
    conn: Connection, conversation: LockedConversation, request: AppendRequest
) -> Pending[ErasedIdRow] | None:
    """Ask which external ids of the request were erased; None where nobody minds."""
    ids = {message.external_id for message in request.messages if message.external_id is not None}
    if not ids or request.allow_erased:
        return None
    return await ask_erased_ids(
        conn, conversation.channel, conversation.agent, conversation.session_key, sorted(ids)
    )


async def check_erased(asked: Pending[ErasedIdRow] | None) -> None:
    """Raise ContentErased for a message whose external id was erased."""
    for row in await asked.rows() if asked else []:
        raise ContentErased(external_id=row.id)
