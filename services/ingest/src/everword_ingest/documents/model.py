"""Documents as callers write and name them, free of protobuf."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from hashlib import sha256
from uuid import UUID

from everword.domain.tokens import ConsistencyToken
from everword_ingest.notes.model import NoteScope

#: Whose a document is: as of notes.
DocumentScope = NoteScope
#: Limit of a document's text, appended text included.
MAX_TEXT_BYTES = 8 * 1024 * 1024
#: The most that a file may have.
MAX_FILE_BYTES = 10 * 1024 * 1024


class DocumentKind(IntEnum):
    """The sorts of documents, as they are stored."""

    DOCUMENT = 1
    WORKSPACE = 2


@dataclass(frozen=True)
class DocumentKey:
    """The caller's identity of a document."""

    title: str
    scope: DocumentScope
    kind: DocumentKind = DocumentKind.DOCUMENT

    @property
    def hash(self) -> bytes:
        """Return a hash of the kind, title and scope."""
        scope = [self.scope.agent, self.scope.subject, str(self.scope.conversation_id or "")]
        return sha256(json.dumps([self.kind, self.title, *scope]).encode()).digest()


@dataclass(frozen=True)
class SourceFile:
    """The file that a text was read from; empty for a text written as such."""

    name: str = ""
    media_type: str = ""
    size: int = 0
    sha256: bytes = b""


@dataclass(frozen=True)
class DocumentChange:
    """How a document is changed, by whom, and on what condition."""

    key: DocumentKey
    author: str = ""
    tags: Sequence[str] = ()
    #: The version to replace, 0 if it must be new; None to accept any.
    expected_version: int | None = None
    #: True to append to the existing text.
    appends: bool = False
    #: The most that the whole may have.
    max_bytes: int = MAX_TEXT_BYTES
    #: The stored role of the writer; 0 if it does not matter.
    writer: int = 0
    request_id: str = ""
    body_hash: bytes = b""


@dataclass(frozen=True)
class Upload:
    """A file that is to become a document, but for its bytes."""

    change: DocumentChange
    file_name: str
    #: None to derive it from the content and the name.
    media_type: str | None


@dataclass(frozen=True)
class DocumentDeletion:
    """A document that is to be deleted."""

    target: UUID | DocumentKey
    #: None to accept any.
    expected_version: int | None = None
    author: str = ""
    writer: int = 0
    request_id: str = ""
    body_hash: bytes = b""


@dataclass(frozen=True)
class WrittenDocument:
    """The written version of a document."""

    document_id: UUID
    version: int
    version_id: UUID
    chunks: int
    consistency_token: ConsistencyToken
    replayed: bool
    #: Sentences about parts of a file that could not be read.
    warnings: Sequence[str] = ()


@dataclass(frozen=True)
class DocumentFilter:
    """Which documents are listed; None lets everything through."""

    kind: DocumentKind = DocumentKind.DOCUMENT
    agents: Sequence[str] | None = None
    subjects: Sequence[str] | None = None
    conversation_ids: Sequence[UUID] | None = None
    tags: Sequence[str] | None = None
    title_prefix: str = ""


@dataclass(frozen=True)
class RequestedPart:
    """The part of a text that a caller asks for."""

    headings: Sequence[str] = ()
    start: int = 0
    #: The default if 0.
    max_chars: int = 0


@dataclass(frozen=True)
class HistoryRequest:
    """The versions that a caller asks for, and how much of each."""

    target: UUID | DocumentKey
    #: All versions if 0.
    version: int = 0
    part: RequestedPart = RequestedPart()
