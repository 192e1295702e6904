"""Rules for days, weeks and longer units relative to now, and for weekdays.

Each function takes the matched tokens and returns the time that they mean; None if the rule does not apply.
"""

from __future__ import annotations

from dataclasses import replace

from everword.text.periods import spans
from everword.text.periods.match import Match
from everword.text.periods.spans import DAY, Span

#: Units without a meaning after `last`: "the last day of school" is not yesterday.
_SHORT_UNITS = frozenset({"hour", "day"})


def read_day(match: Match) -> Span:
    return spans.day_span(match.clock.today + match.number("D") * DAY)


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
    return spans.unit_span(unit, match.clock.today, offset)


def read_relative_unit(match: Match) -> Span | None:
    """`last week`, `this month`, `la semana pasada`."""
    [noun] = [each for each in match.tokens if each.tag in "UK"]
    unit = "weekend" if noun.tag == "K" else str(noun.value)
    # "The last day" of something, and the plural "last years", name no time.
    is_plural = match.language == "en" and noun.text.endswith("s")
    if unit in _SHORT_UNITS or is_plural:
        return None
    offset = 0 if match.has("T") else 1 if match.has("N") else -1
    if unit == "weekend" and match.has("L"):
        offset = 0  # `unit_span` returns the latest weekend that has begun.
        if match.clock.today.weekday() >= 5:
            offset = -1
    if unit == "weekend" and match.has("T") and match.clock.upcoming:
        offset = 0 if match.clock.today.weekday() >= 5 else 1
    return spans.unit_span(unit, match.clock.today, offset)


def read_rolling(match: Match) -> Span:
    number = match.number("nv") if match.has("nv") else 1
    return spans.rolling_span(match.clock, match.name("U"), number)


def read_ago(match: Match) -> Span | None:
    unit, clock = match.name("U"), match.clock
    number = match.number("nv") if match.has("nv") else 1
    if unit == "hour":
        return spans.hours_span(clock.now, number)
    if match.has("v"):
        return spans.vague_span(clock, unit, number)
    return spans.unit_span(unit, spans.back(clock.today, unit, number))


def read_weekdays_ago(match: Match) -> Span:
    days = (match.clock.today.weekday() - match.number("VW") - 1) % 7 + 1
    return spans.day_span(match.clock.today - (days + 7 * (match.number("n") - 1)) * DAY)


def read_weekday(match: Match) -> Span | None:
    """A weekday: the latest before today, or for plans the next after today."""
    today, weekday = match.clock.today, match.number("Ww")
    if match.has("T"):
        day = today + (weekday - today.weekday()) * DAY
    elif match.has("N") or (match.clock.upcoming and not match.has("L")):
        day = today + ((weekday - today.weekday() - 1) % 7 + 1) * DAY
    else:
        day = today - ((today.weekday() - weekday - 1) % 7 + 1) * DAY
    return replace(spans.day_span(day, 0.9 if match.has("LTN") else 0.8), weekday=weekday)
