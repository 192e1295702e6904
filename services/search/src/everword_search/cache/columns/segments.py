"""Segments: groups of rows, each sorted internally. Later rows form a new segment until it is merged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from everword.db.arrays import Array
from everword_search.cache.columns.growing_column import ranges
from everword_search.cache.columns.postings import Postings, merge_postings
from everword_search.kernels.arrays import Ints

#: Maximum rows of a merged segment. The first bounds the time of a merge within a search; the second applies to merges
#: in the background, because row numbers have 16 bits.
_LARGEST = 16_384
_LARGEST_UNHURRIED = 65_536


@dataclass(frozen=True, eq=False)
class Segment:
    """The rows from `start` to before `stop`."""

    start: int
    stop: int
    #: Positions in threads, ascending, and the row of each.
    places: Ints
    place_rows: npt.NDArray[np.uint32]
    postings: Postings

    @property
    def nbytes(self) -> int:
        return self.places.nbytes + self.place_rows.nbytes + self.postings.nbytes


def make_segment(start: int, places: Ints, postings: Postings) -> Segment:
    """Return the segment of the rows from `start`, given their positions."""
    by_place = np.argsort(places, kind="stable")
    rows = (start + by_place).astype(np.uint32)
    return Segment(start, start + len(places), places[by_place], rows, postings)


def with_segment(
    segments: Sequence[Segment], added: Segment, unhurried: bool = False
) -> tuple[Segment, ...]:
    """Return the segments with one added, merged with predecessors of up to twice its size.

    So there are few segments, and rows are seldom moved.
    """
    largest = _LARGEST_UNHURRIED if unhurried else _LARGEST
    retained = [*segments, added]
    while len(retained) > 1 and _size(retained[-2]) <= 2 * _size(retained[-1]):
        if _size(retained[-2]) + _size(retained[-1]) > largest:
            break
        last = retained.pop()
        retained[-1] = _merged(retained[-1], last)
    return tuple(retained)


def rows_between(segments: Sequence[Segment], first: Ints, last: Ints) -> Ints:
    """Return the rows whose positions lie in one of several ranges, ends included, in no particular order."""
    found: list[Array] = [np.zeros(0, np.int64)]
    for segment in segments:
        begin = np.searchsorted(segment.places, first)
        end = np.searchsorted(segment.places, last, side="right")
        here = np.flatnonzero(begin < end)
        if len(here):
            found.append(segment.place_rows[ranges(begin[here], (end - begin)[here])])
    return np.concatenate(found).astype(np.int64)


def _size(segment: Segment) -> int:
    return segment.stop - segment.start


def _merged(first: Segment, second: Segment) -> Segment:
    places = np.append(first.places, second.places)
    by_place = np.argsort(places, kind="stable")
    return Segment(
        first.start,
        second.stop,
        places[by_place],
        np.append(first.place_rows, second.place_rows)[by_place],
        merge_postings(first.postings, second.postings, _size(first)),
    )
