"""Abstracts and overviews are whole words of their text, within their limits, in any script."""

from __future__ import annotations

import random

import pytest
import regex

from everword.text.credentials import MARK
from everword.text.tiers import ABSTRACT_CHARS, OVERVIEW_CHARS, abstract, overview
from support.planted_credentials import PLANTED

FAMILY = "👨‍👩‍👧‍👦"
#: Clusters of several code points, layout, ends of sentences, and noncharacters.
ALPHABET = [
    *(
        "a",
        "b c",
        " ",
        "\n",
        "\r\n",
        ".",
        ". ",
        "! ",
        "。",
        "，",
        "# ",
        "- ",
        "\t",
        "\x00",
        "\x1b",
        "\u2028",
    ),
    *(
        "e\u0301",
        "\u0300",
        "\u200d",
        "\u200b",
        FAMILY,
        "👍🏽",
        "🇩🇪",
        "🇫",
        "क्षि",
        "각",
        "\u1100",
        "\u11a8",
    ),
    *(
        "ไทย",
        "字",
        "שלום",
        "\u202e",
        "\ufeff",
        "\U000e0067",
        "ﷺ",
        "1. ",
        "Dr. ",
        "…",
        "word ",
        "sentence. ",
    ),
]


def clusters(text: str) -> set[int]:
    """Return where grapheme clusters end."""
    return {match.end() for match in regex.finditer(r"\X", text)}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "Hi! Sure, thanks. The cutover is on Saturday 14 March at 21:30. Mara decided it after a long call "
            "with everybody who was there.",
            "The cutover is on Saturday 14 March at 21:30.",
        ),
        ("1. Run tests 2. Build the image", "1. Run tests 2. Build the image"),
        ("# Deploy\n\n- run the tests\n- push\n", "Deploy run the tests push"),
        ("Dr. Smith asked e.g. for tea.", "Dr. Smith asked e.g. for tea."),
        ("日本語。" * 40, "日本語。" * 25),
        ("", ""),
        (" \n ", ""),
        ("one two " * 40, "one two " * 12 + "one…"),
        ("e\u0301" * 200, "e\u0301" * 49 + "…"),
        (FAMILY * 60, FAMILY * 14 + "…"),
        ("\u0300" * 300, "…"),
    ],
)
def test_abstract_is_the_first_statement(text: str, said: str) -> None:
    assert abstract(text) == said


def test_overview_contains_the_sentences_that_fit() -> None:
    sentence = "This sentence has thirty letters. "
    assert overview(sentence * 40) == (sentence * 14).strip()
    assert overview(sentence * 3) == (sentence * 3).strip()


def test_tiers_of_random_text_never_cut_within_a_character() -> None:
    """A rival's tiers cut by bytes, and never worked again after the first letter with an accent."""
    draw = random.Random(29)
    for _ in range(400):
        text = "".join(draw.choices(ALPHABET, k=draw.randrange(1, 700)))
        if draw.random() < 0.5:
            # Without layout and sentences, the text's own beginning is cut.
            text = "".join(draw.choices(["e\u0301", FAMILY, "🇩🇪", "क्षि", "각", "字"], k=200))
            for tier in (abstract(text), overview(text)):
                retained = tier.removesuffix("…")
                assert text.startswith(retained)
                assert len(retained) in clusters(text)
        for tier, limit in ((abstract(text), ABSTRACT_CHARS), (overview(text), OVERVIEW_CHARS)):
            assert len(tier) <= limit
            assert "\n" not in tier
            assert tier.encode().decode() == tier


def test_abstract_of_text_cut_anywhere_ends_at_a_character() -> None:
    text = "字" * 50 + FAMILY * 10
    for end in range(51, len(text)):
        retained = abstract(text[:end], cut_before=True).removesuffix("…")
        assert len(retained) in clusters(text)


def test_tiers_mask_credentials_also_if_cut_within_one() -> None:
    said = "The wifi password is Sommer2026! and the network is Guest."
    assert abstract(said) == said
    assert abstract(said, masks=True) == said.replace("Sommer2026!", MARK)
    assert overview(f"{said} " * 40, masks=True).count(MARK) > 3
    assert abstract("Use " + "a1B2" * 100, masks=True) == "Use…"
    for planted in PLANTED[:14]:
        for end in range(1, len(planted.text)):
            short = abstract(planted.text[:end], cut_before=True, masks=True)
            assert planted.secret[:8] not in short
