"""How a line says that something does not hold any more: what, in which way, and since when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from everword_search.endings.model import Ending, EndingKind

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
