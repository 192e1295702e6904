"""Times as agents and people type them, on a Wednesday: 17 May 2023, noon in UTC."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from everword.text.periods import TimeBounds, parse_time_range

NOW = datetime(2023, 5, 17, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("today", "2023-05-17", "2023-05-18"),
        ("this_week", "2023-05-15", "2023-05-22"),
        ("Last Month", "2023-04-01", "2023-05-01"),
        ("7d", "2023-05-10T12:00", "2023-05-17T12:00"),
        ("2mo", "2023-03-17T12:00", "2023-05-17T12:00"),
        ("2022", "2022-01-01", "2023-01-01"),
        ("2023-04", "2023-04-01", "2023-05-01"),
        ("2023-W19", "2023-05-08", "2023-05-15"),
        ("2023-05-14", "2023-05-14", "2023-05-15"),
        ("2023-05-14T10:30Z", "2023-05-14T10:30", "2023-05-14T10:30"),
        ("now", "2023-05-17T12:00", "2023-05-17T12:00"),
        ("in the summer", "2022-06-01", "2022-09-01"),
        ("since tuesday", "2023-05-16", ""),
        ("until 2023-05-14", "", "2023-05-15"),
        ("before 2023-05-14", "", "2023-05-14"),
        ("since 2023-05-01T10:00 until yesterday", "2023-05-01T10:00", "2023-05-17"),
        ("between march and may", "2023-03-01", "2023-06-01"),
        ("from june to march", "2022-06-01", "2023-04-01"),
    ],
)
def test_parse_time_range_returns_bounds(text: str, start: str, end: str) -> None:
    def moment(written: str) -> datetime | None:
        return datetime.fromisoformat(written).replace(tzinfo=UTC) if written else None

    assert parse_time_range(text, NOW, UTC) == TimeBounds(moment(start), moment(end))


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "soon",
            "7",
            "d",
            "-7d",
            "today or tomorrow",
            "2023-02-30",
            "9" * 90,
            "99999y",
        ),
        *(
            "the trip in May",
            "x" * 100_000,
            "since since since",
            "3 billion weeks ago",
            "weeks ago",
        ),
    ],
)
def test_parse_time_range_refuses_other_texts(text: str) -> None:
    with pytest.raises(ValueError):
        parse_time_range(text, NOW, UTC)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("since june 2022 until may 2022", "ends before it begins"),
        ("since until may", "has no beginning"),
        ("until since may", "has no end"),
    ],
)
def test_parse_time_range_refuses_periods_without_time(text: str, error: str) -> None:
    with pytest.raises(ValueError, match=error):
        parse_time_range(text, NOW, UTC)
