"""Tells words that may be names from words of the language: a name is about as frequent in other languages.

In English, capitals alone do not tell: people write "Mother", "Monday" and "French" with one, and German every noun.
In the other languages hardly anything but names has a capital within a sentence.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from everword_search.ranking.words.frequencies import UNKNOWN_WORD, language_of, words_by_frequency

#: Languages that a word is looked up in, beside its own.
_OTHERS = ("de", "en", "es", "fr", "it", "nl", "pl", "sv")
#: On the Zipf scale, how much more frequent a word of the language is than in half of the others. Of 184 words with a
#: capital in the questions of the development sets, 120 may be names by that, as five in six of those are; of the other
#: 64 most are words, and the rest parts of names, as "Lord" and "Rings", and countries.
_GAP = 0.95
#: A rarer word may well be a name that only one language knows: "Galveston", "LeBron".
_LEAST = 3.5


def may_be_name(word: str, config: str) -> bool:
    """Tell whether a word may be a name if it is written with a capital; it is given in lower case.

    The first call for a language takes .1 to .8 s, unless `WordLists` are ready for it.
    """
    match language_of(config):
        case "en":
            # Also what no list has.
            return word not in words_apart("en").others
        case "de":
            # Of nouns, and what they are put together to, only what other languages know as well.
            return word in words_apart("de").names
    return True


@dataclass(frozen=True)
class WordsApart:
    """The words of a language that may be names, and those that are none, but for rare ones."""

    names: frozenset[str]
    others: frozenset[str]


@lru_cache(maxsize=2)
def words_apart(language: str) -> WordsApart:
    """Return the words of a language, apart; `language` is one of those that are compared."""
    own = words_by_frequency(language)
    compared = [other for other in _OTHERS if other != language]
    elsewhere = np.zeros((len(compared), len(own)))
    for row, other in zip(elsewhere, compared, strict=True):
        theirs = words_by_frequency(other)
        row[:] = [theirs.get(word, UNKNOWN_WORD) for word in own]
    here = np.fromiter(own.values(), float, len(own))
    gaps = here - np.median(elsewhere, axis=0)
    words = np.array(list(own), object)
    names, others = words[gaps < _GAP], words[(gaps >= _GAP) & (here >= _LEAST)]
    return WordsApart(frozenset(names.tolist()), frozenset(others.tolist()))
