"""Numbers as people write them: 1,000 and 1.000 and 1 000, 3.5 and 3,5, 10k, 5 million."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import regex

from everword.text.values.fold_text import Key, parts_of, row
from everword.text.values.units import adjacent_unit

NUMBER = "number"
#: A number with its unit.
QUANTITY = "quantity"
#: A number without a known unit: its noun may be elsewhere.
BARE = "bare"
#: A day of the month, of a date whose month is not said here.
DAY = "day"
#: An hour, of a time on the hour.
HOUR = "hour"

#: Possible readings of a number: all keys of one of them must be found.
Readings = list[frozenset[Key]]


@dataclass(frozen=True)
class Number:
    """A number in a text, with its readings and its unit, if one is next to it."""

    written: str
    readings: Readings
    units: frozenset[str]

    @property
    def supporting_readings(self) -> Readings:
        """The keys to find: the number with its unit, or without any."""
        if not self.units:
            return self.readings
        requested: Readings = []
        for keys in self.readings:
            (key, *others) = keys
            if others or key[0] != NUMBER:
                requested += [keys] if key[0] != HOUR else []
                continue
            requested += [frozenset({(QUANTITY, key[1], unit)}) for unit in sorted(self.units)]
            requested.append(frozenset({(BARE, key[1])}))
        return requested

    @property
    def keys(self) -> set[Key]:
        """The keys that it supports in a source, for every possible reading."""
        found = {key for keys in self.readings for key in keys}
        numbers = [key[1] for key in found if key[0] == NUMBER]
        if self.units:
            found = {key for key in found if key[0] != HOUR or "h" in self.units}
            found |= {(QUANTITY, number, unit) for number in numbers for unit in self.units}
        else:
            found |= {(BARE, number) for number in numbers}
        return found


_MULTIPLIERS = {
    "k": 1000, "thousand": 1000, "tausend": 1000, "mille": 1000, "mil": 1000,
    "m": 10**6, "mn": 10**6, "mio": 10**6, "million": 10**6, "millions": 10**6, "millionen": 10**6,
    "millones": 10**6, "b": 10**9, "bn": 10**9, "billion": 10**9, "milliarde": 10**9,
    "milliarden": 10**9, "milliards": 10**9,
}  # fmt: skip
#: These may be units as well, such as metres and bytes.
_AMBIGUOUS = {"m", "b"}
_GLUED = {"k", "m", "b"}
#: Longest number that is parsed. A longer one is compared as digits.
_LONGEST = 100
_WORDY = "|".join(sorted(_MULTIPLIERS.keys() - _GLUED, key=len, reverse=True))
_NUMBER = regex.compile(
    r"(?P<number>[0-9]{1,3}(?: [0-9]{3}){1,6}(?:[.,][0-9]+)?(?![0-9])|[0-9]+(?:[.,'][0-9]+){0,12})"
    rf"(?:(?P<glued>[kmb])(?![\p{{L}}\p{{N}}])|[ -]?(?P<times>{_WORDY})\b|(?P<ordinal>st|nd|rd|th)\b)?"
)


def number_key(digits: str, fraction: str = "") -> Key:
    """Return the key of a number; `fraction` without its point."""
    whole = digits.lstrip("0") or "0"
    # "1.000" may have been a thousand: it stays apart from 1.
    retained = fraction if len(fraction) == 3 and not fraction.strip("0") else fraction.rstrip("0")
    return NUMBER, f"{whole}.{retained}" if retained else whole


def find_numbers(folded: str) -> Iterator[Number]:
    """Yield the numbers of a text in lower case, each writing once."""
    seen: set[str] = set()
    for match in _NUMBER.finditer(folded):
        start, end, units = adjacent_unit(folded, *match.span())
        written = folded[start:end]
        if written not in seen:
            seen.add(written)
            yield Number(written, _readings(match), units)


def digit_runs(text: str) -> set[Key]:
    return {number_key(run) for run in re.findall(r"[0-9]+", text)}


def _readings(match: regex.Match[str]) -> Readings:
    written = match["number"]
    plain = written_readings(written)
    times = match["glued"] or match["times"]
    if times and len(written) <= _LONGEST:
        factor = _MULTIPLIERS[times]
        multiplied = [
            frozenset({_multiplied(key, factor)})
            for keys in plain
            if len(keys) == 1
            for key in keys
        ]
        if times in _AMBIGUOUS:
            multiplied += plain
        return [*multiplied, frozenset({row(parts_of(match[0]))})]
    if match["ordinal"]:
        is_day = written.isdigit() and len(written) <= 2
        return [*plain, frozenset({(DAY, int(written))})] if is_day else plain
    if written.isdigit() and len(written) <= 2:
        plain.append(frozenset({(HOUR, int(written))}))
    return plain


def _multiplied(key: Key, factor: int) -> Key:
    whole, _, fraction = str(key[1]).partition(".")
    shifted = int(whole + fraction) * factor
    digits = str(shifted).rjust(len(fraction) + 1, "0")
    return number_key(digits[: len(digits) - len(fraction)], digits[len(digits) - len(fraction) :])


def written_readings(written: str) -> Readings:
    """Return what digits with points, commas, apostrophes and spaces between them may mean."""
    if written.isdigit():
        return [frozenset({number_key(written)})]
    pieces = re.split(r"[.,' ]", written)
    marks = re.findall(r"[.,' ]", written)
    each = frozenset(number_key(piece) for piece in pieces)
    grouped = len(pieces[0]) <= 3 and pieces[0] != "0"
    threes = grouped and all(len(piece) == 3 for piece in pieces[1:])
    readings: Readings = []
    if len(set(marks)) == 1 and threes:
        readings.append(frozenset({number_key("".join(pieces))}))
    if len(marks) == 1 and marks[0] in ".,":
        readings.append(frozenset({number_key(pieces[0], pieces[1])}))
    ends_in_fraction = marks[-1] in ".," and marks[-1] not in marks[:-1]
    if len(marks) > 1 and ends_in_fraction and grouped and all(len(p) == 3 for p in pieces[1:-1]):
        readings.append(frozenset({number_key("".join(pieces[:-1]), pieces[-1])}))
    if marks[0] in ", " and not (len(marks) == 1 and threes and marks[0] == ","):
        readings.append(each)
    return readings or [frozenset({row(parts_of(written))})]
