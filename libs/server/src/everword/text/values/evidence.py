"""Finds the checkable values of a text, and compares them with its sources.

A value in no source was invented or computed; neither belongs in a summary. Different notations of one value are equal:
1,000 and 1000, 5 pm and 17:00, `18 April` and 2026-04-18.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

import regex

from everword.text.calendar_terms import NEAR_DAYS
from everword.text.values.calendar_words import (
    MONTHS,
    WEEKDAY,
    calendar_word_keys,
    find_calendar_words,
    keys_of_day,
)
from everword.text.values.dates import (
    MONTH,
    TIME,
    YEARLESS,
    date_keys,
    date_readings,
    find_dates,
    find_days_of_month,
    find_times,
    time_keys,
)
from everword.text.values.fold_text import (
    ROW,
    WORD,
    Key,
    normalise,
    parts_of,
    row,
    without_marks,
)
from everword.text.values.identifiers import (
    ValueKind,
    find_identifiers,
    hash_keys,
    identifier_keys,
)
from everword.text.values.names import find_names
from everword.text.values.number_words import (
    SMALLEST,
    NumberInWords,
    numbers_in_words,
    small_numbers,
)
from everword.text.values.numbers import (
    BARE,
    QUANTITY,
    Number,
    Readings,
    find_numbers,
    number_key,
)
from everword.text.values.row_search import found_rows
from everword.text.values.source_keys import keys_near_time, keys_of_words, near_periods
from everword.text.values.units import adjacent_unit

log = logging.getLogger(__name__)
_MONTH_NEXT = r"(?!\s*+(?:" + "|".join(MONTHS) + r")\b)"
# Numbers of list items and headings, ordinals of source lines, fences. What opens a line is looked at once.
_STRUCTURE = regex.compile(
    r"^[-*•># \t]*+(?:__)?(?:(?:section|topic|part)[ \t]+[0-9]{1,3}[ \t]*[.):–-]"
    rf"|[0-9]{{1,3}}(?:\.[0-9]{{1,2}})*[.)](?=[ \t*_]){_MONTH_NEXT}|(?<=#[ \t]{{1,8}})[0-9.]++[ \t])"
    r"|(?<=\[)#[0-9]{2,}(?:(?:, |–|-)#[0-9]{2,})*|(?<![\w#])#0[0-9]+\b|^[ \t]*```.*$",
    regex.MULTILINE | regex.IGNORECASE,
)


@dataclass(frozen=True)
class Value:
    """A value with its readings: it is supported if all keys of one reading are found."""

    kind: ValueKind
    text: str
    readings: Sequence[frozenset[Key]]


def find_values(text: str, *, quotations: bool = True) -> list[Value]:
    """Return the values of `text`, each writing once; numbers of lists and headings are none."""
    plain = _blank_matches(_STRUCTURE, normalise(text))
    values: list[Value] = []
    spans = []
    for start, end, kind, written, readings in find_identifiers(plain, quotations=quotations):
        values.append(Value(kind, written, readings))
        spans.append((start, end))
    literal = spans
    rest = _blank(plain, spans).lower()
    spans = []
    for start, end, dates, other in find_dates(rest):
        readings = [reading for each in dates for reading in date_readings(each)]
        values.append(Value(ValueKind.DATE, rest[start:end].strip(" ."), [*readings, *other]))
        spans.append((start, end))
    rest = _blank(rest, spans)
    spans = []
    for start, end, readings in find_times(rest):
        values.append(Value(ValueKind.TIME, rest[start:end].strip(" ."), readings))
        spans.append((start, end))
    rest = _blank(rest, spans)
    values += [
        Value(ValueKind.DATE, written, [frozenset({key})])
        for written, key in find_calendar_words(rest)
    ]
    values += [
        Value(ValueKind.NUMBER, number.written, number.supporting_readings)
        for number in find_numbers(rest)
    ]
    values += _checked_words(rest)
    if quotations:
        unread = _blank(plain, literal)
        values += [Value(ValueKind.NAME, name, readings) for name, readings in find_names(unread)]
    return list({(value.kind, value.text): value for value in values}.values())


def _checked_words(rest: str) -> list[Value]:
    """Return the numbers in words from three on; if languages differ, each reading counts."""
    found: dict[int, list[NumberInWords]] = {}
    for each in numbers_in_words(rest):
        found.setdefault(each.start, []).append(each)
    values = []
    end = 0
    for start in sorted(found):
        longest = max(each.end for each in found[start])
        same = [each for each in found[start] if each.end == longest]
        if start < end:
            continue
        end = longest
        if any(each.doubtful or each.number < SMALLEST for each in same):
            continue
        first, last, units = adjacent_unit(rest, start, end)
        readings = [
            reading
            for each in same
            for reading in Number(
                "", [frozenset({number_key(str(each.number))})], units
            ).supporting_readings
        ]
        as_written = frozenset({row(parts_of(rest[first:last]))})
        values.append(Value(ValueKind.NUMBER, rest[first:last], [*readings, as_written]))
    return values


class Evidence:
    """The values in sources, to hold other values against."""

    def __init__(
        self,
        texts: Iterable[str],
        times: Iterable[datetime] = (),
        *,
        labels: Iterable[str] = (),
        quantities: Iterable[tuple[int, str]] = (),
    ) -> None:
        """`times` are those of the sources' lines, on the clock that they are shown on.

        `labels`, such as ids, titles and names of channels, support verbatim repetitions; their digits are no numbers.
        `quantities` are numbers with their units. An unreadable text supports nothing, and does not affect the others.
        """
        self._texts: list[list[str]] = []
        #: Months from the time of a text that "next month" and the like name.
        self._near_periods: set[int] = set()
        self._keys: set[Key] = {(QUANTITY, str(number), unit) for number, unit in quantities}
        for text in texts:
            try:
                self._add_text(text)
            except Exception:  # an unexpected text must not prevent the check
                log.exception("text not parsed")
        for label in labels:
            self._add_label(label)
        undated = [key[1:] for key in self._keys if key[0] == YEARLESS]
        near = {day for word, day in NEAR_DAYS.items() if (WORD, word) in self._keys}
        years = set()
        for time in times:
            years.add(time.year)
            self._keys |= keys_near_time(time, self._near_periods)
            self._keys.add((TIME, time.hour, time.minute))
            for days in (0, *near):
                # The first and the last day that a date can name have no neighbour.
                with suppress(OverflowError):
                    moment = time + timedelta(days=days)
                    date = (moment.year, moment.month, moment.day)
                    # Not the season: it belongs to the time of the message, not to its topic.
                    weekday = {key for key in keys_of_day(*date) if key[0] == WEEKDAY}
                    self._keys |= date_keys(date) | weekday
        for year in years:
            for month, day in undated:
                self._keys |= keys_of_day(year, int(month), int(day))

    def missing(self, values: Iterable[Value]) -> list[Value]:
        """Return those of `values` without support, in order."""
        values = list(values)
        requested = {
            key for value in values for keys in value.readings for key in keys if key[0] == ROW
        }
        held = self._keys | found_rows(requested, self._texts)
        return [value for value in values if not any(keys <= held for keys in value.readings)]

    def _add_label(self, text: str) -> None:
        parts = parts_of(normalise(text))
        self._texts.append(parts)
        for part in parts:
            if not part.isnumeric():
                self._keys |= {(WORD, part), (WORD, without_marks(part))}

    def _add_text(self, text: str) -> None:
        plain = normalise(text)
        folded = plain.lower()
        parts = parts_of(plain)
        keys = self._keys
        self._texts.append(parts)
        keys.update((WORD, part) for part in parts)
        keys.update((WORD, without_marks(part)) for part in parts if not part.isascii())
        self._near_periods |= near_periods(parts)
        keys.update((MONTH, MONTHS[part]) for part in parts if part in MONTHS)
        for small in small_numbers(parts):
            keys |= {number_key(str(small)), (BARE, str(small))}
        keys |= keys_of_words(folded)
        keys |= calendar_word_keys(frozenset(parts))
        keys |= hash_keys(folded)
        # A date in a file's name is a date as well.
        dates = list(find_dates(folded))
        for _, _, alternatives, other in dates:
            for date in (date for each in alternatives for date in each):
                keys |= date_keys(date) | keys_of_day(*date)
            keys.update(_certain(other))
        rest = _blank(folded, [span[:2] for span in dates])
        keys |= find_days_of_month(rest)
        identifiers = list(
            find_identifiers(_blank(plain, [span[:2] for span in dates]), quotations=False)
        )
        for _, _, kind, written, _ in identifiers:
            # Digits of a hash are no numbers.
            keys |= identifier_keys(written) if kind is not ValueKind.HASH else set()
        rest = _blank(rest, [found[:2] for found in identifiers])
        times = list(find_times(rest))
        for _, _, readings in times:
            for _, hour, minute in (key for keys_ in readings for key in keys_ if key[0] == TIME):
                keys |= time_keys(int(hour), int(minute))
        rest = _blank(rest, [span[:2] for span in times])
        for number in find_numbers(rest):
            keys |= _certain([frozenset(number.keys)])


def _certain(readings: Readings) -> set[Key]:
    """Return all that a value of a source may mean: a reader may take it either way."""
    return {key for keys in readings for key in keys if key[0] != ROW}


def _blank(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return `text` with spaces in place of the spans, which are in order."""
    pieces, at = [], 0
    for start, end in spans:
        pieces += [text[at:start], " " * (end - start)]
        at = end
    return "".join([*pieces, text[at:]])


def _blank_matches(pattern: regex.Pattern[str], text: str) -> str:
    return str(pattern.sub(lambda match: " " * len(match[0]), text))
