"""Records that are stored together."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

import psycopg

from everword.db.pool import Connection
from everword.domain.errors import InvalidArgument
from everword.jobs.enqueue import (
    COMPACT,
    LEARN,
    SLEEP,
    THEMES,
    TOOL_SENTENCES,
    shards,
)
from everword_ingest.transfer import store
from everword_ingest.transfer.lines import TIME

#: Size at which a batch is stored, in records and bytes.
_MOST_RECORDS = 1000
_MOST_BYTES = 1 << 20
#: Background work is held back by so much until the end of the import.
SESSION_QUIET_S = 1000 * 24 * 3600.0
_JOB = "job"
_JOB_FIELDS = {"task", "subject", "not_before"}
_ERASURE = "erasure"
#: Errors for values that cannot be stored.
WRONG = (
    psycopg.DataError,
    psycopg.IntegrityError,
    psycopg.errors.ProgramLimitExceeded,
    psycopg.errors.StatementTooComplex,
    ValueError,
    TypeError,
    RecursionError,
)


@dataclass
class _Group:
    """Records of one kind that follow each other, from a line of the file on."""

    record: str
    line: int
    rows: list[bytes] = field(default_factory=list)

    @property
    def text(self) -> str:
        return f"[{b','.join(self.rows).decode()}]"

    def place(self, error: Exception) -> str:
        """Return which lines an error is about."""
        detail = error.diag.message_detail if isinstance(error, psycopg.Error) else None
        if detail and detail.isdecimal():
            return self.place_of(int(detail))
        if len(self.rows) == 1:
            return self.place_of(1)
        last = self.line + len(self.rows) - 1
        return f"Lines {self.line} to {last} of the file ({self.record})"

    def place_of(self, number: int) -> str:
        """Return which line a record is, by its number from 1 on."""
        return f"Line {self.line + number - 1} of the file ({self.record})"


class Batch:
    """Records that were read and are not stored yet."""

    def __init__(self) -> None:
        self._groups: list[_Group] = []
        self._bytes = 0
        self.records = 0

    @property
    def full(self) -> bool:
        return self.records >= _MOST_RECORDS or self._bytes >= _MOST_BYTES

    @property
    def goes_on(self) -> bool:
        """Return whether records follow the erasures, which come first in the file."""
        return self._groups[-1].record != _ERASURE

    def add(self, record: str, row: bytes, line: int) -> None:
        if not self._groups or self._groups[-1].record != record:
            self._groups.append(_Group(record, line))
        self._groups[-1].rows.append(row)
        self._bytes += len(row)
        self.records += 1

    async def store(self, conn: Connection) -> None:
        """Store the records. Raises InvalidArgument for records that are not valid in a namespace."""
        for group in self._groups:
            try:
                await _store(conn, group)
            except WRONG as error:
                raise InvalidArgument(f"{group.place(error)}: {explain(error)}.") from error


def explain(error: Exception) -> str:
    """Return the reason why a record is refused, without names of tables."""
    if isinstance(error, psycopg.errors.ForeignKeyViolation):
        return "one refers to a record that does not precede it in the file"
    if isinstance(error, psycopg.errors.UniqueViolation):
        return "one occurs twice"
    if isinstance(error, psycopg.errors.NotNullViolation):
        return f"one has no {error.diag.column_name}"
    if isinstance(error, psycopg.DataError) and error.diag.message_primary:
        return error.diag.message_primary
    if isinstance(error, psycopg.Error):
        return "a value is invalid"
    return "one is not JSON, or has unknown fields"


async def _store(conn: Connection, group: _Group) -> None:
    if group.record == _JOB:
        await _store_jobs(conn, group)
        return
    stored = await store.import_rows(conn, group.record, group.text, TIME)
    if stored.rows != len(group.rows):
        raise ValueError("a line contains several records")
    if stored.odd is not None:
        text = "it has a time in another format than `2026-03-02T08:00:00+00:00`"
        raise InvalidArgument(f"{group.place_of(stored.odd)}: {text}.")


async def _store_jobs(conn: Connection, group: _Group) -> None:
    jobs = json.loads(group.text)
    if len(jobs) != len(group.rows) or any(set(job) != _JOB_FIELDS for job in jobs):
        raise ValueError("a line is not a job")
    now = await store.read_now(conn)
    delays: dict[tuple[str, str], float] = {}
    for number, job in enumerate(jobs, 1):
        task, subject = job["task"], job["subject"]
        if not _is_exported(task, subject):
            raise InvalidArgument(f"{group.place_of(number)}: exports never contain this task.")
        if (task, subject) in delays:
            raise InvalidArgument(f"{group.place_of(number)}: it occurs twice.")
        delays[task, subject] = _delay_s(job, now) + SESSION_QUIET_S
    tasks, subjects = ([key[place] for key in delays] for place in (0, 1))
    await store.import_jobs(conn, tasks, subjects, list(delays.values()))


def _is_exported(task: Any, subject: Any) -> bool:
    """Return whether ExportNamespace writes jobs of this task and subject."""
    if task == TOOL_SENTENCES:
        return subject in shards()
    if task not in (COMPACT, LEARN, SLEEP):
        return False
    return (task, subject) == (LEARN, THEMES) or _is_id(subject)


def _is_id(subject: Any) -> bool:
    try:
        return bool(str(UUID(subject)) == subject)
    except (ValueError, TypeError, AttributeError):
        return False


def _delay_s(job: dict[str, Any], now: datetime) -> float:
    """Return the seconds until a job is due; negative if it is overdue. Raises ValueError and TypeError if its time is
    malformed.
    """
    if job["not_before"] == "infinity":
        # A worker was at it, and was to begin again at once: see `wake_postponed`.
        return 0.0
    return (datetime.fromisoformat(job["not_before"]) - now).total_seconds()
