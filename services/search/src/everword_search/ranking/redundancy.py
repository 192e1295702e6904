"""Find memories that say the same as several better ones, so that near-duplicates leave room for other answers.

Forty lines of a log with other numbers match a question about as well as each other, and would fill the first pages.
A memory is redundant if nearly all of its words are in several better memories. Words of the question, function words
and numbers do not count, because they make no line another answer.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from everword.text.ranking_record import Records, stems_of, term_hash
from everword.text.stemming import ANY_LANGUAGE, stop_words
from everword_search.kernels.arrays import Ints

Hashes = npt.NDArray[np.uint32]
#: Subtracted from the score of a redundant memory, in the models' unit.
REDUNDANT_WEIGHT = 8.0
#: Best memories that are compared first; if none of them is redundant, all stay as they are, which saves time.
_FIRST = 20
#: Number of better memories with a word from which the word is no news, so that this many similar answers stay.
_REPEATED = 2
#: Share of a memory's words that must be news.
_LEAST_NEWS = 0.4
#: Numbers up to this one are recognised by their hashes; longer ones count as words.
_MOST_NUMBER = 9_999


def find_redundant(records: Records, passages: Ints, asked: Hashes) -> Ints:
    """Return the places of redundant memories, given the best passage of each memory, best memory first.

    `asked` are the hashes of the question's words.
    """
    if not len(_redundant_among(records, passages[:_FIRST], asked)):
        return np.zeros(0, np.int64)
    return _redundant_among(records, passages, asked)


def _redundant_among(records: Records, passages: Ints, asked: Hashes) -> Ints:
    words, counts = _news_words(records, passages, asked)
    seen = np.zeros(words.max(initial=-1) + 1, np.int64)
    redundant = list[int]()
    for place, own in enumerate(np.split(words, np.cumsum(counts)[:-1])):
        news = np.count_nonzero(seen[own] < _REPEATED)
        if news < _LEAST_NEWS * len(own) or (not len(own) and place >= _REPEATED):
            redundant.append(place)
        else:
            seen[own] += 1
    return np.array(redundant, np.int64)


def _news_words(records: Records, passages: Ints, asked: Hashes) -> tuple[Ints, Ints]:
    """Return the distinct words of passages as numbers, passage after passage, and how many each passage has.

    Words that are no news in any text are left out.
    """
    places = np.repeat(np.arange(len(passages)), records.counts[passages])
    if not len(places):
        return places, np.zeros(len(passages), np.int64)
    terms = np.concatenate(
        [
            records.terms[begin : begin + count]
            for begin, count in zip(
                records.begins[passages].tolist(), records.counts[passages].tolist(), strict=True
            )
        ]
    )
    distinct, words = np.unique(terms, return_inverse=True)
    ignored = _ignored_hashes()
    nearest = np.minimum(np.searchsorted(ignored, distinct), len(ignored) - 1)
    counted = (ignored[nearest] != distinct) & ~np.isin(distinct, asked)
    pairs = np.unique((places * len(distinct) + words)[counted[words]])
    return pairs % len(distinct), np.bincount(pairs // len(distinct), minlength=len(passages))


@cache
def _ignored_hashes() -> Hashes:
    """Return the sorted hashes of numbers and of English function words."""
    digits = [str(number) for number in range(_MOST_NUMBER + 1)]
    leading = [f"0{number}" for number in range(100)]
    functions = stems_of(" ".join(stop_words(ANY_LANGUAGE)), ANY_LANGUAGE)
    return np.unique(np.array([*map(term_hash, (*digits, *leading, *functions))], np.uint32))
