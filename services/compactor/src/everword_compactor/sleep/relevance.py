"""Which facts, and which sentences of summaries, a model is shown: as few tokens as the question needs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from everword.text.analysis import folded_words
from everword_compactor.sleep.model import KnownFact

_SENTENCE_ENDS = re.compile(r"(?<=[.!?])\s+|\n+")
#: Shorter words, such as articles, are no sign that two texts are about the same.
_LEAST_CHARS = 4


def relevant_facts(facts: Sequence[KnownFact], texts: Iterable[str], limit: int) -> list[KnownFact]:
    """Return up to `limit` facts: those that share the most words with `texts` first, then those mentioned most."""
    words = frozenset().union(*map(content_words, texts))
    return sorted(facts, key=lambda fact: (-len(words & _words_of(fact)), -fact.mentions))[:limit]


def sentences_about(text: str, words: frozenset[str]) -> str:
    """Return the sentences of a text that have one of the words."""
    sentences = _SENTENCE_ENDS.split(text)
    return " ".join(each.strip() for each in sentences if words & content_words(each))


def content_words(text: str) -> frozenset[str]:
    """Return the longer words of a text, folded."""
    return frozenset(word for word in folded_words(text) if len(word) >= _LEAST_CHARS)


def _words_of(fact: KnownFact) -> frozenset[str]:
    return content_words(f"{fact.key.attribute.replace('_', ' ')} {fact.value}")
