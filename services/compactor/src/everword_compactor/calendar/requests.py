"""Statements of the RPCs that ask for the calendar, as typed functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from psycopg.types.json import Jsonb

from everword.db.pool import Connection
from everword.db.statements import execute, fetch_all, fetch_values, load_statements
from everword.db.typed_statements import statement
from everword.domain.periods import Period, PeriodLevel
from everword.jobs.enqueue import enqueue_idle
from everword_compactor.calendar.model import PagedMessage, RollUpJob
from everword_compactor.calendar.store import roll_up_jobs

SQL = load_statements("everword_compactor.calendar")


@dataclass(frozen=True)
class _PeriodRow:
    level: int
    period: date
    subject: str


async def list_pending(conn: Connection, namespace_id: int) -> set[Period]:
    parameters = {"namespace_id": namespace_id}
    rows = await fetch_all(conn, SQL["list_pending"], parameters, _PeriodRow)
    return {Period(PeriodLevel(row.level), row.period, row.subject) for row in rows}


async def open_roll_ups(conn: Connection, namespace_id: int) -> list[RollUpJob]:
    """Return the jobs that are running or due."""
    parameters = {"namespace_id": namespace_id, "parked_s": 0.0}
    return await fetch_all(conn, SQL["open_roll_ups"], parameters, RollUpJob)


async def schedule_roll_ups(conn: Connection, namespace_id: int, periods: Sequence[Period]) -> None:
    """Enqueue the jobs of sorted periods, parked ones included."""
    await enqueue_idle(conn, roll_up_jobs(namespace_id, periods), retry_failed_after_s=0.0)


async def page_messages(
    conn: Connection,
    namespace_id: int,
    after: tuple[datetime, UUID],
    before: datetime,
    policies: Mapping[str, Mapping[str, bool]],
    limit: int,
) -> list[PagedMessage]:
    """Return the next messages after a time and an id, of the channels that `policies` let into the calendar."""
    parameters = {
        "namespace_id": namespace_id,
        "after_occurred_at": after[0],
        "after_id": after[1],
        "before": before,
        "policies": Jsonb(policies),
        "limit": limit,
    }
    return await fetch_all(conn, SQL["page_messages"], parameters, PagedMessage)


async def enqueue_messages(
    conn: Connection, namespace_id: int, messages: Sequence[PagedMessage], days: Sequence[Period]
) -> None:
    """Enqueue each message for its day."""
    parameters = {
        "namespace_id": namespace_id,
        "days": [day.start for day in days],
        "subjects": [day.subject for day in days],
        "instances": [message.instance for message in messages],
        "conversation_ids": [message.conversation_id for message in messages],
        "seqs": [message.seq for message in messages],
    }
    await execute(conn, SQL["enqueue_messages"], parameters)


async def active_namespaces(conn: Connection, after: int, limit: int) -> list[int]:
    return await fetch_values(conn, SQL["active_namespaces"], {"after": after, "limit": limit})


@statement(SQL)
async def enqueue_lost_periods(conn: Connection, namespace_id: int) -> None: ...
