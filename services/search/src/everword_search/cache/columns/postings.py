"""The passages that hold each word, and how often: packed into arrays, so that a word is a slice of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from everword_search.cache.columns.growing import find
from everword_search.kernels.arrays import Ints

#: Of more occurrences in a passage, one more changes nothing; and Postgres keeps hardly more.
_MOST = 255


@dataclass(frozen=True, eq=False)
class Postings:
    """The postings of some passages, by word."""

    #: Hashes of words, each once, ascending.
    words: Ints
    #: The postings of word n are those from `offsets[n]` to `offsets[n + 1]`.
    offsets: npt.NDArray[np.uint32]
    #: Which passages, from 0, ascending for each word.
    rows: npt.NDArray[np.uint16]
    #: How often the word occurs in each.
    occurrences: npt.NDArray[np.uint8]

    @property
    def nbytes(self) -> int:
        parts = (self.words, self.offsets, self.rows, self.occurrences)
        return sum(part.nbytes for part in parts)

    def spans(self, words: Ints) -> Ints:
        """Return where the postings of each word begin and end, a row each; at the same place without any."""
        spans = np.zeros((len(words), 2), np.int64)
        slots = find(self.words, words)
        here = np.flatnonzero(slots >= 0)
        spans[here, 0], spans[here, 1] = self.offsets[slots[here]], self.offsets[slots[here] + 1]
        return spans

    def between(self, begin: int, end: int) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.uint8]]:
        """Return which passages hold a word, and how often each does, by its span."""
        return self.rows[begin:end], self.occurrences[begin:end]


def build_postings(words: Ints, rows: Ints, occurrences: npt.NDArray[np.int32]) -> Postings:
    """Return the postings that these are: an element for each word of each passage, those of each in their order."""
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
    """Return the postings of two groups of passages as one; the first has so many passages.

    Each goes right where it belongs: to sort all of them again takes an array of eight bytes for each, several times.
    """
    words = np.union1d(first.words, second.words)
    both = [(each, np.searchsorted(words, each.words)) for each in (first, second)]
    counts = np.zeros((2, len(words)), np.int32)
    for number, (each, slots) in enumerate(both):
        counts[number, slots] = np.diff(each.offsets)
    offsets = np.append(0, np.cumsum(counts.sum(axis=0))).astype(np.uint32)
    rows = np.empty(len(first.rows) + len(second.rows), np.uint16)
    occurrences = np.empty(len(rows), np.uint8)
    # Before those of the second group come those of the first one, which has the smaller rows.
    begins = [offsets[:-1], offsets[:-1] + counts[0]]
    for number, (each, slots) in enumerate(both):
        moved = begins[number][slots].astype(np.int32) - each.offsets[:-1].astype(np.int32)
        places = np.repeat(moved, counts[number, slots])
        places += np.arange(len(places), dtype=np.int32)
        rows[places] = each.rows + np.uint16(passages if number else 0)
        occurrences[places] = each.occurrences
    return Postings(words, offsets, rows, occurrences)
