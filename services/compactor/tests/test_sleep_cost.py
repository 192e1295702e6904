"""Rules that keep the questions of Sleep short: which facts and sentences are shown, and how often a style is asked."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

import pytest

from everword.facts.model import FactSource, FactState, Key
from everword_compactor.sleep.model import KnownFact, SessionRow
from everword_compactor.sleep.people.user_model import is_due
from everword_compactor.sleep.relevance import content_words, relevant_facts, sentences_about

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def _known(attribute: str, value: str, mentions: int) -> KnownFact:
    return KnownFact(
        uuid4(),
        Key("emi", attribute),
        value,
        "general",
        FactState.CONFIRMED,
        FactSource.STATED,
        0.5,
        mentions,
        False,
        NOON,
        NOON,
        365,
    )


def test_relevant_facts_prefers_common_words_then_mentions() -> None:
    facts = [_known("job", "nurse", 9), _known("sport", "rowing club", 2), _known("pet", "cat", 3)]
    found = relevant_facts(facts, ["I left the rowing crew, and the sport too."], 2)
    assert [fact.value for fact in found] == ["rowing club", "nurse"]
    assert relevant_facts(facts, [], 1)[0].value == "nurse"


def test_sentences_about_keeps_sentences_with_a_word() -> None:
    text = "- They talked of Oslo. The salmon was fine!\n- Emi asked for salmon again. Then: bye."
    assert sentences_about(text, content_words("grilled Salmon")) == (
        "The salmon was fine! - Emi asked for salmon again."
    )
    assert sentences_about(text, content_words("tea")) == ""


@pytest.mark.parametrize(
    ("stored", "new", "due"),
    [(1, 1, True), (3, 1, True), (4, 1, False), (5, 1, True), (6, 1, False), (11, 2, True)],
)
def test_style_is_due_in_first_sessions_and_every_fifth(stored: int, new: int, due: bool) -> None:
    row = SessionRow(uuid4(), uuid4(), "emi", 1, 2, NOON, NOON, [])
    assert is_due(stored, [row] * new) is due
