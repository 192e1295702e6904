"""Reads from when and until when a claim is valid in the words around it, and the day of a plan.

Days are those of a time zone's calendar, relative to the message's time. Ambiguous words are ignored and leave the
claim unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import regex

from everword.text.periods import Period, find_periods
from everword.text.values.dates import TIME, find_times

_DAY = timedelta(days=1)
_UNIT = r"(?:day|week|month|year)s?"
#: "For three years": how long it has lasted already.
_LASTING = regex.compile(
    rf"\bfor (?:about |around |over |almost |nearly |the (?:past|last) )?(?!the |this |next )"
    rf"(?P<length>[\w ]{{1,20}}? {_UNIT})\b(?! ago)"
)
_AGO = regex.compile(rf"(?P<length>.+ {_UNIT}) ago")
_UNTIL = regex.compile(r"\b(?:until|till|through) (?P<end>.+)")
_FROM = regex.compile(r"\bfrom(?: the)? *$")
#: Words before a month that show that something happened in it: "March" alone may be its next one.
_IN = regex.compile(r"\b(?:in|on|early|mid|late|end of)(?: the)? *$")
_ISO = regex.compile(r"\b20[0-9]{2}-[0-9]{2}-[0-9]{2}\b")
#: Units of periods in which nothing begins that a message tells of as "today" or "this week".
_SHORT = frozenset({"hour", "part", "day", "days", "week", "weekend"})
#: Units of periods that end with their last day; something that holds "until June" ends with the first one.
_DAYS = frozenset({"day", "days", "part"})
#: A date without a year that is further back is rather the next one.
_HALF_YEAR = 183 * _DAY
#: Days after which a plan without a year is mentioned too late to be one.
_LATE = 60 * _DAY
_YEAR_AHEAD = 365 * _DAY - _LATE


@dataclass(frozen=True)
class ValidSpan:
    """From when and until when something holds; None where the words do not say."""

    since: datetime | None = None
    until: datetime | None = None


def span_of(words: str, said_at: datetime, zone: str, *, happens: bool) -> ValidSpan:
    """Return the validity of a statement in the words after or before it.

    `happens` is True for an event, such as a move, which begins "in March".
    """
    low, local = words.lower(), ZoneInfo(zone)
    if (until := _UNTIL.search(low)) and (end := _end(until["end"], said_at, local)):
        return ValidSpan(until=end)
    lasting = None if happens else _LASTING.search(low)
    if lasting and (since := _length_ago(lasting["length"], said_at, local)):
        return ValidSpan(since=since)
    for period in find_periods(words, said_at, local):
        since = _begin(words, period, said_at, local, happens)
        if since is not None and since <= said_at:
            return ValidSpan(since=since)
    return ValidSpan()


def dated(words: str, said_at: datetime, zone: str) -> str:
    """Return the words of a plan with the day that they mean, such as `Friday at 4pm (2026-03-06 16:00)`."""
    low = words.lower()
    day = _planned(words, said_at, ZoneInfo(zone))
    if day is None or _ISO.search(low):
        return words
    hour = _hour(low)
    return f"{words} ({day.isoformat()}{f' {hour:%H:%M}' if hour else ''})"


def _begin(
    words: str, period: Period, said_at: datetime, zone: ZoneInfo, happens: bool
) -> datetime | None:
    """Return the moment since when a statement holds; None if a period is not its beginning."""
    before, following = words[: period.begins].lower(), words[period.ends :].lstrip()
    is_open = period.unit == "open"
    if following[:1].isdigit() or _FROM.search(before) or not (is_open or happens):
        return None  # "June 31" is not June.
    if ago := _AGO.search(period.words.lower()):
        return _length_ago(ago["length"], said_at, zone)
    if is_open:
        return period.start if period.end is None else None
    is_current = period.end is None or period.end > said_at
    if period.unit == "decade" or (is_current and period.unit in _SHORT):
        return None
    return period.start if _is_past(period, before, said_at) else None


def _is_past(period: Period, before: str, said_at: datetime) -> bool:
    """Return whether a period is not rather the next one of its kind, as "on Friday" may be."""
    low = period.words.lower()
    if low.startswith("this ") or period.start is None:
        return False
    if period.confidence >= 0.9 or low.startswith("last "):
        return True
    if period.unit == "month":
        return bool(_IN.search(before))
    return any(map(str.isdigit, low)) and said_at - period.start < _HALF_YEAR


def _length_ago(length: str, said_at: datetime, zone: ZoneInfo) -> datetime | None:
    """Return the start of the day that is a length of time, such as `three years`, before a message."""
    found = find_periods(f"in the past {length}", said_at, zone)
    return found[0].start if found and found[0].unit == "days" else None


def _end(words: str, said_at: datetime, zone: ZoneInfo) -> datetime | None:
    """Return when something ends that holds "until" the time at the start of some words."""
    found = find_periods(f"in {words}", said_at, zone, upcoming=True)
    if not found or found[0].begins > len("in the "):
        return None
    end = found[0].end if found[0].unit in _DAYS else found[0].start
    return end if end and (end > said_at or found[0].confidence == 1) else None


def _planned(words: str, said_at: datetime, zone: ZoneInfo) -> date | None:
    """Return the one day that the words of a plan mean."""
    found = find_periods(words, said_at, zone, upcoming=True)
    if len(found) != 1 or found[0].unit not in ("day", "part") or found[0].start is None:
        return None
    day, today = found[0].start.date(), said_at.astimezone(zone).date()
    if day - today > _YEAR_AHEAD and found[0].confidence < 1:
        # A plan is in the future; an event of some weeks ago may be mentioned late.
        found = find_periods(words, said_at, zone)
        day = found[0].start.date() if found[0].start else day
    # "Next Friday" is this week's for some people, and the one after for others: on Monday it is ambiguous.
    is_ambiguous = found[0].words.lower().startswith("next ") and day.weekday() > today.weekday()
    return None if is_ambiguous or day < today - _LATE else day


def _hour(low: str) -> time | None:
    """Return a time of day that can be one only: `16:30`, `4pm`, and no `at 4`."""
    for _, _, readings in find_times(low):
        times = {key[1:] for keys in readings for key in keys if key[0] == TIME}
        if len(times) == 1:
            [[hour, minute]] = times
            return time(int(hour), int(minute))
    return None
