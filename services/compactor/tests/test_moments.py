"""Validity of a claim, and the day of a plan, relative to the message."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from everword_compactor.learning.moments import dated, span_of

#: A Wednesday; in Auckland it is Thursday already.
SAID = datetime(2026, 3, 4, 15, 30, tzinfo=UTC)

HELD_SINCE = [
    ("since 2019", False, "2019-01-01"),
    ("since march", False, "2026-03-01"),
    ("since April", False, "2025-04-01"),
    ("since March 2021", False, "2021-03-01"),
    ("for three years now", False, "2023-03-04"),
    ("since last summer", False, "2025-06-01"),
    ("in January", True, "2026-01-01"),
    ("; In March 2020", True, "2020-03-01"),
    ("last year", True, "2025-01-01"),
    ("last week", True, "2026-02-23"),
    ("two months ago", True, "2026-01-04"),
    ("yesterday", True, "2026-03-03"),
    ("on Monday", True, None),
    ("last Monday", True, "2026-03-02"),
    ("in March", False, None),
    ("and love it", False, None),
    ("for my studies", True, None),
    ("since I was nine", False, None),
    ("in 2031", True, None),
    ("since June 31", False, None),
    ("this week", True, None),
]


@pytest.mark.parametrize(("words", "happens", "since"), HELD_SINCE)
def test_span_of_finds_the_beginning(words: str, happens: bool, since: str | None) -> None:
    span = span_of(words, SAID, "UTC", happens=happens)
    assert (span.since.date().isoformat() if span.since else None) == since
    assert span.until is None


@pytest.mark.parametrize(
    ("words", "until"),
    [
        ("until June", "2026-06-01"),
        ("until 2028", "2028-01-01"),
        ("until Friday", "2026-03-07"),
        ("till June 5", "2026-06-06"),
        ("until it rains", None),
    ],
)
def test_span_of_finds_the_end(words: str, until: str | None) -> None:
    span = span_of(words, SAID, "UTC", happens=False)
    assert (span.until.date().isoformat() if span.until else None) == until


@pytest.mark.parametrize(
    ("words", "plan"),
    [
        ("Friday at 4pm", "Friday at 4pm (2026-03-06 16:00)"),
        ("Friday at 4", "Friday at 4 (2026-03-06)"),
        ("Wednesday", "Wednesday (2026-03-11)"),
        ("tomorrow at noon", "tomorrow at noon (2026-03-05 12:00)"),
        ("June 15", "June 15 (2026-06-15)"),
        ("3rd of May, 2027", "3rd of May, 2027 (2027-05-03)"),
        ("next Monday at 15:30", "next Monday at 15:30 (2026-03-09 15:30)"),
        ("next Friday", "next Friday"),
        ("January 2", "January 2 (2027-01-02)"),
        ("the end of the month", "the end of the month"),
        ("2026-05-01", "2026-05-01"),
    ],
)
def test_dated_adds_the_date_to_relative_words(words: str, plan: str) -> None:
    assert dated(words, SAID, "UTC") == plan


def test_dates_are_computed_in_the_time_zone() -> None:
    assert dated("tomorrow", SAID, "Pacific/Auckland") == "tomorrow (2026-03-06)"
    since = span_of("since 2019", SAID, "Pacific/Auckland", happens=False).since
    assert since is not None
    assert since.astimezone(UTC) == datetime(2018, 12, 31, 11, tzinfo=UTC)
