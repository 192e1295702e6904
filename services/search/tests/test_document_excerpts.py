"""What is shown of a part of a document: what was found with what stands around it, and where that is."""

from __future__ import annotations

import random

import pytest

from everword.domain.documents import display_path, document_path
from everword_search.context.blocks.documents import excerpt


def test_excerpt_of_short_text_is_the_whole_text() -> None:
    assert excerpt("A word or two.", "word", 800) == "A word or two."


def test_excerpt_of_long_text_contains_the_passage_and_whole_words() -> None:
    rng = random.Random(7)
    for _ in range(300):
        words = ["".join(rng.choices("abcdeé鍵", k=rng.randint(1, 9))) for _ in range(300)]
        content = " ".join(words)
        first = rng.randrange(290)
        passage = " ".join(words[first : first + 8])
        shown = excerpt(content, passage, 400)
        assert passage in shown
        assert len(shown) <= max(400, len(passage)) + 4
        inside = shown.removeprefix("… ").removesuffix(" …").split(" ")
        assert " ".join(inside) in content
        assert set(inside) <= set(words)
        assert shown.startswith("… ") != content.startswith(inside[0] + " " + inside[1])


def test_excerpt_with_a_passage_not_in_the_text_returns_the_passage() -> None:
    assert excerpt("x " * 900, "something else", 800) == "something else"


@pytest.mark.parametrize(
    ("title", "headings", "path"),
    [
        ("Handbook", [], "Handbook"),
        ("Handbook", ["Handbook", "Rollback"], "Handbook › Rollback"),
        ("handbook", ["Handbook"], "handbook"),
        ("Handbook", ["Deployment", "Handbook"], "Handbook › Deployment › Handbook"),
    ],
)
def test_document_path_contains_the_title_once(title: str, headings: list[str], path: str) -> None:
    assert document_path(title, headings) == display_path(title, headings) == path


def test_display_path_shortens_long_headings() -> None:
    shown = display_path("T" * 100, ["h" * 300, "end"])
    assert [len(part) for part in shown.split(" › ")] == [80, 80, 3]
    assert len(document_path("T" * 100, ["h" * 300])) == 403
