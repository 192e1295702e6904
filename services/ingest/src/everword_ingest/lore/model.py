"""Lorebooks as callers write and name them, free of protobuf."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from uuid import UUID

from everword.domain.tokens import ConsistencyToken
from everword.lore.model import DEFAULT_SCAN_DEPTH, Trigger
from everword_ingest.notes.model import NoteScope

#: Notes and lorebooks are for the same: the namespace, an agent, a subject, or one conversation.
LoreScope = NoteScope


@dataclass(frozen=True)
class BookKey:
    """The caller's identity of a lorebook."""

    name: str
    scope: LoreScope

    @property
    def hash(self) -> bytes:
        """Return a hash of the name and scope."""
        scope = [self.scope.agent, self.scope.subject, str(self.scope.conversation_id or "")]
        return sha256(json.dumps([self.name, *scope]).encode()).digest()


#: A lorebook by its id, or by its name and scope.
BookTarget = UUID | BookKey


@dataclass(frozen=True)
class NewBook:
    """A lorebook to write."""

    name: str
    scope: LoreScope = field(default_factory=LoreScope)
    description: str = ""
    disabled: bool = False

    @property
    def key(self) -> BookKey:
        return BookKey(self.name, self.scope)


@dataclass(frozen=True)
class NewEntry:
    """An entry to write."""

    title: str
    content: str
    triggers: Sequence[Trigger] = ()
    scan_depth: int = DEFAULT_SCAN_DEPTH
    priority: int = 0
    sticky_turns: int = 0
    disabled: bool = False
    constant: bool = False
    prevent_recursion: bool = False
    exclude_recursion: bool = False


@dataclass(frozen=True)
class IdempotencyKey:
    """The request id and the hash of its body, which make a call repeatable."""

    id: str
    body_hash: bytes


@dataclass(frozen=True)
class BookFilter:
    """Which lorebooks are listed; None lets everything through."""

    agents: Sequence[str] | None = None
    subjects: Sequence[str] | None = None
    conversation_ids: Sequence[UUID] | None = None


@dataclass(frozen=True)
class WrittenLore:
    """The result of writing a lorebook or an entry."""

    book_id: UUID
    consistency_token: ConsistencyToken
    replayed: bool
    entry_id: UUID | None = None


@dataclass(frozen=True)
class ImportedBook:
    """The result of importing a lorebook."""

    book: WrittenLore
    written: int = 0
    unchanged: int = 0
    deleted: int = 0
