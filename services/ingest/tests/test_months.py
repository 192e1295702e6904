"""Months and spans of days, as clocks of a time zone show them."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from everword.domain.errors import InvalidArgument
from everword_ingest.costs.get_costs import span_of
from everword_ingest.costs.model import CostFilter, Month


@pytest.mark.parametrize(
    ("zone", "name", "begins", "ends"),
    [
        ("UTC", "2025-12", "2025-12-01T00:00Z", "2026-01-01T00:00Z"),
        ("Asia/Tokyo", "2026-01", "2025-12-31T15:00Z", "2026-01-31T15:00Z"),
        ("America/New_York", "2025-12", "2025-12-01T05:00Z", "2026-01-01T05:00Z"),
    ],
)
def test_month_is_computed_in_the_time_zone(zone: str, name: str, begins: str, ends: str) -> None:
    month = Month.of(datetime(2025, 12, 31, 20, tzinfo=UTC), zone)
    assert month.name == name
    assert month.begins_at == datetime.fromisoformat(begins)
    assert month.ends_at == datetime.fromisoformat(ends)


def test_month_with_a_clock_change_has_its_actual_length() -> None:
    month = Month.of(datetime(2026, 3, 10, tzinfo=UTC), "Europe/Zurich")
    assert (month.ends_at.astimezone(UTC) - month.begins_at.astimezone(UTC)).days == 30
    assert month.ends_at.astimezone(UTC).hour == 22


def test_cost_span_has_days_of_the_time_zone_and_at_least_one() -> None:
    now = datetime(2026, 3, 31, 23, tzinfo=UTC)
    start, end = span_of(CostFilter(), "Europe/Zurich", now)
    assert start == datetime(2026, 3, 1, 23, tzinfo=UTC)
    assert end == datetime(2026, 4, 1, 22, tzinfo=UTC)
    with pytest.raises(InvalidArgument):
        span_of(CostFilter(date(2026, 1, 1), date(2026, 1, 1)), "UTC", now)
    with pytest.raises(InvalidArgument):
        span_of(CostFilter(date(1, 1, 1)), "Asia/Tokyo", now)
