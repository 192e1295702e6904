"""Days by the wall clock of a zone, and each period in exactly one above it."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256

import pytest

from everword.domain.periods import Calendar, Period, PeriodLevel, parse_job_subject

DAY = timedelta(days=1)
CUTOFF = 5 * 60
ZONES = [
    "UTC",
    "Europe/Zurich",
    "America/New_York",
    "America/Havana",  # its clocks change at midnight
    "America/Sao_Paulo",
    "Asia/Kolkata",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",  # changes by half an hour
    "Pacific/Kiritimati",
    "Pacific/Apia",  # had no 30 December 2011
    "Africa/Casablanca",
]
CUTOFFS = [0, 30, 90, 150, CUTOFF, 720]


def day(text: str) -> Period:
    return Period(PeriodLevel.DAY, date.fromisoformat(text))


def week(monday: str) -> Period:
    return Period(PeriodLevel.WEEK, date.fromisoformat(monday))


def moments(seed: str) -> list[datetime]:
    """Return moments of many years, half of them around changes of clocks."""
    chance = random.Random(seed)
    first = datetime(2005, 1, 1, tzinfo=UTC)
    spread = [first + timedelta(seconds=chance.randrange(25 * 365 * 86400)) for _ in range(150)]
    changes = [
        datetime(year, month, chance.randrange(1, 32), tzinfo=UTC)
        + timedelta(minutes=chance.randrange(1440))
        for year in range(2005, 2030)
        for month in (3, 10)
    ]
    skipped = datetime(2011, 12, 29, tzinfo=UTC)
    return spread + changes + [skipped + timedelta(hours=hour) for hour in range(96)]


@pytest.mark.parametrize("cutoff", CUTOFFS)
@pytest.mark.parametrize("zone", ZONES)
def test_day_of_a_moment_contains_it(zone: str, cutoff: int) -> None:
    calendar = Calendar(zone, cutoff)
    for moment in moments(f"{zone} {cutoff}"):
        found = calendar.day_of(moment)
        assert calendar.start_of(found) <= moment < calendar.start_of(found + DAY), moment
        assert calendar.due_at(Period(PeriodLevel.DAY, found)) > moment


@pytest.mark.parametrize("cutoff", CUTOFFS)
@pytest.mark.parametrize("zone", ZONES)
def test_days_of_equals_day_of_for_each_moment(zone: str, cutoff: int) -> None:
    calendar = Calendar(zone, cutoff)
    edges = [datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)]
    found = moments(f"{zone} {cutoff}") + edges
    for each in (found, sorted(found), sorted(found, reverse=True)):
        assert calendar.days_of(each) == [calendar.day_of(moment) for moment in each]


@pytest.mark.parametrize(
    ("zone", "moment", "expected"),
    [
        ("Europe/Zurich", "2026-04-18T02:59:59Z", "2026-04-17"),
        ("Europe/Zurich", "2026-04-18T03:00:00Z", "2026-04-18"),
        # The same hour in winter, asked for in whatever season.
        ("Europe/Zurich", "2026-01-18T03:59:59Z", "2026-01-17"),
        ("Europe/Zurich", "2026-01-18T04:00:00Z", "2026-01-18"),
        ("Asia/Kolkata", "2026-04-17T23:29:59Z", "2026-04-17"),
        ("Asia/Kolkata", "2026-04-17T23:30:00Z", "2026-04-18"),
        ("Pacific/Kiritimati", "2026-04-17T15:00:00Z", "2026-04-18"),
    ],
)
def test_day_begins_at_five_local_time_also_on_clock_changes(
    zone: str, moment: str, expected: str
) -> None:
    found = Calendar(zone, CUTOFF).day_of(datetime.fromisoformat(moment))
    assert found == date.fromisoformat(expected)


@pytest.mark.parametrize(
    ("zone", "cutoff", "first", "hours"),
    [
        ("Europe/Zurich", CUTOFF, "2026-03-28", 23),
        ("Europe/Zurich", CUTOFF, "2026-03-29", 24),
        ("Europe/Zurich", CUTOFF, "2026-10-24", 25),
        ("Europe/Zurich", 0, "2026-03-29", 23),
        # 02:30 never came: the day begins when the clock jumps to 03:00. Later it comes twice: the first counts.
        ("Europe/Zurich", 150, "2026-03-28", 23.5),
        ("Europe/Zurich", 150, "2026-10-25", 25),
        ("Australia/Lord_Howe", CUTOFF, "2026-04-04", 24.5),
        ("Pacific/Apia", 0, "2011-12-30", 0),
        ("Pacific/Apia", CUTOFF, "2011-12-29", 19),
    ],
)
def test_day_length_follows_clock_changes(zone: str, cutoff: int, first: str, hours: float) -> None:
    calendar, start = Calendar(zone, cutoff), date.fromisoformat(first)
    length = calendar.start_of(start + DAY) - calendar.start_of(start)
    assert length == timedelta(hours=hours)


def test_each_period_is_part_of_exactly_one_period_above() -> None:
    first = date(2015, 1, 1)
    for offset in range(15 * 366):
        below = Period(PeriodLevel.DAY, first + offset * DAY)
        levels = [above.level for above in below.all_above]
        assert levels == [PeriodLevel.WEEK, PeriodLevel.MONTH, PeriodLevel.YEAR]
        for above in below.all_above:
            since, before = above.parts
            assert since <= below.start < before
            assert below.end <= above.end
            below = above
    for level in (PeriodLevel.MONTH, PeriodLevel.YEAR):
        period = Period(level, date(2015, 1, 1))
        while period.start < date(2030, 1, 1):
            following = Period(level, period.parts[1] + (4 * DAY if level == 6 else 0 * DAY))
            following = Period(level, following.start.replace(day=1))
            assert following.parts[0] == period.parts[1]
            period = following


@pytest.mark.parametrize("level", PeriodLevel)
def test_periods_at_the_first_date_have_parts(level: PeriodLevel) -> None:
    since, before = Period(level, date.min).parts
    assert since == date.min < before


@pytest.mark.parametrize(
    ("monday", "label", "month", "year"),
    [
        ("2026-04-13", "2026-W16", "2026-04", "2026"),
        ("2025-12-22", "2025-W52", "2025-12", "2025"),
        ("2025-12-29", "2026-W01", "2026-01", "2026"),  # its Thursday is New Year's Day
        ("2020-12-28", "2020-W53", "2020-12", "2020"),
        ("2024-02-26", "2024-W09", "2024-02", "2024"),  # Thursday is 29 February
        ("2026-06-29", "2026-W27", "2026-07", "2026"),
    ],
)
def test_week_belongs_to_month_and_year_of_its_thursday(
    monday: str, label: str, month: str, year: str
) -> None:
    found = week(monday)
    assert found.label == label
    assert [above.label for above in found.all_above] == [month, year]
    assert parse_job_subject(found.job_subject) == (found, "")


def test_weeks_of_december_2025_belong_to_december() -> None:
    december = Period(PeriodLevel.MONTH, date(2025, 12, 1))
    weeks = [week(text) for text in ("2025-12-01", "2025-12-08", "2025-12-15", "2025-12-22")]
    assert [entry.above for entry in weeks] == [december] * 4
    assert december.end == date(2025, 12, 29)


def test_period_subjects_name_level_and_date_and_parse_back() -> None:
    one = day("2026-04-18")
    assert one.job_subject == "day/2026-04-18"
    assert [above.job_subject for above in one.all_above] == [
        "week/2026-W16",
        "month/2026-04",
        "year/2026",
    ]
    for period in (one, *one.all_above):
        assert parse_job_subject(period.job_subject) == (period, "")


def test_period_of_a_subject_names_it_by_digest_in_jobs() -> None:
    one = Period(PeriodLevel.DAY, date(2026, 4, 18), "mira")
    for period in (one, *one.all_above):
        assert period.subject == "mira"
        found, digest = parse_job_subject(period.job_subject)
        assert (found, digest) == (
            Period(period.level, period.start),
            sha256(b"mira").hexdigest(),
        )


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        "day/2026-02-30",
        "week/2026-W54",
        "month/2026-13",
        "year/26",
        "day/2026-4-1",
        "day/2026-04-18/mira",
    ],
)
def test_parse_job_subject_refuses_other_subjects(wrong: str) -> None:
    with pytest.raises(ValueError):
        parse_job_subject(wrong)


@pytest.mark.parametrize(
    ("zone", "cutoff", "days", "others"),
    [
        ("UTC", 0, "04:00", "05:00"),
        ("Europe/Zurich", CUTOFF, "03:00", "03:00"),
        ("UTC", CUTOFF, "05:00", "05:00"),
    ],
)
def test_a_period_is_due_when_it_has_ended(zone: str, cutoff: int, days: str, others: str) -> None:
    calendar = Calendar(zone, cutoff)
    sunday = day("2026-04-26")
    assert calendar.due_at(sunday) == datetime.fromisoformat(f"2026-04-27T{days}:00Z")
    monday = datetime.fromisoformat(f"2026-04-27T{others}:00Z")
    assert [calendar.due_at(above) for above in sunday.all_above[:2]] == [
        monday,
        monday + 7 * DAY,  # April 2026 ends with the week of the 30th, a Thursday
    ]


def test_year_ends_with_its_last_week() -> None:
    assert Period(PeriodLevel.YEAR, date(2020, 1, 1)).end == date(2021, 1, 4)
    assert Period(PeriodLevel.YEAR, date(2026, 1, 1)).end == date(2027, 1, 4)


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "America/New_York"])
def test_first_and_last_moments_have_days_and_due_times(zone: str) -> None:
    calendar = Calendar(zone, CUTOFF)
    for moment in (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)):
        found = Period(PeriodLevel.DAY, calendar.day_of(moment))
        assert abs(found.start - moment.date()) <= DAY
        assert calendar.due_at(found) is not None
        assert [calendar.due_at(above) for above in found.all_above]
