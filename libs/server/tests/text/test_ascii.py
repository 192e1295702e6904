"""ASCII texts are scanned without regular expressions, with the same results."""

from __future__ import annotations

import random
import re
import string

import pytest

from everword.text.analysis import folded_words, spoken_words, words_of
from everword.text.literals import literal_tokens
from everword.text.passages import count_words
from everword.text.ranking_record import message_traits

PIECES = (
    *(
        "I'm",
        "don't",
        "'quoted'",
        "''",
        "years'",
        "O'Brien's",
        "x-",
        "-y",
        "re-open",
        "--",
        "a_b",
        "_x",
        "__",
    ),
    *(
        "today",
        "Today",
        "weekend",
        "lastly",
        "last",
        "year",
        "years",
        "3rd",
        "2023",
        "20",
        "I",
        "me",
        "My",
        "mE",
    ),
    *(
        "auth.rs",
        "camelCase",
        "ABC",
        "a:b",
        "C#",
        "a@b",
        "a\\b",
        "1.2.3",
        "?",
        "!?",
        "\n",
        "\t",
        "word",
    ),
    *("http://", "xHTTPS://", "[Image", "[imagine", "![", "``", "```", "`"),
    *("11TH", "2nd", "21st", "12st4", "th", "20 23", "12345", "Me", "MY", "i", "B2", "aB"),
)
BETWEEN = ("", " ", "  ", ", ", ". ", "'", "-", "_")
# A blob is no word for one of them and one for the other; nothing that counts is in it.
BLOB = "z" * 201


def texts() -> list[str]:
    """Return some six thousand texts, the same each time."""
    chance = random.Random(20261122)
    characters = string.printable + "'-_ " * 5
    random_ones = ["".join(chance.choices(characters, k=chance.randrange(60))) for _ in range(3000)]
    composed = [
        chance.choice(BETWEEN).join(chance.choices(PIECES, k=chance.randrange(30)))
        for _ in range(3000)
    ]
    long = [" ".join(chance.choices(PIECES, k=600)) for _ in range(20)]
    return ["", " ", BLOB, f"my {BLOB} today", *random_ones, *composed, *long]


@pytest.fixture(scope="module")
def ascii_texts() -> list[str]:
    return texts()


def test_ascii_words_equal_those_of_the_regular_expression(ascii_texts: list[str]) -> None:
    for each in ascii_texts:
        text = each.translate(str.maketrans("+#", "  "))  # No `C++`, no `C#`.
        words = re.findall(r"[A-Za-z0-9]+(?:'[A-Za-z0-9]+)*", text)
        retained = [word for word in words if len(word) <= 200]
        assert words_of(text) == retained, text
        cut = [part for word in retained for part in word.split("'")]
        assert list(spoken_words(text)) == cut, text
        assert folded_words(text) == [part.lower() for part in cut], text


def test_ascii_word_count_equals_that_of_the_regular_expression(ascii_texts: list[str]) -> None:
    for text in ascii_texts:
        assert count_words(text) == len(re.findall(r"[A-Za-z0-9][A-Za-z0-9'_-]*", text)), text


def test_ascii_time_and_self_words_are_counted_as_by_the_regular_expression(
    ascii_texts: list[str],
) -> None:
    times = re.compile(
        r"\b(?:yesterday|today|tonight|tomorrow|last|next|ago|week|weekend|month|years?"
        r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september"
        r"|october|november|december|since|recently|just|\d{4}|\d+(?:st|nd|rd|th))\b"
    )
    for text in ascii_texts:
        traits = message_traits(text)
        assert traits.time_words == len(times.findall(text.lower()[:2000])), text
        assert traits.self_words == len(re.findall(r"\b(?:I|[Mm][ey])\b", text)), text


def test_ascii_literals_are_all_found(ascii_texts: list[str]) -> None:
    for text in ascii_texts:
        # A character that is not ASCII has every word looked at.
        assert literal_tokens(text) == literal_tokens(f"{text} é"), text
