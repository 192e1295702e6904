"""Find the times that a text names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

import regex

from everword.text.periods.grammar import INNER, RELATIONS, TIMES, reduce_tokens, words_rules
from everword.text.periods.lexicon import (
    Lexicon,
    Token,
    lexicon_of,
    likely_languages,
    may_name_time,
)
from everword.text.periods.spans import Clock, Span

#: Characters of a text that are read.
_LONGEST = 1000
#: Maximum periods of a text; later ones are ignored.
_MOST = 8
#: Rounds in which times are combined with the words around them.
_ROUNDS = 5
_UNSPACED = regex.compile(r"[\u3040-\u30ff\u3400-\u9fff\u0620-\u064a]")


@dataclass(frozen=True)
class Period:
    """A time that a text names; `start` or `end` is None if it is open on that side."""

    start: datetime | None
    #: Exclusive.
    end: datetime | None
    words: str
    #: How certainly the words mean this time, from 0 to 1: .8 for a weekday or a date without a year.
    sureness: float
    #: Position of the words in the text.
    begins: int
    ends: int
    #: `day`, `week`, `month`, `year`, or another name of its length.
    unit: str


def find_periods(
    text: str, now: datetime, zone: tzinfo, language: str = "en", *, upcoming: bool = False
) -> list[Period]:
    """Return the times that a text names, in order of the text, in the calendar of a zone.

    `now` is an aware moment that relative words refer to. `language` is the usual language of such texts; a text that
    is plainly in another one is read in that. Weekdays and dates without a year mean the latest that has begun, or
    with `upcoming` the next one. Impossible dates and dates outside of the years 1 to 9999 name no time.
    """
    text = text[:_LONGEST]
    # Most texts name no time, so this check avoids the grammar.
    if not may_name_time(text):
        return []
    clock = _clock(now, zone, upcoming)
    languages = likely_languages(text, language)
    if "en" not in languages and not _UNSPACED.search(text):
        languages.append("en")
    best: list[Period] = []
    # A short text hardly shows its language: the one that understands the most of it counts.
    for each in languages:
        found = list(_found(text, lexicon_of(each), clock, zone))
        if _covered(found) > _covered(best):
            best = found
    return best[:_MOST]


def _covered(found: list[Period]) -> int:
    return sum(each.ends - each.begins for each in found)


def _clock(now: datetime, zone: tzinfo, upcoming: bool) -> Clock:
    try:
        local = now.astimezone(zone)
    except OverflowError:
        local = now  # The first or last day of all has no neighbour in another zone.
    return Clock(local.replace(tzinfo=None), upcoming)


def _found(text: str, lexicon: Lexicon, clock: Clock, zone: tzinfo) -> Iterator[Period]:
    tokens = reduce_tokens(
        lexicon.read(text), words_rules(lexicon.language), clock, lexicon.language
    )
    if not any(each.tag == "X" for each in tokens):
        return
    for rules in (INNER, *[(*INNER, *TIMES)] * _ROUNDS, RELATIONS):
        tokens = reduce_tokens(tokens, rules, clock, lexicon.language)
    for token in tokens:
        if token.tag == "X" and (period := _period(token, text, zone)):
            yield period


def _period(token: Token, text: str, zone: tzinfo) -> Period | None:
    span: Span = token.value
    try:
        return Period(
            _moment(span.start, zone),
            _moment(span.end, zone),
            text[token.start : token.end],
            span.sureness,
            token.start,
            token.end,
            span.unit,
        )
    except OverflowError:
        return None


def _moment(wall: datetime, zone: tzinfo) -> datetime | None:
    if wall in (datetime.min, datetime.max):
        return None
    moment = wall.replace(tzinfo=zone)
    moment.astimezone(UTC)  # Raises OverflowError if UTC has no such day.
    return moment
