"""What is known of a namespace's passages, by row in the order in which they came."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from everword.db.arrays import Array
from everword.text.author_names import name_words
from everword.text.ranking_record import Records
from everword.v1.memory_pb2 import MEMORY_KIND_MESSAGE
from everword_search.cache.columns import Column, Kept, Numbers
from everword_search.cache.postings import build_postings
from everword_search.cache.segments import (
    Segment,
    keep_loaded,
    make_segment,
    rows_between,
    rows_of,
    with_segment,
)
from everword_search.cache.storage import Storage
from everword_search.cache.store import Passages
from everword_search.cache.vectors import Vectors
from everword_search.ranking.arrays import Ints

#: A conversation's places are so far apart from those of the next one; more than a conversation has turns.
_THREAD = 1 << 32
#: Spreads the bits of a number of 64; odd, so that none are lost (2^64 by the golden ratio, as in splitmix64).
_ODD = np.uint64(0x9E3779B97F4A7C15)
#: What the objects around the arrays take, which is most of what a small namespace takes; and around those of a file,
#: with what caches know of a namespace that is searched.
OBJECTS_BYTES = 9_000
FILE_OBJECTS_BYTES = 22_500
#: The most words and tags that a passage has on average.
_MOST_TERMS, _MOST_TAGS = 256, 32
#: Rows that are read one by one: what is to be known of more is looked up in all of a column.
_MANY = 2_000
#: Columns of texts that few passages have each of, kept as numbers.
_LABELS = ("agents", "subjects", "channels", "instances")
#: What is compared for all rows at once.
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
#: What is read of some rows lies together, as bytes: NumPy copies those at once, and records field by field.
_FIELDS = {
    "ids": np.int64,
    "source_ids": np.dtype("S16"),
    "kinds": np.int16,
    "parts": np.int32,
    "threads": np.int64,
    "seqs": np.int64,
    "authors": np.int32,
    "roles": np.int16,
    "moments": np.float64,
    "stands_for": np.int32,
    "repeats": np.bool_,
    "flags": np.uint8,
    "words": np.uint16,
    "time_words": np.uint8,
    "self_words": np.uint8,
    "term_starts": np.int64,
    "term_counts": np.uint16,
}
_ROW = np.dtype(list(_FIELDS.items()))


class NamespaceIndex:
    """A growing copy of a namespace's passages. What one search sees of it is a Snapshot."""

    def __init__(self, vectors: Vectors | None, storage: Storage) -> None:
        """Without `vectors`, there is no model."""
        self.vectors = vectors
        self._storage = storage
        self._columns = {name: storage.column(kind) for name, kind in _COLUMNS.items()}
        self._rows = storage.column(np.uint8, (_ROW.itemsize,))
        self._terms = storage.column(np.uint32, each=_MOST_TERMS)
        self._tags, self._tag_rows = (storage.column(np.int32, each=_MOST_TAGS) for _ in range(2))
        self._conversations, self._authors, self._labels = Numbers(), Numbers(), Numbers()
        #: The words that authors are named by, also those of what was taken out.
        self.author_words: set[str] = set()
        self._segments: tuple[Segment, ...] = ()
        self._is_ordered = True
        #: How many passages were not taken out again, and BM25's lengths of all of them together.
        self.present, self._total_length = 0, 0

    @property
    def size(self) -> int:
        return len(self._columns["ids"].values)

    @property
    def ids(self) -> Ints:
        return self._columns["ids"].values

    @property
    def alive(self) -> Array:
        """Which passages were not taken out again."""
        return self._columns["alive"].values

    @property
    def nbytes(self) -> int:
        """About what it takes, of memory and of disk."""
        return self.memory_bytes + self._storage.nbytes

    @property
    def memory_bytes(self) -> int:
        """About what it takes of memory that the kernel cannot take back."""
        objects = OBJECTS_BYTES if self.in_memory else FILE_OBJECTS_BYTES
        arrays = sum(column.nbytes for column in self._all_columns)
        numbers = (self._conversations, self._authors, self._labels)
        named = 150 * sum(len(each.things) for each in numbers)
        segments = sum(segment.nbytes for segment in self._segments)
        vectors = self.vectors.nbytes if self.vectors else 0
        return objects + arrays + named + segments + vectors

    def count_known(self, ids: Ints) -> int:
        """Return how many of some passages are here."""
        return len(rows_of(self._segments, ids))

    def add(self, passages: Passages, *, at_leisure: bool = False) -> None:
        """Add passages that are not here yet; `at_leisure` nobody waits, in this thread."""
        count, start = len(passages.ids), self.size
        if not count:
            return
        self._is_ordered &= start == 0 or bool(self.ids[-1] < passages.ids[0])
        known_authors = len(self._authors.things)
        is_turn = (passages.kinds == MEMORY_KIND_MESSAGE) & (passages.seqs >= 0)
        conversations = np.array(
            self._conversations.of(passages.conversation_ids.tolist()), np.int64
        )
        threads = np.where(is_turn, conversations, _threads_alone(passages.source_ids))
        seqs = np.where(is_turn, passages.seqs, 0)
        records = passages.records
        added = {
            "threads": threads,
            "conversations": conversations,
            "seqs": seqs,
            **{name: self._labels.of(getattr(passages, name)) for name in _LABELS},
            "authors": self._authors.of(passages.authors),
            "flags": records.flags,
            "words": records.words,
            "time_words": records.time_words,
            "self_words": records.self_words,
            "term_starts": len(self._terms.values) + records.begins,
            "term_counts": records.counts,
            "alive": np.ones(count, bool),
        }
        self.author_words.update(*map(name_words, self._authors.things[known_authors:]))
        rows = np.empty(count, _ROW)
        for name in {*_COLUMNS, *_FIELDS}:
            values = np.asarray(added[name] if name in added else getattr(passages, name))
            if name in _COLUMNS:
                self._columns[name].extend(values)
            if name in _FIELDS:
                rows[name] = values
        self._rows.extend(rows.view(np.uint8).reshape(count, _ROW.itemsize))
        self._terms.extend(records.terms)
        self._tags.extend(np.array(self._labels.of(passages.tags), np.int32))
        self._tag_rows.extend(start + passages.tag_places)
        postings = build_postings(passages.words, passages.places, passages.occurrences)
        segment = make_segment(start, passages.ids, _places(threads, seqs), postings)
        self._segments = with_segment(self._segments, segment, self._storage, at_leisure)
        if self.vectors:
            self.vectors.add(count)
        self.present += count
        self._total_length += int(passages.lengths.sum())

    def keep(self, alive: Array) -> None:
        """Take out the passages that are not in `alive`, which has an element for each."""
        self.alive[:] = alive
        self.present = int(np.count_nonzero(alive))
        self._total_length = int(self._columns["lengths"].values @ alive.astype(np.int64))

    @property
    def in_memory(self) -> bool:
        """Whether it takes memory, and no file."""
        return self._storage.in_memory

    @property
    def mapped_bytes(self) -> int:
        """What searches map into this process."""
        return self._storage.mapped_bytes

    def rest(self) -> None:
        """Nobody searches here for now."""
        self._storage.rest()

    def trim(self) -> None:
        """Give back memory that was taken for more to come. Raises NoRoom."""
        self._segments = keep_loaded(self._segments, self._storage)
        for column in self._all_columns:
            column.trim()
        if self.vectors:
            self.vectors.trim()

    @property
    def _all_columns(self) -> Sequence[Column]:
        return (*self._columns.values(), self._rows, self._terms, self._tags, self._tag_rows)

    def snapshot(self) -> Snapshot:
        columns = {name: column.values for name, column in self._columns.items()}
        return Snapshot(
            columns,
            self._rows,
            self._terms,
            self._tags.values,
            self._tag_rows.values,
            self._conversations,
            self._authors,
            self._labels,
            self._segments,
            self._is_ordered,
            self.present,
            self._total_length / max(1, self.present),
        )


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The passages of a namespace that one search sees."""

    #: What is compared for all rows at once.
    columns: dict[str, Array]
    _rows: Kept
    _terms: Kept
    _tags: Array
    _tag_rows: Array
    _conversations: Numbers
    _authors: Numbers
    _labels: Numbers
    segments: tuple[Segment, ...]
    #: Whether ids ascend: whether none came late.
    is_ordered: bool
    #: How many were not taken out again.
    present: int
    #: BM25's mean document length.
    mean_length: float

    @property
    def size(self) -> int:
        return len(self.columns["ids"])

    def rows_of(self, ids: Ints) -> Ints:
        """Return the rows of those passages that are here, in no order."""
        if not self.is_ordered or not self.size:
            return rows_of(self.segments, ids)
        known = self.columns["ids"]
        rows = np.minimum(np.searchsorted(known, ids), self.size - 1)
        return np.asarray(rows[known[rows] == ids])

    def read(self, rows: Ints) -> Array:
        """Return what is known of some rows, field by field."""
        return np.asarray(self._rows.take(rows).view(_ROW).reshape(-1))

    def ids_of(self, rows: Ints) -> Ints:
        """Return the ids of some rows, or of many."""
        if len(rows) > _MANY:
            return np.asarray(self.columns["ids"][rows])
        return np.asarray(self.read(rows)["ids"])

    def rows_around(self, rows: Ints, reach: int) -> Ints:
        """Return the rows of the memories that these belong to, and of turns up to `reach` places away, each once."""
        places = np.unique(places_of(self.read(rows)))
        before = np.where(places < 0, 0, np.minimum(places % _THREAD, reach))
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
            terms=self._terms.take_ranges(read["term_starts"].copy(), counts),
            begins=np.cumsum(counts) - counts,
            counts=counts,
        )

    def rows_with(self, word: int) -> Ints:
        """Return the rows that hold the word of a hash."""
        found = []
        for segment in self.segments:
            [span] = segment.postings.spans(np.array([word])).tolist()
            found.append(segment.start + segment.postings.between(*span)[0].astype(np.int64))
        rows = np.concatenate(found) if found else np.zeros(0, np.int64)
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

    def tagged(self, tags: Collection[str]) -> Array:
        """Return which rows have one of these tags."""
        tagged = np.zeros(self.size, bool)
        tagged[self._tag_rows[np.isin(self._tags, _known(self._labels, tags))]] = True
        return tagged

    @property
    def author_names(self) -> Sequence[str]:
        """What the numbers in `authors` stand for."""
        return self._authors.things

    def conversation_ids(self, rows: Ints) -> Array:
        """Return the conversation of each row as `S16`; empty for what has none."""
        numbers, which = np.unique(self.columns["conversations"][rows], return_inverse=True)
        ids = self._conversations.things
        return np.array([ids[number] for number in numbers.tolist()], "S16")[which]


def some_of(read: Array, which: Array) -> Array:
    """Return some of the rows that were read, by number or by a mask: as bytes, since records are copied slowly."""
    binary = read.view(np.uint8).reshape(len(read), _ROW.itemsize)
    return np.asarray(binary[which].view(_ROW).reshape(-1))


def places_of(read: Array) -> Ints:
    """Return a number for the memory of each row that was read: its thread, and its place in that."""
    return _places(read["threads"], read["seqs"])


def _places(threads: Ints, seqs: Ints) -> Ints:
    return np.where(threads < 0, threads, threads * _THREAD + seqs)


def _threads_alone(source_ids: Array) -> Ints:
    """Return a negative number for each memory that is no turn, from its id (`S16`), a thread of its own.

    To number them as they come would take 300 bytes of memory each. With 63 bits of random ids, two of a million have
    the same with a probability of 5e-8.
    """
    first, second = np.ascontiguousarray(source_ids, "S16").view(np.uint64).reshape(-1, 2).T
    return np.asarray(~((first * _ODD ^ second) >> np.uint64(1)).view(np.int64))


def _known(numbers: Numbers, things: Collection[Any]) -> list[int]:
    """Return the numbers of those things that have come."""
    found = [numbers.get(thing) for thing in things]
    return [number for number in found if number is not None]
