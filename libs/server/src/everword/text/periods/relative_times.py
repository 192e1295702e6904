"""Rules for days, weeks and longer units relative to now, and for weekdays.

Each function takes the matched tokens and returns the time that they mean; None if the rule does not apply.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from everword.text.periods import spans
from everword.text.periods.lexicon import fold_word
from everword.text.periods.match import Match
from everword.text.periods.spans import DAY, Clock, Span

#: Units without a meaning after `last`: "the last day of school" is not yesterday.
_SHORT_UNITS = frozenset({"hour", "day"})
_SATURDAY = 5
#: Plurals that name a rolling time after `last`: "in den letzten Wochen".
_PLURAL_WORDS = """
tage tagen wochen monate monaten jahre jahren dagen weken maanden dager dagar dage uker uger veckor maneder manader
dias semanas meses anos jours semaines giorni settimane mesi anni дней дни недели недель месяцы месяцев
"""
_PLURALS = frozenset(_PLURAL_WORDS.split())
#: Languages whose word for "ago" is before the unit.
_AGO_FIRST = frozenset({"de", "ar"})
#: Number of units of a plural without a number.
_SEVERAL = 3


def read_day(match: Match) -> Span:
    return spans.day_span(match.clock.today + match.number("D") * DAY)


def read_day_ago(match: Match) -> Span | None:
    """`a week ago today`, `gestern vor zwei Wochen`."""
    if match.name("U") == "hour":
        return None
    day = match.clock.today + match.number("D") * DAY
    return spans.day_span(spans.back(day, match.name("U"), match.number("nv")))


def read_moment(match: Match) -> Span:
    days, part = match["Z"]
    return spans.part_span(match.clock.today + days * DAY, part)


def read_part_of_today(match: Match) -> Span | None:
    """`this morning`, `last night`."""
    part, is_last = match.name("P"), match.has("L")
    if is_last and part not in ("evening", "night"):
        return None
    return spans.part_span(match.clock.today - (DAY if is_last else 0 * DAY), part)


def read_calendar_unit(match: Match) -> Span:
    unit, offset = match["C"]
    return _calendar_span(unit, offset, match.clock)


def _calendar_span(unit: str, offset: int, clock: Clock) -> Span:
    # On other days than Saturday and Sunday, the weekend that `unit_span` returns for 0 is the last one.
    if unit == "weekend" and offset < 0 and clock.today.weekday() < _SATURDAY:
        offset += 1
    return spans.unit_span(unit, clock.today, offset)


def read_relative_unit(match: Match) -> Span | None:
    """`last week`, `this month`, `la semana pasada`."""
    [noun] = [each for each in match.tokens if each.tag in "UK"]
    unit = "weekend" if noun.tag == "K" else str(noun.value)
    if match.has("L") and fold_word(noun.text) in _PLURALS:
        return replace(spans.rolling_span(match.clock, unit, _SEVERAL), confidence=0.8)
    # "The last day" of something, and the plural "last years", name no time.
    is_plural = match.language == "en" and noun.text.endswith("s")
    if unit in _SHORT_UNITS or is_plural:
        return None
    if unit in ("fortnight", "half year") and match.has("L"):
        return spans.rolling_span(match.clock, unit, 1)
    if unit == "weekend" and match.has("T") and match.clock.upcoming:
        offset = 0 if match.clock.today.weekday() >= _SATURDAY else 1
        return spans.unit_span(unit, match.clock.today, offset)
    offset = 0 if match.has("T") else 1 if match.has("N") else -1
    return _calendar_span(unit, offset, match.clock)


def read_bare_weekend(match: Match) -> Span:
    """`at the weekend`."""
    return replace(
        _calendar_span("weekend", 1 if match.clock.upcoming else -1, match.clock), confidence=0.8
    )


def read_before_last(match: Match) -> Span | None:
    """`the week before last`, `vorletzten Freitag`."""
    [noun] = [each for each in match.tokens if each.tag in "UKW"]
    if noun.tag == "W":
        return spans.day_span(_last_weekday(match.clock, int(noun.value)) - 7 * DAY, 0.9)
    unit = "weekend" if noun.tag == "K" else str(noun.value)
    return None if unit in _SHORT_UNITS else _calendar_span(unit, -2, match.clock)


def read_rolling(match: Match) -> Span:
    number = match.number("nv") if match.has("nv") else 1
    return spans.rolling_span(match.clock, match.name("U"), number)


def read_ago(match: Match) -> Span | None:
    unit, clock = match.name("U"), match.clock
    # "Weeks ago" and "3 billion weeks ago" name no time. A Russian or Arabic word for a unit may mean one of them.
    if not match.has("nv") and match.language not in ("ru", "ar"):
        return None
    if match.language in _AGO_FIRST and match.tokens[-1].tag == "g":
        return None  # "Zwei Tage vor" is followed by another time.
    number = match.number("nv") if match.has("nv") else 1
    if unit == "hour":
        return spans.hours_span(clock.now, number)
    if match.has("v"):
        return spans.vague_span(clock, unit, number)
    return spans.unit_span(unit, spans.back(clock.today, unit, number))


def read_ahead(match: Match) -> Span | None:
    """`in two weeks`, as plans say; about the past it is a duration."""
    unit, clock, number = match.name("U"), match.clock, match.number("nv")
    if unit == "hour" or not clock.upcoming:
        return None
    if match.has("v"):
        return spans.vague_span(clock, unit, -number)
    return spans.unit_span(unit, spans.back(clock.today, unit, -number))


def read_weekdays_ago(match: Match) -> Span:
    last = _last_weekday(match.clock, match.number("VW"))
    return spans.day_span(last - 7 * (match.number("n") - 1) * DAY)


def _last_weekday(clock: Clock, weekday: int) -> date:
    return clock.today - ((clock.today.weekday() - weekday - 1) % 7 + 1) * DAY


def read_weekday(match: Match) -> Span | None:
    """A weekday: the latest before today, or for plans the next after today."""
    today, weekday = match.clock.today, match.number("Ww")
    if match.has("T"):
        day = today + (weekday - today.weekday()) * DAY
    elif match.has("N") or (match.clock.upcoming and not match.has("L")):
        day = today + ((weekday - today.weekday() - 1) % 7 + 1) * DAY
    else:
        day = _last_weekday(match.clock, weekday)
    return replace(spans.day_span(day, 0.9 if match.has("LTN") else 0.8), weekday=weekday)
