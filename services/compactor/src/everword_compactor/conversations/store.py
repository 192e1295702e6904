"""Statements of compaction's jobs as typed functions; `requests` has those of its RPCs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from everword.db.blocking import Connection, fetch_all, fetch_value
from everword.db.statements import load_statements
from everword.db.typed_statements import statement
from everword.jobs.enqueue import COMPACT, DueJob, enqueue_idle_blocking
from everword_compactor.conversations.model import (
    CompactedConversation,
    LadderNode,
    OutdatedNode,
    WaitingMessage,
)

SQL = load_statements("everword_compactor.conversations")


@dataclass(frozen=True)
class OutdatedConversation:
    """A conversation of any namespace."""

    namespace_id: int
    conversation_id: UUID


@statement(SQL)
def read_compacted(
    conn: Connection, namespace_id: int, conversation_id: UUID
) -> CompactedConversation | None: ...


def next_messages(
    conn: Connection, namespace_id: int, conversation: CompactedConversation, limit: int
) -> list[WaitingMessage]:
    """Return the next messages that can be summed up, as far as `conversation` was read."""
    parameters = {
        "namespace_id": namespace_id,
        "conversation_id": conversation.id,
        "after": conversation.summarised_seq,
        "through": conversation.through,
        "limit": limit,
    }
    return fetch_all(conn, SQL["next_messages"], parameters, WaitingMessage)


def advance_progress(
    conn: Connection, namespace_id: int, conversation: CompactedConversation, through: int
) -> bool:
    """Move the progress to `through`; False if another worker moved it since `conversation` was read."""
    parameters = {
        "namespace_id": namespace_id,
        "conversation_id": conversation.id,
        "after": conversation.summarised_seq,
        "through": through,
    }
    return fetch_value(conn, SQL["advance_progress"], parameters) is not None


@statement(SQL)
def read_orphans(
    conn: Connection, namespace_id: int, conversation_id: UUID, level: int, limit: int
) -> list[LadderNode]: ...


@statement(SQL)
def read_children(conn: Connection, namespace_id: int, id: UUID) -> list[LadderNode]: ...


@statement(SQL)
def read_outdated(
    conn: Connection,
    namespace_id: int,
    conversation_id: UUID,
    model: str,
    versions: Sequence[int],
    tried: Sequence[UUID],
    limit: int,
) -> list[OutdatedNode]:
    """Return nodes to write again, but for those `tried`; `versions` are those of leaf, branch and root."""


@statement(SQL)
def outdated_conversations(
    conn: Connection, level: int, model: str, version: int, limit: int
) -> list[OutdatedConversation]: ...


def schedule_outdated(conn: Connection, conversations: Sequence[OutdatedConversation]) -> int:
    """Schedule conversations, sorted by namespace and id; returns how many were not scheduled yet."""
    due = [
        DueJob(entry.namespace_id, COMPACT, str(entry.conversation_id)) for entry in conversations
    ]
    return enqueue_idle_blocking(conn, due)
