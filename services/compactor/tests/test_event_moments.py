"""Times of events in a model's answer, for messages from a Wednesday."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from everword_compactor.sleep.people.moments import is_said, read_moment, text_around

SAID = datetime(2026, 3, 4, 15, 30, tzinfo=UTC)
ZONE = ZoneInfo("UTC")


@pytest.mark.parametrize(
    ("written", "moment"),
    [
        ("2026-03-14", "2026-03-14"),
        ("2026-03-14T19:30Z", "2026-03-14T19:30"),
        ("2026-03", "2026-03-01"),
        ("next Friday", "2026-03-06"),
        ("soon", None),
        ("", None),
    ],
)
def test_read_moment_accepts_dates_and_words(written: str, moment: str | None) -> None:
    found = read_moment(written, SAID, ZONE)
    assert found == (datetime.fromisoformat(moment).replace(tzinfo=UTC) if moment else None)


@pytest.mark.parametrize(
    ("day", "text", "said"),
    [
        ("2026-03-14", "The recital is on the 14th of March.", True),
        ("2026-03-06", "Dinner with Ana on Friday at the new place.", True),
        ("2026-03-07", "Dinner with Ana on Friday at the new place.", False),
        ("2026-02-27", "We finally met last Friday.", True),
        ("2026-03-18", "The movers come in two weeks.", True),
        ("2026-03-05", "Morgen fahren wir nach Kiel.", True),
        ("2026-02-24", "I just got back from the clinic.", True),
        ("2026-03-20", "I just got back from the clinic.", False),
        ("2026-08-01", "The dog is asleep under the table.", False),
        ("2026-03-06", "word " * 300 + "See you on Friday.", True),
    ],
)
def test_is_said_checks_the_day_against_the_words(day: str, text: str, said: bool) -> None:
    assert is_said(datetime.fromisoformat(day).replace(tzinfo=UTC), [text], SAID, ZONE) is said


def test_text_around_limits_long_messages_to_the_quote() -> None:
    long = (
        "We had tea on Monday. " * 10_000 + "Dinner is on the 14th of March. " + "More. " * 10_000
    )
    near = text_around("Dinner", long)
    assert len(near) < 10_000
    assert is_said(datetime(2026, 3, 14, tzinfo=UTC), [near], SAID, ZONE)
    assert (
        text_around("soup", "Short soup.") == text_around("absent", "Short soup.") == "Short soup."
    )
