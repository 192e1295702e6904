"""Names in another spelling."""

from __future__ import annotations

import pytest

from everword.text.values.spellings import (
    capitalised,
    find_spellings,
    first_letters,
    is_same_name,
    respell,
)


@pytest.mark.parametrize(
    ("asked", "known"),
    [
        ("muhammad", "muhhamed"),
        ("mohammed", "muhammad"),
        ("katherine", "catherine"),
        ("steven", "stephen"),
        ("sara", "sarah"),
        ("elyse", "elise"),
        ("nicholas", "nicolas"),
        ("fahim", "faheem"),
        ("melnaie", "melanie"),
        ("caroline", "karoline"),
        ("joãna", "joana"),
    ],
)
def test_is_same_name_accepts_spelling_variants(asked: str, known: str) -> None:
    assert is_same_name(asked, known)
    assert known[0] in first_letters([asked])
    assert find_spellings([asked], {known, "bartholomew"}) == {asked: known}


@pytest.mark.parametrize(
    ("asked", "other"),
    [
        ("maria", "marta"),
        ("kevin", "kelvin"),
        ("tim", "tom"),
        ("gina", "tina"),
        ("france", "frank"),
        ("andrew", "audrey"),
        ("melanie", "melissa"),
        ("sam", "samantha"),
        ("joanna", "jolene"),
        ("emi", "emy"),
        ("nicole", "nicolas"),
    ],
)
def test_is_same_name_rejects_other_names(asked: str, other: str) -> None:
    assert not is_same_name(asked, other)


def test_find_spellings_skips_names_that_are_known() -> None:
    assert find_spellings(["sara"], {"sara", "sarah"}) == {}


def test_respell_changes_only_capitalised_words() -> None:
    text = "What did Muhammad's mark cost, and does muhammad know McDonald?"
    assert capitalised(text) == {"what", "muhammad", "mcdonald"}
    assert respell(text, {"muhammad": "muhhamed"}) == (
        "What did Muhhamed's mark cost, and does muhammad know McDonald?"
    )
    assert respell(text, {}) is text
