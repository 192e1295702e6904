"""Parts of documents are embedded with the headings above them and the passage before."""

from __future__ import annotations

from uuid import UUID

from everword_embedder.queue.mask_texts import sent_texts
from everword_embedder.queue.store import Passage, TextPart

PASSAGES = [
    Passage(
        1,
        "Revert the release.",
        ["Operations", "Key AKIAIOSFODNN7EXAMPLE"],
        "The key is AKIAIOSFODNN7EXAMPLE.",
    ),
    Passage(2, "Ana drinks tea.", [], ""),
]


def test_parts_of_documents_are_sent_under_their_headings() -> None:
    assert sent_texts(PASSAGES, None) == {
        1: "Operations › Key AKIAIOSFODNN7EXAMPLE\n"
        "The key is AKIAIOSFODNN7EXAMPLE. Revert the release.",
        2: "Ana drinks tea.",
    }


def test_credentials_in_headings_and_the_passage_before_are_masked() -> None:
    around = [TextPart(each.memory_id, each.content, UUID(int=each.memory_id)) for each in PASSAGES]
    sent = sent_texts(PASSAGES, around)
    assert sent[1].startswith("Operations › Key ")
    assert sent[1].endswith(" Revert the release.")
    assert "AKIAIOSFODNN7EXAMPLE" not in sent[1]
    assert sent[2] == "Ana drinks tea."
