"""Times as people type them."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from everword.cli.times import parse_time

ZONE = timezone(timedelta(hours=2))
NOW = datetime(2026, 3, 12, 20, 30, 15, tzinfo=ZONE)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-03-01", datetime(2026, 3, 1, tzinfo=ZONE)),
        ("2026-03-01T08:30", datetime(2026, 3, 1, 8, 30, tzinfo=ZONE)),
        ("2026-03-01 08:30:01", datetime(2026, 3, 1, 8, 30, 1, tzinfo=ZONE)),
        ("2026-03-01T08:30Z", datetime(2026, 3, 1, 10, 30, tzinfo=ZONE)),
        ("now", NOW),
        ("today", datetime(2026, 3, 12, tzinfo=ZONE)),
        ("Yesterday", datetime(2026, 3, 11, tzinfo=ZONE)),
        ("7d", NOW - timedelta(days=7)),
        ("36h", NOW - timedelta(hours=36)),
        ("2w", NOW - timedelta(weeks=2)),
        ("90m", NOW - timedelta(minutes=90)),
        ("this_week", datetime(2026, 3, 9, tzinfo=ZONE)),
        ("last month", datetime(2026, 2, 1, tzinfo=ZONE)),
        ("2026-02", datetime(2026, 2, 1, tzinfo=ZONE)),
        ("7 days ago", datetime(2026, 3, 5, tzinfo=ZONE)),
        ("since tuesday", datetime(2026, 3, 10, tzinfo=ZONE)),
        ("1850-05-17", datetime(1850, 5, 17, tzinfo=ZONE)),
    ],
)
def test_parse_time_accepts_dates_times_and_spans(text: str, expected: datetime) -> None:
    assert parse_time(text, NOW) == expected


@pytest.mark.parametrize(
    "text", ["", "soon", "7", "d", "-7d", "today or tomorrow", "2026-02-30", "until may"]
)
def test_parse_time_refuses_invalid_text(text: str) -> None:
    with pytest.raises(ValueError):
        parse_time(text, NOW)


def test_parse_time_refuses_span_before_the_first_date() -> None:
    with pytest.raises(ValueError, match="years 1 to 9999"):
        parse_time("99999w", datetime(1900, 1, 1, tzinfo=ZONE))
