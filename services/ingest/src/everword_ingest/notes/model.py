"""Notes as callers write and name them, free of protobuf."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from everword.domain.addresses import note_key_hash
from everword.domain.tokens import ConsistencyToken

#: Default importance of a note.
DEFAULT_IMPORTANCE = 3
#: Kinds of notes for entries of daily logs, and for handoffs to an advisor.
DAILY_LOG, HANDOFF = "daily_log", "handoff"
#: Limit of a note's text, appended text included.
MAX_CONTENT_BYTES = 256 * 1024


@dataclass(frozen=True)
class NoteScope:
    """Whose a note is."""

    agent: str = ""
    subject: str = ""
    conversation_id: UUID | None = None


@dataclass(frozen=True)
class NoteKey:
    """The caller's identity of a note."""

    key: str
    scope: NoteScope

    @property
    def hash(self) -> bytes:
        """Return a hash of the key and scope."""
        scope = self.scope
        return note_key_hash(self.key, scope.agent, scope.subject, scope.conversation_id)


@dataclass(frozen=True)
class NewNote:
    """A note to write."""

    #: Empty for one that is another each time.
    key: str
    scope: NoteScope
    content: str
    kind: str = ""
    tags: Sequence[str] = ()
    #: From 1 to 5; 0 for the default, or that of the note to which it is appended.
    importance: int = 0
    author: str = ""
    expires_at: datetime | None = None
    #: The day of an entry of a daily log.
    log_date: date | None = None


@dataclass(frozen=True)
class NoteWrite:
    """A note, and how it is written."""

    note: NewNote
    #: True to append to the existing text.
    appends: bool = False
    #: The version to replace, 0 if it must be new; None to accept any.
    expected_version: int | None = None
    request_id: str = ""
    body_hash: bytes = b""


@dataclass(frozen=True)
class NoteDeletion:
    """A note that is to be deleted."""

    target: UUID | NoteKey
    #: None to accept any.
    expected_version: int | None = None
    author: str = ""
    request_id: str = ""
    body_hash: bytes = b""


@dataclass(frozen=True)
class WrittenNote:
    """The written version of a note."""

    note_id: UUID
    version: int
    version_id: UUID
    log_date: date | None
    consistency_token: ConsistencyToken
    replayed: bool


@dataclass(frozen=True)
class NoteFilter:
    """Which notes are listed; None lets everything through."""

    agents: Sequence[str] | None = None
    subjects: Sequence[str] | None = None
    conversation_ids: Sequence[UUID] | None = None
    kinds: Sequence[str] | None = None
    tags: Sequence[str] | None = None
    key_prefix: str = ""
    min_importance: int = 0
    since: date | None = None
    before: date | None = None
