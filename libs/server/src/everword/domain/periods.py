"""Days, weeks, months and years as a namespace counts them: by the wall clock of its time zone, with a day cut-off.

Each period is in exactly one above it: a day in its ISO week, a week in the month and the ISO year of its Thursday.
Each subject has a calendar of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import IntEnum
from functools import cached_property, lru_cache
from hashlib import sha256
from zoneinfo import ZoneInfo

_DAY = timedelta(days=1)
#: Without a time zone of its own, a namespace's days are summed up at this hour, everything above at the other one.
_UTC_DAY_HOUR = 4
_UTC_HOUR = 5
_JOB_SUBJECT = re.compile(
    r"(?:day/(?P<day>\d{4}-\d\d-\d\d)|week/(?P<week>\d{4}-W\d\d)|month/(?P<month>\d{4}-\d\d)|year/(?P<year>\d{4}))"
    r"(?:/(?P<digest>[0-9a-f]{64}))?"
)


class PeriodLevel(IntEnum):
    """Levels of the calendar. Values equal proto `SummaryLevel`."""

    DAY = 4
    WEEK = 5
    MONTH = 6
    YEAR = 7


@dataclass(frozen=True, order=True)
class Period:
    """A day, week, month or year in the calendar of a subject. They sort by level, then by date."""

    level: PeriodLevel
    #: Its first day: of a week the Monday, of a month the 1st, of a year 1 January.
    start: date
    #: Empty for the calendar of conversations without a subject, or of all conversations.
    subject: str = ""

    @property
    def label(self) -> str:
        """Return its name: `2026-04-18`, `2026-W16`, `2026-04` or `2026`."""
        match self.level:
            case PeriodLevel.DAY:
                return self.start.isoformat()
            case PeriodLevel.WEEK:
                year, week, _ = self.start.isocalendar()
                return f"{year:04}-W{week:02}"
            case PeriodLevel.MONTH:
                return self.start.isoformat()[:7]
            case PeriodLevel.YEAR:
                return self.start.isoformat()[:4]

    @property
    def job_subject(self) -> str:
        """Return its name in jobs, such as `week/2026-W16`.

        A subject is appended as a digest, because jobs and their logs hold no names.
        """
        name = f"{self.level.name.lower()}/{self.label}"
        return f"{name}/{_digest(self.subject)}" if self.subject else name

    @property
    def above(self) -> Period | None:
        """The period that it is in; None for a year."""
        match self.level:
            case PeriodLevel.DAY:
                start = self.start - self.start.weekday() * _DAY
            case PeriodLevel.WEEK:
                start = (self.start + 3 * _DAY).replace(day=1)
            case PeriodLevel.MONTH:
                start = self.start.replace(month=1)
            case PeriodLevel.YEAR:
                return None
        return Period(PeriodLevel(self.level + 1), start, self.subject)

    @cached_property
    def all_above(self) -> tuple[Period, ...]:
        """Everything that it is in, from below."""
        above = self.above
        return (above, *above.all_above) if above else ()

    @property
    def parts(self) -> tuple[date, date]:
        """The first days of the periods in it, one level below: from the first date up to before the second."""
        if self.level <= PeriodLevel.WEEK:
            return self.start, _later(self.start, 7 if self.level == PeriodLevel.WEEK else 1)
        if self.level == PeriodLevel.MONTH:
            # A week belongs to the month of its Thursday, so its Monday may be in the month before.
            return _earlier(self.start, 3), _earlier(_next_month(self.start), 3)
        return self.start, _next_year(self.start)

    @property
    def end(self) -> date:
        """The first day after it. Months and years end with the last week that is in them."""
        if self.level <= PeriodLevel.WEEK:
            return self.parts[1]
        following = (
            _next_month(self.start) if self.level == PeriodLevel.MONTH else _next_year(self.start)
        )
        # The first Monday whose Thursday is in the next period.
        thursday = following + (3 - following.weekday()) % 7 * _DAY
        return thursday - 3 * _DAY


@dataclass(frozen=True)
class Calendar:
    """A namespace's way of counting days."""

    #: An IANA name.
    time_zone: str
    #: Minutes after midnight at which a day begins.
    day_cutoff_minutes: int

    def day_of(self, moment: datetime) -> date:
        """Return the day that an aware `moment` is in, by the clock as it was then."""
        zone = ZoneInfo(self.time_zone)
        try:
            wall = moment.astimezone(zone).replace(tzinfo=None)
            day = (wall - timedelta(minutes=self.day_cutoff_minutes)).date()
            # If the clock shows the cut-off twice, the day begins at the first time, and does not end at the second.
            if day < date.max and moment >= self.start_of(day + _DAY):
                return day + _DAY
        except OverflowError:
            return moment.date()  # the first or last day that a date can name has no neighbour
        return day

    def days_of(self, moments: Iterable[datetime]) -> list[date]:
        """Return the day of each of several moments; those that come one after another are mostly of the same."""
        days: list[date] = []
        start = end = datetime.max.replace(tzinfo=UTC)
        for moment in moments:
            if not start <= moment < end:
                day = self.day_of(moment)
                start, end = self._bounds_of(day)
            days.append(day)
        return days

    def _bounds_of(self, day: date) -> tuple[datetime, datetime]:
        """Return when a day begins and ends in UTC; nothing is between them where a date cannot name one of them."""
        try:
            return self.start_of(day), self.start_of(day + _DAY)
        except OverflowError:
            return (datetime.max.replace(tzinfo=UTC),) * 2

    def start_of(self, day: date) -> datetime:
        """Return the moment in UTC at which a day begins. Raises OverflowError outside the range of `date`."""
        return _start_of(day, self.time_zone, self.day_cutoff_minutes)

    def due_at(self, period: Period) -> datetime:
        """Return when a period is to be summed up: at its end, or without a time zone at a fixed hour after it."""
        try:
            if (self.time_zone, self.day_cutoff_minutes) != ("UTC", 0):
                return self.start_of(period.end)
            hour = _UTC_DAY_HOUR if period.level == PeriodLevel.DAY else _UTC_HOUR
            return datetime.combine(period.end, time(hour), UTC)
        except (OverflowError, ValueError):
            return datetime.max.replace(tzinfo=UTC)


