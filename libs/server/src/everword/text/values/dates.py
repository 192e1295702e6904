"""Dates and times of day as people write them, in some languages."""

from __future__ import annotations

from collections.abc import Iterator

import regex

from everword.text.values.calendar_words import MONTHS
from everword.text.values.fold_text import WORD, Key, parts_of, row
from everword.text.values.numbers import (
    BARE,
    DAY,
    HOUR,
    NUMBER,
    Readings,
    number_key,
    written_readings,
)

#: Year, month and day; 0 if not stated.
DATE = "date"
#: Month and day that are said without a year, so that any year of the sources may be theirs.
YEARLESS = "yearless"
MONTH = "month"
#: Hour from 0 to 23, and minute.
TIME = "time"
#: A day without its month, such as "the 14th".
DAY_OF_MONTH = "day of month"

Date = tuple[int, int, int]

_NAMES = "|".join(sorted(MONTHS, key=len, reverse=True))
_DAY = r"[0-9]{1,2}"
_SUFFIX = r"(?:st|nd|rd|th|er|º|ª|\.)?"
_TO = r"(?: ?[-–—/] ?| (?:to|through|until|and|&|bis|und|al|au|et|y|e) )"
_OF = r"(?: (?:of|de|do|di|del))?"
_DATE = regex.compile(
    r"(?<![0-9])(?:"
    r"(?P<iso>(?P<y>[0-9]{4})(?P<s>[-/.])(?P<m>[0-9]{1,2})(?P=s)(?P<d>[0-9]{1,2})(?![0-9]))"
    r"|(?P<numeric>(?P<a>[0-9]{1,2})(?P<t>[-/.])(?P<b>[0-9]{1,2})(?P=t)(?P<z>[0-9]{4}|[0-9]{2})(?![0-9]))"
    r"|(?P<cjk>(?:(?P<cy>[0-9]{4}) ?[年년] ?)?(?P<cm>[0-9]{1,2}) ?[月월](?: ?(?P<cd>[0-9]{1,2}) ?[日号일])?)"
    rf"|(?P<day_first>(?:(?P<d0>{_DAY}){_SUFFIX}{_TO})?(?P<d1>{_DAY}){_SUFFIX}(?: the)?{_OF}[ -]"
    rf"(?P<n1>{_NAMES})\b\.?(?:(?:,? |-){_OF.replace(' ', '', 1)} ?(?P<y1>[0-9]{{4}})(?![0-9]))?)"
    r"|(?P<short>(?P<e>[0-9]{1,2})\.(?P<f>[0-9]{1,2})\.(?![0-9]))"
    r")"
    rf"|\b(?P<name_first>(?P<n2>{_NAMES})\b\.? (?:the )?(?P<d2>{_DAY})(?![0-9:]){_SUFFIX}(?:{_TO}(?P<d3>{_DAY})"
    rf"(?![0-9:]){_SUFFIX})?(?:,? (?P<y2>[0-9]{{4}})(?![0-9]))?)"
    rf"|\b(?P<month_year>(?P<n3>{_NAMES})\b\.?,?{_OF} (?P<y3>[0-9]{{4}})(?![0-9]))"
)
#: Largest length of a month's name with the characters before its day or year.
_REACH = 24
# Digits that are so near to each other that their surroundings overlap are looked at together. `regex` leaves other
# threads their turn meanwhile, which `re` does not: a long text may be one match.
_WINDOW = regex.compile(rf"[0-9]++(?:[^0-9]{{1,{2 * _REACH}}}+[0-9]++)*+")
# A counted noun comes after its number: "in april 3 people came".
_COUNTED = regex.compile(r" (?:people|\p{L}{2,}s)\b")
_TIME = regex.compile(
    r"(?<![0-9:.,])(?:"
    r"(?P<h>[0-9]{1,2}):(?P<m>[0-9]{2})(?::[0-9]{2}(?:\.[0-9]+)?)?(?![0-9])"
    r"(?: ?(?:(?P<half>[ap])\.?m\b\.?|uhr\b|h\b)| ?z\b|[+-][0-9]{2}:?[0-9]{2})?"
    r"|(?P<h2>[0-9]{1,2})(?:[.:](?P<m2>[0-9]{2}))? ?(?:(?P<half2>[ap])(?:\.m\.?|m)(?!\p{L})|uhr\b|o'clock\b)"
    r"|(?P<h3>[0-9]{1,2})h(?P<m3>[0-9]{2})(?![0-9])"
    r"|(?P<h4>[0-9]{1,2})[点點时時시](?:(?P<m4>[0-9]{1,2})[分분])?"
    r"|\b(?P<word>noon|midday|midnight|mitternacht)\b)"
)


_ORDINAL = regex.compile(r"(?<![\w.,])([0-9]{1,2})(?:st|nd|rd|th)\b")


def find_dates(folded: str) -> Iterator[tuple[int, int, list[list[Date]], Readings]]:
    """Yield the dates of a text in lower case: start, end, the dates it may name, and other readings.

    A range such as `13–19 April` names two dates at once.
    """
    for match in _near_digits(_DATE, folded):
        alternatives = [
            dates
            for dates in _alternatives(match)
            if all(_possible(date) and _likely(match, date) for date in dates)
        ]
        if alternatives:
            other: Readings = [frozenset({row(parts_of(match[0]))})]
            yield *match.span(), alternatives, other + _other_readings(match)


def _near_digits(pattern: regex.Pattern[str], text: str) -> Iterator[regex.Match[str]]:
    """Yield the matches around digits, without which there is not a date; names of months are slow to look for."""
    for window in _WINDOW.finditer(text):
        start = max(window.start() - _REACH, 0)
        yield from pattern.finditer(text, start, window.end() + _REACH)


