"""Statements of the RPCs that ask for compaction, as typed functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from everword.db.pool import Connection
from everword.db.statements import (
    execute,
    fetch_all,
    fetch_optional,
    fetch_value,
    fetch_values,
    load_statements,
)
from everword.db.typed_statements import statement
from everword.domain.records import SummaryRecord
from everword.jobs.enqueue import COMPACT, DueJob, enqueue
from everword_compactor.conversations.model import (
    CompactedConversation,
    FlushProgress,
    NodeRange,
    VerbatimMessage,
    WaitingConversation,
)

SQL = load_statements("everword_compactor.conversations")


@dataclass(frozen=True)
class CompactionJob:
    """The state of a conversation's job."""

    is_abandoned: bool
    #: True if it is running or due at once.
    is_open: bool
    #: Its latest attempt failed.
    is_failing: bool


@statement(SQL)
async def read_compacted(
    conn: Connection, namespace_id: int, conversation_id: UUID
) -> CompactedConversation | None: ...


async def waiting_conversations(
    conn: Connection, namespace_id: int, after: UUID, limit: int
) -> tuple[list[WaitingConversation], UUID | None]:
    """Return those of the next `limit` conversations whose messages wait, and after which id there are more, if so."""
    parameters = {"namespace_id": namespace_id, "after": after, "limit": limit}
    page = await fetch_all(conn, SQL["page_conversations"], parameters, WaitingConversation)
    waiting = [conversation for conversation in page if conversation.waiting > 0]
    return waiting, page[-1].id if len(page) == limit else None


@statement(SQL)
async def request_leaves(
    conn: Connection, namespace_id: int, conversation_ids: Sequence[UUID], seqs: Sequence[int]
) -> None:
    """Ask for leaves up to a place of each conversation. The ids are sorted."""


async def schedule_conversations(
    conn: Connection, namespace_id: int, conversation_ids: Sequence[UUID]
) -> None:
    """Make the jobs of conversations due. The ids are sorted."""
    await enqueue(conn, [DueJob(namespace_id, COMPACT, str(id_)) for id_ in conversation_ids])


async def compaction_job(
    conn: Connection, namespace_id: int, conversation_id: UUID
) -> CompactionJob | None:
    """Return the state of a conversation's job; None if there is none."""
    parameters = {"namespace_id": namespace_id, "subject": str(conversation_id)}
    return await fetch_optional(conn, SQL["compaction_job"], parameters, CompactionJob)


async def count_tokens(
    conn: Connection,
    namespace_id: int,
    conversation_id: UUID,
    through: int,
    *,
    after: int = 0,
    only_ids: Sequence[UUID] | None = None,
) -> int:
    """Return the tokens of the messages between two places; of some of them alone where `only_ids` is given."""
    parameters = {
        "namespace_id": namespace_id,
        "conversation_id": conversation_id,
        "after": after,
        "through": through,
        "only_ids": None if only_ids is None else list(only_ids),
    }
    return int(await fetch_value(conn, SQL["count_tokens"], parameters))


async def read_flushed(conn: Connection, namespace_id: int, conversation_id: UUID) -> FlushProgress:
    """Return how far a conversation was flushed before."""
    parameters = {"namespace_id": namespace_id, "conversation_id": conversation_id}
    return (
        await fetch_optional(conn, SQL["read_flushed"], parameters, FlushProgress)
        or FlushProgress()
    )


async def read_phase_start(
    conn: Connection, namespace_id: int, conversation_id: UUID, through: int
) -> int | None:
    """Return the position before the phase that `through` splits or that has not ended; None if there is none."""
    parameters = {
        "namespace_id": namespace_id,
        "conversation_id": conversation_id,
        "through": through,
    }
    found = await fetch_values(conn, SQL["read_phase_start"], parameters)
    return found[0] if found else None


async def mark_flushed(
    conn: Connection, namespace_id: int, conversation_id: UUID, progress: FlushProgress
) -> None:
    parameters = {
        "namespace_id": namespace_id,
        "conversation_id": conversation_id,
        "through": progress.through,
        "tokens": progress.tokens,
    }
    await execute(conn, SQL["mark_flushed"], parameters)


@statement(SQL)
async def read_node_ranges(
    conn: Connection, namespace_id: int, conversation_id: UUID, through: int
) -> list[NodeRange]: ...


async def verbatim_messages(
    conn: Connection,
    namespace_id: int,
    conversation_id: UUID,
    through: int,
    protected_ids: Sequence[UUID],
    gaps: Sequence[tuple[int, int]],
) -> list[VerbatimMessage]:
    """Return the messages up to `through` that no summary takes the place of; `gaps` are stretches without one."""
    parameters = {
        "namespace_id": namespace_id,
        "conversation_id": conversation_id,
        "through": through,
        "protected_ids": list(protected_ids),
        "first_seqs": [first for first, _ in gaps],
        "last_seqs": [last for _, last in gaps],
    }
    return await fetch_all(conn, SQL["verbatim_messages"], parameters, VerbatimMessage)


@statement(SQL)
async def read_summaries(
    conn: Connection, namespace_id: int, summary_ids: Sequence[UUID]
) -> list[SummaryRecord]: ...
