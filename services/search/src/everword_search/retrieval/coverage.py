"""Measure how much of a query its candidates contain; the verdict depends on it and on the evidence."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from everword.text.analysis import words_of
from everword_search.kernels.arrays import Ints
from everword_search.ranking.features.compute import PoolFeatures, RankingQuery
from everword_search.ranking.features.pool import Pool

#: Weighted share of absent words from which the memories may be about another subject.
_ABSENT = 0.5
#: They are about another subject unless the log-odds of an answer, plus a weight per deviation of the nearest result,
#: minus a weight per e-fold of memories, reach the last number: among many memories, one is near by chance. Chosen on
#: development sets and chats in twelve languages (docs/retrieval.md).
_NEAR_WEIGHT, _MANY_WEIGHT, _LEAST = 0.8, 0.25, -2.0
#: The last number for a query of one word: its vector is near more memories, and it has no second word to match.
_LEAST_OF_ONE_WORD = -1.5
#: Deviations assumed if no memory has a vector: those of the nearest memory about another subject.
_NO_VECTOR = 2.0
#: Without a calibration, a memory this many deviations near is assumed to state the same in other words.
_NEGATED_STATEMENT = 4.0


@dataclass(frozen=True)
class QueryCoverage:
    """How much of the query the candidates contain."""

    #: Weighted share of the query's words that no candidate contains.
    absent: float = 0.0
    #: Cosine of the nearest of the first results, in deviations from the model's background; None without a vector.
    nearest: float | None = None
    #: Number of candidates, including neighbouring turns.
    memories: int = 1
    #: True if one memory contains all words of the query.
    is_whole: bool = False
    #: True if the query is a single word.
    is_one_word: bool = False

    def is_off_topic(self, chance: float | None) -> bool:
        """Return whether the memories are about another subject than the query.

        `chance` is the probability that one of the first results answers; None if it is unknown.
        """
        if self.absent < _ABSENT:
            return False
        if chance is None:
            return (self.nearest or 0.0) < _NEGATED_STATEMENT
        near = _NO_VECTOR if self.nearest is None else self.nearest
        many = _MANY_WEIGHT * math.log(max(1, self.memories))
        least = _LEAST_OF_ONE_WORD if self.is_one_word else _LEAST
        return _log_odds(chance) + _NEAR_WEIGHT * near - many < least


def _log_odds(chance: float) -> float:
    if 0 < chance < 1:
        return math.log(chance / (1 - chance))
    return math.inf if chance >= 1 else -math.inf


#: Share of covered words that counts as all of them, less rounding errors.
_WHOLE = 1 - 1e-9


def measure_coverage(
    pool: Pool,
    wanted: npt.NDArray[np.bool_],
    described: PoolFeatures,
    question: RankingQuery,
    best: Ints,
) -> QueryCoverage:
    """Return how much of the question a pool contains.

    `wanted` marks the memories that may be results; `best` are the first results.
    """
    if question.has_prefix:
        return QueryCoverage()  # Hashes of whole words do not match prefixes.
    near = [each for each in described.features["de"][best].tolist() if not math.isnan(each)]
    is_whole = bool((described.features["covm"][wanted] >= _WHOLE).any())
    is_one_word = len(words_of(question.text)) == 1
    return QueryCoverage(
        described.absent, max(near, default=None), pool.size, is_whole, is_one_word
    )
