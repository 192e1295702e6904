"""The type of thing that a question asks for, and messages that name such a thing."""

import pytest

from everword.text.ranking_record import message_traits, pack_record, unpack_records
from everword_search.ranking.words.answer_types import asked_type

MESSAGES = (
    "After work I played two sets of tennis with Mia and then we had an early night.",
    "Oma hat gestern stundenlang Kartoffeln geschält, und danach gab es einen Apfelkuchen.",
    'I finally finished "The Secret History" on the train home, what a strange ending.',
    "We flew to Lisbon in March, and the hotel forgot to book our room for the second night.",
    "The printer is broken again, so I sent the contract by post this morning.",
)


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("What sports does Tim play?", {0}),
        ("What are Tim's favourite sports?", {0}),
        ("Welche Sportarten treibt Tim gerne?", {0}),
        ("¿Qué deportes practica Tim?", {0}),
        ("Quels sports pratique Tim ?", {0}),
        ("What kind of food did grandma make?", {1}),
        ("Which books has Tim read?", {2}),
        ("In which cities did Tim stay?", {3}),
        ("List all the places that Tim visited", {3}),
        # These ask for something else, or for nothing of a kind.
        ("What sports team does Tim support?", None),
        ("What is the name of the city?", None),
        ("When did Tim play tennis?", None),
        ("Tim and Mia asked which sports I play", None),
        ("", None),
    ],
)
def test_asked_type_is_named_in_messages(question: str, named: set[int] | None) -> None:
    records = unpack_records(
        [pack_record(text, message_traits(text), "english") for text in MESSAGES]
    )
    asked = asked_type(question, "english")
    found = asked and {number for number, each in enumerate(asked.named_in(records)) if each}
    assert found == named


def test_named_in_accepts_passages_without_words() -> None:
    asked = asked_type("What sports does Tim play?", "english")
    assert asked
    records = unpack_records(
        [None, pack_record("tennis", message_traits("tennis"), "english"), None]
    )
    assert asked.named_in(records).tolist() == [False, True, False]
    assert not asked.named_in(unpack_records([])).size
