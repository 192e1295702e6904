"""Recognises statements about food, drink or a drug that the author must not or does not have, and that may again."""

from __future__ import annotations

from collections.abc import Sequence

import regex

from everword_compactor.learning.extract.lexicon import WORDS, is_drug

#: Maximum words of a sentence such as "no lactose for me please".
_MAX_REFUSAL_WORDS = 8
_FORBIDDEN = (("i", "ca", "n't"), ("i", "can", "not"), ("i", "cannot"), ("ca", "n't"))
_ABSTAINING = (("i", "do", "n't"), ("i", "do", "not"), ("i", "never"))
_CONSUMED = frozenset({"eat", "have", "take", "drink", "tolerate", "digest", "do"})
_AVOIDING = regex.compile(
    r"\bi(?:'m| am) not allowed (?:to (?:eat|have|drink|take) )?\p{L}"
    r"|\bi (?:have|need|must|should|had) ?(?:to )?avoid \p{L}"
)
#: The end of a restriction: "I can eat nuts again".
ALLOWED = regex.compile(
    r"\bi (?:can |am allowed to |'m allowed to )?(?:eat|have|drink|take) .*\bagain(?:$| ,)"
)


def is_restriction(text: str, lows: Sequence[str]) -> bool:
    """Return whether a text excludes food, drink or a drug for its author.

    `text` is the sentence in lower case, `lows` are its words.
    """
    if _AVOIDING.search(text):
        return bool(WORDS["health_reasons"] & set(lows)) or any(map(is_drug, lows))
    if lows[0] == "no" and text.endswith(
        (" for me please", " for me , please", " for me thanks", " for me , thanks")
    ):
        return len(lows) <= _MAX_REFUSAL_WORDS
    starts = [(at, words) for words in _FORBIDDEN for at in _places(lows, words)]
    for at, words in starts:
        verb, thing = _consumed(lows, at + len(words))
        reason = bool(WORDS["health_reasons"] & set(lows)) or any(map(is_drug, lows))
        if thing and (reason or verb in {"eat", "tolerate", "digest"}):
            return True
    for words in _ABSTAINING:
        for at in _places(lows, words):
            verb, thing = _consumed(lows, at + len(words))
            rest = lows[at + len(words) + 1 :]
            if (verb in {"eat", "drink"} and thing) or (verb == "drink" and not rest):
                return True
    return False


def _places(lows: Sequence[str], words: Sequence[str]) -> list[int]:
    """Return the positions of a phrase among words; a phrase without "I" counts only at the start."""
    last = len(lows) - len(words) + 1 if words[0] == "i" else 1
    return [at for at in range(last) if tuple(lows[at : at + len(words)]) == tuple(words)]


def _consumed(lows: Sequence[str], at: int) -> tuple[str, str]:
    """Return the verb of eating or taking at a position, and the food after it; each is empty if missing."""
    while lows[at : at + 1] and lows[at] in WORDS["adverbs"]:
        at += 1
    verb, thing = (*lows[at : at + 2], "", "")[:2]
    if verb not in _CONSUMED or thing in WORDS["no_foods"] or not thing[:1].isalpha():
        return (verb, "") if verb in _CONSUMED else ("", "")
    return verb, thing
