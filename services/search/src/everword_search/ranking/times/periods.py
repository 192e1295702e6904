"""Recognise periods of time in a question: `2023-05`, `2023-05-14`, `last week`, `vor zwei Wochen`, `since 2023-05`.

A pattern built from dateparser's data for the namespace's language finds phrases, and dateparser interprets them;
letting it search a whole question takes 10 ms. A month without a year is ambiguous and handled in `dates.py`. Future
periods are ignored, because no memory happened then.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from functools import lru_cache
from importlib import import_module
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import regex

from everword.text.calendar_terms import MONTH_NAMES
from everword_search.kernels.arrays import Floats
from everword_search.ranking.times.relative_days import (
    ENGLISH,
    ENGLISH_WORDS,
    days_of,
    relative_days,
)
from everword_search.ranking.words.frequencies import language_of

_DATA = "dateparser.data.date_translation_data"
#: Closeness of a moment right before or after a period.
_NEAR = 0.65
#: Bounds in seconds of the margin around a period in which closeness falls to 0; within them, it is the period's
#: length.
_LEAST_S, _MOST_S = 3 * 86400.0, 30 * 86400.0
#: dateparser's keys of phrases for the past or present of at least a day.
_WANTED = regex.compile(
    r"(?:[012]|\\1) (?:day|week|month|year|fortnight) ago|last (?:mon|tues|wednes|thurs|fri|satur|sun)day"
)
#: How dateparser's patterns write a number.
_NUMBER = r"(\d++[.,]?\d*+)"
_ISO = r"(?:19|20)\d\d-(?:W[0-5]\d|(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)"
_WRITTEN = rf"(?<![\w./:-])(?:{_ISO}|\d{{1,2}}[./]\d{{1,2}}[./](?:19|20)\d\d)(?![\w/:-])"
#: A month or a day with its year; without a year it is ambiguous.
_NAMED = (
    r"(?:[0-9]{1,2}(?:st|nd|rd|th|\.)?,? (?:of |de )?)?MONTH\.?"
    r"(?: [0-9]{1,2}(?:st|nd|rd|th)?)?,?(?: of| de)? (?:19|20)[0-9]{2}"
)
_DIGIT, _WORD = regex.compile("[0-9]"), regex.compile(r"\w+")
_TO = regex.compile(r" ?[-–—] ?| (?:to|and|until|till|through|bis|und) ")
_DIRECTION = regex.compile(
    r"(?<![\w])(before|until|till|since|after|between|from|seit|zwischen) (?:the )?$"
)
#: Words that announce a range of two dates.
_OPENING = frozenset({"between", "from", "zwischen"})
#: Characters of a query that are examined.
_LONGEST = 1000
#: Maximum periods of a question; later ones are ignored.
_MOST = 4


@dataclass(frozen=True, order=True)
class TimeRange:
    """A period in seconds since 1970; `end` is exclusive."""

    start: float
    end: float


@dataclass(frozen=True)
class _Phrases:
    """The recogniser for the phrases of a language in folded text."""

    pattern: regex.Pattern[str]
    #: A phrase without digits contains one of these words.
    words: frozenset[str]


@dataclass(frozen=True)
class _Phrase:
    """A phrase of a question with its position and the local time that it names."""

    begins: int
    ends: int
    start: datetime
    end: datetime


def named_periods(text: str, config: str, now: datetime, time_zone: str) -> tuple[TimeRange, ...]:
    """Return the periods, in the calendar of a time zone, that a question asked at `now` names."""
    folded = " ".join(text[:_LONGEST].lower().split())
    language = language_of(config)
    phrases_of = _phrases_of(language)
    # Most questions name no time and contain none of these words, so this check avoids the pattern.
    if not _DIGIT.search(folded) and phrases_of.words.isdisjoint(_WORD.findall(folded)):
        return ()
    if not phrases_of.pattern.search(folded):
        return ()
    zone = ZoneInfo(time_zone)
    try:
        today = now.astimezone(zone).date()
        phrases = list(_joined(folded, _phrases(folded, language, today)))
        return tuple(sorted({_period(each, zone) for each in phrases[:_MOST]}))
    except OverflowError:
        return ()  # The phrase names a time outside the range of dates.


def closeness(moments: Floats, periods: Sequence[TimeRange]) -> Floats:
    """Return how near moments (seconds since 1970) are to the closest of the periods, from 0 to 1.

    It is 1 within a period and falls from 0.65 to 0 around it, because people often mention a day on the next one. The
    margin is the period's length, but 3 to 30 days.
    """
    nearest = np.zeros(len(moments))
    for period in periods:
        around = min(max(_LEAST_S, period.end - period.start), _MOST_S)
        distance = np.maximum(period.start - moments, moments - period.end)
        near = _NEAR * np.clip(1 - distance / around, 0, 1)
        inside = (moments >= period.start) & (moments < period.end)
        nearest = np.maximum(nearest, np.where(inside, 1.0, near))
    return nearest


def _phrases(folded: str, language: str, today: date) -> Iterator[_Phrase]:
    for match in _phrases_of(language).pattern.finditer(folded):
        days = _time_range_of(match[0], language, today)
        if days:
            yield _Phrase(*match.span(), *days)


@lru_cache(maxsize=4096)
def _time_range_of(phrase: str, language: str, today: date) -> tuple[datetime, datetime] | None:
    """Return the first moment of the named period and the first moment after it; None if the phrase names none."""
    try:
        found = _iso(phrase) or (relative_days(phrase, today) if language == "en" else None)
        return found or _parsed(phrase, language, today)
    except (ValueError, OverflowError):
        return None  # An impossible date, such as 2023-02-31.


def _iso(phrase: str) -> tuple[datetime, datetime] | None:
    if "-w" in phrase:
        return days_of("week", date.fromisoformat(phrase.upper()))
    if phrase[4:5] == "-":
        whole = len(phrase) > len("2023-05")
        return days_of(
            "day" if whole else "month", date.fromisoformat(phrase if whole else f"{phrase}-01")
        )
    return None


def _parsed(phrase: str, language: str, today: date) -> tuple[datetime, datetime] | None:
    noon = datetime.combine(today, time(12))
    # Imported here, because this import takes as long as half of the service's others.
    from dateparser.date import DateDataParser

    settings = {"RELATIVE_BASE": noon, "PREFER_DATES_FROM": "past"}
    found = DateDataParser(languages=[language], settings=settings).get_date_data(phrase)
    return days_of(found.period or "", found.date_obj.date()) if found.date_obj else None


def _joined(folded: str, phrases: Iterator[_Phrase]) -> Iterator[_Phrase]:
    """Yield phrases as modified by the words around them: `since x`, `before x`, `from x to y`, `between x and y`."""
    waiting: tuple[_Phrase, str] | None = None
    for phrase in phrases:
        said = _DIRECTION.search(folded[: phrase.begins])
        word = said[1] if said else ""
        if waiting:
            before, begun = waiting
            between = folded[before.ends : phrase.begins]
            if _TO.fullmatch(between) and (begun or between.strip() not in ("and", "und")):
                yield replace(before, end=max(before.end, phrase.end))
                waiting = None
                continue
            yield before
        waiting = (_directed(phrase, word), word if word in _OPENING else "")
    if waiting:
        yield waiting[0]


def _directed(phrase: _Phrase, word: str) -> _Phrase:
    match word:
        case "before" | "until" | "till":
            return replace(phrase, start=datetime.min, end=phrase.start)
        case "since" | "seit":
            return replace(phrase, end=datetime.max)
        case "after":
            return replace(phrase, start=phrase.end, end=datetime.max)
    return phrase


def _period(phrase: _Phrase, zone: ZoneInfo) -> TimeRange:
    return TimeRange(_seconds(phrase.start, zone), _seconds(phrase.end, zone))


def _seconds(wall: datetime, zone: ZoneInfo) -> float:
    if wall in (datetime.min, datetime.max):
        return -math.inf if wall == datetime.min else math.inf
    return wall.replace(tzinfo=zone).timestamp()


@lru_cache(maxsize=32)
def _phrases_of(language: str) -> _Phrases:
    """Return the recogniser for a language. Its first call takes some 10 ms."""
    try:
        known: Mapping[str, Any] = import_module(f"{_DATA}.{language}").info
    except ModuleNotFoundError:
        known = {}
    numbers = "|".join(["[0-9]{1,3}", *_number_words(known)])
    told = dict(known.get("relative-type", {})), dict(known.get("relative-type-regex", {}))
    written = {
        phrase.lower()
        for kind in told
        for key, found in kind.items()
        if _WANTED.fullmatch(key)
        for phrase in found
    }
    # Index each phrase by its longest word, the rarest in other texts. Phrases such as "2d ago" are recognised by their
    # digit.
    words = {max(_WORD.findall(each.replace(_NUMBER, " ")), key=len) for each in written}
    phrases = {each.replace(_NUMBER, f"(?:{numbers})") for each in written}
    months = [
        name.lower() for month in MONTH_NAMES for name in known.get(month, ()) if name.isalpha()
    ]
    if months:
        named = "|".join(sorted(months, key=len, reverse=True))
        phrases.add(_NAMED.replace("MONTH", f"(?:{named})"))
    if language == "en":
        phrases |= {each.replace("NUMBER", f"(?:{numbers})") for each in ENGLISH}
        words |= ENGLISH_WORDS
    longest_first = sorted(phrases, key=lambda phrase: (-len(phrase), phrase))
    either = "|".join(longest_first) or "(?!)"
    pattern = regex.compile(rf"{_WRITTEN}|(?<![\w-])(?:{either})(?![\w-])", regex.IGNORECASE)
    return _Phrases(pattern, frozenset(words))


def _number_words(known: Mapping[str, Any]) -> list[str]:
    pairs = [pair for each in known.get("simplifications", ()) for pair in each.items()]
    return [word for word, number in pairs if word.isalpha() and str(number).isdigit()]
