"""A growing copy of a namespace's passages; rows are in order of arrival."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from everword.db.arrays import Array
from everword.domain.memory_kinds import MemoryKind
from everword.text.author_names import name_words
from everword_search.cache.columns.growing_column import GrowingColumn, Numbers
from everword_search.cache.columns.intervals import Intervals
from everword_search.cache.columns.postings import build_postings
from everword_search.cache.columns.row import (
    FIELDS,
    ROW,
    bytes_of,
    places_of,
    single_memory_threads,
)
from everword_search.cache.columns.segments import Segment, make_segment, with_segment
from everword_search.cache.columns.vectors import Vectors
from everword_search.cache.snapshot import IdOrder, Snapshot
from everword_search.cache.store import Passages
from everword_search.kernels.arrays import Floats, Ints

#: Bytes of the objects around the arrays; most of the size of a small namespace.
OBJECTS_BYTES = 9_000
#: Text columns with few distinct values, stored as numbers.
_LABELS = ("agents", "subjects", "channels", "instances")
#: Columns that are compared for all rows at once.
_COLUMNS = {
    "ids": np.int64,
    "kinds": np.int16,
    "conversations": np.int32,
    "agents": np.int32,
    "subjects": np.int32,
    "channels": np.int32,
    "instances": np.int32,
    "authors": np.int32,
    "roles": np.int16,
    "automated": np.bool_,
    "moments": np.float64,
    "lengths": np.int32,
    "alive": np.bool_,
}


class NamespaceIndex:
    """A growing copy of a namespace's passages. A search reads it through a Snapshot."""

    def __init__(self, vectors: Vectors | None, capacity: int = 0) -> None:
        """`vectors` is None without a model. `capacity` is the number of passages to allocate."""
        self.vectors = vectors
        self._columns = {
            name: GrowingColumn(kind, capacity=capacity) for name, kind in _COLUMNS.items()
        }
        self._rows = GrowingColumn(np.uint8, (ROW.itemsize,), capacity)
        self._terms = GrowingColumn(np.uint32)
        self._tags, self._tag_rows = GrowingColumn(np.int32), GrowingColumn(np.int32)
        self._conversations, self._authors, self._labels = Numbers(), Numbers(), Numbers()
        #: Words of all authors' names, including those of removed passages.
        self.author_words: set[str] = set()
        self._segments: tuple[Segment, ...] = ()
        #: Rows in order of their ids, if any id arrived late; rebuilt once there are more rows.
        self._late_order: IdOrder | None = None
        self._is_ordered = True
        self._removed = np.zeros(0, np.int64)
        self._intervals = Intervals.none()
        #: Number of passages that were not removed, and their total BM25 length.
        self.present, self._total_length = 0, 0

    @property
    def size(self) -> int:
        return len(self._columns["ids"].values)

    @property
    def ids(self) -> Ints:
        return self._columns["ids"].values

    @property
    def alive(self) -> Array:
        """Mask of the passages that were not removed."""
        return self._columns["alive"].values

    @property
    def removed(self) -> Ints:
        """The removed rows, ascending."""
        return self._removed

    @property
    def nbytes(self) -> int:
        """Estimated bytes of memory."""
        arrays = sum(column.nbytes for column in self._all_columns)
        numbers = (self._conversations, self._authors, self._labels)
        named = 150 * sum(len(each.things) for each in numbers)
        segments = sum(segment.nbytes for segment in self._segments)
        order = 2 * self.ids.nbytes if self._late_order else 0
        few = self._removed.nbytes + self._intervals.nbytes
        vectors = self.vectors.nbytes if self.vectors else 0
        return OBJECTS_BYTES + arrays + named + segments + order + few + vectors

    def rows_of(self, ids: Ints) -> Ints:
        """Return the rows of the passages that are present, in the order of `ids`."""
        return self._order.rows_of(ids)

    def find(self, ids: Ints) -> Ints:
        """Return the row of each passage; -1 if it is missing."""
        return self._order.find(ids)

    def add(self, passages: Passages, *, unhurried: bool = False) -> None:
        """Add passages, none of which may be present. `unhurried` permits slower merges in the background."""
        count, start = len(passages.ids), self.size
        if not count:
            return
        self._is_ordered &= start == 0 or bool(self.ids[-1] < passages.ids[0])
        known_authors = len(self._authors.things)
        columns = self._columns_of(passages)
        self.author_words.update(*map(name_words, self._authors.things[known_authors:]))
        rows = np.empty(count, ROW)
        for name in FIELDS:
            rows[name] = columns[name]
        for name in _COLUMNS:
            self._columns[name].extend(columns[name])
        self._rows.extend(bytes_of(rows))
        self._terms.extend(passages.records.terms)
        self._tags.extend(np.array(self._labels.of(passages.tags), np.int32))
        self._tag_rows.extend(start + passages.tag_places)
        postings = build_postings(passages.words, passages.places, passages.occurrences)
        segment = make_segment(start, places_of(rows), postings)
        self._segments = with_segment(self._segments, segment, unhurried)
        if self.vectors:
            self.vectors.add(count)
        self.present += count
        self._total_length += int(passages.lengths.sum())

    def _columns_of(self, passages: Passages) -> dict[str, Array]:
        """Return the stored fields of passages, with texts and conversations as numbers."""
        is_turn = (passages.kinds == int(MemoryKind.MESSAGE)) & (passages.seqs >= 0)
        ids = passages.conversation_ids.tolist()
        conversations = np.array(self._conversations.of(ids), np.int64)
        records = passages.records
        return {
            **{
                name: getattr(passages, name) for name in {*_COLUMNS, *FIELDS} & set(vars(passages))
            },
            **{name: np.array(self._labels.of(getattr(passages, name))) for name in _LABELS},
            "conversations": conversations,
            "threads": np.where(is_turn, conversations, single_memory_threads(passages.source_ids)),
            "seqs": np.where(is_turn, passages.seqs, 0),
            "authors": np.array(self._authors.of(passages.authors)),
            "flags": records.flags,
            "words": records.words,
            "time_words": records.time_words,
            "self_words": records.self_words,
            "term_starts": len(self._terms.values) + records.begins,
            "term_counts": records.counts,
            "alive": np.ones(len(passages.ids), bool),
        }

    def remove(self, rows: Ints) -> None:
        """Remove rows; rows already removed are ignored."""
        rows = np.unique(rows[self.alive[rows]])
        if not len(rows):
            return
        # Replace the array, because searches in progress keep the one that they read.
        self._columns["alive"].replace(self.alive.copy())
        self.alive[rows] = False
        self._removed = np.union1d(self._removed, rows)
        self.present -= len(rows)
        self._total_length -= int(self._columns["lengths"].values[rows].sum())

    def limit(self, ids: Ints, limits: Floats) -> None:
        """Set the limits of validity and knowledge of the passages that are present; see Intervals."""
        rows = self.find(ids)
        here = rows >= 0
        self._intervals = self._intervals.with_limits(rows[here], limits[here])

    def newly_limited(self, ids: Ints, limits: Floats) -> Array:
        """Return for each passage whether `limit` would change it."""
        rows = self.find(ids)
        return (rows >= 0) & np.any(self._intervals.of(rows) != limits, axis=1)

    def forget_limits(self) -> None:
        """Treat all passages as valid at any time."""
        self._intervals = Intervals.none()

    def trim(self) -> None:
        """Free memory allocated for further rows."""
        for column in self._all_columns:
            column.trim()
        if self.vectors:
            self.vectors.trim()

    @property
    def _all_columns(self) -> Sequence[GrowingColumn]:
        return (*self._columns.values(), self._rows, self._terms, self._tags, self._tag_rows)

    @property
    def _order(self) -> IdOrder:
        if self._is_ordered:
            return IdOrder(self.ids, None)
        if self._late_order is None or len(self._late_order.ids) != self.size:
            # Few ids arrived late, and a stable sort passes over ordered runs quickly.
            rows = np.argsort(self.ids, kind="stable")
            self._late_order = IdOrder(self.ids[rows], rows)
        return self._late_order

    def snapshot(self) -> Snapshot:
        columns = {name: column.values for name, column in self._columns.items()}
        return Snapshot(
            columns,
            self._rows.values,
            self._terms.values,
            self._tags.values,
            self._tag_rows.values,
            self._conversations,
            self._authors,
            self._labels,
            self._segments,
            self._order,
            self._removed,
            self._intervals,
            self.present,
            self._total_length / max(1, self.present),
        )
