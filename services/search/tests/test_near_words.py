"""Words that are a letter away from another."""

from __future__ import annotations

import pytest
from rapidfuzz.distance import OSA

from everword_search.retrieval.arms.near_words import accented_variants, near_words
from everword_search.retrieval.query.misspellings import correct


@pytest.mark.parametrize(
    ("said", "typed"),
    [
        ("rotterdam", "rotterdm"),
        ("rotterdam", "rottterdam"),
        ("rotterdam", "rottardam"),
        ("rotterdam", "rottedram"),
        ("rotterdam", "otterdam"),
        ("rotterdam", "rotterda"),
        ("москва", "масква"),
        ("αθήνα", "αθήνρα"),
    ],
)
def test_what_is_a_letter_away_is_near(said: str, typed: str) -> None:
    assert said in near_words(typed, "english")


def test_near_words_are_a_letter_away_each_once_and_bounded() -> None:
    near = near_words("rotterdm", "english")
    assert {OSA.distance(each, "rotterdm") for each in near} == {1}
    assert len(set(near)) == len(near) < 470
    assert "münchen" in near_words("munchen", "german")
    assert "münchen" in near_words("munchen", "english")
    assert {"łodz", "lódz", "lodź"} < set(accented_variants("lodz"))


@pytest.mark.parametrize("word", ["v1.2", "db7", "a" * 25, "", "東京"])
def test_what_is_no_word_of_letters_has_few_or_no_words_near(word: str) -> None:
    assert len(near_words(word, "english")) < 5


def test_a_corrected_text_keeps_its_capitals_and_all_else() -> None:
    corrections = {"rotterdm": "rotterdam"}
    assert (
        correct("Rotterdm, rotterdm and Rotterdms?", corrections)
        == "Rotterdam, rotterdam and Rotterdms?"
    )
