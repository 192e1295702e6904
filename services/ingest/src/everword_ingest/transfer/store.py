"""The statements of exports and imports as typed functions: one for each in queries.sql."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.types.json import Jsonb

from everword.db.pool import Connection
from everword.db.statements import (
    fetch_all,
    fetch_value,
    load_statements,
)
from everword.db.typed_statements import statement

SQL = load_statements("everword_ingest.transfer")


@dataclass(frozen=True)
class _TableNameRow:
    name: str


@dataclass(frozen=True)
class ExportLineRow:
    """A line of the file, without its end, and where the record stands among those of its kind."""

    line: str
    key: list[Any]


@dataclass(frozen=True)
class ImportTargetRow:
    """The namespace that an import goes into."""

    id: int
    #: `active`, `importing` or `deleting`.
    state: str


@dataclass(frozen=True)
class ProgressRow:
    """How far an import is: lines that are stored, and their SHA-256."""

    lines: int
    digest: bytes
    finished: bool


@dataclass(frozen=True)
class ImportedRowsRow:
    """Number of stored records, and the first of them (from 1) with a malformed time; None if there is none."""

    rows: int
    odd: int | None


@dataclass(frozen=True)
class JobRow:
    """A job, and the seconds until it is due; negative if it is overdue."""

    task: str
    subject: str
    delay_s: float


async def list_records(conn: Connection) -> list[str]:
    return [row.name for row in await fetch_all(conn, SQL["list_records"], None, _TableNameRow)]


@statement(SQL)
async def fix_forms(conn: Connection) -> None: ...


@statement(SQL)
async def export_settings(conn: Connection, namespace_id: int) -> str | None:
    """Return the line of the settings; None once the namespace is being deleted."""


@statement(SQL)
async def is_erasing(conn: Connection) -> bool: ...


async def export_rows(
    conn: Connection, record: str, after: list[Any] | None
) -> list[ExportLineRow]:
    """Return the next lines of a kind; the first ones with None."""
    parameters = {"record": record, "after": None if after is None else Jsonb(after)}
    return await fetch_all(conn, SQL["export_rows"], parameters, ExportLineRow)


@statement(SQL)
async def find_target(conn: Connection, name: str) -> ImportTargetRow | None: ...


@statement(SQL)
async def insert_target(conn: Connection, name: str, settings: str) -> ImportTargetRow | None:
    """Make a namespace with these settings, as JSON; None where the name is taken."""


@statement(SQL)
async def begin_import(conn: Connection, namespace_id: int, lines: int, digest: bytes) -> None: ...


@statement(SQL)
async def lock_import(conn: Connection, namespace_id: int) -> ProgressRow | None:
    """Lock and return the progress of an import; None if the namespace is not an import."""


@statement(SQL)
async def import_rows(conn: Connection, record: str, rows: str, time: str) -> ImportedRowsRow:
    """Store records of a kind, a list as JSON, whose times match an expression. Raises psycopg's errors about them."""


@statement(SQL)
async def newer_erasure(conn: Connection) -> str | None:
    """Return the name of a copy of the namespace where something was erased that is in the file."""


@statement(SQL)
async def import_jobs(
    conn: Connection, tasks: Sequence[str], subjects: Sequence[str], delays_s: Sequence[float]
) -> None:
    """Store jobs of distinct tasks and subjects."""


@statement(SQL)
async def advance_import(conn: Connection, stored: int, lines: int, digest: bytes) -> bool:
    """Lock and store the progress of an import; False if not `stored` lines are stored."""


@statement(SQL)
async def read_now(conn: Connection) -> datetime:
    """Return the time of the transaction."""


@statement(SQL)
async def list_jobs(
    conn: Connection, namespace_id: int, quiet_seconds: float, now: datetime
) -> list[JobRow]: ...


@statement(SQL)
async def open_namespace(conn: Connection, namespace_id: int) -> None: ...


@statement(SQL)
async def end_import(conn: Connection, namespace_id: int) -> None: ...


async def highest_passage(conn: Connection, namespace_id: int) -> int:
    return int(await fetch_value(conn, SQL["highest_passage"], {"namespace_id": namespace_id}))
