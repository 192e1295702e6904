"""Excerpts: whole sentences of a text that match a question."""

from __future__ import annotations

import pytest

from everword_search.ranking.words.question_words import QuestionWords
from everword_search.retrieval.full_text import FullText

SENTENCES = (
    "I wrote the whole report on the trip to the supplier in Brno.",
    "We left at six with two cars.",
    "The factory has three lines, and the scrap rate fell after they changed the coolant.",
    "They wanted a price increase of six percent, and we settled on 3.5.",
    "Milan was not happy about the packaging.",
    "On the way back we got stuck near Jihlava for an hour.",
)
TEXT = " ".join(SENTENCES)


def excerpt(question: str, max_chars: int, passage: str = SENTENCES[0]) -> str:
    full = FullText.of(TEXT, passage)
    assert full is not None
    return full.asked(QuestionWords.of(question, "english")).shown(max_chars)


@pytest.mark.parametrize(
    ("question", "max_chars", "expected"),
    [
        # The sentences with the question's words, in the order of the text.
        (
            "Which price increase did the supplier in Brno want?",
            140,
            f"{SENTENCES[0]} … {SENTENCES[3]} …",
        ),
        # At least the best sentence, even if it exceeds the limit.
        ("Was Milan happy?", 10, f"… {SENTENCES[4]} …"),
        # Adjacent sentences fill the remaining characters.
        ("Was Milan happy?", 110, f"… {SENTENCES[4]} {SENTENCES[5]}"),
        # Without a word of the question, the beginning of the passage.
        ("Where is my boat?", 70, f"{SENTENCES[0]} …"),
        ("Was Milan happy?", 10_000, TEXT),
    ],
)
def test_excerpt_has_the_whole_sentences_that_match(
    question: str, max_chars: int, expected: str
) -> None:
    assert excerpt(question, max_chars) == expected


def test_excerpt_of_a_long_text_stays_within_the_passage_that_matched() -> None:
    long = " ".join(f"{TEXT} This was visit {n}." for n in range(20))
    passage = f"{SENTENCES[4]} {SENTENCES[5]} This was visit 7."
    full = FullText.of(long, passage)
    assert full is not None
    asked = full.asked(QuestionWords.of("How did the supplier's visit 7 end?", "english"))
    assert asked.shown(30) == "… This was visit 7. …"
    assert passage in asked.shown(600)
