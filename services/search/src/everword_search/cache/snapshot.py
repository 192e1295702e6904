"""The cached passages of a namespace as one search sees them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from everword.db.arrays import Array
from everword.text.ranking_record import Records
from everword_search.cache.columns.growing_column import Numbers, find, ranges
from everword_search.cache.columns.intervals import Intervals
from everword_search.cache.columns.row import THREAD, fields_of, places_of
from everword_search.cache.columns.segments import Segment, rows_between
from everword_search.kernels.arrays import Ints, Mask

#: Up to this many rows are read one by one; for more, a whole column is indexed.
_MANY = 2_000


@dataclass(frozen=True, eq=False)
class IdOrder:
    """Ids of passages in ascending order with the row of each; `rows` is None if the index is the row."""

    ids: Ints
    rows: Ints | None

    def rows_of(self, ids: Ints) -> Ints:
        """Return the rows of the passages that are present, in the order of `ids`."""
        rows = self.find(ids)
        return rows[rows >= 0]

    def find(self, ids: Ints) -> Ints:
        """Return the row of each passage; -1 if it is missing."""
        places = find(self.ids, ids)
        return places if self.rows is None else np.where(places < 0, places, self.rows[places])


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The cached passages of a namespace as one search sees them."""

    #: Columns that are compared for all rows at once.
    columns: dict[str, Array]
    _rows: Array
    _terms: Array
    _tags: Array
    _tag_rows: Array
    _conversations: Numbers
    _authors: Numbers
    _labels: Numbers
    segments: tuple[Segment, ...]
    #: Rows by id.
    order: IdOrder
    #: The removed rows, ascending.
    removed: Ints
    #: Limited intervals of validity and knowledge.
    intervals: Intervals
    #: Number of passages that were not removed.
    present: int
    #: BM25's mean document length.
    mean_length: float

    @property
    def size(self) -> int:
        return len(self.columns["ids"])

    @property
    def is_ordered(self) -> bool:
        """True if ids ascend by row, which means that none arrived late."""
        return self.order.rows is None

    def rows_of(self, ids: Ints) -> Ints:
        """Return the rows of the passages that are present, in the order of `ids`."""
        return self.order.rows_of(ids)

    def read(self, rows: Ints | slice) -> Array:
        """Return the fields of rows as a structured array."""
        return fields_of(self._rows[rows])

    def ids_of(self, rows: Ints) -> Ints:
        """Return the ids of rows."""
        if len(rows) > _MANY:
            return np.asarray(self.columns["ids"][rows])
        return np.asarray(self.read(rows)["ids"])

    def neighbouring_rows(self, rows: Ints, reach: int) -> Ints:
        """Return the unique rows of the memories of `rows` and of turns up to `reach` positions away."""
        places = np.unique(places_of(self.read(rows)))
        before = np.where(places < 0, 0, np.minimum(places % THREAD, reach))
        first, last = places - before, places + np.where(places < 0, 0, reach)
        # Merge overlapping ranges, so that each row is found once.
        begins = np.ones(len(places), bool)
        begins[1:] = first[1:] > last[:-1]
        starts = np.flatnonzero(begins)
        ends = np.append(starts[1:], len(places)) - 1
        return rows_between(self.segments, first[starts], last[ends])

    def records(self, read: Array) -> Records:
        """Return the text records of rows that were read."""
        counts = read["term_counts"].astype(np.int64)
        return Records(
            flags=read["flags"].copy(),
            words=read["words"].copy(),
            time_words=read["time_words"].copy(),
            self_words=read["self_words"].copy(),
            terms=self._terms[ranges(read["term_starts"], counts)],
            begins=np.cumsum(counts) - counts,
            counts=counts,
        )

    def removed_within(self, segment: Segment) -> npt.NDArray[np.uint16]:
        """Return the removed rows of a segment, counted from its first row."""
        begin, end = np.searchsorted(self.removed, [segment.start, segment.stop])
        return (self.removed[begin:end] - segment.start).astype(np.uint16)

    def rows_with(self, word: int) -> Ints:
        """Return the rows that contain the word with this hash."""
        found = [np.zeros(0, np.int64)]
        for segment in self.segments:
            [span] = segment.postings.spans(np.array([word])).tolist()
            found.append(segment.start + segment.postings.between(*span)[0].astype(np.int64))
        rows = np.concatenate(found)
        return np.asarray(rows[self.columns["alive"][rows]])

    def conversations_with(self, words: Sequence[int], rows: Ints) -> Ints:
        """Return, for each of `rows`, how many of the words occur in its conversation."""
        conversations = self.columns["conversations"]
        held = np.zeros(len(self._conversations.things), np.int64)
        for word in words:
            held[np.unique(conversations[self.rows_with(word)])] += 1
        if (none := self._conversations.get(b"")) is not None:
            held[none] = 0  # Memories outside conversations share no conversation.
        return held[conversations[rows]]

    def are_outside_conversations(self, rows: Ints) -> Mask:
        """Return a mask of `rows` whose memories belong to no conversation."""
        none = self._conversations.get(b"")
        conversations = self.columns["conversations"][rows]
        return conversations == none if none is not None else np.zeros(len(rows), bool)

    def mask_of(self, name: str, things: Collection[Any]) -> Array:
        """Return a mask of the rows whose field `name` has one of the values.

        The fields are `conversations` (`S16`), `authors`, and the labels such as `agents`.
        """
        numbers = {"conversations": self._conversations, "authors": self._authors}.get(
            name, self._labels
        )
        return np.isin(self.columns[name], _known_numbers(numbers, things))

    def of_memories(self, source_ids: Array) -> Array:
        """Return a mask of the rows of the given memories (`S16`)."""
        return np.isin(self.read(slice(None))["source_ids"], source_ids)

    def tagged(self, tags: Collection[str]) -> Array:
        """Return a mask of the rows that have one of the tags."""
        tagged = np.zeros(self.size, bool)
        tagged[self._tag_rows[np.isin(self._tags, _known_numbers(self._labels, tags))]] = True
        return tagged

    @property
    def author_names(self) -> Sequence[str]:
        """Author names, indexed by the numbers in `authors`."""
        return self._authors.things

    def conversation_ids(self, rows: Ints) -> Array:
        """Return the conversation of each row as `S16`; empty for rows outside conversations."""
        numbers, which = np.unique(self.columns["conversations"][rows], return_inverse=True)
        ids = self._conversations.things
        return np.array([ids[number] for number in numbers.tolist()], "S16")[which]


def _known_numbers(numbers: Numbers, things: Collection[Any]) -> list[int]:
    """Return the numbers of the values that have appeared."""
    found = [numbers.get(thing) for thing in things]
    return [number for number in found if number is not None]
