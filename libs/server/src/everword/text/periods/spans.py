"""Stretches of a calendar as wall-clock times, and the arithmetic on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

DAY = timedelta(days=1)
WEEK = 7 * DAY
#: First hour, and the hour after the last; a night ends on the next day.
PART_HOURS = {
    "morning": (5, 12),
    "noon": (11, 14),
    "afternoon": (12, 18),
    "evening": (17, 24),
    "night": (18, 29),
}
#: First and last month of the terms of a school year, in the calendar of most northern countries.
_TERMS = ((1, 5), (9, 12))
_SCHOOL_YEAR_MONTH = 9

#: Days around a day that is some units away from another.
_HALF_DAYS = {"week": 3, "fortnight": 7, "month": 15, "quarter": 45, "year": 182}

#: Returns the first day of a yearly period in a year and the day after it.
Yearly = Callable[[int], tuple[date, date]]


@dataclass(frozen=True)
class Span:
    """A stretch of wall-clock time; `datetime.min` and `datetime.max` leave it open."""

    start: datetime
    end: datetime
    #: `day`, `week`, `month`, `year` or a longer or shorter one.
    unit: str
    #: How certainly the words mean this time, from 0 to 1.
    sureness: float = 1.0
    #: Occurrence in any year, if the words name no year.
    yearly: Yearly | None = None
    #: Day of the week from 0 for Monday, if the words name only it.
    weekday: int | None = None
    #: Days of a holiday before its main day; None for other times.
    days_before: int | None = None

    def in_year(self, year: int) -> Span | None:
        """Return the occurrence in a year; None if the words name a year themselves."""
        if self.yearly is None:
            return None
        return replace(days(*self.yearly(year), self.unit), yearly=self.yearly)


@dataclass(frozen=True)
class Clock:
    """The moment to which words refer."""

    now: datetime
    #: Choose the next of several possible days instead of the latest.
    upcoming: bool = False

    @property
    def today(self) -> date:
        return self.now.date()


def days(first: date, following: date, unit: str, sureness: float = 1.0) -> Span:
    """Return the days from `first` to before `following`."""
    return Span(
        datetime.combine(first, time()), datetime.combine(following, time()), unit, sureness
    )


def day_span(day: date, sureness: float = 1.0) -> Span:
    return days(day, day + DAY, "day", sureness)


def add_months(day: date, months: int) -> date:
    """Return the first day of the month that is `months` after that of `day`."""
    index = day.year * 12 + day.month - 1 + months
    return date(index // 12, index % 12 + 1, 1)


def unit_span(unit: str, around: date, offset: int = 0) -> Span:
    """Return the calendar unit of a day, moved by a number of units. Raises ValueError outside of the calendar."""
    match unit:
        case "day":
            return day_span(around + offset * DAY)
        case "week":
            monday = around - around.weekday() * DAY + offset * WEEK
            return days(monday, monday + WEEK, "week")
        case "fortnight":
            # A fortnight ago is the week before last.
            return unit_span("week", around, 2 * offset)
        case "weekend":
            saturday = around - ((around.weekday() - 5) % 7) * DAY + offset * WEEK
            return days(saturday, saturday + 2 * DAY, "weekend")
        case "month":
            first = add_months(around, offset)
            return days(first, add_months(first, 1), "month")
        case "quarter":
            first = add_months(date(around.year, (around.month - 1) // 3 * 3 + 1, 1), 3 * offset)
            return days(first, add_months(first, 3), "quarter")
        case "decade":
            first = date(around.year // 10 * 10 + 10 * offset, 1, 1)
            return days(first, date(first.year + 10, 1, 1), "decade")
        case "term":
            return _term(around, offset)
        case "school year":
            begun = around.month >= _SCHOOL_YEAR_MONTH
            first = date(around.year - (not begun) + offset, _SCHOOL_YEAR_MONTH, 1)
            return days(first, add_months(first, 11), "school year")
    first = date(around.year + offset, 1, 1)
    return days(first, date(first.year + 1, 1, 1), "year")


def _term(around: date, offset: int) -> Span:
    """Return a term; without an offset the one that has begun last."""
    firsts = [
        (date(around.year + year, first, 1), last - first + 1)
        for year in range(-abs(offset) - 1, abs(offset) + 2)
        for first, last in _TERMS
    ]
    current = max(index for index, (first, _) in enumerate(firsts) if first <= around)
    first, months = firsts[current + offset]
    return days(first, add_months(first, months), "term")


def hours_span(now: datetime, hours: int) -> Span:
    """Return an hour on either side of a time some hours ago."""
    middle, hour = now - timedelta(hours=hours), timedelta(hours=1)
    return Span(middle - hour, middle + hour, "hour")


def part_span(day: date, part: str) -> Span:
    begins, ends = (timedelta(hours=hour) for hour in PART_HOURS[part])
    midnight = datetime.combine(day, time())
    return Span(midnight + begins, midnight + ends, "part")


def rolling_span(clock: Clock, unit: str, number: int) -> Span:
    """Return the last `number` units up to now, such as the past two weeks; they end with today."""
    if unit == "hour":
        return Span(clock.now - timedelta(hours=number), clock.now, "hours")
    return days(back(clock.today, unit, number), clock.today + DAY, "days")


def back(day: date, unit: str, number: int) -> date:
    """Return the day that is `number` units before `day`; after it for a negative number."""
    match unit:
        case "day":
            return day - number * DAY
        case "week" | "weekend":
            return day - number * WEEK
        case "fortnight":
            return day - 2 * number * WEEK
    months = {"month": 1, "quarter": 3, "term": 6, "decade": 120}.get(unit, 12)
    first = add_months(day, -number * months)
    return min(first + (day.day - 1) * DAY, add_months(first, 1) - DAY)


def beside(first: date, end: date, unit: str, number: int) -> tuple[date, date]:
    """Return the period a number of units before `first`, or for a negative number after the day before `end`.

    One unit is the unit next to it, such as the week before; more than one are a distance, such as two weeks before.
    """
    if number == 1:
        return back(first, unit, 1), first
    if number == -1:
        return end, back(end, unit, -1)
    middle = back(first, unit, number) if number > 0 else back(end - DAY, unit, number)
    half = _HALF_DAYS.get(unit, 0) * DAY
    return middle - half, middle + half + DAY


def vague_span(clock: Clock, unit: str, number: int) -> Span:
    """Return a unit on either side of a vague time, such as a few weeks ago."""
    middle = back(clock.today, unit, number)
    return days(back(middle, unit, 1), back(middle, unit, -1), "days", 0.8)


def latest(yearly: Yearly, clock: Clock, unit: str, sureness: float = 0.8) -> Span:
    """Return the latest occurrence of a yearly period that has begun; the next one that has not ended if upcoming."""
    today, years = clock.today, range(-8, 9)
    found: list[tuple[date, date]] = []
    for year in years:
        try:
            found.append(yearly(today.year + year))
        except (ValueError, LookupError):
            continue  # 29 February, or a holiday outside of its table.
    if clock.upcoming:
        chosen = next(((first, end) for first, end in found if end > today), None)
    else:
        chosen = next(((first, end) for first, end in reversed(found) if first <= today), None)
    if chosen is None:
        raise ValueError("no such day near this year")
    return replace(days(*chosen, unit, sureness), yearly=yearly)


def ended(span: Span, clock: Clock) -> Span:
    """Return the latest occurrence of a yearly span that has ended."""
    year = span.start.year
    while span.end.date() > clock.today:
        year -= 1
        earlier = span.in_year(year)
        if earlier is None:
            break
        span = replace(earlier, yearly=span.yearly)
    return span
