"""Measure how much of a query its candidates contain; the verdict depends on it beside the evidence."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from everword.text.analysis import words_of
from everword_search.kernels.arrays import Ints
from everword_search.ranking.features.compute import Described, RankingQuery
from everword_search.ranking.features.pool import Pool

#: From this share of absent words by weight, the memories may be about something else.
_ABSENT = 0.5
#: They are, unless the chance of an answer (log-odds), plus a weight for each deviation of the nearest result, less a
#: weight for each e-fold of memories, reaches the last number. Of many memories, one is near by chance. Chosen on the
#: development conversations (docs/retrieval.md).
_NEAR_WEIGHT, _MANY_WEIGHT, _LEAST = 0.65, 0.5, -2.5
#: The last number for a query of one word: its vector is near more memories, and it has no other word to find.
_LEAST_OF_ONE_WORD = -2.0
#: Deviations that count if no memory has a vector: as near as the nearest memory about something else.
_NO_VECTOR = 2.0
#: Without a calibration, a memory this many deviations near says the same in other words.
_SAID_OTHERWISE = 4.0


@dataclass(frozen=True)
class QueryCoverage:
    """How much of the query the candidates contain."""

    #: Share of the words of the query, by weight, that no candidate contains.
    absent: float = 0.0
    #: Cosine of the nearest of the first results, in deviations from the model's background; None without a vector.
    nearest: float | None = None
    #: Number of candidates, with their neighbours.
    memories: int = 1
    #: Whether one memory contains all words of the query.
    is_whole: bool = False
    #: Whether the query is a single word.
    is_one_word: bool = False

    def is_elsewhere(self, chance: float | None) -> bool:
        """Return whether the memories are about something else than the query.

        `chance` is the probability that one of the first results answers; None if it is unknown.
        """
        if self.absent < _ABSENT:
            return False
        if chance is None:
            return (self.nearest or 0.0) < _SAID_OTHERWISE
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
    described: Described,
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
