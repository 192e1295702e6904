"""Periods in wall-clock time (without a time zone), and calendar arithmetic on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

DAY = timedelta(days=1)
WEEK = 7 * DAY
#: First hour, and the hour after the last; hours above 24 are on the next day.
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

#: Tolerance in days around "two weeks before …" and the like: half of the unit.
_HALF_DAYS = {"week": 3, "fortnight": 7, "month": 15, "quarter": 45, "year": 182}

#: Takes a year; returns the first day of a yearly period, such as Easter, in that year, and the day after its last one.
Yearly = Callable[[int], tuple[date, date]]


@dataclass(frozen=True)
class Span:
    """A period in wall-clock time. `datetime.min` or `datetime.max` means open on that side."""

    start: datetime
    end: datetime
    #: `day`, `week`, `month`, `year` or another name of its length.
    unit: str
    #: How certainly the words mean this time, from 0 to 1.
    confidence: float = 1.0
    #: Computes the period in another year, if the words name no year ("in May"); otherwise None.
    yearly: Yearly | None = None
    #: Day of the week, 0 for Monday, if the words are only a weekday ("on Friday"); otherwise None.
    weekday: int | None = None
    #: For a holiday: days of the period before its main day; None for other times.
    days_before: int | None = None

    def in_year(self, year: int) -> Span | None:
        """Return the same period in another year; None if the words name a year."""
        if self.yearly is None:
            return None
        return replace(days(*self.yearly(year), self.unit), yearly=self.yearly)


@dataclass(frozen=True)
class Clock:
    """The moment that relative words such as `yesterday` refer to."""

    now: datetime
    #: Read "on Friday" as the next Friday; if false, as the last one.
    upcoming: bool = False

    @property
    def today(self) -> date:
        return self.now.date()


def days(first: date, following: date, unit: str, confidence: float = 1.0) -> Span:
    """Return the period from `first` up to, but not including, `following`."""
    return Span(
        datetime.combine(first, time()), datetime.combine(following, time()), unit, confidence
    )


def day_span(day: date, confidence: float = 1.0) -> Span:
    return days(day, day + DAY, "day", confidence)


def add_months(day: date, months: int) -> date:
    """Return the first day of the month that is `months` after that of `day`."""
    index = day.year * 12 + day.month - 1 + months
    return date(index // 12, index % 12 + 1, 1)


def unit_span(unit: str, around: date, offset: int = 0) -> Span:
    """Return the calendar unit (such as the week) that contains a day, moved by `offset` units.

    Raises ValueError or OverflowError outside of the years 1 to 9999.
    """
    match unit:
        case "day":
            return day_span(around + offset * DAY)
        case "week":
            monday = around - around.weekday() * DAY + offset * WEEK
            return days(monday, monday + WEEK, "week")
        case "fortnight":
            # Fortnights have no fixed start in a calendar; "a fortnight ago" means the week before last.
            return unit_span("week", around, 2 * offset)
        case "weekend":
            saturday = around - ((around.weekday() - 5) % 7) * DAY + offset * WEEK
            return days(saturday, saturday + 2 * DAY, "weekend")
        case "month" | "half year":
            # Half a year ago is a month, as a year ago is a year.
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
    """Return the term of a school year that has begun last, moved by `offset` terms."""
    firsts = [
        (date(around.year + year, first, 1), last - first + 1)
        for year in range(-abs(offset) - 1, abs(offset) + 2)
        for first, last in _TERMS
    ]
    current = max(index for index, (first, _) in enumerate(firsts) if first <= around)
    first, months = firsts[current + offset]
    return days(first, add_months(first, months), "term")


def hours_span(now: datetime, hours: int) -> Span:
    """Return one hour before to one hour after the moment `hours` ago."""
    middle, hour = now - timedelta(hours=hours), timedelta(hours=1)
    return Span(middle - hour, middle + hour, "hour")


def part_span(day: date, part: str) -> Span:
    begins, ends = (timedelta(hours=hour) for hour in PART_HOURS[part])
    midnight = datetime.combine(day, time())
    return Span(midnight + begins, midnight + ends, "part")


def rolling_span(clock: Clock, unit: str, number: int) -> Span:
    """Return the last `number` units, such as the past two weeks. Hours end now, longer units with today."""
    if unit == "hour":
        return Span(clock.now - timedelta(hours=number), clock.now, "hours")
    return days(back(clock.today, unit, number), clock.today + DAY, "days")


def back(day: date, unit: str, number: int) -> date:
    """Return the day `number` units before `day`; a negative number moves forward."""
    match unit:
        case "day":
            return day - number * DAY
        case "week" | "weekend":
            return day - number * WEEK
        case "fortnight":
            return day - 2 * number * WEEK
    months = {"month": 1, "quarter": 3, "term": 6, "half year": 6, "decade": 120}.get(unit, 12)
    first = add_months(day, -number * months)
    return min(first + (day.day - 1) * DAY, add_months(first, 1) - DAY)


def adjacent_period(first: date, end: date, unit: str, number: int) -> tuple[date, date]:
    """Return the period `number` units before the days from `first` to `end` (exclusive); after them if negative.

    One unit is the adjacent one: "the week before" is the seven days before `first`. A larger number is a distance:
    "two weeks before" is the day two weeks before `first`, with half a week on either side.
    """
    if number == 1:
        return back(first, unit, 1), first
    if number == -1:
        return end, back(end, unit, -1)
    middle = back(first, unit, number) if number > 0 else back(end - DAY, unit, number)
    half = _HALF_DAYS.get(unit, 0) * DAY
    return middle - half, middle + half + DAY


def vague_span(clock: Clock, unit: str, number: int) -> Span:
    """Return a vague time, such as a few weeks ago: the day `number` units ago, with one unit on either side."""
    middle = back(clock.today, unit, number)
    return days(back(middle, unit, 1), back(middle, unit, -1), "days", 0.8)


def latest(yearly: Yearly, clock: Clock, unit: str, confidence: float = 0.8) -> Span:
    """Return the latest occurrence of a yearly period that has begun.

    With `clock.upcoming`, return the next that has not ended. Raises ValueError if there is none within eight years.
    """
    today, years = clock.today, range(-8, 9)
    found: list[tuple[date, date]] = []
    for year in years:
        try:
            found.append(yearly(today.year + year))
        except (ValueError, LookupError):
            continue  # 29 February, or a holiday whose table does not have the year.
    if clock.upcoming:
        chosen = next(((first, end) for first, end in found if end > today), None)
    else:
        chosen = next(((first, end) for first, end in reversed(found) if first <= today), None)
    if chosen is None:
        raise ValueError("no such day near this year")
    return replace(days(*chosen, unit, confidence), yearly=yearly)


def ended(span: Span, clock: Clock) -> Span:
    """Return the latest occurrence of a yearly period that has ended."""
    year = span.start.year
    while span.end.date() > clock.today:
        year -= 1
        earlier = span.in_year(year)
        if earlier is None:
            break
        span = replace(earlier, yearly=span.yearly)
    return span
