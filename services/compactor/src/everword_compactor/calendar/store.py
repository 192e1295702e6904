"""Statements of the calendar's jobs as typed functions; `requests` has those of its RPCs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from everword.db.blocking import Connection, execute, fetch_all, fetch_values
from everword.db.statements import load_statements
from everword.db.typed_statements import statement
from everword.domain.periods import Period
from everword.jobs.enqueue import ROLL_UP, DueJob, enqueue_idle_blocking
from everword_compactor.calendar.model import PendingPeriod, RollUpJob
from everword_compactor.nodes.model import NodeRow
from everword_compactor.nodes.store import MessageSource, NodeSource

SQL = load_statements("everword_compactor.calendar")


@dataclass(frozen=True)
class OutdatedPeriod:
    """A period of any namespace with a node that is to be written again."""

    namespace_id: int
    period: date
    subject: str


@dataclass(frozen=True)
class _InstanceRow:
    instance: str


@dataclass(frozen=True)
class _UnsupportedRow:
    unsupported: list[str] | None


@statement(SQL)
def find_subject(
    conn: Connection, namespace_id: int, level: int, period: date, digest: str
) -> str | None: ...


def pending_instances(conn: Connection, namespace_id: int, period: Period) -> list[str]:
    rows = fetch_all(conn, SQL["pending_instances"], _of(namespace_id, period), _InstanceRow)
    return [row.instance for row in rows]


def pending_rows(conn: Connection, namespace_id: int, period: Period, instance: str) -> list[int]:
    parameters = {**_of(namespace_id, period), "instance": instance}
    return fetch_values(conn, SQL["pending_rows"], parameters)


@statement(SQL)
def read_pending_messages(
    conn: Connection, namespace_id: int, pending_ids: Sequence[int], id: UUID | None
) -> list[MessageSource]:
    """Return the messages of these rows that are under no day, or under the node `id`; some may come twice."""


@statement(SQL)
def delete_pending(conn: Connection, namespace_id: int, pending_ids: Sequence[int]) -> None: ...


def enqueue_period(conn: Connection, namespace_id: int, period: Period) -> None:
    execute(conn, SQL["enqueue_period"], _of(namespace_id, period))


def read_period(conn: Connection, namespace_id: int, period: Period) -> list[NodeRow]:
    return fetch_all(conn, SQL["read_period"], _of(namespace_id, period), NodeRow)


def read_parts(conn: Connection, namespace_id: int, period: Period) -> list[NodeSource]:
    """Return the nodes that are in a week, month or year, in order."""
    since, before = period.parts
    parameters = {
        "namespace_id": namespace_id,
        "level": period.level - 1,
        "subject": period.subject,
        "since": since,
        "before": before,
    }
    return fetch_all(conn, SQL["read_parts"], parameters, NodeSource)


def read_unsupported(conn: Connection, namespace_id: int, summary_ids: Sequence[UUID]) -> list[str]:
    """Return what these nodes say that their sources do not."""
    parameters = {"namespace_id": namespace_id, "summary_ids": list(summary_ids)}
    rows = fetch_all(conn, SQL["read_unsupported"], parameters, _UnsupportedRow)
    return [value for row in rows for value in row.unsupported or ()]


@statement(SQL)
def pending_periods(
    conn: Connection, limit: int, quiet_s: float, longest_s: float, moment: datetime
) -> list[PendingPeriod]:
    """Return pending periods that have ended by `moment`; rewritten ones only after they have waited long enough."""


@statement(SQL)
def outdated_periods(
    conn: Connection, level: int, model: str, version: int, limit: int, parked_s: float
) -> list[OutdatedPeriod]:
    """Return the periods of `limit` outdated nodes: one for each instance of a day."""


@statement(SQL)
def open_roll_ups(conn: Connection, namespace_id: int, parked_s: float) -> list[RollUpJob]: ...


def schedule_roll_ups(
    conn: Connection, namespace_id: int, periods: Sequence[Period], parked_s: float
) -> int:
    """Make the jobs of sorted periods due; returns of how many."""
    due = roll_up_jobs(namespace_id, periods)
    return enqueue_idle_blocking(conn, due, retry_failed_after_s=parked_s)


def roll_up_jobs(namespace_id: int, periods: Sequence[Period]) -> list[DueJob]:
    """Return the jobs of periods, which are done in this order."""
    return [
        DueJob(namespace_id, ROLL_UP, period.job_subject, delay_s=place * 1e-6)
        for place, period in enumerate(periods, start=1)
    ]


def _of(namespace_id: int, period: Period) -> dict[str, object]:
    return {
        "namespace_id": namespace_id,
        "level": int(period.level),
        "period": period.start,
        "subject": period.subject,
    }
