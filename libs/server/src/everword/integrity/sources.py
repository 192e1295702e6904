"""The expected rows of the index, built from their sources."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from importlib.resources import files
from typing import Any
from uuid import UUID

import psycopg
from psycopg.rows import class_row

from everword.db.statements import Statement, parse_statements
from everword.domain.documents import document_path
from everword.domain.memory_kinds import MemoryKind
from everword.domain.records import message_text
from everword.facts.attributes import fact_text
from everword.graph.graph_text import node_text
from everword.index.builders import Language, build_derived_passage, build_passages
from everword.index.passages import IndexedPassage, IndexedSource
from everword.index.writer import Validity


def _read_statement(table: str) -> Statement:
    file = files(__package__).joinpath("source_statements", f"{table}.sql")
    return parse_statements(file.read_text(encoding="utf-8"))[table]


#: By table of a kind, the statement that reads the text of its rows, and the columns that filters use.
SOURCES = {kind.traits.table: _read_statement(kind.traits.table) for kind in MemoryKind}
_STRETCH = "m.id > %(after)s AND m.id <= %(last)s"
_HELD = "m.id = ANY(%(ids)s) ORDER BY m.id FOR SHARE OF m"


@dataclass(frozen=True)
class IndexSourceRow:
    """A memory that is to be in the index, with its text."""

    id: UUID
    kind: int
    occurred_at: datetime
    conversation_id: UUID | None
    seq: int | None
    agent: str
    subject: str
    channel: str
    instance: str
    author: str
    role: int
    tags: list[str]
    importance_class: int
    automated: bool
    text: str
    title: str
    valid_from: datetime | None
    valid_until: datetime | None
    known_from: datetime | None
    known_until: datetime | None
    #: Other parts of its text, by kind.
    parts: list[Any] | None
    #: The sentence about a tool call.
    sentence: str | None

    @property
    def limits(self) -> Validity:
        return Validity(self.valid_from, self.valid_until, self.known_from)


def read_source_range(
    conn: psycopg.Connection, table: str, namespace_id: int, after: UUID, last: UUID
) -> list[IndexSourceRow]:
    """Return the sources of a stretch of ids."""
    node_range = {"namespace_id": namespace_id, "after": after, "last": last}
    return _read(conn, table, _STRETCH, node_range)


def lock_sources(
    conn: psycopg.Connection, table: str, namespace_id: int, ids: Sequence[UUID]
) -> list[IndexSourceRow]:
    """Lock and return sources by their ids, so that no transaction changes or removes them before this one ends."""
    return _read(conn, table, _HELD, {"namespace_id": namespace_id, "ids": list(ids)})


def _read(
    conn: psycopg.Connection, table: str, chosen: str, parameters: dict[str, Any]
) -> list[IndexSourceRow]:
    sql = SOURCES[table].sql.removesuffix(";").replace(":chosen", chosen)
    with conn.cursor(row_factory=class_row(IndexSourceRow)) as cursor:
        return cursor.execute(sql.encode(), parameters).fetchall()


def build(row: IndexSourceRow, language: Language) -> Iterator[IndexedPassage]:
    """Yield the passages that a memory is to have."""
    source = IndexedSource(
        row.id,
        row.kind,
        row.occurred_at,
        row.conversation_id,
        row.seq,
        row.agent,
        row.subject,
        row.channel,
        row.instance,
        row.author,
        row.role,
        row.tags,
        row.importance_class,
        row.automated,
    )
    text, title = _worded(row)
    yield from build_passages(source, text, language, title)
    if row.sentence is not None:
        yield build_derived_passage(source, text, row.sentence, language)


def can_be_built(row: IndexSourceRow) -> bool:
    """Return whether a memory's text is known. It is not for an indexed chunk that repeats the header of a table."""
    if row.kind != MemoryKind.CHUNK:
        return True
    headings, digest, is_indexed = row.parts or ([], "", False)
    hashed = ["\0".join(sorted(row.tags[1:])), *headings, row.text]
    return not is_indexed or sha256("\x01".join(hashed).encode()).hexdigest() == digest


def _worded(row: IndexSourceRow) -> tuple[str, str]:
    """Return a memory's text, and the title under which it is found too."""
    match row.kind:
        case MemoryKind.MESSAGE:
            blocks, name, arguments, result = row.parts or [None, "", "", ""]
            return message_text(row.text, blocks, name, arguments, result), ""
        case MemoryKind.FACT:
            return fact_text(row.subject, row.text, row.title), ""
        case MemoryKind.NODE:
            description, aliases = row.parts or ["", []]
            return node_text(row.text, row.title, description, aliases), ""
        case MemoryKind.CHUNK:
            headings = row.parts[0] if row.parts else []
            return row.text, document_path(row.title, headings)
    return row.text, row.title
