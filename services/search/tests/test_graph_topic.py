"""What a topic says of the graph: names, who speaks, and what relations share with it."""

from __future__ import annotations

import pytest

from everword.graph.labels import Anchor, label_hash, type_name
from everword_search.graph_search.topic import Topic, label_likeness


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Where does Ana work?", ["ana"]),
        ("What is ana  lima's job?", ["Ana Lima"]),
        ("Is Jean-Luc O’Neill from New York City here?", ["jean-luc o'neill", "New York City"]),
        ("Ask IT about it", ["it"]),
    ],
)
def test_names_are_found_in_any_form(text: str, named: list[str]) -> None:
    assert {label_hash(label) for label in named} <= set(Topic(text).names())


def test_common_words_name_nothing_and_long_texts_cost_little() -> None:
    assert label_hash("it") not in Topic("is it here?").names()
    assert len(Topic("word " * 100_000).names()) <= 6 * 256


def test_who_speaks_is_told_from_whom_they_ask() -> None:
    assert Topic("Who is my sister?").speakers == {Anchor.USER}
    assert Topic("Do you know her?").speakers == {Anchor.ME}
    assert Topic("I’m asking: who are you?").speakers == {Anchor.USER, Anchor.ME}
    assert not Topic("Who is Ana?").speakers


def test_words_are_shared_in_any_form() -> None:
    assert Topic("Where does she work?").shared("works_at") == 1
    assert Topic("Who competes with them?").shared("competitor_of", "") == 1
    assert Topic("Where does she work?").shared("worries about") == 0


def test_labels_are_alike_by_what_is_written() -> None:
    assert label_likeness(["Sarah Lima"], ["sarah  Limma"]) > 0.5
    assert label_likeness(["Sarah Lima", "Sally"], ["Bob", "sally"]) == 1.0
    assert label_likeness(["Sarah"], ["Initech"]) == 0.0
    assert label_likeness(["!"], ["?"]) == 0.0


def test_a_type_is_one_word() -> None:
    assert type_name("  Works At ") == type_name("works-at") == "works_at"
    assert type_name("→") == ""
