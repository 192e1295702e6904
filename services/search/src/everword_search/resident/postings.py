"""Which passages hold each word, and how often: packed into arrays, so that a word is a slice of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from everword_search.ranking.arrays import Ints

#: Of more occurrences in a passage, one more changes nothing; and Postgres keeps hardly more.
_MOST = 255


@dataclass(frozen=True, eq=False)
class Postings:
    """The postings of some passages, by word."""

    #: Hashes of words, ascending, each once.
    words: Ints
    #: The postings of word n are those from `offsets[n]` to `offsets[n + 1]`.
    offsets: npt.NDArray[np.uint32]
    #: Which passages, from 0.
    rows: npt.NDArray[np.uint16]
    #: How often the word occurs in each.
    occurrences: npt.NDArray[np.uint8]

    @property
    def nbytes(self) -> int:
        parts = (self.words, self.offsets, self.rows, self.occurrences)
        return sum(part.nbytes for part in parts)

    def slots(self, words: Ints) -> Ints:
        """Return which of the words here each of `words` is; -1 for none."""
        if not len(self.words):
            return np.full(len(words), -1)
        found = np.minimum(np.searchsorted(self.words, words), len(self.words) - 1)
        return np.where(self.words[found] == words, found, -1)

    def of(self, slot: int) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.uint8]]:
        """Return which passages hold a word, and how often each does."""
        part = slice(self.offsets[slot], self.offsets[slot + 1])
        return self.rows[part], self.occurrences[part]


def build_postings(words: Ints, rows: Ints, occurrences: npt.NDArray[np.int32]) -> Postings:
    """Return the postings that these are: an element for each word of each passage."""
    return _pack(words, rows.astype(np.uint16), np.minimum(occurrences, _MOST).astype(np.uint8))


def merge_postings(first: Postings, second: Postings, passages: int) -> Postings:
    """Return the postings of two groups of passages as one; the first has so many passages."""
    both = (first, second)
    return _pack(
        np.concatenate([np.repeat(each.words, np.diff(each.offsets)) for each in both]),
        np.append(first.rows, second.rows + np.uint16(passages)),
        np.append(first.occurrences, second.occurrences),
    )


def _pack(
    words: Ints, rows: npt.NDArray[np.uint16], occurrences: npt.NDArray[np.uint8]
) -> Postings:
    order = np.argsort(words, kind="stable")
    ordered = words[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1)) if len(ordered) else order
    return Postings(
        ordered[starts],
        np.append(starts, len(ordered)).astype(np.uint32),
        rows[order],
        occurrences[order],
    )
