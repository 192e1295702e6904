"""Named SQL: every statement of a service is in its queries.sql, with a name and a description.

    -- insert_messages --
    -- Store the messages of one append.
    INSERT INTO messages …

A common part of several statements is defined once, as `-- fragment visible --`, before the first of them, and each has
`:visible` in its place. `{note_kind}` and `{summarizing_kinds}` are filled in by `db.kind_fragments`. The functions
below run a statement, and open a span with its name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any, Generic, LiteralString, TypeVar

from opentelemetry.trace import Span, SpanKind
from psycopg import AsyncConnection
from psycopg.rows import scalar_row

from everword.db.kind_fragments import fill_kinds
from everword.db.pipeline import send_queued
from everword.db.rows import dataclass_row
from everword.telemetry import names
from everword.telemetry.tracing import begin_span, inner_span

T = TypeVar("T")
Parameters = Mapping[str, Any]
_HEADER = re.compile(r"^-- (fragment )?(\w+) --\n((?:-- .*\n)+)", re.MULTILINE)


@dataclass(frozen=True)
class Statement:
    """A named statement."""

    name: str
    description: str
    #: Everword takes responsibility for its own SQL: it comes from queries.sql alone, and is never composed.
    sql: LiteralString

    def of_generation(self, generation_id: int) -> Statement:
        """Return the statement over the vectors of a model generation, which it names by `:generation`.

        Each generation has a table of its own, and Postgres has no parameter for the name of a table.
        """
        return replace(self, sql=self.sql.replace(":generation", f"{generation_id:d}"))


def parse_statements(text: str) -> dict[str, Statement]:
    """Return the statements of a queries.sql. Raises ValueError for one without name, description or body, or twice."""
    text = fill_kinds(text)
    headers = list(_HEADER.finditer(text))
    statements: dict[str, Statement] = {}
    fragments: dict[str, str] = {}
    for header, following in zip(headers, [*headers[1:], None], strict=True):
        name = header[2]
        body = text[header.end() : following.start() if following else len(text)].strip()
        # psycopg parses statements longer than 4096 characters again for each execution.
        body = re.sub(r"\n +", "\n", body)
        if not body or name in statements or name in fragments:
            raise ValueError(f"statement {name} is empty or a duplicate")
        if header[1]:
            fragments[name] = body
            continue
        for fragment, common in fragments.items():
            body = re.sub(rf"(?<!:):{fragment}\b", common.replace("\\", r"\\"), body)
        description = " ".join(line[3:] for line in header[3].splitlines())
        statements[name] = Statement(name, description, body)
    leading = text[: headers[0].start()] if headers else text
    if re.sub(r"^--.*$", "", leading, flags=re.MULTILINE).strip():
        raise ValueError("text before the first statement's name")
    return statements


def load_statements(package: str) -> dict[str, Statement]:
    """Return the statements of `package`'s queries.sql by name."""
    return parse_statements(files(package).joinpath("queries.sql").read_text(encoding="utf-8"))


def statement_span(statement: Statement) -> Any:
    return inner_span(statement.name, **_statement_attributes(statement))


def _statement_attributes(statement: Statement) -> dict[str, Any]:
    attributes = {names.DB_SYSTEM: "postgresql", names.DB_QUERY_SUMMARY: statement.name}
    return {"kind": SpanKind.CLIENT, "attributes": attributes}


async def execute(
    conn: AsyncConnection[Any], statement: Statement, parameters: Parameters | None = None
) -> None:
    """Run a statement whose result does not matter. In a pipeline its error surfaces at the next result."""
    with statement_span(statement):
        await conn.execute(statement.sql, parameters)


async def fetch_all(
    conn: AsyncConnection[Any], statement: Statement, parameters: Parameters | None, row: type[T]
) -> list[T]:
    """Run a statement and return its rows as `row`, a dataclass with a field for each column."""
    with statement_span(statement):
        async with conn.cursor(binary=True, row_factory=dataclass_row(row)) as cursor:
            await cursor.execute(statement.sql, parameters)
            return await cursor.fetchall()


async def fetch_values(
    conn: AsyncConnection[Any], statement: Statement, parameters: Parameters | None = None
) -> list[Any]:
    """Run a statement and return the first column of its rows."""
    with statement_span(statement):
        async with conn.cursor(binary=True, row_factory=scalar_row) as cursor:
            await cursor.execute(statement.sql, parameters)
            return await cursor.fetchall()


async def fetch_optional(
    conn: AsyncConnection[Any], statement: Statement, parameters: Parameters | None, row: type[T]
) -> T | None:
    """Run a statement and return its first row, or None."""
    with statement_span(statement):
        async with conn.cursor(binary=True, row_factory=dataclass_row(row)) as cursor:
            await cursor.execute(statement.sql, parameters)
            return await cursor.fetchone()


@dataclass(frozen=True)
class BoundStatement(Generic[T]):
    """A statement whose rows are wanted together with those of others."""

    statement: Statement
    parameters: Parameters
    #: A dataclass with a field for each column.
    row: type[T]


class Pending(Generic[T]):
    """Rows of a statement in a pipeline, which is sent when the pipeline ends at the latest."""

    def __init__(self, cursor: Any, span: Span) -> None:
        self._cursor = cursor
        self._span = span

    async def rows(self) -> list[T]:
        """Return the rows. Where the pipeline is over, that waits for nothing."""
        try:
            rows: list[T] = await self._cursor.fetchall()
            return rows
        finally:
            self._span.end()


async def ask(conn: AsyncConnection[Any], question: BoundStatement[T]) -> Pending[T]:
    """Run a statement in a pipeline without waiting for its rows. Its span ends when they are read."""
    cursor = conn.cursor(binary=True, row_factory=dataclass_row(question.row))
    span = begin_span(question.statement.name, **_statement_attributes(question.statement))
    await cursor.execute(question.statement.sql, question.parameters)
    return Pending(cursor, span)


async def fetch_each(
    conn: AsyncConnection[Any],
    *questions: BoundStatement[Any],
    meanwhile: Callable[[], None] | None = None,
) -> list[list[Any]]:
    """Run several independent statements in one round trip; return the rows of each.

    `meanwhile` is called while the server works.
    """
    cursors = [
        conn.cursor(binary=True, row_factory=dataclass_row(question.row)) for question in questions
    ]
    for question, cursor in zip(questions, cursors, strict=True):
        await cursor.execute(question.statement.sql, question.parameters)
    if meanwhile:
        await send_queued(conn)
        meanwhile()
    rows = []
    for question, cursor in zip(questions, cursors, strict=True):
        # PostgreSQL runs them one after the other, so each span begins at about the same time as its statement.
        with statement_span(question.statement):
            rows.append(await cursor.fetchall())
    return rows


async def fetch_value(
    conn: AsyncConnection[Any], statement: Statement, parameters: Parameters | None = None
) -> Any:
    """Run a statement and return the first column of its first row, or None."""
    with statement_span(statement):
        async with conn.cursor(row_factory=scalar_row) as cursor:
            await cursor.execute(statement.sql, parameters)
            return await cursor.fetchone()
