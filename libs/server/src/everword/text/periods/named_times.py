"""Parse times in arguments of commands, tools and RPCs: `today`, `last_month`, `7d`, `2026-05`, `since tuesday`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo

from everword.text.periods.find import find_periods
from everword.text.periods.spans import back

NAMED_TIME_EXAMPLES = (
    "2026-05-14, 2026-05, 2026-05-14T20:30, today, yesterday, this_week, last_month, 7d, since may"
)
#: Characters of the longest accepted text.
_LONGEST = 100
_DAY = timedelta(days=1)
_SPAN = re.compile(r"(\d{1,5})(m|h|d|w|mo|y)")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_LONG_UNITS = {"mo": "month", "y": "year"}
_BOTH = re.compile(
    r"(?:(?:since|from) (?P<since>.+)|between (?P<between>.+)) (?:until|to|and) (?P<until>.+)"
)
_DIRECTED = re.compile(r"(since|from|after|until|till|before) (.+)")
_YEAR = re.compile(r"[12]\d{3}")
#: Words around a time that do not change its meaning.
_IDLE = frozenset({"in", "on", "at", "the", "during", "over"})


@dataclass(frozen=True)
class TimeBounds:
    """A period. A moment has the same start and end."""

    #: None if open, as in "before May".
    start: datetime | None
    #: Exclusive; None if open, as in "since May".
    end: datetime | None


def parse_time_range(text: str, now: datetime, zone: tzinfo) -> TimeBounds:
    """Return the period that a text names, in the calendar of a zone.

    `today`, `7d` and the like are relative to `now`. Raises ValueError if the text is not exactly one time.
    """
    word = " ".join(text.strip().lower().replace("_", " ").split())
    if not word or len(word) > _LONGEST:
        raise ValueError("is not a time")
    try:
        return _bounds(word, now, zone)
    except OverflowError:
        raise ValueError("is outside of the years 1 to 9999") from None


def _bounds(word: str, now: datetime, zone: tzinfo) -> TimeBounds:
    if both := _BOTH.fullmatch(word):
        since = _directed("since", _bounds(both["since"] or both["between"], now, zone))
        until = _directed("until", _bounds(both["until"], now, zone))
        return _between(word, TimeBounds(since.start, until.end), now, zone)
    if directed := _DIRECTED.fullmatch(word):
        return _directed(directed[1], _bounds(directed[2], now, zone))
    if word == "now":
        return TimeBounds(now, now)
    if span := _SPAN.fullmatch(word):
        return TimeBounds(_ago(now, int(span[1]), span[2]), now)
    return _written(word, zone) or _worded(word, now, zone)


def _between(word: str, bounds: TimeBounds, now: datetime, zone: tzinfo) -> TimeBounds:
    if bounds.start and bounds.end and bounds.start < bounds.end:
        return bounds
    try:
        # In December, "between December and January" begins a year ago.
        return _worded(word, now, zone)
    except ValueError:
        raise ValueError("ends before it begins") from None


def _directed(direction: str, bounds: TimeBounds) -> TimeBounds:
    moment = bounds.start if direction in ("since", "from", "before") else bounds.end
    if moment is None:
        side = "beginning" if bounds.end else "end"
        raise ValueError(f"has no {side} after the word {direction!r}")
    if direction in ("since", "from", "after"):
        return TimeBounds(moment, None)
    return TimeBounds(None, moment)


def _ago(now: datetime, number: int, unit: str) -> datetime:
    if unit in _UNITS:
        return now - timedelta(**{_UNITS[unit]: number})
    return datetime.combine(back(now.date(), _LONG_UNITS[unit], number), now.timetz())


def _written(word: str, zone: tzinfo) -> TimeBounds | None:
    """Return an ISO 8601 day or time, or a year; None for other texts."""
    if _YEAR.fullmatch(word):
        year = int(word)
        return TimeBounds(_midnight(date(year, 1, 1), zone), _midnight(date(year + 1, 1, 1), zone))
    try:
        moment = datetime.fromisoformat(word.upper())
    except ValueError:
        return None
    if "w" in word and word.count("-") < 2:
        return None  # An ISO week, such as 2026-W20: `find_periods` returns all of its days.
    if ":" not in word:
        return TimeBounds(_midnight(moment.date(), zone), _midnight(moment.date() + _DAY, zone))
    moment = moment if moment.tzinfo else moment.replace(tzinfo=zone)
    return TimeBounds(moment, moment)


def _worded(word: str, now: datetime, zone: tzinfo) -> TimeBounds:
    # Lower-case "may" and "march" are read as months only after a preposition.
    word = f"in {word}"
    found = find_periods(word, now, zone)
    if len(found) != 1:
        raise ValueError("is not a time")
    [period] = found
    rest = f"{word[: period.begins]} {word[period.ends :]}"
    if not set(re.findall(r"\w+", rest)) <= _IDLE:
        raise ValueError("is more than a time")
    return TimeBounds(period.start, period.end)


def _midnight(day: date, zone: tzinfo) -> datetime:
    return datetime.combine(day, time(), zone)
