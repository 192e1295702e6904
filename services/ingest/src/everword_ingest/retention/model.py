"""Retention policies and their runs, as values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import IntEnum
from uuid import UUID

#: Importance is from 1 to this.
MOST_IMPORTANT = 5


class RetentionKind(IntEnum):
    """The kind of memories of a policy. Values equal proto `RetentionKind`."""

    MESSAGES = 1
    NOTES = 2
    NOTE_HISTORY = 3
    DOCUMENT_HISTORY = 4
    FACTS = 5
    PATTERNS = 6
    HISTORY = 7


@dataclass(frozen=True)
class Policy:
    """How long a kind is kept."""

    kind: int
    #: Days since a message was sent; for other kinds, days without activity. 0 keeps items for ever.
    keep_days: int
    #: Memories of this importance or higher are kept; 0 keeps none for their importance.
    keep_importance: int
    #: 0: all.
    max_per_run: int
    #: True to keep quotes of removed messages in learned facts.
    keep_quotes: bool
    #: True to remove conversations as a whole, by their last activity, instead of message by message.
    whole_conversations: bool

    @property
    def highest(self) -> int:
        """Return the highest importance that is removed."""
        return self.keep_importance - 1 if self.keep_importance else MOST_IMPORTANT

    def until(self, now: datetime) -> datetime:
        """Return the cutoff; older memories are removed."""
        return now - timedelta(days=self.keep_days)

    def left(self, count: int, removed: int = 0) -> int:
        """Return how many of `count` may go in a run that has removed `removed`."""
        return min(count, max(self.max_per_run - removed, 0)) if self.max_per_run else count


@dataclass(frozen=True)
class RunRow:
    """The record of a run."""

    id: UUID
    night: date | None
    state: int
    #: Kinds by their numbers.
    removed: dict[str, int]
    row_counts: dict[str, int]
    error: str
    started_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True)
class RetentionProgressRow:
    """The progress of an unfinished run: the kind, the lowest importance, and the time and id of the last item."""

    id: UUID
    kind: int
    importance: int
    #: Only for messages that go by their own age.
    after_time: datetime | None
    after_id: UUID | None
    removed: dict[str, int]
    started_at: datetime


@dataclass(frozen=True)
class Count:
    """How many of a kind would go."""

    kind: int
    count: int
    sample_ids: list[UUID]
    #: How many are expired and stay because they are pinned; only in previews.
    pinned: int = 0
    #: How many others are expired and stay because of a legal hold; only in previews.
    on_hold: int = 0


@dataclass(frozen=True)
class LegalHold:
    """A hold on a subject, a conversation, or, with neither, the whole namespace."""

    id: UUID
    subject: str | None
    conversation_id: UUID | None
    reason: str
    created_at: datetime


@dataclass(frozen=True)
class HeldData:
    """The data of a namespace that legal holds keep."""

    everything: bool
    subjects: list[str]
    conversations: list[UUID]
