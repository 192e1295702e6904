"""Rules for parts of a time (`early May`), times relative to another (`the day after Christmas`), and ranges.

Each function takes the matched tokens and returns the time that they mean; None if the rule does not apply.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from everword.text.periods import spans
from everword.text.periods.dates import read_month
from everword.text.periods.holidays import nth_weekday
from everword.text.periods.match import Match
from everword.text.periods.spans import DAY, Span

_SHORT_UNITS = frozenset({"hour", "day"})
#: Start and end of the early, middle and late part of a period, as fractions of it, by the tags of these words.
_THIRDS = {
    **dict.fromkeys("e1", (0.0, 1 / 3)),
    **dict.fromkeys("d2", (1 / 3, 2 / 3)),
    **dict.fromkeys("l3", (2 / 3, 1.0)),
}
#: First and last day of the early, middle and late part of a month. They overlap, because both "early May" and
#: "mid-May" may mean the tenth.
_MONTH_DAYS = {"e1": (1, 10), "d2": (10, 20), "l3": (20, 31)}
#: The same for units whose parts are no thirds: early in the year is its first quarter, and midweek begins on Tuesday.
_PARTS_OF_UNITS = {
    **{("year", tag): (0.0, 1 / 4) for tag in "e1"},
    **{("year", tag): (3 / 4, 1.0) for tag in "l3"},
    **{("week", tag): (1 / 7, 4 / 7) for tag in "d2"},
    **{("week", tag): (4 / 7, 1.0) for tag in "l3"},
}
#: Languages whose word for "ago" also means "before".
_AGO_IS_BEFORE = frozenset({"de", "ar", "ja", "zh", "ko", "th", "hi"})


def take_third(match: Match) -> Span | None:
    span = match.times[0]
    if span.unit in ("day", "part", "hour", "weekend"):
        return None
    tag = next(each.tag for each in match.tokens if each.tag in _THIRDS)
    begin, end = _THIRDS[tag]
    if span.unit == "month":
        first = span.start.date()
        begins, ends = next(days for tags, days in _MONTH_DAYS.items() if tag in tags)
        following = min(first + ends * DAY, span.end.date())
        return spans.days(first + (begins - 1) * DAY, following, "days", span.confidence)
    begin, end = _PARTS_OF_UNITS.get((span.unit, tag), (begin, end))
    length = (span.end - span.start).days
    first = span.start + round(begin * length) * DAY
    return Span(first, span.start + round(end * length) * DAY, "days", span.confidence)


def take_part_of_current(match: Match) -> Span | None:
    """`at the beginning of the month`, `in the second half of the year`: the latest one that has begun."""
    [unit] = [each for each in match.tokens if each.tag == "U"]
    is_plural = match.language == "en" and unit.text.endswith("s")
    if str(unit.value) in _SHORT_UNITS or is_plural:
        return None
    for offset in (0, -1):
        current = spans.unit_span(str(unit.value), match.clock.today, offset)
        found = take_nth(match.with_time(current, "jh")) if match.has("h") else None
        found = found or take_third(match.with_time(current, "edl"))
        if found is None or found.start <= match.clock.now or match.clock.upcoming:
            return found
    return None


def take_last_of_month(match: Match) -> Span | None:
    """`the last week of May`, which is not last week."""
    if match.has("U") and match.name("U") != "week":
        return None
    return take_nth(match.with_time(read_month(match.only("MmY")), "LUK"))


def take_part_of_day(match: Match) -> Span | None:
    [span] = match.times
    if span.unit != "day":
        return None
    part = spans.part_span(span.start.date(), match.name("P"))
    return replace(part, confidence=span.confidence, weekday=span.weekday)


def take_night_between(match: Match) -> Span | None:
    """`in der Nacht von Samstag auf Sonntag`, `in der Nacht auf Sonntag`."""
    *earlier, last = match.times
    if last.weekday is None or (earlier and last.weekday != ((earlier[0].weekday or 0) + 1) % 7):
        return None
    before = replace(last, start=last.start - DAY, end=last.start, weekday=None)
    return take_part_of_day(match.with_time(before, "P"))


def take_nth(match: Match) -> Span | None:
    """`the first week of July`, `the last Sunday in May`, `the second half of 2023`."""
    span, [position, noun, *_] = match.times[0], match.tokens
    number = int(position.value)
    if not 0 < abs(number) < 400:
        return None
    if noun.tag == "h":
        middle = span.start + timedelta(days=(span.end - span.start).days // 2)
        return (
            replace(span, end=middle, unit="days")
            if number == 1
            else replace(span, start=middle, unit="days")
        )
    if noun.tag == "W":
        first = span.start.date()
        return (
            None
            if span.unit != "month"
            else spans.day_span(nth_weekday(first.year, first.month, int(noun.value), number))
        )
    if noun.tag == "K":
        saturday = span.start.date() + (5 - span.start.weekday()) % 7 * DAY + (number - 1) * 7 * DAY
        if number < 0:
            last = span.end.date() - DAY
            saturday = last - (last.weekday() - 5) % 7 * DAY
        return spans.days(saturday, saturday + 2 * DAY, "weekend")
    unit = str(noun.value)
    begins = spans.back(span.start.date(), unit, 1 - number)
    if number < 0:
        begins = spans.back(span.end.date(), unit, 1)
    found = spans.days(begins, spans.back(begins, unit, -1), unit)
    return found if span.start <= found.start < span.end else None


def take_several(match: Match) -> Span | None:
    """`the first three weeks of June`."""
    [span], unit, number = match.times, match.name("U"), match.number("n")
    if match.number("jL") == 1:
        found = spans.days(span.start.date(), spans.back(span.start.date(), unit, -number), "days")
    elif match.has("L"):
        found = spans.days(spans.back(span.end.date(), unit, number), span.end.date(), "days")
    else:
        return None
    is_inside = span.start <= found.start and found.end <= span.end
    return replace(found, confidence=span.confidence) if is_inside else None


def take_containing_unit(match: Match) -> Span | None:
    """`the week of May 8`, `the weekend of the 6th`."""
    [span] = match.times
    unit = "weekend" if match.has("K") else match.name("U")
    if unit in _SHORT_UNITS or span.unit == unit:
        return span
    if span.unit not in ("day", "days", "weekend"):
        return None
    day = span.start.date()
    if unit == "weekend" and day.weekday() < 4:
        day += (5 - day.weekday()) * DAY
    if unit == "weekend" and day.weekday() == 4:
        day += DAY
    return replace(spans.unit_span(unit, day), confidence=span.confidence)


def shift(match: Match) -> Span | None:
    """`the day after Christmas`, `two weeks before May 3`."""
    [span] = match.times
    unit, number = match.name("U"), match.number("nv") if match.has("nv") else 1
    if match.has("g") and match.language not in _AGO_IS_BEFORE:
        return None
    first, last = span.start.date(), span.end.date()
    if span.days_before is not None:
        first += span.days_before * DAY
        last = first + DAY
    around = spans.adjacent_period(first, last, unit, -number if match.has("F") else number)
    return spans.days(*around, unit, span.confidence)


def take_adjacent_weekday(match: Match) -> Span | None:
    """`the Sunday before October 25`."""
    inner, outer = match.times
    if inner.weekday is None:
        return None
    if match.has("F"):
        day = outer.end.date() + (inner.weekday - outer.end.weekday()) % 7 * DAY
    else:
        day = outer.start.date() - ((outer.start.weekday() - inner.weekday - 1) % 7 + 1) * DAY
    return spans.day_span(day, outer.confidence)


def combine(match: Match) -> Span | None:
    """Combine a time with a longer one that contains it: `May last year`, `Monday of last week`, `Tuesday, May 3`."""
    first, second = match.times
    return _occurrence(first, second) or _occurrence(second, first)


def _occurrence(inner: Span, outer: Span) -> Span | None:
    if outer.unit == "year":
        found = inner.in_year(outer.start.year)
        return found and replace(found, days_before=inner.days_before)
    if inner.unit == "weekend" and outer.unit == "week":
        return _weekend_of(outer)
    if inner.weekday is not None:
        if outer.unit == "week":
            day = outer.start.date() + inner.weekday * DAY
            if inner.unit != "part":
                return spans.day_span(day)
            moved = day - inner.start.date()
            return replace(inner, start=inner.start + moved, end=inner.end + moved)
        return outer if outer.unit == "day" else None
    if outer.weekday is not None and inner.unit == "day":
        return inner
    return None


def take_weekend_of_week(match: Match) -> Span | None:
    """`the weekend two weeks ago`."""
    [span] = match.times
    return _weekend_of(span) if span.unit == "week" else None


def _weekend_of(week: Span) -> Span:
    return spans.days(week.end.date() - 2 * DAY, week.end.date(), "weekend")


def open_start(match: Match) -> Span | None:
    [span] = match.times
    if match.has("g") and match.language not in _AGO_IS_BEFORE:
        return None
    is_included = match.has("ut")
    return replace(
        span, start=datetime.min, end=span.end if is_included else span.start, unit="open"
    )


def open_end(match: Match) -> Span:
    [span] = match.times
    is_after = match.has("Fz")
    return replace(span, start=span.end if is_after else span.start, end=datetime.max, unit="open")


def join_range(match: Match) -> Span | None:
    first, last = match.times
    if last.yearly is None:
        # "Between August 11 and August 15, 2023" names the year once.
        first = first.in_year(last.start.year) or first
    if first.weekday is not None and first.start > last.start:
        # "Between Monday and Wednesday last week" names the week once.
        ends = last.start.date()
        first = spans.day_span(ends - (ends.weekday() - first.weekday) % 7 * DAY, first.confidence)
    if first.start > last.start:
        first = first.in_year(first.start.year - 1) or first
    if first.start > last.start:
        return None
    return Span(
        first.start, max(first.end, last.end), "range", min(first.confidence, last.confidence)
    )
