"""Paths of parts of documents, as contexts show them."""

from __future__ import annotations

import pytest

from everword.domain.documents import display_path, document_path


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
