"""Schedule the summing up of conversations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from everword.db.pool import Connection, Database
from everword.domain.caller import NamespaceScope
from everword.domain.not_found import ConversationNotFound
from everword_compactor.conversations import requests

#: Conversations in one transaction: it holds row locks that workers wait for.
BATCH = 1_000


@dataclass(frozen=True)
class CompactResult:
    """The work that was scheduled."""

    conversations: int
    #: How many messages wait in them, automated ones included.
    messages: int


async def compact(
    database: Database, namespace: NamespaceScope, conversation_id: UUID | None, dry_run: bool
) -> CompactResult:
    """Ask for leaves over every message that there is now, of one conversation or of all.

    A dry run only counts. Raises ConversationNotFound.
    """
    if conversation_id is not None:
        return await _compact_one(database, namespace.id, conversation_id, dry_run)
    conversations, messages, after = 0, 0, UUID(int=0)
    while True:
        async with database.transaction(namespace.id) as conn:
            waiting, last = await requests.waiting_conversations(conn, namespace.id, after, BATCH)
            if waiting and not dry_run:
                ids = [conversation.id for conversation in waiting]
                seqs = [conversation.last_seq for conversation in waiting]
                await _schedule(conn, namespace.id, ids, seqs)
        conversations += len(waiting)
        messages += sum(conversation.waiting for conversation in waiting)
        if last is None:
            return CompactResult(conversations, messages)
        after = last


async def _compact_one(
    database: Database, namespace_id: int, conversation_id: UUID, dry_run: bool
) -> CompactResult:
    async with database.transaction(namespace_id) as conn:
        conversation = await requests.read_compacted(conn, namespace_id, conversation_id)
        if conversation is None:
            raise ConversationNotFound(conversation_id=conversation_id)
        waiting = conversation.last_seq - conversation.summarised_seq
        if waiting and not dry_run:
            await _schedule(conn, namespace_id, [conversation_id], [conversation.last_seq])
    return CompactResult(1 if waiting else 0, waiting)


async def _schedule(
    conn: Connection, namespace_id: int, ids: Sequence[UUID], seqs: Sequence[int]
) -> None:
    await requests.request_leaves(conn, namespace_id, ids, seqs)
    await requests.schedule_conversations(conn, namespace_id, ids)
