"""Endings, as values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from uuid import UUID


class EndingKind(IntEnum):
    """How something came to hold no more. Values equal proto FactEnding."""

    REPLACED = 1
    CLOSED = 2
    CORRECTED = 3


@dataclass(frozen=True)
class Holding:
    """What holds instead of something that ended, and the memories that say so."""

    fact_id: UUID
    value: str
    #: The fact in words.
    text: str
    #: Since when.
    since: datetime
    #: The memory that is the fact itself; None where the filter does not let it through.
    fact_memory_id: UUID | None
    #: The latest message first, and the fact itself last; of what the filter lets through. At least one.
    memory_ids: tuple[UUID, ...]
    #: Of each the passage that says so.
    passage_ids: tuple[int, ...]


@dataclass(frozen=True)
class Ending:
    """Something that a memory says and that does not hold at the moment that is asked about."""

    fact_id: UUID
    attribute: str
    value: str
    kind: EndingKind
    #: Of what was corrected, when that was said.
    ended_at: datetime
    #: None where nothing holds instead, and where nothing that says so is let through.
    current: Holding | None


#: How what does not hold any more came to that, before the date of it; and of how many a line tells, the latest ones.
_ENDINGS = {
    EndingKind.REPLACED: "until",
    EndingKind.CLOSED: "until",
    EndingKind.CORRECTED: "corrected",
}


_MOST_ENDINGS = 4


@dataclass(frozen=True)
class Mark:
    """What is said of one ending."""

    attribute: str
    #: `until` or `corrected`.
    how: str
    ended_at: datetime


def marks_of(endings: Sequence[Ending]) -> list[Mark]:
    """Return what is said of the latest endings."""
    return [
        Mark(each.attribute, _ENDINGS[each.kind], each.ended_at) for each in endings[:_MOST_ENDINGS]
    ]
