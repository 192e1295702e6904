"""People, events and what else is learned, as values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from uuid import UUID


class RelationStatus(IntEnum):
    """State of the relation to a person. Values equal proto RelationStatus."""

    ACTIVE = 1
    ENDED = 2
    DECEASED = 3


class EventStatus(IntEnum):
    """State of an event. Values equal proto EventStatus; expiry is computed from the time."""

    ACTIVE = 1
    ENDED = 2
    CANCELLED = 3


class PersonRuling(IntEnum):
    """A person's ruling on a person or an event. Values equal the column `ruling`."""

    WRONG = 1
    OVER = 2


class Stability(IntEnum):
    """How steady a life is. Values equal proto Stability."""

    STABLE = 1
    CHANGING = 2
    VOLATILE = 3


class StrategyKind(IntEnum):
    """Purpose of a question. Values equal proto StrategyKind."""

    #: A fact has reached the end of its expected lifetime.
    VERIFY = 1
    #: Something changed.
    PROBE = 2
    #: Something was inferred from much that was said, and never said itself.
    CLARIFY = 3
    #: Little is known about a frequent subject.
    DEEPEN = 4


class LearnedKind(IntEnum):
    """The kind of a question's subject. Values equal proto StrategyAbout."""

    FACT = 1
    PERSON = 2
    EVENT = 3


class StrategyState(IntEnum):
    """State of a question. Values equal proto StrategyState."""

    OPEN = 1
    OFFERED = 2
    ANSWERED = 3
    DROPPED = 4


@dataclass(frozen=True)
class MessageWords:
    """The words of a message."""

    message_id: UUID
    conversation_id: UUID
    #: Verbatim words of the message.
    quote: str
    said_at: datetime


@dataclass(frozen=True)
class PersonStatement:
    """One value of one aspect, with the words that state it."""

    aspect: str
    value: str
    said: MessageWords


@dataclass(frozen=True)
class StatementEvidence:
    """A statement as it counts: when it was made, and in which message."""

    aspect: str
    value: str
    message_id: UUID
    said_at: datetime


@dataclass(frozen=True)
class PersonMention:
    """A mention of a person in a message."""

    name: str
    said: MessageWords
    relation: str = ""
    status: RelationStatus | None = None
    details: Sequence[str] = ()


@dataclass(frozen=True)
class EventMention:
    """A mention of an event in a message."""

    title: str
    category: str
    said: MessageWords
    starts_at: datetime | None = None
    ends_at: datetime | None = None
    importance: float = 0.5
    decay_days: int = 30
    status: EventStatus | None = None
