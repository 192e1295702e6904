"""Which questions worth asking have a topic that the text touches."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import pytest

from everword_search.people.offers import choose_offers
from everword_search.people.store import OfferRow

NOW = datetime(2026, 3, 1, tzinfo=UTC)
TOPICS = (
    "residence Lisbon live move flat",
    "job nurse work office",
    "Rui",
    "dentist health doctor",
)
ROWS = [OfferRow(UUID(int=n), 1, topic, "?", "", NOW) for n, topic in enumerate(TOPICS)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Where could we go in Lisbon?", [0]),
        ("We are moving flats, and I changed jobs.", [0, 1]),
        ("Rui's birthday is near", [2]),
        ("The office moved to Lisbon; Rui and my doctor live there.", [0, 1]),
        ("Tell me a joke.", []),
        ("the and of to", []),
        ("", []),
    ],
)
def test_choose_offers_returns_at_most_two_questions_on_the_topic(
    text: str, expected: list[int]
) -> None:
    assert [row.id.int for row in choose_offers(text, ROWS)] == expected
