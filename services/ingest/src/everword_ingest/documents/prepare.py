"""Prepare a text for storage: cut it into chunks, and build the passages of the new ones.

This takes about a second for each MiB of text, and runs outside of the event loop and of any transaction.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from uuid import UUID

from everword.domain.documents import document_path, document_tag
from everword.domain.errors import DocumentUnreadable
from everword.domain.ids import new_id
from everword.domain.memory_kinds import MemoryKind
from everword.index.builders import Language, build_passages
from everword.index.passages import IndexedPassage, IndexedSource
from everword.rpc.long_work import LONG_BYTES, run_in_thread
from everword_ingest.documents import parsing
from everword_ingest.documents.model import DocumentChange, SourceFile
from everword_ingest.documents.parsing import Chunk, ParsedDocument, ParseLimits, chunk_document
from everword_ingest.notes.place import StoredScope

#: Longest text that is cut on the event loop; longer ones are cut in a thread.
_FEW_CHARS = 4_000
#: Maximum sections of a written text: storing one MiB with more sections takes over two seconds.
TEXT_LIMITS = ParseLimits(max_sections=10_000)


@dataclass(frozen=True)
class Cut:
    """A text in chunks, each with a hash of its indexed content."""

    text: str
    chunks: Sequence[Chunk]
    digests: Sequence[bytes]


@dataclass(frozen=True)
class IndexedChunks:
    """New chunks as the index takes them."""

    #: By a chunk's place.
    ids: Mapping[int, UUID]
    passages: Sequence[IndexedPassage]


@dataclass(frozen=True)
class Owner:
    """The document that chunks are of, and in which language it is read."""

    document_id: UUID
    change: DocumentChange
    place: StoredScope
    language: Language
    now: datetime


async def parse_file(data: bytes, file: SourceFile, media_type: str | None) -> ParsedDocument:
    """Return a file as text, read in a process of its own. Raises DocumentUnreadable."""
    try:
        return await parsing.parse_document(data, file.name, media_type)
    except parsing.DocumentUnreadable as error:
        raise DocumentUnreadable(error.detail, problem=error.reason.value) from error


async def cut_text(text: str, change: DocumentChange, limits: ParseLimits = TEXT_LIMITS) -> Cut:
    """Return a text in Markdown or plain in chunks. Raises DocumentUnreadable."""
    try:
        if len(text) <= _FEW_CHARS:
            return _cut(_read_text(text, limits), change)
        # Starting a process takes longer than parsing a short text.
        is_long = len(text.encode()) > LONG_BYTES
        parsed = await (
            parsing.parse_text(text, limits) if is_long else run_in_thread(_read_text, text, limits)
        )
    except parsing.DocumentUnreadable as error:
        raise DocumentUnreadable(error.detail, problem=error.reason.value) from error
    return await cut_parsed(parsed, change)


def _read_text(text: str, limits: ParseLimits) -> ParsedDocument:
    # Imported here, since many services never write a document.
    from everword_ingest.documents.parsing.formats.markdown import read_markdown

    return read_markdown(text.encode(), limits)


async def cut_parsed(parsed: ParsedDocument, change: DocumentChange) -> Cut:
    """Return a parsed file in chunks."""
    return await run_in_thread(lambda: _cut(parsed, change))


def _cut(parsed: ParsedDocument, change: DocumentChange) -> Cut:
    chunks = chunk_document(parsed)
    return Cut(parsed.text, chunks, [_digest(chunk, change) for chunk in chunks])


def _digest(chunk: Chunk, change: DocumentChange) -> bytes:
    """Return a hash of a chunk's indexed content, apart from its document, author and time."""
    parts = ["\0".join(sorted(change.tags)), *chunk.heading_path, chunk.content]
    return sha256("\x01".join(parts).encode()).digest()


async def build_chunks(owner: Owner, cut: Cut, places: Collection[int]) -> IndexedChunks:
    """Return the chunks at some places as the index takes them."""
    ids = {place: new_id() for place in sorted(places)}

    def build() -> list[IndexedPassage]:
        return [
            passage
            for place, id_ in ids.items()
            for passage in _passages(owner, id_, cut.chunks[place])
        ]

    few = sum(len(cut.chunks[place].content) for place in ids) <= _FEW_CHARS
    return IndexedChunks(ids, build() if few else await run_in_thread(build))


def _passages(owner: Owner, id_: UUID, chunk: Chunk) -> list[IndexedPassage]:
    scope = owner.place.scope
    source = IndexedSource(
        id_,
        MemoryKind.CHUNK,
        owner.now,
        conversation_id=scope.conversation_id,
        agent=scope.agent,
        subject=scope.subject,
        channel=owner.place.channel,
        author=owner.change.author,
        tags=[document_tag(owner.document_id), *owner.change.tags],
    )
    path = document_path(owner.change.key.title, chunk.heading_path)
    return list(build_passages(source, chunk.content, owner.language, path))
