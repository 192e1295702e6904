"""The statements of retention as typed functions: one for each in queries.sql."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from uuid import UUID

from psycopg.types.json import Jsonb

from everword.db.pool import Connection
from everword.db.statements import execute, fetch_all, load_statements
from everword.db.typed_statements import statement
from everword_ingest.erasure.model import RunningDeletion
from everword_ingest.retention.model import (
    HeldData,
    LegalHold,
    Policy,
    RetentionKind,
    RetentionProgressRow,
    RunRow,
)

SQL = load_statements("everword_ingest.retention")

_FIRST = UUID(int=0)
_EARLIEST = datetime.min.replace(tzinfo=UTC)
#: Statements by kind; messages are read by their time, or conversation by conversation, instead.
_PAGES: dict[int, str] = {
    RetentionKind.NOTES: "page_notes",
    RetentionKind.NOTE_HISTORY: "page_note_versions",
    RetentionKind.DOCUMENT_HISTORY: "page_document_versions",
    RetentionKind.FACTS: "page_facts",
    RetentionKind.PATTERNS: "page_patterns",
    RetentionKind.HISTORY: "page_history",
}


@dataclass(frozen=True)
class PreviewRow:
    """The number of expired items that a run would remove, and of those that stay: pinned, or on legal hold."""

    count: int
    pinned: int
    on_hold: int
    #: The first items that would be removed if nothing limited their number.
    samples: list[UUID]


@dataclass(frozen=True)
class IdRow:
    """One thing."""

    id: UUID


@dataclass(frozen=True)
class OldMessageRow:
    """An old message."""

    id: UUID
    occurred_at: datetime
    #: False if it stays: pinned, or not of the importances asked for.
    expired: bool


@dataclass(frozen=True)
class IdleRow:
    """A namespace with policies, and no run that goes on."""

    namespace_id: int
    time_zone: str
    day_cutoff_minutes: int
    #: Since when it has a policy.
    set_at: datetime
    #: Night of its latest run; None before the first.
    night: date | None


@statement(SQL)
async def list_policies(conn: Connection, namespace_id: int) -> list[Policy]: ...


@statement(SQL)
async def set_policy(conn: Connection, namespace_id: int, policy: Policy) -> None: ...


@statement(SQL)
async def delete_policy(conn: Connection, namespace_id: int, kind: int) -> None: ...


async def preview_retained(
    conn: Connection,
    namespace_id: int,
    policy: Policy,
    until: datetime,
    held: HeldData,
    limit: int,
) -> PreviewRow:
    parameters = {
        **vars(held),
        "namespace_id": namespace_id,
        "kind": policy.kind,
        "until": until,
        "highest": policy.highest,
        "whole_conversations": policy.whole_conversations,
        "limit": limit,
    }
    [counted] = await fetch_all(conn, SQL["preview_retained"], parameters, PreviewRow)
    return counted


async def page_retained(
    conn: Connection,
    namespace_id: int,
    place: RetentionProgressRow,
    highest: int,
    until: datetime,
    held: HeldData,
    limit: int,
) -> list[UUID]:
    parameters = {
        **vars(held),
        "namespace_id": namespace_id,
        "lowest": place.importance,
        "highest": highest,
        "after_id": place.after_id or _FIRST,
        "until": until,
        "limit": limit,
    }
    return [row.id for row in await fetch_all(conn, SQL[_PAGES[place.kind]], parameters, IdRow)]


async def lock_expired_conversations(
    conn: Connection, namespace_id: int, after_id: UUID | None, until: datetime, limit: int
) -> list[UUID]:
    parameters = {
        "namespace_id": namespace_id,
        "after_id": after_id,
        "until": until,
        "limit": limit,
    }
    return [
        row.id
        for row in await fetch_all(conn, SQL["lock_expired_conversations"], parameters, IdRow)
    ]


async def page_conversation_messages(
    conn: Connection,
    namespace_id: int,
    conversation_ids: Sequence[UUID],
    lowest: int,
    highest: int,
    held: HeldData,
    limit: int,
) -> list[UUID]:
    parameters = {
        **vars(held),
        "namespace_id": namespace_id,
        "conversation_ids": list(conversation_ids),
        "lowest": lowest,
        "highest": highest,
        "limit": limit,
    }
    return [
        row.id
        for row in await fetch_all(conn, SQL["page_conversation_messages"], parameters, IdRow)
    ]


async def page_messages(
    conn: Connection,
    namespace_id: int,
    place: RetentionProgressRow,
    highest: int,
    until: datetime,
    held: HeldData,
    limit: int,
) -> list[OldMessageRow]:
    parameters = {
        **vars(held),
        "namespace_id": namespace_id,
        "lowest": place.importance,
        "highest": highest,
        "after_time": place.after_time or _EARLIEST,
        "after_id": place.after_id or _FIRST,
        "until": until,
        "limit": limit,
    }
    return await fetch_all(conn, SQL["page_messages"], parameters, OldMessageRow)


@statement(SQL)
async def begin_run(
    conn: Connection, namespace_id: int, run_id: UUID, night: date | None
) -> None: ...


@statement(SQL)
async def running_run(conn: Connection, namespace_id: int) -> RunRow | None: ...


@statement(SQL)
async def list_runs(
    conn: Connection, namespace_id: int, before_id: UUID | None, limit: int
) -> list[RunRow]: ...


@statement(SQL)
async def lock_run(
    conn: Connection, namespace_id: int, run_id: UUID
) -> RetentionProgressRow | None: ...


@statement(SQL)
async def lock_job_starts(conn: Connection, namespace_id: int) -> None: ...


async def advance_run(
    conn: Connection, namespace_id: int, place: RetentionProgressRow, row_counts: Mapping[str, int]
) -> None:
    parameters = {
        "namespace_id": namespace_id,
        "run_id": place.id,
        "kind": place.kind,
        "importance": place.importance,
        "after_time": place.after_time,
        "after_id": place.after_id,
        "removed": Jsonb(place.removed),
        "row_counts": Jsonb(dict(row_counts)),
    }
    await execute(conn, SQL["advance_run"], parameters)


@statement(SQL)
async def finish_run(conn: Connection, namespace_id: int, run_id: UUID) -> None: ...


@statement(SQL)
async def fail_run(conn: Connection, namespace_id: int, run_id: UUID, error: str) -> None: ...


@statement(SQL)
async def find_hold(
    conn: Connection,
    namespace_id: int,
    subject: str | None,
    conversation_id: UUID | None,
    reason: str,
) -> LegalHold | None: ...


@statement(SQL)
async def insert_hold(
    conn: Connection,
    namespace_id: int,
    hold_id: UUID,
    subject: str | None,
    conversation_id: UUID | None,
    reason: str,
) -> LegalHold: ...


@statement(SQL)
async def lock_conversation(
    conn: Connection, namespace_id: int, conversation_id: UUID
) -> UUID | None: ...


@statement(SQL)
async def list_holds(
    conn: Connection, namespace_id: int, after_id: UUID | None, limit: int
) -> list[LegalHold]: ...


@statement(SQL)
async def delete_hold(conn: Connection, namespace_id: int, hold_id: UUID) -> LegalHold | None: ...


@statement(SQL)
async def list_held(conn: Connection, namespace_id: int) -> HeldData: ...


@statement(SQL)
async def running_retention(conn: Connection, limit: int) -> list[RunningDeletion]: ...


@statement(SQL)
async def idle_retention(conn: Connection) -> list[IdleRow]: ...
