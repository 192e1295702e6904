"""Facts, as values."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from uuid import UUID

from everword.text.case_folding import fold_spaces

#: A thing is not liked and disliked at a time.
_OPPOSITES = {"like": "dislike", "dislike": "like"}
#: Subject of facts if neither the conversation nor the message names one.
USER = "user"


class FactState(IntEnum):
    """How far a fact is believed. Values equal proto FactState."""

    SUSPECTED = 1
    CONFIRMED = 2
    ESTABLISHED = 3
    REJECTED = 4
    CLOSED = 5


class FactSource(IntEnum):
    """Source of a fact, or of a piece of evidence. Values equal proto FactSource."""

    STATED = 1
    INFERRED = 2
    AGENT = 3
    PERSON = 4

    @property
    def strength(self) -> int:
        """Its rank among sources: inferences count least, and a person's word most."""
        return _STRENGTHS[self]


_STRENGTHS = {
    FactSource.INFERRED: 0,
    FactSource.STATED: 1,
    FactSource.AGENT: 2,
    FactSource.PERSON: 3,
}


class FactRuling(IntEnum):
    """A person's ruling on a fact. Values equal the column `ruling`."""

    RIGHT = 1
    WRONG = 2


class SleepVerdict(IntEnum):
    """Sleep's verdict on a fact in addition to its evidence. Values equal the column `verdict`."""

    CONFIRMED = 1
    REJECTED = 2


class DisputeOutcome(IntEnum):
    """The outcome of a dispute. Values equal the column `outcome`."""

    ACCEPT_NEW = 1
    REJECT_NEW = 2
    KEEP = 3


@dataclass(frozen=True)
class Key:
    """An attribute of a subject."""

    subject: str
    attribute: str

    @property
    def opposite(self) -> Key | None:
        """The attribute whose values exclude equal ones of this attribute."""
        other = _OPPOSITES.get(self.attribute)
        return Key(self.subject, other) if other else None


@dataclass(frozen=True)
class Interval:
    """A time in which a fact is believed to hold."""

    #: None if it is not stored yet.
    id: UUID | None
    fact_id: UUID
    since: datetime
    #: Exclusive; None without a known end.
    until: datetime | None = None
    #: The fact that took its place at `until`.
    successor_id: UUID | None = None

    def covers(self, moment: datetime) -> bool:
        return self.since <= moment and (self.until is None or moment < self.until)


def value_hash(value: str) -> bytes:
    """Return what two values share that are the same without regard to case and spaces."""
    return hashlib.sha256(fold_spaces(value).encode()).digest()
