"""Memories that say the same as several better ones, and users' own statements."""

from __future__ import annotations

import numpy as np
import pytest

from everword.text.ranking_record import (
    message_traits,
    pack_record,
    stems_of,
    term_hash,
    unpack_records,
)
from everword_search.ranking.own_statements import asks_about_user
from everword_search.ranking.redundancy import find_redundant

QUESTION = "Why does the backup fail?"


def redundant(*texts: str) -> list[int]:
    records = unpack_records([pack_record(text, message_traits(text), "english") for text in texts])
    asked = np.array([term_hash(stem) for stem in stems_of(QUESTION, "english")], np.uint32)
    return [int(place) for place in find_redundant(records, np.arange(len(texts)), asked)]


def test_find_redundant_returns_lines_whose_words_two_better_ones_have() -> None:
    lines = [f"backup of orders failed: worker {n} lost the connection" for n in range(5)]
    answer = "The proxy cuts connections after a minute, so the backup breaks."
    assert redundant(*lines, answer) == [2, 3, 4]
    assert redundant(answer, *lines[:2]) == []


def test_find_redundant_compares_with_several_wordings_together() -> None:
    lines = [
        "orders: connection lost by the worker",
        "the worker lost its connection (orders)",
        "lost connection, orders, worker 4",
    ]
    assert redundant(*lines, "disk full on the worker, orders are safe") == [2]


@pytest.mark.parametrize(
    ("question", "is_about_user"),
    [
        ("How do I take my coffee?", True),
        ("What is the user's blood type?", True),
        ("Wo wohne ich?", True),
        ("What did I tell you about my knee?", True),
        ("Which exercises did you recommend for my knee?", False),
        ("What was suggested to me for my knee?", False),
        ("Was hast du mir geraten?", False),
        ("How long does an electric car charge?", False),
    ],
)
def test_asks_about_user(question: str, is_about_user: bool) -> None:
    assert asks_about_user(question) is is_about_user
