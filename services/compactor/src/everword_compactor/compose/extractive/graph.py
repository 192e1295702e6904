"""The likeness and centrality of sentences: LexRank over the graph of all pairs, which is never written out.

Similarities are products of sparse word weights and of vectors, so a step of the power iteration costs as much as the
sentences have words, not as they have pairs: 10,000 sentences are no problem.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

#: LexRank's damping: the share of a step that follows the graph.
DAMPING = 0.85
_STEPS = 15
#: Weight of vectors in the likeness, relative to words.
_VECTOR_SHARE = 0.5


class SentenceSimilarity:
    """Similarities of sentences, from 0 to 1."""

    def __init__(
        self, words: Sequence[Mapping[str, float]], vectors: Sequence[Sequence[float] | None]
    ) -> None:
        """`words` are of unit length or empty; `vectors` of unit length, None if missing."""
        self.count = len(words)
        numbers: dict[str, int] = {}
        columns = [numbers.setdefault(word, len(numbers)) for row in words for word in row]
        self._columns = np.array(columns, np.int64)
        self._rows = np.repeat(np.arange(self.count), [len(row) for row in words])
        self._weights = np.array([weight for row in words for weight in row.values()], np.float64)
        self._starts = np.searchsorted(self._rows, np.arange(self.count + 1))
        self._width = len(numbers)
        width = max((len(vector) for vector in vectors if vector is not None), default=0)
        self._vectors = np.zeros((self.count, width), np.float32)
        for row, vector in enumerate(vectors):
            # A sentence of everyday words is like no other, even if its message has a topic.
            if vector is not None and words[row]:
                self._vectors[row] = vector
        self._told = np.diff(self._starts) > 0
        share = np.array([_VECTOR_SHARE if vector is not None else 0.0 for vector in vectors])
        self._share = np.where(self._told, share, 0.0)

    def to(self, row: int) -> Floats:
        """Return how alike each sentence is to one."""
        own = slice(self._starts[row], self._starts[row + 1])
        requested = np.zeros(self._width)
        requested[self._columns[own]] = self._weights[own]
        return self._mixed(self._by_row(requested), self._vectors @ self._vectors[row])

    def sums(self, weights: Floats) -> Floats:
        """Return, for each sentence, the weighted sum of its similarities to all others."""
        held = self._weights * weights[self._rows]
        by_words = self._by_row(_totals(self._columns, held, self._width)) - weights * self._told
        has_vector = self._share > 0
        near = self._vectors @ (self._vectors.T @ np.where(has_vector, weights, 0.0))
        return self._mixed(by_words, near - weights * has_vector)

    def _by_row(self, by_word: Floats) -> Floats:
        return _totals(self._rows, self._weights * by_word[self._columns], self.count)

    def _mixed(self, by_words: Floats, by_vector: npt.NDArray[np.floating]) -> Floats:
        mixed = (1 - self._share) * by_words + self._share * by_vector
        positive: Floats = np.maximum(mixed, 0.0)
        return positive


def centralities(similarity: SentenceSimilarity) -> Floats:
    """Return how central each sentence is, as LexRank has it; the most central has 1."""
    count = similarity.count
    degrees = np.maximum(similarity.sums(np.ones(count)), 1e-9)
    ranks = np.full(count, 1.0 / count)
    for _ in range(_STEPS):
        ranks = (1 - DAMPING) / count + DAMPING * similarity.sums(ranks / degrees)
        ranks /= ranks.sum()
    scaled: Floats = ranks / ranks.max()
    return scaled


def _totals(places: npt.NDArray[np.int64], values: Floats, length: int) -> Floats:
    """Return the sum of the values at each place."""
    return np.bincount(places, values, length).astype(np.float64)
