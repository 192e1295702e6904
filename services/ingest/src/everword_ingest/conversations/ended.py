"""The statement that ends the sessions which a new conversation follows, as a typed function."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from everword.db.pool import Connection
from everword.db.statements import fetch_all
from everword_ingest.store import SQL, LockedConversation


@dataclass(frozen=True)
class _Row:
    id: UUID


async def end_earlier_sessions(
    conn: Connection, namespace_id: int, conversation: LockedConversation
) -> list[UUID]:
    """Let what a person said to the same agent before count as finished; return the conversations."""
    parameters = {
        "namespace_id": namespace_id,
        "conversation_id": conversation.id,
        "agent": conversation.agent,
        "channel": conversation.channel,
        "subject": conversation.subject,
    }
    rows = await fetch_all(conn, SQL["end_earlier_sessions"], parameters, _Row)
    return [row.id for row in rows]
