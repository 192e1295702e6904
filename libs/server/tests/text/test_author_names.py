"""Names of authors: which words they are, and questions without them."""

from __future__ import annotations

import pytest

from everword.text.author_names import name_words, without_names

NAMES = {"caroline", "brien", "james", "mary", "jane", "田中", "中太", "太郎", "inés", "don"}


@pytest.mark.parametrize(
    ("author", "words"),
    [
        ("Caroline", {"caroline"}),
        ("Mary-Jane O'Brien", {"mary", "jane", "brien"}),
        ("INÉS de la Cruz", {"inés", "de", "la", "cruz"}),
        ("田中太郎", {"田中", "中太", "太郎"}),
        ("王", {"王"}),
        ("Support Bot 2", {"support"}),
        ("r2d2", {"r2d2"}),
        ("J. F. Gauß", {"gauß"}),
        ("The Gardener", {"gardener"}),
        *((role, set()) for role in ("", "user", "Assistant", "SYSTEM", "tool", "human", "AI")),
        ("User 7", set()),
    ],
)
def test_name_words_skips_roles_numbers_and_single_letters(author: str, words: set[str]) -> None:
    assert name_words(author) == words


@pytest.mark.parametrize(
    ("query", "rest"),
    [
        ("When did Caroline move?", "When did move?"),
        ("What is CAROLINE's dog called?", "What is dog called?"),
        ("What is caroline’s dog called?", "What is dog called?"),
        ("What did O'Brien tell Mary?", "What did tell ?"),
        ("Where is James' house?", "Where is house?"),
        ("What did Ine\u0301s say?", "What did say?"),
        ("田中太郎 likes what?", "likes what?"),
    ],
)
def test_without_names_removes_names_from_a_question(query: str, rest: str) -> None:
    assert without_names(query, NAMES) == rest


@pytest.mark.parametrize(
    "query",
    [
        # Parts of words, and words that only begin like a name, are none.
        "The carolines and  janet don't know.",
        # Characters of a sentence without spaces may belong to other words.
        "油田中央は何ですか",
        # Nothing would be left to look for.
        "Caroline?",
        "",
    ],
)
def test_without_names_keeps_a_question_that_contains_no_name(query: str) -> None:
    assert without_names(query, NAMES).split() == query.split()


def test_without_names_of_no_names_keeps_every_character() -> None:
    assert without_names("  What  is\tthis? ", frozenset()) == "  What  is\tthis? "
