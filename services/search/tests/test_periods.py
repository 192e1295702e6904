"""Stretches of time that questions name, told from a Wednesday: 17 May 2023, noon in UTC."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from everword_search.ranking.times.dates import named_dates
from everword_search.ranking.times.periods import TimeRange, closeness, named_periods

NOW = datetime(2023, 5, 17, 12, tzinfo=UTC)
INFINITY = float("inf")


def seconds(text: str) -> float:
    if text in ("", "…"):
        return INFINITY if text else -INFINITY
    return datetime.fromisoformat(f"{text}+00:00").timestamp()


def periods(text: str, config: str = "english", zone: str = "UTC") -> tuple[TimeRange, ...]:
    return named_periods(text, config, NOW, zone)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("What did Emi say about cooking in 2023-05?", "2023-05-01", "2023-06-01"),
        ("on 2023-05-14", "2023-05-14", "2023-05-15"),
        ("(2023-W19)", "2023-05-08", "2023-05-15"),
        ("14.05.2023", "2023-05-14", "2023-05-15"),
        ("What did she cook on May 14th, 2023?", "2023-05-14", "2023-05-15"),
        ("in March 2023", "2023-03-01", "2023-04-01"),
        ("What happened today?", "2023-05-17", "2023-05-18"),
        ("Yesterday?", "2023-05-16", "2023-05-17"),
        ("the day before yesterday", "2023-05-15", "2023-05-16"),
        ("yesterday evening", "2023-05-16T17:00", "2023-05-17"),
        ("last night", "2023-05-16T18:00", "2023-05-17T05:00"),
        ("What was last week about?", "2023-05-08", "2023-05-15"),
        ("two weeks ago", "2023-05-01", "2023-05-08"),
        ("2 weeks   ago", "2023-05-01", "2023-05-08"),
        ("a couple of weeks ago", "2023-04-26", "2023-05-10"),
        ("in the past two weeks", "2023-05-03", "2023-05-18"),
        ("last friday", "2023-05-12", "2023-05-13"),
        ("last weekend", "2023-05-13", "2023-05-15"),
        ("last month", "2023-04-01", "2023-05-01"),
        ("3 months ago", "2023-02-01", "2023-03-01"),
        ("last summer", "2022-06-01", "2022-09-01"),
        ("last year", "2022-01-01", "2023-01-01"),
        ("since 2023-03", "2023-03-01", ""),
        ("after last week", "2023-05-15", ""),
        ("before 2023-05-14", "…", "2023-05-14"),
        ("between 2023-03 and 2023-05", "2023-03-01", "2023-06-01"),
        ("from March 2023 to 2023-04-02", "2023-03-01", "2023-04-03"),
    ],
)
def test_periods_of_a_phrase_are_its_days(text: str, start: str, end: str) -> None:
    start_s = seconds(start) if start != "…" else -INFINITY
    assert periods(text) == (TimeRange(start_s, seconds(end) if end else INFINITY),)


@pytest.mark.parametrize(
    "text",
    [
        "How long is a week on the farm?",
        "Who may march with us for 3 weeks?",
        "the last day of school, last years budget",
        "CVE-2023-05-11, order 2023-05-1234, v2023-05, /2023-05/x",
        "What comes tomorrow or next week?",
        "2023-02-31 2023-13 9999-12",
        "to be or not to be",
        "",
    ],
)
def test_periods_of_ordinary_words_and_numbers_are_empty(text: str) -> None:
    assert periods(text) == ()


@pytest.mark.parametrize(
    ("text", "config", "start", "end"),
    [
        ("Was sagte Ana letzte Woche?", "german", "2023-05-08", "2023-05-15"),
        ("vor zwei Wochen", "german", "2023-05-01", "2023-05-08"),
        ("am 14. Mai 2023", "german", "2023-05-14", "2023-05-15"),
        ("il y a deux semaines", "french", "2023-05-01", "2023-05-08"),
        ("ayer", "spanish", "2023-05-16", "2023-05-17"),
        # Without a language of its own, a namespace's is English.
        ("yesterday", "simple", "2023-05-16", "2023-05-17"),
    ],
)
def test_periods_are_parsed_in_the_language_of_the_namespace(
    text: str, config: str, start: str, end: str
) -> None:
    assert periods(text, config) == (TimeRange(seconds(start), seconds(end)),)


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
