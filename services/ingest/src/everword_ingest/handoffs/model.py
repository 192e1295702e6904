"""Handoffs and grants as callers ask for them, free of protobuf."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from everword_ingest.notes.model import HANDOFF, NewNote, NoteKey, NoteScope

ADVISOR_NOTE = "advisor_note"
#: Default importance of an advisor's note.
ADVISOR_IMPORTANCE = 4
#: To read, and to save.
DEFAULT_CALLS = 2
DEFAULT_LIFETIME = timedelta(hours=1)


@dataclass(frozen=True)
class HandoffKey:
    """An issue of a repository."""

    repo: str
    issue: str

    @property
    def name(self) -> str:
        return f"{self.repo}#{self.issue}"

    @property
    def note(self) -> NoteKey:
        """The key of the issue's handoff note."""
        return NoteKey(f"handoff/{self.name}", NoteScope())

    @property
    def tags(self) -> list[str]:
        """The labels of all that is written of it; `name` is of it alone."""
        return [self.repo, f"issue-{self.issue}", self.name]


def handoff_note(key: HandoffKey, content: str, author: str) -> NewNote:
    return NewNote(key.note.key, key.note.scope, content, HANDOFF, key.tags, author=author)


def advisor_note(key: HandoffKey, content: str, importance: int, author: str) -> NewNote:
    """Return what an advisor found: another note each time."""
    return NewNote("", NoteScope(), content, ADVISOR_NOTE, key.tags, importance, author)


@dataclass(frozen=True)
class GrantRecord:
    """A grant, as it is stored."""

    id: UUID
    repo: str
    issue: str
    max_calls: int
    used_calls: int
    created_at: datetime
    expires_at: datetime
