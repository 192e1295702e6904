"""Clauses of a text with the words that they are about, to be compared with those of another text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

import regex
import Stemmer

from everword.text.common_words import LANGUAGES_OF
from everword.text.statements.polarity import denied_words, is_denied, neutral
from everword.text.values.calendar_words import MONTHS
from everword.text.values.fold_text import normalise

#: "Am 6. Juni" is one sentence.
DAY_BEFORE_MONTH = rf"(?<=[0-9]\.)(?=\s+(?:{'|'.join(MONTHS)})\b)"
#: Separators of clauses. A comma between digits is part of a number or a date.
_BREAK = regex.compile(
    rf"[.!?;:\n…。！？]+(?!{DAY_BEFORE_MONTH})(?=\s|$)|\n|(?<![0-9]),(?=\s)|,(?=\s+\D)"
    r"|\s(?:and|but|because|while|whereas|although|though|und|aber|weil|während|sondern|et|mais|parce que|y|pero|porque"
    r"|mas|ma|perché|en|maar|omdat)(?=\s)",
    regex.IGNORECASE,
)
_SENTENCE_END = regex.compile(
    rf"(?<!\b(?:dr|mr|mrs|ms|prof|st|\p{{L}}))[.!?…]+(?!{DAY_BEFORE_MONTH})(?=\s|$)|[。！？]|\n",
    regex.IGNORECASE,
)
_HEAD = regex.compile(r"\[[0-9]{4}-[0-9]{2}-[0-9]{2}T[^\[\]\n]{0,200}\]")
_WORD = regex.compile(r"[\p{L}\p{M}]+(?:['-][\p{L}\p{M}]+)*")
#: Words that are found in most conversations and tell none from another.
_WEAK_WORDS = """
say said says tell told ask asked know think want wants wanted like make made go went come came one two new thing time
today now please thank thanks ok okay yes really well let us be about around almost again already
"""
_WEAK = frozenset(_WEAK_WORDS.split())
#: A longer run of letters is a blob and not a word.
_LONGEST = 64


@dataclass(frozen=True)
class Clause:
    """A part of a sentence."""

    text: str
    #: Stems of its content words, without common words and numbers; a word and its opposite have one stem.
    words: frozenset[str]
    #: True if it is negated.
    denied: bool
    asks: bool


def iter_sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text, and the lines of one without any; not the `[time speaker]` of chosen ones."""
    text = _HEAD.sub("", text)
    start = 0
    for match in _SENTENCE_END.finditer(text):
        if sentence := text[start : match.end()].strip():
            yield sentence
        start = match.end()
    if sentence := text[start:].strip():
        yield sentence


def clauses(sentence: str) -> Iterator[Clause]:
    """Yield the clauses of a sentence."""
    start = 0
    asks = sentence.rstrip().endswith("?")
    ends = [match.start() for match in _BREAK.finditer(sentence)]
    for end in (*ends, len(sentence)):
        text = sentence[start:end].strip(" \t\n,;:.!?-–—*•#")
        start = end
        if text:
            yield clause_of(text, asks=asks)


def clause_of(text: str, *, asks: bool = False) -> Clause:
    folded = normalise(text).lower()
    return Clause(text, stems_of(folded), is_denied(folded), asks)


def stems_of(folded: str) -> frozenset[str]:
    """Return the stems of the words of a text in lower case, but for those that say little."""
    stems = set()
    for match in _WORD.finditer(neutral(folded)):
        for word in match[0].replace("-", "'").split("'"):
            if 1 < len(word) <= _LONGEST and word not in LANGUAGES_OF and word not in _WEAK:
                stems.add(stem(word))
    return frozenset(stems)


def is_same_denied(denied: str, other: str) -> bool:
    """Return whether a lower-case clause has the word that another one denies, such as `come` of "can't come"."""
    said = {stem(word) for word in _WORD.findall(neutral(other))}
    requested = denied_words(denied, lambda word: word not in LANGUAGES_OF)
    return any(stem(word) in said for word in requested)


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    # English endings are those of most texts; of other words the same ones go on both sides.
    return str(_stemmer().stemWord(word))


@cache
def _stemmer() -> Stemmer.Stemmer:
    # No cache of its own: `stem` has one.
    return Stemmer.Stemmer("english", 0)