def last_night(calendar: Calendar, now: datetime) -> date:
    """Return the latest day whose nightly work is due by now."""
    day = calendar.day_of(now)
    while calendar.due_at(Period(PeriodLevel.DAY, day)) > now and day > date.min:
        day -= _DAY
    return day


def parse_job_subject(job_subject: str) -> tuple[Period, str]:
    """Return the period of a job without its subject, and the digest of the subject, which may be empty.

    Raises ValueError if the text is malformed.
    """
    match = _JOB_SUBJECT.fullmatch(job_subject)
    if match is None:
        raise ValueError("a period's name is wrong")
    return _named_period(match), match["digest"] or ""


def _named_period(match: re.Match[str]) -> Period:
    if match["day"]:
        return Period(PeriodLevel.DAY, date.fromisoformat(match["day"]))
    if match["week"]:
        return Period(PeriodLevel.WEEK, date.fromisoformat(match["week"]))
    if match["month"]:
        return Period(PeriodLevel.MONTH, date.fromisoformat(f"{match['month']}-01"))
    return Period(PeriodLevel.YEAR, date(int(match["year"]), 1, 1))


def _digest(subject: str) -> str:
    return sha256(subject.encode()).hexdigest()


@lru_cache(maxsize=4096)
def _start_of(day: date, time_zone: str, cutoff_minutes: int) -> datetime:
    zone = ZoneInfo(time_zone)
    wall = datetime.combine(day, time()) + timedelta(minutes=cutoff_minutes)
    first = wall.replace(tzinfo=zone, fold=0).astimezone(UTC)
    second = wall.replace(tzinfo=zone, fold=1).astimezone(UTC)
    if first <= second:
        return first
    # The clock jumps over the cut-off: the day begins with the jump, between the two.
    before, after = second, first
    while after - before > timedelta(seconds=1):
        middle = before + (after - before) / 2
        if middle.astimezone(zone).replace(tzinfo=None) < wall:
            before = middle
        else:
            after = middle
    return after.replace(microsecond=0)


def _next_month(first: date) -> date:
    year, month = divmod(first.month, 12)
    return date(first.year + year, month + 1, 1)


def _next_year(first: date) -> date:
    return date(first.year + 1, 1, 1)


def _later(day: date, days: int) -> date:
    return day + days * _DAY


def _earlier(day: date, days: int) -> date:
    # Before the first day that a date can name is nothing.
    return max(day, date.min + days * _DAY) - days * _DAY
