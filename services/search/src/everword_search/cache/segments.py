"""Groups of rows, each sorted in itself: what came later is a group of its own until it is merged with others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from everword_search.cache.columns import Ascending, Kept
from everword_search.cache.postings import Postings, merge_postings
from everword_search.cache.storage import Storage
from everword_search.ranking.arrays import Ints

#: Segments of more rows are merged with no others, so that none takes long; where nobody waits, two bytes tell a row.
_LARGEST = 16_384
_LARGEST_AT_LEISURE = 65_536
#: Of the largest, what a segment has that will hardly be merged any more.
_LASTING_SHARE = 4
#: Rows of the smallest segment that is kept.
_LEAST_KEPT = 256


@dataclass(frozen=True, eq=False)
class Segment:
    """The rows from `start` to `stop`."""

    start: int
    stop: int
    #: Ids of passages, and the row of each.
    ids: Ascending
    id_rows: Kept
    #: Places in threads, and the row of each.
    places: Ascending
    place_rows: Kept
    postings: Postings
    #: Whether its arrays are where the copy's storage is.
    is_kept: bool = False

    @property
    def nbytes(self) -> int:
        """What it takes beside the copy's storage."""
        if self.is_kept:
            return 0
        sorted_ = (self.ids, self.id_rows, self.places, self.place_rows)
        return sum(part.nbytes for part in sorted_) + self.postings.nbytes


def make_segment(start: int, ids: Ints, places: Ints, postings: Postings) -> Segment:
    """Return the segment of the rows from `start`, each with a passage's id and its place."""
    by_id, by_place = np.argsort(ids), np.argsort(places, kind="stable")
    return Segment(
        start,
        start + len(ids),
        Ascending(Kept(ids[by_id])),
        Kept(start + by_id),
        Ascending(Kept(places[by_place])),
        Kept(start + by_place),
        postings,
    )


def with_segment(
    segments: Sequence[Segment], added: Segment, storage: Storage, at_leisure: bool = False
) -> tuple[Segment, ...]:
    """Return segments with one more, merged with those that are hardly larger: few are left, and rows seldom move."""
    largest = _LARGEST_AT_LEISURE if at_leisure else _LARGEST
    kept = [*segments, added]
    while len(kept) > 1 and _size(kept[-2]) <= 2 * _size(kept[-1]):
        if _size(kept[-2]) + _size(kept[-1]) > largest:
            break
        last = kept.pop()
        kept[-1] = _merged(kept[-1], last)
    least = largest // _LASTING_SHARE
    if not at_leisure:
        # Of a copy that grows by little, what is merged with most of it lasts, too.
        least = min(least, max(_LEAST_KEPT, kept[-1].stop // _LASTING_SHARE))
    return tuple(_kept(each, storage, least) for each in kept)


def keep_loaded(segments: Sequence[Segment], storage: Storage) -> tuple[Segment, ...]:
    """Return segments of what was loaded at once, where the copy is: few of them will be merged soon."""
    return tuple(_kept(each, storage, _LEAST_KEPT) for each in segments)


def _kept(segment: Segment, storage: Storage, least: int) -> Segment:
    """Return a segment, where the copy is if it has that many rows."""
    if segment.is_kept or _size(segment) < least or storage.in_memory:
        return segment
    return replace(
        segment,
        ids=Ascending(storage.keep(segment.ids.values)),
        id_rows=storage.keep(segment.id_rows.values),
        places=Ascending(storage.keep(segment.places.values)),
        place_rows=storage.keep(segment.place_rows.values),
        postings=segment.postings.kept_in(storage),
        is_kept=True,
    )


def _size(segment: Segment) -> int:
    return segment.stop - segment.start


def _merged(first: Segment, second: Segment) -> Segment:
    ids = np.append(first.ids.values, second.ids.values)
    places = np.append(first.places.values, second.places.values)
    by_id, by_place = np.argsort(ids, kind="stable"), np.argsort(places, kind="stable")
    return Segment(
        first.start,
        second.stop,
        Ascending(Kept(ids[by_id])),
        Kept(np.append(first.id_rows.values, second.id_rows.values)[by_id]),
        Ascending(Kept(places[by_place])),
        Kept(np.append(first.place_rows.values, second.place_rows.values)[by_place]),
        merge_postings(first.postings, second.postings, _size(first)),
    )


def rows_of(segments: Sequence[Segment], ids: Ints) -> Ints:
    """Return the rows of those passages that are there, in no order."""
    found = []
    for segment in segments if len(ids) else ():
        slots = segment.ids.find(ids)
        found.append(segment.id_rows.take(slots[slots >= 0]))
    return np.concatenate(found) if found else np.zeros(0, np.int64)


def rows_between(segments: Sequence[Segment], first: Ints, last: Ints) -> Ints:
    """Return the rows whose places are in one of several ranges, ends included, in no order."""
    found = []
    for segment in segments:
        begin, end = segment.places.bounds(first, last)
        here = np.flatnonzero(begin < end)
        found.append(segment.place_rows.take_ranges(begin[here], (end - begin)[here]))
    return np.concatenate(found) if found else np.zeros(0, np.int64)
