"""The passages of a namespace in memory, as one search sees them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from everword.db.arrays import Array
from everword.text.ranking_record import Records
from everword_search.cache.columns.growing import Numbers, find, ranges
from everword_search.cache.columns.intervals import Intervals
from everword_search.cache.columns.row import THREAD, fields_of, places_of
from everword_search.cache.columns.segments import Segment, rows_between
from everword_search.kernels.arrays import Ints

#: Rows that are read one by one: what is to be known of more is looked up in all of a column.
_MANY = 2_000


@dataclass(frozen=True, eq=False)
class IdOrder:
    """Ids of passages, ascending, and the row of each; None where that is its place."""

    ids: Ints
    rows: Ints | None

    def rows_of(self, ids: Ints) -> Ints:
        """Return the rows of those passages that are here, in the order of `ids`."""
        rows = self.find(ids)
        return rows[rows >= 0]

    def find(self, ids: Ints) -> Ints:
        """Return the row of each passage; -1 for one that is not here."""
        places = find(self.ids, ids)
        return places if self.rows is None else np.where(places < 0, places, self.rows[places])


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The passages of a namespace that one search sees."""

    #: What is compared for all rows at once.
    columns: dict[str, Array]
    _rows: Array
    _terms: Array
    _tags: Array
    _tag_rows: Array
    _conversations: Numbers
    _authors: Numbers
    _labels: Numbers
    segments: tuple[Segment, ...]
    #: Where each passage is.
    order: IdOrder
    #: The rows that were taken out again, ascending.
    removed: Ints
    #: Since when and until when passages hold, where that is limited.
    intervals: Intervals
    #: How many were not taken out again.
    present: int
    #: BM25's mean document length.
    mean_length: float

    @property
    def size(self) -> int:
        return len(self.columns["ids"])

    @property
    def is_ordered(self) -> bool:
        """Whether ids ascend: whether none came late."""
        return self.order.rows is None

    def rows_of(self, ids: Ints) -> Ints:
        """Return the rows of those passages that are here, in the order of `ids`."""
        return self.order.rows_of(ids)

    def read(self, rows: Ints | slice) -> Array:
        """Return what is known of some rows, field by field."""
        return fields_of(self._rows[rows])

    def ids_of(self, rows: Ints) -> Ints:
        """Return the ids of some rows, or of many."""
        if len(rows) > _MANY:
            return np.asarray(self.columns["ids"][rows])
        return np.asarray(self.read(rows)["ids"])

    def rows_around(self, rows: Ints, reach: int) -> Ints:
        """Return the rows of the memories that these belong to, and of turns up to `reach` places away, each once."""
        places = np.unique(places_of(self.read(rows)))
        before = np.where(places < 0, 0, np.minimum(places % THREAD, reach))
        first, last = places - before, places + np.where(places < 0, 0, reach)
        # Ranges that meet are one: each row is found once.
        begins = np.ones(len(places), bool)
        begins[1:] = first[1:] > last[:-1]
        starts = np.flatnonzero(begins)
        ends = np.append(starts[1:], len(places)) - 1
        return rows_between(self.segments, first[starts], last[ends])

    def records(self, read: Array) -> Records:
        """Return the records of rows that were read."""
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
        """Return the rows of a segment that were taken out again, counted from its first one."""
        begin, end = np.searchsorted(self.removed, [segment.start, segment.stop])
        return (self.removed[begin:end] - segment.start).astype(np.uint16)

    def rows_with(self, word: int) -> Ints:
        """Return the rows that hold the word of a hash."""
        found = [np.zeros(0, np.int64)]
        for segment in self.segments:
            [span] = segment.postings.spans(np.array([word])).tolist()
            found.append(segment.start + segment.postings.between(*span)[0].astype(np.int64))
        rows = np.concatenate(found)
        return np.asarray(rows[self.columns["alive"][rows]])

    def conversations_with(self, words: Sequence[int], rows: Ints) -> Ints:
        """Return how many of the words the conversation of each of `rows` holds."""
        conversations = self.columns["conversations"]
        held = np.zeros(len(self._conversations.things), np.int64)
        for word in words:
            held[np.unique(conversations[self.rows_with(word)])] += 1
        if (none := self._conversations.get(b"")) is not None:
            held[none] = 0  # what is in no conversation has nothing in common
        return held[conversations[rows]]

    def having(self, name: str, things: Collection[Any]) -> Array:
        """Return which rows have one of these: conversations (`S16`), or texts of one of the columns of such."""
        numbers = {"conversations": self._conversations, "authors": self._authors}.get(
            name, self._labels
        )
        return np.isin(self.columns[name], _known(numbers, things))

    def of_memories(self, source_ids: Array) -> Array:
        """Return which rows are of one of these memories (`S16`)."""
        return np.isin(self.read(slice(None))["source_ids"], source_ids)

    def tagged(self, tags: Collection[str]) -> Array:
        """Return which rows have one of these tags."""
        tagged = np.zeros(self.size, bool)
        tagged[self._tag_rows[np.isin(self._tags, _known(self._labels, tags))]] = True
        return tagged

    @property
    def author_names(self) -> Sequence[str]:
        """The names that the numbers in `authors` stand for."""
        return self._authors.things

    def conversation_ids(self, rows: Ints) -> Array:
        """Return the conversation of each row as `S16`; empty for what has none."""
        numbers, which = np.unique(self.columns["conversations"][rows], return_inverse=True)
        ids = self._conversations.things
        return np.array([ids[number] for number in numbers.tolist()], "S16")[which]


def _known(numbers: Numbers, things: Collection[Any]) -> list[int]:
    """Return the numbers of those things that have come."""
    found = [numbers.get(thing) for thing in things]
    return [number for number in found if number is not None]
