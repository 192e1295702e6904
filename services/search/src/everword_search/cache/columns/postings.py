"""Postings: the passages that contain each word, and how often, in packed arrays in which each word is a slice."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from everword_search.cache.columns.growing_column import find
from everword_search.kernels.arrays import Ints

#: Occurrences in a passage are capped here: more hardly change the score, and PostgreSQL stores hardly more.
_MOST = 255


@dataclass(frozen=True, eq=False)
class Postings:
    """The postings of a group of passages, by word."""

    #: Hashes of the words, ascending and unique.
    words: Ints
    #: The postings of word n are at `offsets[n]:offsets[n + 1]`.
    offsets: npt.NDArray[np.uint32]
    #: Passages, numbered from 0 within the group; ascending for each word.
    rows: npt.NDArray[np.uint16]
    #: Occurrences of the word in each of `rows`.
    occurrences: npt.NDArray[np.uint8]

    @property
    def nbytes(self) -> int:
        parts = (self.words, self.offsets, self.rows, self.occurrences)
        return sum(part.nbytes for part in parts)

    def spans(self, words: Ints) -> Ints:
        """Return the start and end of each word's postings, one row per word.

        The end is exclusive; a word without postings has equal ones.
        """
        spans = np.zeros((len(words), 2), np.int64)
        slots = find(self.words, words)
        here = np.flatnonzero(slots >= 0)
        spans[here, 0], spans[here, 1] = self.offsets[slots[here]], self.offsets[slots[here] + 1]
        return spans

    def between(self, begin: int, end: int) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.uint8]]:
        """Return the passages that contain a word, and its occurrences in each, given its span."""
        return self.rows[begin:end], self.occurrences[begin:end]


def build_postings(words: Ints, rows: Ints, occurrences: npt.NDArray[np.int32]) -> Postings:
    """Return postings from parallel arrays with an element per word and passage, ordered by passage."""
    order = np.argsort(words, kind="stable")
    ordered = words[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1)) if len(ordered) else order
    return Postings(
        ordered[starts],
        np.append(starts, len(ordered)).astype(np.uint32),
        rows.astype(np.uint16)[order],
        np.minimum(occurrences, _MOST).astype(np.uint8)[order],
    )


def merge_postings(first: Postings, second: Postings, passages: int) -> Postings:
    """Return the postings of two groups of passages as one group; `passages` is the size of the first.

    Each posting is copied to its final position: sorting them all would take several arrays of eight bytes per posting.
    """
    words = np.union1d(first.words, second.words)
    both = [(each, np.searchsorted(words, each.words)) for each in (first, second)]
    counts = np.zeros((2, len(words)), np.int32)
    for number, (each, slots) in enumerate(both):
        counts[number, slots] = np.diff(each.offsets)
    offsets = np.append(0, np.cumsum(counts.sum(axis=0))).astype(np.uint32)
    rows = np.empty(len(first.rows) + len(second.rows), np.uint16)
    occurrences = np.empty(len(rows), np.uint8)
    # For each word, the postings of the first group come first, because its rows are smaller.
    begins = [offsets[:-1], offsets[:-1] + counts[0]]
    for number, (each, slots) in enumerate(both):
        moved = begins[number][slots].astype(np.int32) - each.offsets[:-1].astype(np.int32)
        places = np.repeat(moved, counts[number, slots])
        places += np.arange(len(places), dtype=np.int32)
        rows[places] = each.rows + np.uint16(passages if number else 0)
        occurrences[places] = each.occurrences
    return Postings(words, offsets, rows, occurrences)
