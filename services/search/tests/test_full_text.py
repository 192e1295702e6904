"""Parts of a memory's text: around the passage that matched, in whole sentences, or shortened by structure."""

from __future__ import annotations

import json
import random
from dataclasses import replace

from everword.text.credentials import MARK
from everword_search.retrieval.full_text import FullText

SENTENCES = [f"Sentence number {n} of the report ends here." for n in range(100)]


def around(number: int) -> FullText:
    text = " ".join(SENTENCES)
    full = FullText.of(text, SENTENCES[number])
    assert full is not None
    return full


def test_short_text_is_shown_whole() -> None:
    full = FullText.of("A word or two.", "word")
    assert full is not None
    assert full.shown(100) == "A word or two."


def test_part_has_whole_sentences_around_the_passage() -> None:
    rng = random.Random(7)
    for _ in range(200):
        number, chars = rng.randrange(100), rng.randrange(1, 3000)
        shown = around(number).shown(chars)
        assert SENTENCES[number] in shown
        assert len(shown) <= max(chars, len(SENTENCES[number]) + 1) + 4
        inner = shown.removeprefix("… ").removesuffix(" …")
        assert inner.startswith("Sentence")
        assert inner.endswith("here.")
        assert inner in " ".join(SENTENCES)
        assert shown.startswith("… ") == (SENTENCES[0] not in inner)
        assert shown.endswith(" …") == (SENTENCES[99] not in inner)


def test_part_grows_to_the_whole_text() -> None:
    full = around(50)
    lengths = [len(full.shown(chars)) for chars in (50, 500, 2000, 4000, 10_000)]
    assert lengths == sorted(lengths)
    assert full.shown(10_000) == " ".join(SENTENCES)
    cut = replace(full, goes_before=True, goes_after=True)
    assert cut.shown(10_000) == f"… {' '.join(SENTENCES)} …"


def test_passage_not_in_the_content_has_no_full_text() -> None:
    assert FullText.of("Something.", "else") is None


def test_masked_text_shows_no_credential_in_any_part() -> None:
    text = " ".join([*SENTENCES[:20], "The password is hunter2hunter2.", *SENTENCES[20:40]])
    full = FullText.of(text, SENTENCES[20])
    assert full is not None
    for chars in range(10, 3000, 70):
        shown = full.masked().shown(chars)
        assert "hunter2" not in shown
        assert (MARK in shown) == ("hunter2" in full.shown(chars))


def test_whole_json_keeps_its_keys_and_the_matching_element() -> None:
    rows = [{"id": n, "place": f"shelf {n}", "note": "nothing to report " * 5} for n in range(300)]
    text = json.dumps({"status": "complete", "rows": rows})
    full = FullText.of(text, json.dumps(rows[200]))
    assert full is not None
    shown = full.shown(800)
    assert '"status": "complete"' in shown
    assert '"place": "shelf 200"' in shown
    assert "more" in shown
    assert len(shown) <= 800


def test_output_of_a_tool_keeps_its_first_and_last_lines() -> None:
    lines = [f"test_{n} passed" for n in range(500)]
    shown = FullText("\n".join(lines), of_tool=True).shown(600)
    assert shown.startswith("test_0 passed\n")
    assert shown.endswith("test_499 passed")
    assert "more lines)" in shown
    assert len(shown) <= 600
