"""Find events that a question names instead of a date: `before I moved to Leeds`, `the day after the wedding`.

The caller searches for `Event.words`, takes the day from the best message (`day_of_event`), and gets the question's
period from `Event.period`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo

import regex

from everword.text.periods.event_patterns import (
    EventGrammar,
    EventPattern,
    event_grammar,
    plain,
)
from everword.text.periods.find import Period, find_periods
from everword.text.periods.lexicon import likely_languages, without_unknown_digits
from everword.text.periods.spans import DAY, adjacent_period

#: Characters of a question that are read.
_LONGEST = 500
#: Maximum distance of an event's day from the message about it.
_NEAR = timedelta(days=31)
_MIN_CONFIDENCE = 0.8
#: Units of periods that are short enough to be the day of an event.
_DAYS = frozenset({"day", "days", "part", "weekend"})


@dataclass(frozen=True)
class Event:
    """An event, and a period relative to it."""

    #: Words to search for the event, such as `I moved to Leeds`.
    words: str
    #: -1 before the event, 1 after it, 0 on it.
    direction: int
    #: Unit of the distance, such as `week` in "two weeks after"; empty for all time before or after the event.
    unit: str
    #: Number of units; 1 if the question gives none.
    number: int

    def period(self, day: date) -> tuple[date | None, date | None]:
        """Return the first day of the period and the day after its last one, if the event was on `day`.

        None means no limit on that side.
        """
        if not self.unit:
            # People talk about an event on its day, too.
            return (None, day + DAY) if self.direction < 0 else (day, None)
        if self.direction == 0:
            return day, day + DAY
        return adjacent_period(day, day + DAY, self.unit, -self.direction * self.number)


def find_event(text: str, periods: Sequence[Period]) -> Event | None:
    """Return the event that a question names its time by; None if there is none.

    `periods` are the times found in the question; an event that overlaps one of them is ignored.
    """
    text = without_unknown_digits(text[:_LONGEST])
    folded = plain(text)
    for language in likely_languages(text, "en"):
        grammar = event_grammar(language)
        if grammar is None or not grammar.cues.search(folded):
            continue
        # Questions about a duration, such as "how long after the wedding", name no period to search in.
        if grammar.duration and grammar.duration.search(folded):
            continue
        found = [
            (match.start(), place, match, words)
            for place, each in enumerate(grammar.patterns)
            for match, words in each.find(folded)
            if not any(
                period.begins < match.end() and min(match.start(), words[0]) < period.ends
                for period in periods
            )
        ]
        if found:
            # Of phrases with the same beginning, the first pattern is the most specific one.
            _, place, match, (begins, ends) = min(found, key=lambda each: each[:2])
            return _event(text[begins:ends].strip(), grammar.patterns[place], match, grammar)
    return None


def _event(
    words: str, pattern: EventPattern, match: regex.Match[str], grammar: EventGrammar
) -> Event:
    named = match.groupdict()
    unit = pattern.unit or grammar.units.get((named.get("unit") or "").lower(), "")
    written = (named.get("number") or "").lower()
    number = int(written) if written.isdigit() else grammar.numbers.get(written, 1)
    return Event(words, pattern.direction, unit, number)


def day_of_event(text: str, said_at: datetime, zone: tzinfo) -> date:
    """Return the day of a message's event: a day that the message names, otherwise the day of the message."""
    for period in find_periods(text, said_at, zone):
        start = period.start
        if (
            start
            and period.unit in _DAYS
            and period.confidence >= _MIN_CONFIDENCE
            and abs(start - said_at) <= _NEAR
        ):
            return start.date()
    return said_at.astimezone(zone).date()
