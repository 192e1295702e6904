"""`Topic`: names in a text, its speakers, and words that it has in common with relations of the graph."""

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
def test_topic_names_match_labels_in_any_form(text: str, named: list[str]) -> None:
    assert {label_hash(label) for label in named} <= set(Topic(text).names())


def test_topic_names_skip_common_words_and_are_limited() -> None:
    assert label_hash("it") not in Topic("is it here?").names()
    assert len(Topic("word " * 100_000).names()) <= 6 * 256


def test_topic_speakers_distinguish_user_and_assistant() -> None:
    assert Topic("Who is my sister?").speakers == {Anchor.USER}
    assert Topic("Do you know her?").speakers == {Anchor.ME}
    assert Topic("I’m asking: who are you?").speakers == {Anchor.USER, Anchor.ME}
    assert not Topic("Who is Ana?").speakers


def test_topic_shared_matches_inflected_words() -> None:
    assert Topic("Where does she work?").shared("works_at") == 1
    assert Topic("Who competes with them?").shared("competitor_of", "") == 1
    assert Topic("Where does she work?").shared("worries about") == 0


def test_label_likeness_compares_spelling() -> None:
    assert label_likeness(["Sarah Lima"], ["sarah  Limma"]) > 0.5
    assert label_likeness(["Sarah Lima", "Sally"], ["Bob", "sally"]) == 1.0
    assert label_likeness(["Sarah"], ["Initech"]) == 0.0
    assert label_likeness(["!"], ["?"]) == 0.0


def test_type_name_normalises_to_one_word() -> None:
    assert type_name("  Works At ") == type_name("works-at") == "works_at"
    assert type_name("→") == ""
