"""Tells words that may be names from words of the language: a name is about as frequent in other languages.

Capitals alone do not tell: people write "Mother", "Monday" and "French" with one, and German every noun.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from everword_search.ranking.frequencies import UNKNOWN_WORD, language_of, words_by_frequency

#: Languages that a word is looked up in, beside its own.
_OTHERS = ("de", "en", "es", "fr", "it", "nl", "pl", "sv")
#: On the Zipf scale, how much more frequent a word of the language is than in half of the others. Of the 106 words with
#: a capital in the questions of the development sets that are below, all are names; of the 78 above, two in three are
#: words, and the rest parts of names, as "the rings", and countries.
_GAP = 0.95
#: A rarer word may well be a name that only one language knows: "Galveston", "LeBron".
_LEAST = 3.5
#: Languages that write each noun with a capital.
_NOUNS = frozenset({"de"})


def may_be_name(word: str, config: str) -> bool:
    """Tell whether a word may be a name if it is written with a capital; it is given in lower case.

    The first call for a language takes .1 to .3 s, unless `WordLists` are ready, which are for English.
    """
    language = language_of(config)
    names, others = names_among_words(language)
    # Of nouns, and what they are put together to, only what other languages know as well is a name.
    return word in names if language in _NOUNS else word not in others


@lru_cache(maxsize=32)
def names_among_words(language: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return which words of a language may be names, and which are not, but for rare ones of which nobody knows."""
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
    return frozenset(names.tolist()), frozenset(others.tolist())
