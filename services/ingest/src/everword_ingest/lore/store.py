"""LoreService's statements as typed functions: one for each in queries.sql."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from everword.db.arrays import Column
from everword.db.pool import Connection
from everword.db.statements import (
    execute,
    fetch_all,
    fetch_value,
    fetch_values,
    load_statements,
)
from everword.db.typed_statements import statement
from everword.lore.model import Trigger, TriggerMode
from everword_ingest.lore.model import BookFilter, BookKey, LoreScope, NewBook, NewEntry

SQL = load_statements("everword_ingest.lore")


@dataclass(frozen=True)
class LockedBook:
    """A lorebook that this transaction holds."""

    id: UUID
    name: str
    agent: str
    subject: str
    conversation_id: UUID | None

    @property
    def scope(self) -> LoreScope:
        return LoreScope(self.agent, self.subject, self.conversation_id)


@dataclass(frozen=True)
class BookRow:
    """A lorebook as it stands."""

    id: UUID
    name: str
    agent: str
    subject: str
    conversation_id: UUID | None
    description: str
    disabled: bool
    version: int
    created_at: datetime
    updated_at: datetime
    entries: int


@dataclass(frozen=True)
class EntryRow:
    """An entry as it stands."""

    id: UUID
    book_id: UUID
    title: str
    content: str
    triggers: list[dict[str, Any]]
    scan_depth: int
    priority: int
    sticky_turns: int
    disabled: bool
    constant: bool
    prevent_recursion: bool
    exclude_recursion: bool
    version: int
    created_at: datetime
    updated_at: datetime

    def body(self) -> NewEntry:
        """Return it as it was written."""
        fields = {name: getattr(self, name) for name in NewEntry.__dataclass_fields__}
        return NewEntry(**{**fields, "triggers": tuple(map(Trigger.of_json, self.triggers))})


@dataclass(frozen=True)
class ClassRow:
    """The importance class that a caller gave to a memory."""

    memory_id: UUID
    importance_class: int


@dataclass(frozen=True)
class CountsRow:
    """How much a lorebook holds."""

    entries: int
    patterns: int


async def insert_book(conn: Connection, namespace_id: int, id_: UUID, key: BookKey) -> None:
    """Insert a lorebook; does nothing if its name and scope exist."""
    parameters = {"id": id_, "name": key.name, "key_hash": key.hash, **asdict(key.scope)}
    await execute(conn, SQL["insert_book"], {"namespace_id": namespace_id, **parameters})


async def find_book(conn: Connection, namespace_id: int, key: BookKey) -> UUID | None:
    parameters = {"namespace_id": namespace_id, "key_hash": key.hash}
    found: UUID | None = await fetch_value(conn, SQL["find_book"], parameters)
    return found


@statement(SQL)
async def lock_book(conn: Connection, namespace_id: int, book_id: UUID) -> LockedBook | None: ...


async def update_book(conn: Connection, namespace_id: int, book_id: UUID, book: NewBook) -> None:
    parameters = {"book_id": book_id, "description": book.description, "disabled": book.disabled}
    await execute(conn, SQL["update_book"], {"namespace_id": namespace_id, **parameters})


@statement(SQL)
async def touch_book(conn: Connection, namespace_id: int, book_id: UUID) -> None: ...


@statement(SQL)
async def get_book(conn: Connection, namespace_id: int, book_id: UUID) -> BookRow | None: ...


@statement(SQL)
async def list_books(
    conn: Connection, namespace_id: int, wanted: BookFilter, after_id: UUID | None, limit: int
) -> list[BookRow]: ...


@statement(SQL)
async def delete_book(conn: Connection, namespace_id: int, book_id: UUID) -> None: ...


@statement(SQL)
async def get_entry(conn: Connection, namespace_id: int, entry_id: UUID) -> EntryRow | None: ...


@statement(SQL)
async def find_entry(
    conn: Connection, namespace_id: int, book_id: UUID, title: str
) -> UUID | None: ...


@statement(SQL)
async def list_entries(
    conn: Connection, namespace_id: int, book_id: UUID, after_id: UUID | None, limit: int
) -> list[EntryRow]: ...


async def list_entry_ids(conn: Connection, namespace_id: int, book_id: UUID) -> list[UUID]:
    parameters = {"namespace_id": namespace_id, "book_id": book_id}
    return await fetch_values(conn, SQL["list_entry_ids"], parameters)


@statement(SQL)
async def count_entries(conn: Connection, namespace_id: int, book_id: UUID) -> CountsRow: ...


async def write_entries(
    conn: Connection, namespace_id: int, book_id: UUID, entries: Mapping[UUID, NewEntry]
) -> None:
    """Write entries; entries with the same ids are replaced."""
    written = list(entries.values())
    triggers = [[trigger.to_json() for trigger in entry.triggers] for entry in written]
    parameters = {
        "namespace_id": namespace_id,
        "book_id": book_id,
        "id": Column("uuid", list(entries)),
        "triggers": Column("jsonb", triggers),
        "patterns": Column("int2", [count_patterns([entry]) for entry in written]),
    } | {
        name: Column(type_, [getattr(entry, name) for entry in written])
        for name, type_ in _ENTRY_TYPES.items()
    }
    await execute(conn, SQL["write_entries"], parameters)


#: Columns of an entry with the same names as the fields of `NewEntry`.
_ENTRY_TYPES = {
    "title": "text",
    "content": "text",
    "scan_depth": "int2",
    "priority": "int4",
    "sticky_turns": "int2",
    "disabled": "bool",
    "constant": "bool",
    "prevent_recursion": "bool",
    "exclude_recursion": "bool",
}


async def get_classes(
    conn: Connection, namespace_id: int, memory_ids: Sequence[UUID]
) -> dict[UUID, int]:
    """Return the importance classes that callers gave to memories, by their ids."""
    parameters = {"namespace_id": namespace_id, "memory_ids": list(memory_ids)}
    rows = await fetch_all(conn, SQL["get_classes"], parameters, ClassRow)
    return {row.memory_id: row.importance_class for row in rows}


@statement(SQL)
async def delete_entries(
    conn: Connection, namespace_id: int, entry_ids: Sequence[UUID]
) -> None: ...


def count_patterns(entries: Sequence[NewEntry]) -> int:
    """Return how many of the triggers of entries are patterns."""
    triggers = [trigger for entry in entries for trigger in entry.triggers]
    return sum(trigger.mode is TriggerMode.REGEX for trigger in triggers)
