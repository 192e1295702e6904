"""Newer statements that replace older ones are found for questions about the present only."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from everword.domain.memory_kinds import MemoryKind
from everword.v1.memory_pb2 import ROLE_ASSISTANT, ROLE_USER
from everword_search.records.store import MemoryRow
from everword_search.retrieval.results.newer_statements import find_newer_statements
from everword_search.retrieval.results.present_questions import PresentQuestion

ENGLISH = "pg_catalog.english"
BEGAN = datetime(2026, 3, 1, 9, tzinfo=UTC)
CONVERSATION = UUID(int=1)


def message(
    day: int,
    text: str,
    *,
    role: int = ROLE_USER,
    author: str = "lena",
    conversation: UUID = CONVERSATION,
) -> MemoryRow:
    return MemoryRow(
        id=UUID(int=1000 + day),
        kind=MemoryKind.MESSAGE,
        content=text,
        content_truncated=False,
        conversation_id=conversation,
        seq=day,
        agent="",
        subject="",
        channel="chat",
        instance="",
        author=author,
        role=role,
        tags=[],
        importance_class=0,
        automated=False,
        occurred_at=BEGAN + timedelta(days=day),
        use_count=0,
        last_used_at=None,
        passage=text,
    )


def pairs_of(query: str, *ranked: MemoryRow) -> list[tuple[str, str]]:
    question = PresentQuestion.read(query, ENGLISH)
    if question is None:
        return []
    return [
        (each.older.content, each.newer.content) for each in find_newer_statements(question, ranked)
    ]


UPDATES = [
    (
        "When is my dentist appointment?",
        "dentist appointment is on the 14th at 9",
        "ugh they called, moved me to the 21st, same time",
    ),
    (
        "What car do I drive?",
        "I drive an old Corsa, the car is held together by rust",
        "traded the Corsa for a van yesterday",
    ),
    (
        "What is my landlord's phone number?",
        "my landlord's phone number is 0176 220 4471",
        "he has a new one, 0151 883 9020, the other is dead",
    ),
    (
        "Which CI does the mobile team use?",
        "the mobile team uses Jenkins as CI",
        "mobile is fully on buildkite as of today. jenkins is read only",
    ),
    ("What time is standup?", "standup is 9:30", "standup is at 11"),
    (
        "is Anna still vegetarian?",
        "anna is vegetarian so no bacon in the quiche",
        "anna had a burger, says she gave up on the veggie thing",
    ),
    (
        "what are we calling the app?",
        "ok its decided, the app is called Pocketgarden",
        "legal found a trademark on pocketgarden :( we go with Sprig",
    ),
]


@pytest.mark.parametrize(("query", "older", "newer"), UPDATES)
def test_find_newer_statements_returns_the_change(query: str, older: str, newer: str) -> None:
    pets = message(3, "the cat brought in a mouse")
    assert pairs_of(query, message(1, older), pets, message(9, newer)) == [(older, newer)]


OTHERS = [
    (
        "When is my eye doctor appointment?",
        "eye doctor appointment on march 4 at 10",
        "also got a physio appointment, march 11 at 8",
    ),
    ("What car does my brother drive?", "my brother drives a Mazda", "i drive a skoda now"),
    ("Who is Paul's teacher?", "Paul's teacher is Frau Lindt", "Clara has a new teacher now"),
    (
        "What is the wifi password at the cabin?",
        "wifi password at the cabin is moosemoose",
        "changed the wifi password at home to 88pinecones",
    ),
    ("What bands do I like?", "i really like Low", "i like Khruangbin a lot now"),
    ("What was the budget for the kitchen?", "kitchen budget is 12k", "kitchen budget is 15k now"),
    ("Which laptop did I use in May?", "using the ThinkPad in may", "switched to a macbook"),
    ("What time is yoga?", "yoga is at 6 on Mondays", "pilates is at 7 now"),
    ("When is the release?", "the release is on May 12", "the retro is moved to May 14"),
    (
        "Where is the spare key?",
        "the spare key is under the pot",
        "I moved the bikes to the cellar",
    ),
    ("How much is the rent?", "the rent is 900 a month", "rent of the garage is 60 now"),
    ("When is the grant deadline?", "grant deadline is March 1", "tax deadline is now July 31"),
    ("Which database does billing use?", "billing uses Postgres", "search switched to Lucene"),
    ("What does the vet cost?", "my gym costs 60 euros", "booked the vet, it costs 90 euros"),
    ("When is the concert?", "the concert is on may 3", "my bus was delayed by ten hours"),
    ("When is the concert?", "the concert is on may 3", "is the concert moved to may 5?"),
]


@pytest.mark.parametrize(("query", "older", "newer"), OTHERS)
def test_find_newer_statements_ignores_other_things_and_other_questions(
    query: str, older: str, newer: str
) -> None:
    assert pairs_of(query, message(1, older), message(9, newer)) == []


def test_find_newer_statements_ignores_earlier_long_assistant_and_foreign_messages() -> None:
    query, older = "What time is standup?", message(5, "standup is 9:30")
    moved = "they moved it to 11"
    assert pairs_of(query, older, message(9, moved))
    assert not pairs_of(query, older, message(1, moved))
    assert not pairs_of(query, older, message(9, moved, role=ROLE_ASSISTANT))
    assert not pairs_of(query, older, message(9, f"{moved} {'and so on ' * 12}"))
    foreign = message(9, moved, author="eve", conversation=UUID(int=2))
    assert not pairs_of(query, older, foreign)
