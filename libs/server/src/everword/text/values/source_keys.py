"""Keys that a source supports beyond its written values: numbers in words, and periods around its time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import pairwise

from everword.text.calendar_terms import LAST, MONTH_WORDS, NEXT, YEAR_WORDS
from everword.text.values.dates import date_keys
from everword.text.values.fold_text import Key
from everword.text.values.number_words import numbers_in_words
from everword.text.values.numbers import NUMBER, QUANTITY, Number, number_key
from everword.text.values.units import ONE_AND_UNIT, UNITS, adjacent_unit


def near_periods(parts: Sequence[str]) -> set[int]:
    """Return how many months from now the periods are that a text names, such as "next month"."""
    found = set()
    for first, second in pairwise(parts):
        for period, side in ((first, second), (second, first)):
            months = 1 if period in MONTH_WORDS else 12 if period in YEAR_WORDS else 0
            if months and side in NEXT:
                found.add(months)
            elif months and side in LAST:
                found.add(-months)
    return found


def keys_near_time(time: datetime, months: Iterable[int]) -> set[Key]:
    keys: set[Key] = set()
    for distance in months:
        year, month = divmod(time.year * 12 + time.month - 1 + distance, 12)
        keys |= date_keys((year, 0 if abs(distance) == 12 else month + 1, 0))
    return keys


def keys_of_words(folded: str) -> set[Key]:
    """Return the keys supported by numbers in words, including `an hour`."""
    keys: set[Key] = {
        (QUANTITY, "1", unit)
        for match in ONE_AND_UNIT.finditer(folded)
        for unit in UNITS[match["unit"]]
    }
    keys |= {(NUMBER, "1")} if keys else set()
    for each in numbers_in_words(folded):
        _, _, units = adjacent_unit(folded, each.start, each.end)
        keys |= Number("", [frozenset({number_key(str(each.number))})], units).keys
    return keys
