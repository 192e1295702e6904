"""Reads work and studies without a company's name: a taught field, an own business, a kind of workplace, a school."""

from __future__ import annotations

from everword_compactor.learning.extract.lexicon import STOPS, WORDS
from everword_compactor.learning.extract.model import TokenizedSentence
from everword_compactor.learning.extract.values.read_value import ARTICLES, MARKS, Read, ends, low

#: How many words a business or a school's name has at most.
_LONGEST = 5


def teaching(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read a taught field or instrument as a job: `piano teacher`."""
    for length in (2, 1):
        end = at + length
        taught = sentence.slice(at, end) if end <= len(sentence.tokens) else ""
        if taught.lower() in WORDS["fields"] | WORDS["instruments"] | WORDS["teachable"]:
            return [f"{taught} teacher"], end
    return None


def business(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read the owner's business as a job: `runs a small bookshop`."""
    if low(sentence, at) not in {"a", "an", "my", "our", "their", "his", "her"}:
        return None
    end = _end_at(sentence, at + 1, "businesses")
    if end is None:
        return None
    own = "a" if low(sentence, at) not in ARTICLES - {"my", "our"} else low(sentence, at)
    return [f"runs {own} {sentence.slice(at + 1, end)}"], end


def workplace_kind(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read a kind of workplace after its article: `primary school`, `bakery`."""
    end = _end_at(sentence, at, "workplaces")
    return ([sentence.slice(at, end)], end) if end else None


def school_name(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read a school's own name: `Lincoln High`, in small letters too."""
    if low(sentence, at) in ARTICLES | WORDS["adjectives"] | WORDS["prepositions"]:
        return None
    end = _end_at(sentence, at, "school_words")
    return ([sentence.slice(at, end)], end) if end and end > at + 1 else None


def _end_at(sentence: TokenizedSentence, at: int, kind: str) -> int | None:
    """Return the position after the first word of a kind, within a few words."""
    for end in range(at + 1, min(at + _LONGEST, len(sentence.tokens) + 1)):
        term = sentence.tokens[end - 1].low
        if term in STOPS | MARKS | WORDS["pronouns"]:
            return None
        if term in WORDS[kind]:
            is_closed = ends(sentence, end) or low(sentence, end) in _AFTER_A_PLACE
            return end if is_closed else None
    return None


_AFTER_A_PLACE = WORDS["prepositions"] | WORDS["weekdays"] | {"called", "near", "until"}
