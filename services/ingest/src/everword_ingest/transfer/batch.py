"""Records that are stored together."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime

import psycopg

from everword.db.pool import Connection
from everword.domain.errors import InvalidArgument
from everword.jobs.enqueue import DueJob, enqueue
from everword_ingest.transfer import store

#: A transaction stores what came once it has so many records or bytes.
_MOST_RECORDS = 1000
_MOST_BYTES = 1 << 20
#: Background work is held back by so much until the end of the import.
HELD_BACK_S = 1000 * 24 * 3600.0
_JOB = "job"
_JOB_FIELDS = {"task", "subject", "not_before"}
_ERASURE = "erasure"


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
            return f"Line {self.line + int(detail) - 1} of the file, of {self.record}"
        if len(self.rows) == 1:
            return f"Line {self.line} of the file, of {self.record}"
        last = self.line + len(self.rows) - 1
        return f"Of lines {self.line} to {last} of the file, of {self.record}"


class Batch:
    """What was read, and is not stored yet."""

    def __init__(self) -> None:
        self._groups: list[_Group] = []
        self._bytes = 0
        self.records = 0

    @property
    def full(self) -> bool:
        return self.records >= _MOST_RECORDS or self._bytes >= _MOST_BYTES

    @property
    def goes_on(self) -> bool:
        """Tell whether something comes after the erasures, which the file begins with."""
        return self._groups[-1].record != _ERASURE

    def add(self, record: str, row: bytes, line: int) -> None:
        if not self._groups or self._groups[-1].record != record:
            self._groups.append(_Group(record, line))
        self._groups[-1].rows.append(row)
        self._bytes += len(row)
        self.records += 1

    async def store(self, conn: Connection, namespace_id: int) -> None:
        """Store the records. Raises InvalidArgument for what cannot be in a namespace."""
        for group in self._groups:
            try:
                await _store(conn, namespace_id, group)
            except (psycopg.DataError, psycopg.IntegrityError, ValueError, TypeError) as error:
                raise InvalidArgument(f"{group.place(error)}: {explain(error)}.") from error


def explain(error: Exception) -> str:
    """Return what is wrong with a record, without the names of what it is stored in."""
    if isinstance(error, psycopg.errors.ForeignKeyViolation):
        return "one refers to what is not before it in the file"
    if isinstance(error, psycopg.errors.UniqueViolation):
        return "one is there twice"
    if isinstance(error, psycopg.errors.NotNullViolation):
        return f"one has no {error.diag.column_name}"
    if isinstance(error, psycopg.DataError) and error.diag.message_primary:
        return error.diag.message_primary
    if isinstance(error, psycopg.Error):
        return "a value cannot be"
    return "one is no JSON, or has other fields"


async def _store(conn: Connection, namespace_id: int, group: _Group) -> None:
    if group.record != _JOB:
        if await store.import_rows(conn, group.record, group.text) != len(group.rows):
            raise ValueError("a line holds several records")
        return
    jobs = json.loads(group.text)
    if len(jobs) != len(group.rows) or any(set(job) != _JOB_FIELDS for job in jobs):
        raise ValueError("a line holds another thing than a job")
    now = await store.read_now(conn)
    due = [
        DueJob(
            namespace_id,
            str(job["task"]),
            str(job["subject"]),
            (datetime.fromisoformat(job["not_before"]) - now).total_seconds() + HELD_BACK_S,
        )
        for job in jobs
    ]
    await enqueue(conn, due)
