"""The statements on documents as typed functions: one for each in queries.sql."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from uuid import UUID

from everword.db.arrays import Column, array_literal
from everword.db.pool import Connection
from everword.db.statements import (
    execute,
    fetch_all,
    fetch_value,
    load_statements,
)
from everword.db.typed_statements import statement
from everword_ingest.documents.model import DocumentFilter, DocumentKey

SQL = load_statements("everword_ingest.documents")


@dataclass(frozen=True)
class LockedDocument:
    """A document that this transaction holds; version 0 is not written yet."""

    id: UUID
    kind: int
    title: str
    agent: str
    subject: str
    conversation_id: UUID | None
    version: int
    chunks: int
    deleted_at: datetime | None

    @property
    def is_current(self) -> bool:
        """Return whether the document exists: it was written, and not deleted."""
        return self.version > 0 and self.deleted_at is None


@dataclass(frozen=True)
class TextRow:
    """The text and tags of a version."""

    content: str
    tags: list[str]


@dataclass(frozen=True)
class WrittenDocumentVersion:
    """A version that an earlier call wrote."""

    document_id: UUID
    version: int
    version_id: UUID
    chunks: int


@dataclass(frozen=True)
class NewVersion:
    """A version to add to a history."""

    id: UUID
    version: int
    deleted: bool
    content: str
    chars: int
    tags: list[str]
    author: str
    writer: int
    file_name: str
    media_type: str
    file_bytes: int
    file_sha256: bytes
    written_at: datetime


@dataclass(frozen=True)
class ChunkRow:
    """A part of a document, without its text."""

    id: UUID
    place: int
    headings: list[str]
    start: int
    end: int
    page: int | None
    digest: bytes


@dataclass(frozen=True)
class DocumentRow:
    """A document as it stands, without its text."""

    id: UUID
    kind: int
    title: str
    agent: str
    subject: str
    conversation_id: UUID | None
    version: int
    version_id: UUID
    chunks: int
    chars: int
    tags: list[str]
    author: str
    writer: int
    file_name: str
    media_type: str
    file_bytes: int
    file_sha256: bytes
    created_at: datetime
    written_at: datetime


@dataclass(frozen=True)
class DocumentVersionRow(NewVersion):
    """A version of a history, with a part of its text."""


async def insert_document(conn: Connection, namespace_id: int, id_: UUID, key: DocumentKey) -> None:
    """Insert a document without a version; does nothing if its key exists."""
    parameters = {
        "namespace_id": namespace_id,
        "id": id_,
        "kind": int(key.kind),
        "title": key.title,
        "key_hash": key.hash,
        **asdict(key.scope),
    }
    await execute(conn, SQL["insert_document"], parameters)


async def find_key(conn: Connection, namespace_id: int, key: DocumentKey) -> UUID | None:
    parameters = {"namespace_id": namespace_id, "key_hash": key.hash}
    found: UUID | None = await fetch_value(conn, SQL["find_key"], parameters)
    return found


@statement(SQL)
async def find_kind(conn: Connection, namespace_id: int, document_id: UUID) -> int | None:
    """Return the `DocumentKind` of a document, whether it stands or not."""


@statement(SQL)
async def lock_document(
    conn: Connection, namespace_id: int, document_id: UUID
) -> LockedDocument | None: ...


@statement(SQL)
async def get_version_id(
    conn: Connection, namespace_id: int, document_id: UUID, version: int
) -> UUID | None: ...


@statement(SQL)
async def get_text(
    conn: Connection, namespace_id: int, document_id: UUID, version: int
) -> TextRow | None: ...


@statement(SQL)
async def find_version(
    conn: Connection, namespace_id: int, version_id: UUID
) -> WrittenDocumentVersion | None: ...


async def write_version(
    conn: Connection, namespace_id: int, document_id: UUID, row: NewVersion, chunks: int
) -> None:
    """Add a version to the history of a document, and bring the document to it."""
    parameters = {"namespace_id": namespace_id, "document_id": document_id, **asdict(row)}
    await execute(conn, SQL["insert_version"], parameters)
    await execute(conn, SQL["update_document"], {**parameters, "chunks": chunks})


@statement(SQL)
async def list_chunks(conn: Connection, namespace_id: int, document_id: UUID) -> list[ChunkRow]: ...


@statement(SQL)
async def delete_chunks(
    conn: Connection, namespace_id: int, document_id: UUID, ids: Sequence[UUID]
) -> None: ...


async def insert_chunks(
    conn: Connection, namespace_id: int, document_id: UUID, rows: Sequence[ChunkRow]
) -> None:
    parameters = {
        "namespace_id": namespace_id,
        "document_id": document_id,
        "ids": Column("uuid", [row.id for row in rows]),
        "places": Column("int4", [row.place for row in rows]),
        "headings": Column("text", [array_literal(row.headings) for row in rows]),
        "starts": Column("int8", [row.start for row in rows]),
        "ends": Column("int8", [row.end for row in rows]),
        "pages": Column("int4", [row.page or 0 for row in rows]),
        "digests": Column("bytea", [row.digest for row in rows]),
    }
    await execute(conn, SQL["insert_chunks"], parameters)


@statement(SQL)
async def get_document(
    conn: Connection, namespace_id: int, document_id: UUID
) -> DocumentRow | None: ...


async def read_text(
    conn: Connection, namespace_id: int, document_id: UUID, version: int, start: int, max_chars: int
) -> str:
    parameters = {
        "namespace_id": namespace_id,
        "document_id": document_id,
        "version": version,
        "start": start,
        "max_chars": max_chars,
    }
    return await fetch_value(conn, SQL["read_text"], parameters) or ""


async def list_documents(
    conn: Connection,
    namespace_id: int,
    document_filter: DocumentFilter,
    after_id: UUID | None,
    limit: int,
) -> list[DocumentRow]:
    page = {"after_id": after_id, "limit": limit}
    parameters = {
        "namespace_id": namespace_id,
        **vars(document_filter),
        **page,
        "kind": int(document_filter.kind),
    }
    return await fetch_all(conn, SQL["list_documents"], parameters, DocumentRow)


async def list_versions(
    conn: Connection,
    namespace_id: int,
    document_id: UUID,
    version: int,
    before_version: int | None,
    part: tuple[int, int],
    limit: int,
) -> list[DocumentVersionRow]:
    """Return versions, the latest first, with `part` of each text: start and number of characters."""
    parameters = {
        "namespace_id": namespace_id,
        "document_id": document_id,
        "version": version,
        "before_version": before_version,
        "start": part[0],
        "max_chars": part[1],
        "limit": limit,
    }
    return await fetch_all(conn, SQL["list_versions"], parameters, DocumentVersionRow)
