"""Words that differ from another word by one letter."""

from __future__ import annotations

import pytest
from rapidfuzz.distance import OSA

from everword_search.retrieval.arms.near_words import accented_variants, near_words, queried_words
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
def test_near_words_contain_words_one_edit_away(said: str, typed: str) -> None:
    assert said in near_words(typed, "english")


def test_near_words_are_unique_one_edit_away_and_limited() -> None:
    near = near_words("rotterdm", "english")
    assert {OSA.distance(each, "rotterdm") for each in near} == {1}
    assert len(set(near)) == len(near) < 470
    assert "münchen" in near_words("munchen", "german")
    assert "münchen" in near_words("munchen", "english")
    assert {"łodz", "lódz", "lodź"} < set(accented_variants("lodz"))


@pytest.mark.parametrize("word", ["v1.2", "db7", "a" * 25, "", "東京"])
def test_near_words_of_text_that_is_not_a_word_are_few(word: str) -> None:
    assert len(near_words(word, "english")) < 5


def test_correct_keeps_capitals_and_other_text() -> None:
    corrections = {"rotterdm": "rotterdam"}
    assert (
        correct("Rotterdm, rotterdm and Rotterdms?", corrections)
        == "Rotterdam, rotterdam and Rotterdms?"
    )


def test_variant_with_a_short_stem_of_another_language_is_not_queried() -> None:
    # As Spanish, "hipimos" has the stem of "hip".
    assert "hipimos" not in queried_words(["hicimos"], "english").near
