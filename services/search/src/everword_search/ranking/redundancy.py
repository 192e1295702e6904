"""Lower the scores of memories that say the same as better ones, so that near-duplicates leave room for other answers.

Forty lines of a log with other numbers match a question about as well as each other, and would fill the first pages.
A memory is redundant if nearly all of its words are in several better memories. Words of the question and numbers do
not count, because they make no line another answer.
"""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np

from everword.text.ranking_record import Records, term_hash
from everword_search.kernels.arrays import Floats, Ints

#: Best memories that are compared.
_COMPARED = 100
#: Number of better memories with a word from which the word is no news, so that this many similar answers stay.
_REPEATED = 3
#: Share of a memory's words that must be news.
_LEAST_NEWS = 0.25
#: Numbers from 0 to this one count as numbers; in records, longer ones look like words.
_MOST_NUMBER = 99_999


def find_redundant(records: Records, passages: Ints, asked: Ints) -> Ints:
    """Return the places of redundant memories, given the best passage of each memory, best memory first.

    `asked` are the hashes of the question's words.
    """
    ignored = _numbers() | set(asked.tolist())
    counts, redundant = Counter[int](), list[int]()
    for place, passage in enumerate(passages[:_COMPARED].tolist()):
        begin = records.begins[passage]
        words = set(records.terms[begin : begin + records.counts[passage]].tolist()) - ignored
        news = sum(counts[word] < _REPEATED for word in words)
        if news < _LEAST_NEWS * len(words) or (not words and place >= _REPEATED):
            redundant.append(place)
        else:
            counts.update(words)
    return np.array(redundant, np.int64)


@cache
def _numbers() -> frozenset[int]:
    digits = (str(number) for number in range(_MOST_NUMBER + 1))
    leading = (f"0{number}" for number in range(100))
    return frozenset(map(term_hash, (*digits, *leading)))
