"""Rows of facts, as statements take and return them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from everword.facts.model import Key


@dataclass(frozen=True)
class FactRow:
    """A fact, as it is stored."""

    id: UUID
    subject: str
    category: str
    attribute: str
    value: str
    several: bool
    source: int
    hypothesis: bool
    state: int
    confidence: float
    lifetime_days: int
    first_seen_at: datetime
    last_seen_at: datetime
    supporting: int
    contradicting: int
    agent: str
    ruling: int | None
    ruled_at: datetime | None
    value_hash: bytes
    verdict: int | None = None
    #: Time of the latest statement that the verdict considered.
    verdict_at: datetime | None = None
    is_anchor: bool = False

    @property
    def key(self) -> Key:
        return Key(self.subject, self.attribute)


@dataclass(frozen=True)
class FactView:
    """A fact in one of the intervals in which it was believed to hold."""

    id: UUID
    subject: str
    category: str
    attribute: str
    value: str
    source: int
    hypothesis: bool
    state: int
    confidence: float
    lifetime_days: int
    last_seen_at: datetime
    supporting: int
    contradicting: int
    #: The interval, as a memory of its own; None for a fact that was never believed, such as a guess.
    memory_id: UUID | None
    valid_from: datetime | None
    valid_until: datetime | None
    known_from: datetime | None
    known_until: datetime | None
    successor_id: UUID | None
    #: True while a contradiction of the fact is unsettled.
    disputed: bool


@dataclass(frozen=True)
class FactEvidenceRow:
    """A piece of evidence, as it counts."""

    fact_id: UUID
    conversation_id: UUID | None
    contradicts: bool
    source: int
    hypothesis: bool
    said_at: datetime
    #: Channel and role of its message, if it has one.
    channel: str
    role: int
    tool_name: str


@dataclass(frozen=True)
class OpenDispute:
    """Two facts whose contradiction is unsettled."""

    id: UUID
    old_id: UUID
    new_id: UUID


@dataclass(frozen=True)
class QuotedMessage:
    """A message that is given as evidence."""

    id: UUID
    conversation_id: UUID
    content: str
    tool_result: str
    said_at: datetime
    channel: str
    role: int
    tool_name: str


@dataclass(frozen=True)
class NewEvidence:
    """A piece of evidence to store."""

    id: UUID
    message_id: UUID | None
    conversation_id: UUID | None
    contradicts: bool
    quote: str
    reason: str
    said_at: datetime


@dataclass(frozen=True)
class NewChange:
    """An entry of the audit trail to store."""

    id: UUID
    fact_id: UUID
    action: str
    other_fact_id: UUID | None = None


#: The validity of an edge; the end is exclusive, and None if it is unknown.
Times = tuple[datetime | None, datetime | None]


@dataclass(frozen=True)
class FactEdgeRow:
    """An edge in one of its validity intervals."""

    id: UUID
    edge_id: UUID
    fact_id: UUID
    message_id: UUID | None
    valid_from: datetime | None
    #: Exclusive; None without a known end.
    valid_until: datetime | None

    @property
    def times(self) -> Times:
        return self.valid_from, self.valid_until

    def is_as(self, wanted: Times) -> bool:
        """Return whether the interval equals another one. All empty intervals are equal."""
        return self.times == wanted or (is_empty(self.times) and is_empty(wanted))


def is_empty(times: Times) -> bool:
    return times[0] is not None and times[0] == times[1]
