"""How far the memories that were looked at speak of what a question says."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from everword.text.analysis import words_of
from everword_search.ranking.arrays import Ints
from everword_search.ranking.features.compute import Described, RankingQuery
from everword_search.ranking.features.pool import Pool
from everword_search.retrieval.spoken import Spoken

#: Share of a question's words that is all of them, but for rounding.
_WHOLE = 1 - 1e-9


def find_spoken(
    pool: Pool,
    wanted: npt.NDArray[np.bool_],
    described: Described,
    question: RankingQuery,
    best: Ints,
) -> Spoken:
    """Return how far a pool speaks of what the question says.

    `wanted` tells which of its memories may be results, `best` are the first results.
    """
    if question.has_prefix:
        return Spoken()  # What a prefix stands for, hashes of whole words cannot tell.
    near = [each for each in described.features["de"][best].tolist() if not math.isnan(each)]
    is_whole = bool((described.features["covm"][wanted] >= _WHOLE).any())
    is_one_word = len(words_of(question.text)) == 1
    return Spoken(described.absent, max(near, default=None), pool.size, is_whole, is_one_word)
