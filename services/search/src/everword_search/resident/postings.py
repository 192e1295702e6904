"""Which passages hold each word, and how often: packed into arrays, so that a word is a slice of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from everword_search.ranking.arrays import Ints
from everword_search.resident.columns import Ascending, Kept
from everword_search.resident.storage import Storage

#: Of more occurrences in a passage, one more changes nothing; and Postgres keeps hardly more.
_MOST = 255


@dataclass(frozen=True, eq=False)
class Postings:
    """The postings of some passages, by word."""

    #: Hashes of words, each once.
    words: Ascending
    #: The postings of word n are those from `offsets[n]` to `offsets[n + 1]`: four bytes each.
    offsets: Kept
    #: Which passages, from 0: two bytes each.
    rows: Kept
    #: How often the word occurs in each: one byte.
    occurrences: Kept

    @property
    def nbytes(self) -> int:
        parts = (self.words, self.offsets, self.rows, self.occurrences)
        return sum(part.nbytes for part in parts)

    def kept_in(self, storage: Storage) -> Postings:
        """Return the same postings, kept where a copy is."""
        return Postings(
            Ascending(storage.keep(self.words.values)),
            *(storage.keep(part.values) for part in (self.offsets, self.rows, self.occurrences)),
        )

    def spans(self, words: Ints) -> Ints:
        """Return where the postings of each word begin and end, a row each; at the same place without any."""
        spans = np.zeros((len(words), 2), np.int64)
        slots = self.words.find(words)
        here = np.flatnonzero(slots >= 0)
        pairs = self.offsets.take_ranges(slots[here], np.full(len(here), 2))
        spans[here] = pairs.reshape(-1, 2)
        return spans

    def between(self, begin: int, end: int) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.uint8]]:
        """Return which passages hold a word, and how often each does, by its span."""
        return self.rows.between(begin, end), self.occurrences.between(begin, end)


def build_postings(words: Ints, rows: Ints, occurrences: npt.NDArray[np.int32]) -> Postings:
    """Return the postings that these are: an element for each word of each passage."""
    return _pack(words, rows.astype(np.uint16), np.minimum(occurrences, _MOST).astype(np.uint8))


def merge_postings(first: Postings, second: Postings, passages: int) -> Postings:
    """Return the postings of two groups of passages as one; the first has so many passages."""
    both = (first, second)
    return _pack(
        np.concatenate(
            [np.repeat(each.words.values, np.diff(each.offsets.values)) for each in both]
        ),
        np.append(first.rows.values, second.rows.values + np.uint16(passages)),
        np.append(first.occurrences.values, second.occurrences.values),
    )


def _pack(
    words: Ints, rows: npt.NDArray[np.uint16], occurrences: npt.NDArray[np.uint8]
) -> Postings:
    order = np.argsort(words, kind="stable")
    ordered = words[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1)) if len(ordered) else order
    return Postings(
        Ascending(Kept(ordered[starts])),
        Kept(np.append(starts, len(ordered)).astype(np.uint32)),
        Kept(rows[order]),
        Kept(occurrences[order]),
    )
