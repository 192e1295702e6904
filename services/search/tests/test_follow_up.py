"""Which questions are completed with words of the last turns, and with which."""

from __future__ import annotations

from dataclasses import dataclass, replace
from uuid import UUID, uuid4

import pytest

from everword_search.retrieval.query.follow_up import LastTurns, complete, last_turns

SAID = LastTurns(
    "", "I'm making soup for ten on Sunday.", "The lentil one? I can help with the list."
)
GERMAN = LastTurns("", "Ich rufe heute Abend Ingrid an.", "Grüß deine Schwester von mir!")


@dataclass(frozen=True)
class _Turn:
    role: int
    content: str
    seq: int
    id: UUID


def _turns(*said: tuple[int, str]) -> list[_Turn]:
    return [
        _Turn(role, content, len(said) - at, uuid4()) for at, (role, content) in enumerate(said)
    ]


@pytest.mark.parametrize(
    ("question", "said", "word"),
    [
        ("What goes in it?", SAID, "lentil"),
        ("And how long?", SAID, "soup"),
        ("And the price?", SAID, "soup"),
        ("Yes, and what was her name again?", SAID, "soup"),
        ("How did they like the one with harissa, and the bread that I baked?", SAID, "soup"),
        ("Und wann hat sie Geburtstag?", GERMAN, "ingrid"),
        ("What is the price of its breakfast?", SAID, "lentil"),
        ("Is there enough of that?", SAID, "lentil"),
        ("And my sister?", SAID, "lentil"),
        (
            "Hva koster det?",
            LastTurns("", "Vi drar til Porto og bor på hotell Torel.", "Så fint."),
            "Torel",
        ),
        ("それは何色?", LastTurns("", "居間のソファを買いました。", ""), "ソファ"),
    ],
)
def test_question_that_refers_to_its_conversation(
    question: str, said: LastTurns, word: str
) -> None:
    completed = complete(replace(said, question=question))
    assert completed.endswith(question)
    assert word in completed.removesuffix(question)


@pytest.mark.parametrize(
    "question",
    [
        "When does my passport run out?",
        "Where is the choir concert?",
        "bananas",
        "The price of bananas?",
        "When is the cutover, and why was it moved?",
        "When did Ingrid say that she would visit us?",
        "Wann läuft mein Reisepass ab?",
        "Is there a pharmacy near the office?",
        "What did we decide about the licence that expired?",
        "When is the next deployment of the billing service this week?",
        "Where did my brother park his car?",
        "Which dog lost its collar in the park?",
        "How long does it take to drive to Bristol?",
        "What's my name?",
        "Where do I live?",
        "JIRA-4417",
        "Hva heter katten til naboen?",
        "I have thought about it " * 8,
    ],
)
def test_question_that_stands_alone(question: str) -> None:
    assert complete(replace(SAID, question=question)) == question


def test_symbols_complete_no_question() -> None:
    said = LastTurns("What did it cost?", "Booked 🏨🌴 in Porto.", "👍")
    assert complete(said) == "booked porto What did it cost?"


def test_nothing_was_said_before() -> None:
    assert complete(LastTurns("What goes in it?")) == "What goes in it?"


def test_long_reply_gives_words_of_its_beginning() -> None:
    middle = "Compare ochre curtains with terracotta rugs. " * 9
    reply = f"The lentil one? {middle}Let me know how the haggling went."
    completed = complete(LastTurns("What goes in it?", "I'm cooking on Sunday.", reply))
    assert "lentil" in completed
    assert not {"ochre", "terracotta", "haggling"} & set(completed.split())


def test_last_turns_leave_out_the_question_and_tools() -> None:
    turns = _turns((2, "What goes in it? "), (4, "{}"), (3, "The lentil one?"), (2, "Soup!"))
    said = last_turns(turns, "What goes in it?")
    assert (said.user, said.agent) == ("Soup!", "The lentil one?")
    assert list(said.ids) == [turns[0].id, turns[3].id, turns[2].id]


def test_huge_turns_cost_little_and_add_short_words() -> None:
    turns = _turns((3, "x" * 100_000), (2, "Soup! " + "lentil " * 500_000))
    said = last_turns(turns, "What goes in it?")
    assert len(said.user) + len(said.agent) < 10_000
    assert complete(said) == "soup lentil What goes in it?"
    blank = last_turns(_turns((2, " " * 10_000)), "What goes in it?")
    assert complete(blank) == "What goes in it?"
