"""The parts of a context's line besides its text: kind, date, conversation and relevance."""

from __future__ import annotations

from datetime import date, datetime
from enum import IntEnum

from everword.domain.memory_kinds import MemoryKind, kind_label
from everword.domain.records import MemoryRecord

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
#: By `SummaryLevel`.
LEVELS = {
    1: "leaf",
    2: "branch",
    3: "root",
    4: "day",
    5: "week",
    6: "month",
    7: "year",
    8: "significant",
}
_LEAF, _ROOT, _DAY, _WEEK, _MONTH, _YEAR, _SIGNIFICANT = 1, 3, 4, 5, 6, 7, 8


class ContextPart(IntEnum):
    """A part of an item's line that a request can leave out. Values equal proto `ContextPart`."""

    KIND = 1
    DATE = 2
    SPEAKER = 3
    RELEVANCE = 4
    CONVERSATION = 5


def kind_phrase(kind: int, summary_level: int, period: date | None) -> str:
    """Return the kind of a memory as the text form names it; empty for a message, which its speaker identifies."""
    if kind == MemoryKind.MESSAGE:
        return ""
    if kind != MemoryKind.SUMMARY or not summary_level:
        return kind_label(kind)
    level = LEVELS[summary_level]
    if _LEAF <= summary_level <= _ROOT:
        return f"{level} summary"
    if summary_level == _SIGNIFICANT:
        return f"{level} memory"
    first = period.isoformat() if period else ""
    shown = {_DAY: first, _WEEK: f"of {first}", _MONTH: first[:7], _YEAR: first[:4]}
    return f"{level} {shown[summary_level]}" if period else level


def date_phrase(moment: datetime, after: datetime | None) -> str:
    """Return a date such as `18 Apr 2026`, without the year if it follows a date of the same year."""
    day = f"{moment.day} {_MONTHS[moment.month - 1]}"
    return day if after and after.year == moment.year else f"{day} {moment.year}"


def kind_fields(about: MemoryRecord) -> dict[str, str]:
    """Return the kind of a memory, and the level and period of a summary, for the JSON form."""
    fields = {"kind": kind_label(about.kind)}
    if about.summary_level:
        fields["level"] = LEVELS[about.summary_level]
    if about.period:
        fields["period"] = about.period.isoformat()
    return fields
