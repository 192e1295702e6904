"""Reading of values from a sentence, word by word.

Every word is looked at only once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from everword_compactor.learning.extract.lexicon import STOPS, WORDS
from everword_compactor.learning.extract.model import TokenizedSentence

#: Values, and the place after them.
Read = tuple[Sequence[str], int]

Slot = Callable[[TokenizedSentence, int], Read | None]

MARKS = frozenset(",;:()\"*_`~[]{}'/")

JOINERS = frozenset({"of", "de", "del", "la", "da", "do", "dos", "&", "the", "van", "von", "upon"})

ARTICLES = frozenset({"a", "an", "the", "my", "our"})

#: Words too vague to be a thing that a person likes, eats or has.
VAGUE = WORDS["vague"]


def ends(sentence: TokenizedSentence, at: int) -> bool:
    """Return whether a value is complete: the end, a mark, or a word that begins another clause follows."""
    if at >= len(sentence.tokens):
        return True
    term = sentence.tokens[at].low
    # Such as a smiley.
    is_mark = not any(character.isalnum() for character in term) and term not in {"&", "+"}
    return term in MARKS or term in STOPS or is_mark


def low(sentence: TokenizedSentence, at: int) -> str:
    return sentence.tokens[at].low if at < len(sentence.tokens) else ""


def names_end(
    sentence: TokenizedSentence, at: int, maximum: int, joiners: frozenset[str] = JOINERS
) -> int:
    """Return the position after at most `maximum` capitalised words; `at` if there are none."""
    end = place = at
    while place < len(sentence.tokens) and place - at < maximum:
        token = sentence.tokens[place]
        if token.is_capital or (place > at and token.text[:1].isdigit()):
            end = place + 1
        elif token.low not in joiners or place == at:
            break
        place += 1
    return end


def phrase(
    sentence: TokenizedSentence, at: int, maximum: int, *, capitals: bool = False
) -> Read | None:
    end = at
    while end < len(sentence.tokens) and (not ends(sentence, end) or (capitals and end == at)):
        if end - at >= maximum or low(sentence, end) in {
            "n't",
            "'s",
            "'m",
            "'re",
            "'ve",
            "'ll",
            "'d",
        }:
            return None
        end += 1
    return ([sentence.slice(at, end)], end) if end > at else None
