"""Times that a model reads from messages: a message must state them, as a date or relative to its own time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import regex

from everword.text.periods import Period, find_periods, parse_time_range
from everword_compactor.sleep.people.words import invented

#: Characters that are searched for times at once; `find_periods` reads no more.
_PART = 1000
#: Characters of a long message before and after the quoted words that may say when. A megabyte takes 20 s to read.
_AROUND_QUOTE = 4000
#: Words that say when something happens, but not exactly: its maximum distance from the message in days.
_VAGUE = {"now": 1, "just": 14, "morning": 2, "weekend": 10, "recently": 31, "lately": 31}
_WORD = regex.compile(r"\p{L}+")
#: A message at night may call the day before `today`, and a model may take the Sunday for the day after a weekend.
_SLACK = timedelta(days=1)


def read_moment(written: str, said_at: datetime, zone: ZoneInfo) -> datetime | None:
    """Return the date or time in a model's answer, in a zone; None if it is malformed."""
    try:
        return parse_time_range(written.strip().removesuffix("Z"), said_at, zone).start
    except ValueError:
        return None


def text_around(quote: str, text: str) -> str:
    """Return the part of a text around a quote, which may name the time of the quoted event."""
    begins = max(text.find(quote), 0)
    ends = begins + min(len(quote), _AROUND_QUOTE)
    return text[max(begins - _AROUND_QUOTE, 0) : ends + _AROUND_QUOTE]


def is_said(moment: datetime, texts: Sequence[str], said_at: datetime, zone: ZoneInfo) -> bool:
    """Return whether texts name the day of `moment`: as a date, or by words that mean it at `said_at`."""
    at = said_at.astimezone(zone)
    if not invented(moment.strftime("%Y-%m-%d"), texts, [at]):
        return True
    if any(_covers(each, moment) for each in _named(texts, at, zone)):
        return True
    words = {word for text in texts for word in _WORD.findall(text.casefold())}
    try:
        apart = abs(moment - at)
    except OverflowError:
        return False
    return any(apart <= timedelta(days=_VAGUE[word]) for word in words & _VAGUE.keys())


def _named(texts: Sequence[str], at: datetime, zone: ZoneInfo) -> Iterator[Period]:
    """Yield the times that texts name; "on Friday" may be the last and the next one."""
    for text in texts:
        for start in range(0, len(text), _PART):
            part = text[start : start + _PART]
            for upcoming in (False, True):
                yield from find_periods(part, at, zone, upcoming=upcoming)


def _covers(period: Period, moment: datetime) -> bool:
    # Only "since" and "until" themselves, not all time after and before them.
    start, end = period.start or period.end, period.end or period.start
    assert start is not None
    assert end is not None
    # On Friday is not on Saturday.
    slack = timedelta(0) if period.unit == "day" and period.confidence < 1 else _SLACK
    try:
        return start - slack <= moment < end + slack
    except OverflowError:
        return False
