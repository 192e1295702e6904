"""The conversation's own memories come first, and turns that echo their neighbour are left out."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import pytest

from everword.domain.memory_kinds import MemoryKind
from everword.domain.records import MemoryRecord
from everword_search.context.own_first import prefer_own
from everword_search.context.repetition import adds_nothing
from everword_search.retrieval.hits import RankedHit
from everword_search.retrieval.model import SearchResult

OWN, OTHER = UUID(int=1), UUID(int=2)


def result(
    number: int, conversation: UUID | None, relevance: float | None, kind: int = MemoryKind.MESSAGE
) -> SearchResult:
    memory = MemoryRecord(
        UUID(int=number),
        kind,
        "",
        False,
        conversation,
        None,
        *("", "", "", "", ""),
        0,
        [],
        0,
        False,
        datetime(2026, 4, 18, tzinfo=UTC),
        0,
        None,
    )
    return SearchResult(memory, "", RankedHit(memory.id, 0, 0.0, [], ()), relevance)


def order(*results: SearchResult) -> list[int]:
    return [each.memory.id.int for each in prefer_own(results, OWN)]


def test_own_memories_come_first_and_others_only_if_they_add_relevance() -> None:
    found = (
        result(1, OTHER, 0.9),
        result(2, OWN, 0.8),
        result(3, OTHER, 0.3),
        result(4, None, 0.1, MemoryKind.NOTE),
        result(5, OTHER, 0.3, MemoryKind.SUMMARY),
        result(6, OWN, 0.5),
        result(7, OWN, 0.1),
    )
    assert order(*found) == [2, 6, 1, 4, 7]


@pytest.mark.parametrize("relevance", [0.4, None])
def test_others_remain_if_the_conversation_knows_too_little(relevance: float | None) -> None:
    found = (result(1, OTHER, 0.3), result(2, OWN, relevance), result(3, OTHER, 0.01))
    assert order(*found) == [1, 2, 3]


@pytest.mark.parametrize(
    ("text", "other", "expected"),
    [
        (
            "Noted: the boat moves to pier nine on Friday.",
            "Please note that the boat moves to pier nine on Friday, because of the dredger.",
            True,
        ),
        (
            "Noted: the boat moves to pier twelve on Friday, and Ana brings the key for the gate.",
            "Please note that the boat moves to pier nine on Friday, because of the dredger.",
            False,
        ),
        ("It leaves at 7:40.", "When does it leave for the island, at seven or at eight?", False),
        ("Yes, she does.", "Does she still have the green key of the greenhouse?", False),
    ],
)
def test_echo_of_a_neighbour_adds_nothing(text: str, other: str, expected: bool) -> None:
    assert adds_nothing(text, other) is expected
