"""Sizes of tool results: the estimate of tokens, and the parts of long texts."""

from __future__ import annotations

import base64
import random

import pytest

from everword.adapters.tools.limits import MAX_TOKENS, count_fitting, estimate_tokens, fit_text
from everword.text.tokens.counter import packaged_counter

TEXTS = {
    "English": "We met by the river on Monday, and she told me about her new job in Lisbon. ",
    "German": "Am Montag trafen wir uns am Fluss, und sie sprach von der Arbeitsunfähigkeit. ",
    "Russian": "Мы встретились в понедельник у реки, и она рассказала мне о новой работе. ",
    "Chinese": "我们星期一在河边见面，她告诉我她在里斯本的新工作，还有她的猫最近总是半夜叫。",
    "Hindi": "हम सोमवार को नदी के किनारे मिले और उसने मुझे अपनी नई नौकरी के बारे में बताया। ",
    "Amharic": "ሰኞ ቀን በወንዙ ዳር ተገናኘን እና ስለ አዲሱ ሥራዋ ነገረችኝ። ",
    "numbers": "0.713312,0.290241,0.118203,48,0.998871\n",
    "base64": base64.b64encode(random.Random(1).randbytes(600)).decode(),
    "signs": "}]);{!@#$%^&*(--__==++||<<>>??~~",
    "lines": "a\n",
    "emoji": "😀🎉🚀🔥🫠🦫",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=list(TEXTS))
def test_part_of_a_long_text_keeps_to_the_limit_of_tokens(text: str) -> None:
    long = text * (200_000 // len(text))
    parts, start = [], 0
    while True:
        part, start = fit_text(long, start)
        parts.append(part)
        if not start:
            break
    assert "".join(parts) == long
    count = packaged_counter().count
    assert all(count(part) <= 10_000 for part in parts)
    # A result is not needlessly short either.
    assert count(parts[0]) > 2_500


def test_word_longer_than_a_result_is_split() -> None:
    assert fit_text("x" * 100_000) == ("x" * MAX_TOKENS, MAX_TOKENS)
    assert fit_text("short") == ("short", 0)
    assert fit_text("") == ("", 0)


def test_first_entry_is_shown_even_if_it_is_too_long() -> None:
    assert count_fitting([]) == 0
    assert count_fitting(["word " * 20_000, "word"]) == 1
    assert count_fitting(["word " * 3_000] * 4) == 2
    assert estimate_tokens("word " * 3_000) >= 3_000
