"""Moments on the clocks of zones, from the first to the last that a message may name."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from everword.domain.times import local_time, write_minute

FIRST = datetime(1, 1, 1, tzinfo=UTC)
LAST = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
ZURICH, NEW_YORK = ZoneInfo("Europe/Zurich"), ZoneInfo("America/New_York")


def test_local_time_outside_the_calendar_stays_in_utc() -> None:
    assert local_time(FIRST, NEW_YORK) is FIRST
    assert local_time(LAST, ZURICH) is LAST
    assert local_time(datetime(2026, 4, 18, 12, tzinfo=UTC), ZURICH).hour == 14


@pytest.mark.parametrize(
    ("moment", "zone", "written"),
    [
        (datetime(2026, 4, 18, 12, 0, 59, tzinfo=UTC), UTC, "2026-04-18T12:00Z"),
        (datetime(2026, 4, 18, 12, tzinfo=UTC), ZURICH, "2026-04-18T14:00+02:00"),
        (datetime(2026, 1, 18, 12, tzinfo=UTC), ZoneInfo("Europe/London"), "2026-01-18T12:00Z"),
        (FIRST, UTC, "0001-01-01T00:00Z"),
        (FIRST, NEW_YORK, "0001-01-01T00:00Z"),
        (LAST, ZURICH, "9999-12-31T23:59Z"),
        # Zurich was 34 minutes and 8 seconds ahead.
        (datetime(1850, 5, 5, 12, tzinfo=UTC), ZURICH, "1850-05-05T12:00Z"),
    ],
)
def test_write_minute_pads_the_year_to_four_digits(
    moment: datetime, zone: ZoneInfo, written: str
) -> None:
    assert write_minute(moment, zone) == written
