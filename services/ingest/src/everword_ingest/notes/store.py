"""NoteService's statements as typed functions: one for each in queries.sql."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime
from uuid import UUID

from everword.db.pool import Connection
from everword.db.statements import (
    execute,
    fetch_value,
    load_statements,
)
from everword.db.typed_statements import statement
from everword_ingest.notes.model import NoteFilter, NoteKey

SQL = load_statements("everword_ingest.notes")


@dataclass(frozen=True)
class OwnerRow:
    """Whose a conversation is."""

    agent: str
    subject: str
    channel: str


@dataclass(frozen=True)
class LockedNote:
    """A note that this transaction holds; version 0 is not written yet."""

    id: UUID
    key: str
    agent: str
    subject: str
    conversation_id: UUID | None
    version: int
    log_date: date | None
    expires_at: datetime | None
    deleted_at: datetime | None

    def is_current(self, now: datetime) -> bool:
        """Return whether the note exists: it was written, and is neither deleted nor expired."""
        ended = self.expires_at is not None and self.expires_at <= now
        return self.version > 0 and self.deleted_at is None and not ended


@dataclass(frozen=True)
class NoteRow:
    """A note as it stands, with as much of its text as was asked for."""

    id: UUID
    key: str
    agent: str
    subject: str
    conversation_id: UUID | None
    kind: str
    tags: list[str]
    importance: int
    version: int
    version_id: UUID
    content: str
    author: str
    log_date: date | None
    expires_at: datetime | None
    created_at: datetime
    written_at: datetime


@dataclass(frozen=True)
class NoteVersionRow:
    """A version of a note."""

    id: UUID
    version: int
    deleted: bool
    content: str
    kind: str
    tags: list[str]
    importance: int
    author: str
    expires_at: datetime | None
    written_at: datetime


@dataclass(frozen=True)
class WrittenNoteVersion:
    """A version that an earlier call wrote."""

    note_id: UUID
    version: int
    version_id: UUID
    log_date: date | None


async def insert_note(
    conn: Connection, namespace_id: int, id_: UUID, key: NoteKey, log_date: date | None
) -> None:
    """Insert a note without a version; does nothing if its key exists."""
    parameters = {"namespace_id": namespace_id, "id": id_, "key": key.key, "log_date": log_date}
    parameters["key_hash"] = key.hash if key.key else None
    await execute(conn, SQL["insert_note"], {**parameters, **asdict(key.scope)})


@statement(SQL)
async def find_conversation(
    conn: Connection, namespace_id: int, conversation_id: UUID
) -> OwnerRow | None: ...


async def find_key(conn: Connection, namespace_id: int, key: NoteKey) -> UUID | None:
    parameters = {"namespace_id": namespace_id, "key_hash": key.hash}
    found: UUID | None = await fetch_value(conn, SQL["find_key"], parameters)
    return found


@statement(SQL)
async def lock_note(conn: Connection, namespace_id: int, note_id: UUID) -> LockedNote | None: ...


@statement(SQL)
async def get_version(
    conn: Connection, namespace_id: int, note_id: UUID, version: int
) -> NoteVersionRow | None: ...


@statement(SQL)
async def find_version(
    conn: Connection, namespace_id: int, version_id: UUID
) -> WrittenNoteVersion | None: ...


async def write_version(
    conn: Connection, namespace_id: int, note_id: UUID, row: NoteVersionRow
) -> None:
    """Add a version to the history of a note, and bring the note to it."""
    parameters = {"namespace_id": namespace_id, "note_id": note_id, **asdict(row)}
    await execute(conn, SQL["insert_version"], parameters)
    await execute(conn, SQL["update_note"], parameters)


async def get_class(conn: Connection, namespace_id: int, memory_id: UUID) -> int:
    """Return a memory's importance class as set by a caller; 0 if unset."""
    parameters = {"namespace_id": namespace_id, "memory_id": memory_id}
    return await fetch_value(conn, SQL["get_class"], parameters) or 0


@statement(SQL)
async def get_note(
    conn: Connection, namespace_id: int, note_id: UUID, max_chars: int | None = None
) -> NoteRow | None: ...


@statement(SQL)
async def list_notes(
    conn: Connection,
    namespace_id: int,
    wanted: NoteFilter,
    max_chars: int,
    after_id: UUID | None,
    limit: int,
) -> list[NoteRow]: ...


@statement(SQL)
async def list_versions(
    conn: Connection, namespace_id: int, note_id: UUID, before_version: int | None, limit: int
) -> Sequence[NoteVersionRow]: ...
