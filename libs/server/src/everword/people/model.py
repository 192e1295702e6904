"""People, events and what else is learned, as values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from uuid import UUID


class RelationStatus(IntEnum):
    """Whether the relation to a person lasts. Values equal proto RelationStatus."""

    ACTIVE = 1
    ENDED = 2
    DECEASED = 3


class EventStatus(IntEnum):
    """What became of an event. Values equal proto EventStatus; that one expired follows from the time."""

    ACTIVE = 1
    ENDED = 2
    CANCELLED = 3


class PersonRuling(IntEnum):
    """What a person said of a person or an event. Values equal the column `ruling`."""

    WRONG = 1
    OVER = 2


class Stability(IntEnum):
    """How steady a life is. Values equal proto Stability."""

    STABLE = 1
    CHANGING = 2
    VOLATILE = 3


class StrategyKind(IntEnum):
    """What a question is for. Values equal proto StrategyKind."""

    #: What is known has reached the end of its expected lifetime.
    VERIFY = 1
    #: Something changed.
    PROBE = 2
    #: Something was inferred from much that was said, and never said itself.
    CLARIFY = 3
    #: Little is known of what comes up often.
    DEEPEN = 4


class About(IntEnum):
    """What a question is about. Values equal proto StrategyAbout."""

    FACT = 1
    PERSON = 2
    EVENT = 3


class StrategyState(IntEnum):
    """What became of a question. Values equal proto StrategyState."""

    OPEN = 1
    OFFERED = 2
    ANSWERED = 3
    DROPPED = 4


@dataclass(frozen=True)
class MessageWords:
    """The words of a message."""

    message_id: UUID
    conversation_id: UUID
    #: As they stand in the message.
    quote: str
    said_at: datetime


@dataclass(frozen=True)
class PersonStatement:
    """What words say of something: one value of one aspect."""

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
    """What a message says of a person."""

    name: str
    said: MessageWords
    relation: str = ""
    status: RelationStatus | None = None
    details: Sequence[str] = ()


@dataclass(frozen=True)
class EventMention:
    """What a message says of an event."""

    title: str
    category: str
    said: MessageWords
    starts_at: datetime | None = None
    ends_at: datetime | None = None
    importance: float = 0.5
    decay_days: int = 30
    status: EventStatus | None = None
