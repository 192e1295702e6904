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
#: Passes over the words; each combines the times found so far with the words around them.
_ROUNDS = 5
#: Scripts that English is not written in.
_OTHER_SCRIPT = regex.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\u0620-\u064a\p{Hangul}\p{Thai}\p{Devanagari}]"
)


@dataclass(frozen=True)
class Period:
    """A time that a text names, such as `last week`."""

    #: None if open, as in "until May".
    start: datetime | None
    #: Exclusive; None if open, as in "since May".
    end: datetime | None
    #: The part of the text.
    words: str
    #: How certainly the words mean this time, from 0 to 1: .8 for a weekday or a date without a year.
    confidence: float
    #: Character positions of the words in the text; the second is exclusive.
    begins: int
    ends: int
    #: `day`, `week`, `month`, `year`, or another name of its length.
    unit: str


def find_periods(
    text: str, now: datetime, zone: tzinfo, language: str = "en", *, upcoming: bool = False
) -> list[Period]:
    """Return the times that a text names, in order of the text, in the calendar of a zone.

    `now` has a time zone; `yesterday` and the like are relative to it. `language` is the usual language of such texts;
    a text that is clearly in another language is read in that one. A weekday or a date without a year means the latest
    one that has begun; with `upcoming`, the next one. Impossible dates, and dates outside of the years 1 to 9999, are
    ignored.
    """
    text = text[:_LONGEST]
    # Most texts name no time, so this check avoids the grammar.
    if not may_name_time(text):
        return []
    clock = _clock(now, zone, upcoming)
    languages = likely_languages(text, language)
    if "en" not in languages and not _OTHER_SCRIPT.search(text):
        languages.append("en")
    best: list[Period] = []
    # A short text may fit several languages. Use the one in which the times cover the most characters.
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
        local = now  # The first or last possible day has no equivalent in another zone.
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
            span.confidence,
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
    moment.astimezone(
        UTC
    )  # Raises OverflowError if the moment is outside of the years 1 to 9999 in UTC.
    return moment
