"""The rows that compaction reads of a conversation."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True)
class CompactedConversation:
    """A conversation, and how far it is under leaves."""

    id: UUID
    agent: str
    subject: str
    channel: str
    title: str
    last_seq: int
    #: Every place up to here is under a leaf, or holds nothing that could be.
    summarised_seq: int
    #: Up to which place a caller asked for leaves; behind `summarised_seq` once that was done.
    wanted_seq: int

    @property
    def through(self) -> int:
        """Last position for the next leaf; a caller's request ends with a leaf."""
        return self.wanted_seq if self.is_wanted else self.last_seq

    @property
    def is_wanted(self) -> bool:
        return self.wanted_seq > self.summarised_seq


@dataclass(frozen=True)
class WaitingMessage:
    """A message that is under no leaf and can be."""

    seq: int
    #: By the database's clock; the time of occurrence is the caller's.
    recorded_at: datetime
    #: Size of its readable text.
    bytes: int
    #: The phase of work that its metadata names; empty if none.
    phase: str = ""


@dataclass(frozen=True)
class LadderNode:
    """A node of a conversation that can become part of the one above."""

    id: UUID
    level: int
    content: str
    conversation_id: UUID
    agent: str
    channel: str
    instance: str
    message_count: int
    earliest_at: datetime
    latest_at: datetime
    first_seq: int
    last_seq: int
    needs_review: bool


@dataclass(frozen=True)
class OutdatedNode:
    """A node that is due to be written again."""

    id: UUID
    level: int
    first_seq: int
    last_seq: int
    revision: int


@dataclass(frozen=True)
class WaitingConversation:
    """A conversation, with how many of its messages wait for a leaf, automated ones included."""

    id: UUID
    last_seq: int
    waiting: int
    #: True if a job is scheduled for it.
    scheduled: bool


@dataclass(frozen=True)
class NodeRange:
    """The positions of a conversation that a node covers, first and last."""

    id: UUID
    level: int
    first_seq: int
    last_seq: int
    parent_id: UUID | None
    needs_review: bool


@dataclass(frozen=True)
class FlushProgress:
    """The last flushed position of a conversation, and the tokens in an agent's context for it."""

    through: int = 0
    #: Tokens of the summaries, and of the kept messages.
    tokens: int = 0


@dataclass(frozen=True)
class VerbatimMessage:
    """A message that no summary takes the place of."""

    id: UUID
    #: True if it is kept because no trusted summary covers it.
    is_unconfirmed: bool
