"""Scanning a text in parts finds the same as scanning the whole, and no part is too long."""

from __future__ import annotations

import random

import pytest
import regex

from everword.text.literals import is_literal
from everword.text.passages import MAX_CHARS, MAX_WORDS, count_words, split_passages
from everword.text.ranking_record import message_traits
from everword.text.scanner import CHARS, stretches


@pytest.mark.parametrize("unit", ["word ", "a.", "x", "学", "I said it\n", "e\u0301 ", " "])
def test_stretches_cover_the_text_and_are_short(unit: str) -> None:
    for length in (0, 1, CHARS, CHARS + 1, 5 * CHARS):
        text = (unit * length)[:length]
        parts = list(stretches(text))
        assert "".join(parts) == text
        assert max(map(len, parts)) <= 2 * CHARS


def test_words_counted_per_stretch_equal_those_of_the_whole_text() -> None:
    chosen = random.Random(1)
    words = ["word", "it's", "I", "2024", "well-known", "été", "-", "'"]
    text = " ".join(chosen.choices(words, k=40_000))
    assert len(text) > 3 * CHARS
    counted = sum(count_words(line) for line in text.split(" "))
    assert count_words(text) == counted
    assert message_traits(text).self_words == text.split().count("I")


@pytest.mark.parametrize("unit", ["a.", "a. ", "word ", "學", "x", "It is so. "])
def test_split_passages_covers_the_text_within_its_limits(unit: str) -> None:
    text = unit * 5000
    passages = split_passages(text)
    assert "".join(passages) == text
    assert max(map(count_words, passages)) <= MAX_WORDS
    assert max(map(len, passages)) <= MAX_CHARS


def test_is_literal_equals_the_earlier_regular_expression() -> None:
    """In a text without spaces, each start was tried with each end: 1 s for 200,000 ideographs."""
    before = regex.compile(
        r"[\p{L}\p{N}](?:.*[\p{L}\p{N}])?[./:_@#\\-][\p{L}\p{N}]|\p{N}\p{L}|\p{L}\p{N}|\p{Ll}\p{Lu}"
    )
    chosen = random.Random(2)
    for _ in range(20_000):
        token = "".join(chosen.choices("aÀ1學.-/_'é(", k=chosen.randint(3, 12)))
        expected = before.search(token) is not None
        if not (token.isalpha() and token[1:].islower()):
            assert is_literal(token) is expected, token