def date_keys(date: Date) -> set[Key]:
    """Return the keys that a date of a source supports."""
    year, month, day = date
    keys: set[Key] = {(MONTH, month)}
    if year:
        keys |= {(DATE, year, month, 0), (NUMBER, str(year))}
    if day:
        keys |= {(DATE, year, month, day), (DATE, 0, month, day), (DAY, day)}
        if not year:
            keys.add((YEARLESS, month, day))
    return keys


def date_readings(dates: list[Date]) -> Readings:
    """Return the required keys of these dates together."""
    readings: Readings = [frozenset()]
    for year, month, day in dates:
        options = [frozenset[Key]({(DATE, year, month, day)})]
        if year and day:
            options.append(frozenset({(YEARLESS, month, day), (NUMBER, str(year))}))
        elif year:
            options.append(frozenset({(MONTH, month), (NUMBER, str(year))}))
        if day and not year:
            # "The launch is the 21st, not the 14th" of a month that is named elsewhere.
            options.append(frozenset({(DAY_OF_MONTH, day), (MONTH, month)}))
        readings = [before | option for before in readings for option in options]
    return readings


def find_days_of_month(folded: str) -> set[Key]:
    """Return the keys of days without a month, such as "the 14th", in a lower-case text without its dates."""
    return {(DAY_OF_MONTH, int(match[1])) for match in _ORDINAL.finditer(folded)}


def find_times(folded: str) -> Iterator[tuple[int, int, Readings]]:
    """Yield the times of a lower-case text: start, end, and possible readings."""
    for match in _TIME.finditer(folded):
        readings = _time_readings(match)
        if readings:
            yield *match.span(), [*readings, frozenset({row(parts_of(match[0]))})]


def time_keys(hour: int, minute: int) -> set[Key]:
    """Return the keys that a time in a text supports; it is on the clock of 24 hours."""
    return {(TIME, hour, minute)} | (
        {(HOUR, hour), (HOUR, hour % 12 or 12)} if not minute else set()
    )


def _alternatives(match: regex.Match[str]) -> list[list[Date]]:
    groups = {name: value for name, value in match.groupdict().items() if value is not None}
    number = {name: int(value) for name, value in groups.items() if value.isdigit()}
    if "iso" in groups:
        return [[(number["y"], number["m"], number["d"])]]
    if "numeric" in groups:
        year = (
            number["z"] if number["z"] > 99 else number["z"] + (2000 if number["z"] < 70 else 1900)
        )
        day_first = [(year, number["b"], number["a"])]
        return (
            [day_first] if groups["t"] == "." else [day_first, [(year, number["a"], number["b"])]]
        )
    if "cjk" in groups:
        return [[(number.get("cy", 0), number["cm"], number.get("cd", 0))]]
    if "short" in groups:
        return [[(0, number["f"], number["e"])]]
    if "month_year" in groups:
        return [[(number["y3"], MONTHS[groups["n3"]], 0)]]
    first, last, name, year_name = (
        ("d0", "d1", "n1", "y1") if "day_first" in groups else ("d2", "d3", "n2", "y2")
    )
    days = [number[day] for day in (first, last) if day in number]
    return [[(number.get(year_name, 0), MONTHS[groups[name]], day) for day in days]]


def _possible(date: Date) -> bool:
    _, month, day = date
    return 1 <= month <= 12 and day <= 31


def _likely(match: regex.Match[str], date: Date) -> bool:
    """Return whether four digits are a year: any in the format of messages' times; elsewhere, only likely ones."""
    year = date[0]
    return not year or 1000 <= year <= 2999 or match["s"] == "-"


def _other_readings(match: regex.Match[str]) -> Readings:
    """Return what else it may be: `18.04.` ends a sentence, `in april 3 people came`, `2 may follow`."""
    if match["short"]:
        return written_readings(match["short"].rstrip("."))
    if match["name_first"] and not match["y2"] and not match["d3"]:
        counts = _COUNTED.match(match.string, match.end())
        return (
            [frozenset({(MONTH, MONTHS[match["n2"]]), number_key(match["d2"])})] if counts else []
        )
    if match["day_first"] and not match["y1"] and not match["d0"] and match["n1"] == "may":
        return [frozenset({(WORD, match["n1"]), number_key(match["d1"])})]
    return []


def _time_readings(match: regex.Match[str]) -> Readings:
    if match["word"]:
        hour = 0 if match["word"].startswith("mi") and match["word"] != "midday" else 12
        # "Between 12 and 3" may begin at noon.
        return [frozenset({(TIME, hour, 0)}), frozenset({(BARE, str(hour))})][: 2 if hour else 1]
    written = next(match[name] for name in ("h", "h2", "h3", "h4") if match[name])
    minute = int(next((match[name] for name in ("m", "m2", "m3", "m4") if match[name]), 0))
    hour, half = int(written), match["half"] or match["half2"]
    if hour > 24 or minute > 59:
        return []
    if half:
        hours = {hour % 12 + (12 if half == "p" else 0)}
    elif 1 <= hour <= 12 and not written.startswith("0"):
        hours = {hour % 12, hour % 12 + 12}
    else:
        hours = {hour % 24}
    readings: Readings = [frozenset({(TIME, each, minute)}) for each in sorted(hours)]
    if minute:
        return readings
    # "at 5", "until 17" and "5 pm" may be the same.
    bare = {written.lstrip("0") or "0", *map(str, hours)}
    return [*readings, *(frozenset({(BARE, each)}) for each in sorted(bare))]
