"""Decide whether words may be proper names: a name is about as frequent in other languages.

Capitals alone do not suffice: English capitalises "Mother", "Monday" and "French", and German every noun. In the other
languages, hardly any other word is capitalised within a sentence.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from everword_search.ranking.words.frequencies import UNKNOWN_WORD, language_of, words_by_frequency

#: Languages whose frequencies are compared with a word's own language.
_OTHERS = ("de", "en", "es", "fr", "it", "nl", "pl", "sv")
#: Zipf difference to the median of the other languages, above which a word is no name. Of 184 capitalised words in the
#: questions of the development sets, 120 pass as names, and five in six of these are; of the other 64, most are
#: ordinary words, and the rest parts of names, such as "Lord" and "Rings", and countries.
_GAP = 0.95
#: Rarer words may be names known in one language only: "Galveston", "LeBron".
_LEAST = 3.5


def may_be_name(word: str, config: str) -> bool:
    """Return whether a word, given in lower case, may be a name if it is capitalised.

    The first call for a language takes .1 to .8 s, unless `WordLists` are ready for it.
    """
    match language_of(config):
        case "en":
            # Words in no list may be names.
            return word not in name_candidates("en").others
        case "de":
            # German capitalises all nouns, and words in no list are mostly compounds: only listed words as frequent
            # elsewhere pass.
            return word in name_candidates("de").names
    return True


@dataclass(frozen=True)
class NameCandidates:
    """Common words of a language: possible names, and words that are certainly none. Rare words are in neither set."""

    names: frozenset[str]
    others: frozenset[str]


@lru_cache(maxsize=2)
def name_candidates(language: str) -> NameCandidates:
    """Split the common words of a language into possible names and other words.

    `language` must be one of the compared languages.
    """
    own = words_by_frequency(language)
    compared = [other for other in _OTHERS if other != language]
    elsewhere = np.zeros((len(compared), len(own)))
    for row, other in zip(elsewhere, compared, strict=True):
        foreign = words_by_frequency(other)
        row[:] = [foreign.get(word, UNKNOWN_WORD) for word in own]
    here = np.fromiter(own.values(), float, len(own))
    gaps = here - np.median(elsewhere, axis=0)
    words = np.array(list(own), object)
    names, others = words[gaps < _GAP], words[(gaps >= _GAP) & (here >= _LEAST)]
    return NameCandidates(frozenset(names.tolist()), frozenset(others.tolist()))
