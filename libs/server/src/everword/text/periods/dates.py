"""Rules for dates, months, seasons, holidays, quarters, years and decades.

Each function takes the matched tokens and returns the time that they mean; None if the rule does not apply.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import regex

from everword.text.calendar_terms import SEASON_MONTHS
from everword.text.periods import spans
from everword.text.periods.holidays import days_around, holiday_days
from everword.text.periods.lexicon import Token
from everword.text.periods.match import Builder, Match
from everword.text.periods.spans import DAY, Clock, Span

#: First month of a term and its number of months.
_TERM_MONTHS = {"spring": (1, 5), "summer": (4, 4), "autumn": (9, 4), "winter": (10, 5)}
#: Languages that write the day first in `3/5/2026`.
_DAY_FIRST = frozenset({"de", "nl", "no", "es", "fr", "it", "pt"})
#: Years of two digits from this one on are in the 20th century, smaller ones in the 21st.
_CENTURY_SPLIT = 70
_DECADE_WORDS = (
    *("twenties", "thirties", "forties", "fifties", "sixties"),
    *("seventies", "eighties", "nineties"),
)
#: Days that are searched for a day of the month with its weekday; each Friday the 13th is found.
_LONGEST_SEARCH = 430
#: Confidence of a month that is also a person's name.
_DOUBTFUL = 0.5


def read_month(match: Match) -> Span:
    month, clock = match.number("Mm"), match.clock

    def of_year(year: int) -> tuple[date, date]:
        first = date(year, month, 1)
        return first, spans.add_months(first, 1)

    if match.has("Y"):
        return spans.days(*of_year(match.number("Y")), "month")
    found = _yearly(match, of_year, "month", clock)
    is_bare = len(match.tokens) == 1 and match.preceding is not None and match.preceding.tag == "x"
    # April and June are also people's names.
    return replace(found, confidence=_DOUBTFUL) if is_bare and match.language == "en" else found


def _yearly(match: Match, of_year: spans.Yearly, unit: str, clock: Clock) -> Span:
    if match.has("N"):
        return spans.latest(of_year, replace(clock, upcoming=True), unit)
    if match.has("T"):
        return replace(spans.days(*of_year(clock.today.year), unit), yearly=of_year)
    found = spans.latest(of_year, clock, unit)
    return spans.ended(found, clock) if match.has("L") else found


def read_date(match: Match) -> Span | None:
    """`May 3rd`, `3 May 2023`, `May 3 to 7`."""
    month = match.number("Mm")
    numbers = [each for each in match.tokens if each.tag in "nj"]
    if match.has("m") and not match.has("jY") and not _is_capital(match.tokens, "m"):
        return None  # "2 may follow"
    is_counted = (
        match.tokens[-1].tag == "n"
        and match.following is not None
        and match.following.tag == "x"
        and (match.following.text.endswith("s") or match.following.text == "people")
    )
    # "The first of May" and "am ersten Mai" are a day, but not "the first May".
    is_day = match.language != "en" or match.has("o")
    if is_counted or not all(
        each.text[0].isdigit() or (is_day and each.tag == "j") for each in numbers
    ):
        return read_month(match.only("Mm")) if is_counted and not match.has("m") else None
    first, last = int(numbers[0].value), int(numbers[-1].value)

    def of_year(year: int) -> tuple[date, date]:
        return date(year, month, first), date(year, month, last) + DAY

    unit = "day" if first == last else "days"
    if match.has("Y"):
        return spans.days(*of_year(match.number("Y")), unit)
    return _yearly(match, of_year, unit, match.clock)


def _is_capital(tokens: Sequence[Token], tag: str) -> bool:
    return any(each.tag == tag and each.text[0].isupper() for each in tokens)


def read_day_of_month(match: Match) -> Span | None:
    """`Friday the 13th`; `on the 21st` at the end of a clause."""
    number, following = match.number("j"), match.following
    ordinal = next(each for each in match.tokens if each.tag == "j")
    is_alone = following is None or following.tag == "."
    if not ordinal.text[0].isdigit() or not (is_alone or match.has("W")):
        return None
    day, step = match.clock.today, DAY if match.clock.upcoming else -DAY
    for _ in range(_LONGEST_SEARCH):
        if day.day == number and (not match.has("W") or day.weekday() == match.number("W")):
            return spans.day_span(day, 0.8)
        day += step
    return None


def read_calendar_week(match: Match) -> Span:
    """`KW 20`: the latest such week of ISO 8601 that has begun."""
    number = match.number("nj")

    def of_year(year: int) -> tuple[date, date]:
        monday = date.fromisocalendar(year, number, 1)
        return monday, monday + 7 * DAY

    return spans.latest(of_year, match.clock, "week")


def read_digits(match: Match) -> Span | None:
    """A date in digits: ISO 8601, `14.05.2023`, `2023年5月14日`."""
    found = match["I"]
    written = found[0]
    if found["iso"]:
        return _iso(written[:10].upper())
    if found["cjk"]:
        return _cjk(found, match.clock)
    if found["short"]:
        day, month = (int(each) for each in written.split(".")[:2])
        return spans.latest(lambda year: _one_day(year, month, day), match.clock, "day")
    parts = [int(each) for each in regex.split(r"[./]", written)]
    if parts[0] > 31:
        return spans.day_span(date(*parts))
    first, second, year = parts
    year += 0 if year > 99 else 2000 if year < _CENTURY_SPLIT else 1900
    if "." in written or match.language in _DAY_FIRST or first > 12:
        return spans.day_span(date(year, second, first))
    # American dates have the month first, British ones the day, so 3/5 in English is ambiguous and ignored.
    return spans.day_span(date(year, first, second)) if second > 12 or first == second else None


def _iso(written: str) -> Span:
    if "W" in written:
        return spans.unit_span("week", date.fromisoformat(written))
    if len(written) == len("2023-05"):
        return spans.unit_span("month", date.fromisoformat(f"{written}-01"))
    return spans.day_span(date.fromisoformat(written))


def _cjk(found: regex.Match[str], clock: Clock) -> Span:
    if found["cyear"]:
        return spans.unit_span("year", date(int(found["cyear"]), 1, 1))
    month, day = int(found["cm"]), int(found["cd"] or 0)

    def of_year(year: int) -> tuple[date, date]:
        first = date(year, month, 1)
        return _one_day(year, month, day) if day else (first, spans.add_months(first, 1))

    unit = "day" if day else "month"
    if found["cy"]:
        return spans.days(*of_year(int(found["cy"])), unit)
    return spans.latest(of_year, clock, unit)


def _one_day(year: int, month: int, day: int) -> tuple[date, date]:
    first = date(year, month, day)
    return first, first + DAY


def read_season(match: Match) -> Span:
    month = SEASON_MONTHS[match.name("Aa")]
    return _of_season(match, month, 3, "season")


def read_term(match: Match) -> Span | None:
    if match.name("U") != "term":
        return None
    return _of_season(match, *_TERM_MONTHS[match.name("Aa")], "term")


def _of_season(match: Match, month: int, months: int, unit: str) -> Span:
    def of_year(year: int) -> tuple[date, date]:
        first = date(year, month, 1)
        return first, spans.add_months(first, months)

    if match.has("Y"):
        return spans.days(*of_year(match.number("Y")), unit)
    return _yearly(match, of_year, unit, match.clock)


def read_holiday(match: Match) -> Span:
    name = match.name("H")
    of_year = holiday_days(name)
    unit = "day" if (of_year(2023)[1] - of_year(2023)[0]).days == 1 else "days"
    if match.has("Y"):
        found = spans.days(*of_year(match.number("Y")), unit)
    else:
        found = _yearly(match, of_year, unit, match.clock)
    return replace(found, days_before=days_around(name)[0])


def read_year(match: Match) -> Span:
    return spans.unit_span("year", date(match.number("Y"), 1, 1))


def read_decade(match: Match) -> Span:
    written = match.name("y").strip("'’")
    if written in _DECADE_WORDS:
        tens = 2 + _DECADE_WORDS.index(written)
        first = (1900 if tens > 2 else 2000) + 10 * tens
    else:
        digits = int(regex.sub(r"\D", "", written))
        first = digits if digits > 99 else digits + (1900 if digits > 20 else 2000)
    return spans.unit_span("decade", date(first, 1, 1))


def read_quarter(match: Match) -> Span | None:
    """`Q2 2023`, `second quarter of 2023`, `H1`."""
    written = match.name("q") if match.has("q") else f"Q{match.number('j')}"
    if match.has("U") and match.name("U") != "quarter":
        return None
    months, part = (3 if written[0] == "Q" else 6), int(written[1:])
    if part > 12 // months:
        return None

    def of_year(year: int) -> tuple[date, date]:
        first = date(year, months * (part - 1) + 1, 1)
        return first, spans.add_months(first, months)

    if match.has("Y"):
        return spans.days(*of_year(match.number("Y")), "quarter")
    return spans.latest(of_year, match.clock, "quarter")


def with_unit(build: Builder) -> Builder:
    """Return the rule for a time after the name of its unit: `month of May`, `يوم الاثنين`, `año 2022`."""
    return lambda match: build(match) if match.name("U") in ("day", "month", "year") else None
