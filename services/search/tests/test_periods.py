"""Periods that questions name, relative to Wednesday, 17 May 2023, noon in UTC."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from everword_search.ranking.times.dates import named_dates
from everword_search.ranking.times.periods import (
    TimeRange,
    admit_best_outside,
    closeness,
    named_periods,
)

NOW = datetime(2023, 5, 17, 12, tzinfo=UTC)
INFINITY = float("inf")


def seconds(text: str) -> float:
    if text in ("", "…"):
        return INFINITY if text else -INFINITY
    return datetime.fromisoformat(f"{text}+00:00").timestamp()


def periods(text: str, config: str = "english", zone: str = "UTC") -> tuple[TimeRange, ...]:
    return named_periods(text, config, NOW, zone)


@pytest.mark.parametrize(
    ("text", "config", "start", "end"),
    [
        ("What did Emi say about cooking in 2023-05?", "english", "2023-05-01", "2023-06-01"),
        ("since 2023-03", "english", "2023-03-01", ""),
        ("before 2023-05-14", "english", "…", "2023-05-14"),
        ("vor zwei Wochen", "german", "2023-05-01", "2023-05-08"),
        # Without a language of its own, a namespace's is English.
        ("yesterday", "simple", "2023-05-16", "2023-05-17"),
    ],
)
def test_named_periods_are_ranges_of_seconds(text: str, config: str, start: str, end: str) -> None:
    start_s = seconds(start) if start != "…" else -INFINITY
    expected = TimeRange(start_s, seconds(end) if end else INFINITY)
    assert periods(text, config) == (expected,)


def test_named_periods_are_past_and_certain() -> None:
    assert periods("What comes tomorrow or next week?") == ()
    assert periods("What did June say?") == ()
    # The next Monday, unless the question is about the past.
    assert periods("What do I have on Monday?") == ()
    assert periods("What had we planned on Monday?")
    assert periods("Was it a Monday?") == ()
    # Statements are no questions about their time.
    assert periods("I fell at school yesterday! It still hurts. Do you know what helps?") == ()
    assert periods("Tell me what Jon said yesterday.")


@pytest.mark.parametrize(
    "text",
    [
        "Was werden wir in den Sommerferien machen?",
        "Hva skal vi gjøre i sommerferien?",
        "¿Dónde pasarán las vacaciones de verano?",
        "Où irons-nous pendant les vacances d'été ?",
        "Куда мы поедем летом?",
        "夏休みの予定は何？",
        "暑假打算去哪里?",
        "गर्मी में कहाँ जाएंगे?",
    ],
)
def test_named_periods_of_plans_are_not_the_last_ones(text: str) -> None:
    assert periods(text) == ()


def test_admit_best_outside_moves_a_stronger_match_to_the_first_page() -> None:
    scores = np.array([0.99, 0.98, 0.97, 0.96, 0.95, 0.94, 0.5, 0.4])
    inside = np.array([True] * 6 + [False] * 2)
    timeless = np.array([0.3, 0.2, 0.2, 0.2, 0.2, 0.2, 0.5, 0.4])
    assert admit_best_outside(scores, timeless, inside).tolist() == [*scores[:6], 0.95, 0.4]
    # A weaker match stays behind the memories of the period.
    timeless[6:] = 0.29
    assert admit_best_outside(scores, timeless, inside).tolist() == scores.tolist()


def test_periods_use_the_time_zone_of_the_namespace() -> None:
    """At noon in UTC, it is the next day in Kiritimati already."""
    assert periods("today", zone="Pacific/Kiritimati") == (
        TimeRange(seconds("2023-05-17T10:00"), seconds("2023-05-18T10:00")),
    )
    assert named_periods("today", "english", datetime.min.replace(tzinfo=UTC), "UTC")
    assert (
        named_periods("a year ago", "english", datetime.min.replace(tzinfo=UTC), "Asia/Tokyo") == ()
    )
    assert named_periods("last year", "english", datetime.max.replace(tzinfo=UTC), "UTC")


def test_periods_of_many_dates_are_limited_to_four() -> None:
    assert len(periods(" ".join(f"2023-05-{day:02}" for day in range(1, 31)) * 200)) == 4


def test_closeness_decreases_outside_the_period() -> None:
    [week] = periods("last week")
    moments = ["2023-05-08", "2023-05-14T23:59:59", "2023-05-15", "2023-05-18", "2023-05-22"]
    near = closeness(np.array([seconds(each) for each in moments]), [week])
    assert near[:2].tolist() == [1, 1]
    assert near[2] == pytest.approx(0.65)
    assert 0 < near[3] < near[2]
    assert near[4] == 0
    open_ended = closeness(np.array([0.0, 1e9]), [TimeRange(5e8, INFINITY)])
    assert open_ended.tolist() == [0, 1]
    assert closeness(np.array([1.0]), []).tolist() == [0]


def test_named_dates_include_months_between_two_named_ones() -> None:
    assert named_dates("between March and May").months == {3, 4, 5}
    assert named_dates("from November to February").months == {11, 12, 1, 2}
    assert named_dates("Who may march between us and them?").months == set()
