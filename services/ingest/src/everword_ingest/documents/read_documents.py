"""Read documents: one, a part of its text, lists, and the history of one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from everword.db.pool import Connection, Database
from everword.domain.caller import NamespaceScope
from everword.domain.not_found import DocumentNotFound
from everword.rpc.pages import PageRequest, open_cursor
from everword_ingest.documents import store
from everword_ingest.documents.model import (
    DocumentFilter,
    DocumentKey,
    DocumentKind,
    HistoryRequest,
    RequestedPart,
)
from everword_ingest.documents.store import ChunkRow, DocumentRow, DocumentVersionRow
from everword_ingest.notes.place import find_place

DEFAULT_CHARS, DEFAULT_VERSION_CHARS = 20_000, 2_000
DEFAULT_VERSIONS, MAX_VERSIONS = 20, 60
MAX_SECTIONS = 1_000


@dataclass(frozen=True)
class FoundSection:
    """The text under one heading."""

    headings: Sequence[str]
    start: int
    end: int
    page: int | None


@dataclass(frozen=True)
class DocumentPart:
    """A part of a document's text."""

    document: DocumentRow
    content: str
    start: int
    #: Start of the next part; 0 at the end.
    next_start: int


async def get_document(
    database: Database, namespace: NamespaceScope, target: UUID | DocumentKey, kind: DocumentKind
) -> tuple[DocumentRow, list[FoundSection]]:
    """Return a document as it stands, and its first sections. Raises DocumentNotFound and ConversationNotFound."""
    async with database.transaction(namespace.id) as conn:
        found = await _find(conn, namespace.id, target, kind)
        chunks = await store.list_chunks(conn, namespace.id, found.id)
    return found, _sections(chunks)[:MAX_SECTIONS]


async def read_document(
    database: Database,
    namespace: NamespaceScope,
    target: UUID | DocumentKey,
    part: RequestedPart,
    kind: DocumentKind,
) -> DocumentPart:
    """Return a part of a document's text. Raises DocumentNotFound and ConversationNotFound."""
    async with database.transaction(namespace.id) as conn:
        found = await _find(conn, namespace.id, target, kind)
        start, end = part.start, found.chars
        if part.headings:
            chunks = await store.list_chunks(conn, namespace.id, found.id)
            first, end = _span(chunks, part.headings, target)
            start = max(start, first)
        chars = max(0, min(part.max_chars or DEFAULT_CHARS, end - start))
        content = await store.read_text(conn, namespace.id, found.id, found.version, start, chars)
    until = start + len(content)
    return DocumentPart(found, content, start, until if content and until < end else 0)


async def list_documents(
    database: Database,
    namespace: NamespaceScope,
    document_filter: DocumentFilter,
    page: PageRequest,
) -> tuple[Sequence[DocumentRow], str]:
    """Return a page of documents, and the token of the next one. Raises InvalidPageToken."""
    cursor = await open_cursor(
        database, namespace, f"ListDocuments:{document_filter.kind.name}", page
    )
    async with database.transaction(namespace.id) as conn:
        found = await store.list_documents(
            conn, namespace.id, document_filter, cursor.after_id, cursor.limit
        )
    return cursor.cut(found, lambda last: [str(last.id)])


async def get_document_history(
    database: Database,
    namespace: NamespaceScope,
    request: HistoryRequest,
    page: PageRequest,
    kind: DocumentKind,
) -> tuple[UUID, Sequence[DocumentVersionRow], str]:
    """Return a document's id, a page of its versions, and the token of the next page.

    Raises DocumentNotFound, ConversationNotFound and InvalidPageToken.
    """
    chars = request.part.max_chars or DEFAULT_VERSION_CHARS
    cursor = await open_cursor(
        *(database, namespace, f"GetDocumentHistory:{kind.name}", page),
        default=DEFAULT_VERSIONS,
        maximum=MAX_VERSIONS,
        item_chars=chars,
    )
    before = int(cursor.after[0]) if cursor.after else None
    part = request.part.start, chars
    async with database.transaction(namespace.id) as conn:
        document_id = await find_document_id(conn, namespace.id, request.target)
        held = await store.find_kind(conn, namespace.id, document_id)
        if held != kind:
            raise not_found(request.target)
        found = await store.list_versions(
            conn, namespace.id, document_id, request.version, before, part, cursor.limit
        )
    if not found and not cursor.after:
        raise not_found(request.target)
    return document_id, *cursor.cut(found, lambda last: [last.version])


async def find_document_id(conn: Connection, namespace_id: int, target: UUID | DocumentKey) -> UUID:
    """Return the id of a document, whether it stands or not. Raises DocumentNotFound and ConversationNotFound."""
    if isinstance(target, UUID):
        return target
    place = await find_place(conn, namespace_id, target.scope)
    found = await store.find_key(conn, namespace_id, replace(target, scope=place.scope))
    if found is None:
        raise not_found(target)
    return found


def not_found(target: UUID | DocumentKey) -> DocumentNotFound:
    """Return the error with the id or title of the request."""
    if isinstance(target, UUID):
        return DocumentNotFound(document_id=target)
    return DocumentNotFound(title=target.title)


async def _find(
    conn: Connection, namespace_id: int, target: UUID | DocumentKey, kind: DocumentKind
) -> DocumentRow:
    document_id = await find_document_id(conn, namespace_id, target)
    found = await store.get_document(conn, namespace_id, document_id)
    if found is None or found.kind != kind:
        raise not_found(target)
    return found


def _sections(chunks: Iterable[ChunkRow]) -> list[FoundSection]:
    """Return a section for each heading; consecutive chunks with the same headings are one section."""
    sections = list[FoundSection]()
    for chunk in chunks:
        if sections and sections[-1].headings == chunk.headings:
            last = sections.pop()
            sections.append(FoundSection(last.headings, last.start, chunk.end, last.page))
        else:
            sections.append(FoundSection(chunk.headings, chunk.start, chunk.end, chunk.page))
    return sections


def _span(
    chunks: Iterable[ChunkRow], headings: Sequence[str], target: UUID | DocumentKey
) -> tuple[int, int]:
    """Return where the first section under some headings begins and ends, with its subsections.

    Raises DocumentNotFound.
    """
    inside, start, end = False, 0, 0
    for chunk in chunks:
        if chunk.headings[: len(headings)] == list(headings):
            start = start if inside else chunk.start
            inside, end = True, chunk.end
        elif inside:
            break
    if not inside:
        named = {"document_id": target} if isinstance(target, UUID) else {"title": target.title}
        raise DocumentNotFound("The document has no such section.", **named)
    return start, end
