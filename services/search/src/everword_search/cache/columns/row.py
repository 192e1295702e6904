"""The in-memory record of a passage, and the position of its memory in its thread."""

from __future__ import annotations

import numpy as np

from everword.db.arrays import Array
from everword_search.kernels.arrays import Ints

#: Distance between the positions of two conversations; larger than the number of turns in a conversation.
THREAD = 1 << 32
#: Multiplier that spreads 64-bit numbers: 2^64 divided by the golden ratio, as in splitmix64. It is odd, so no bits are
#: lost.
_ODD = np.uint64(0x9E3779B97F4A7C15)
#: Fields read for selected rows. They are stored as bytes in one row, because NumPy copies bytes at once and structured
#: records field by field.
FIELDS = {
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
    "flags": np.uint16,
    "words": np.uint16,
    "time_words": np.uint8,
    "self_words": np.uint8,
    "term_starts": np.int64,
    "term_counts": np.uint16,
}
ROW = np.dtype(list(FIELDS.items()))


def bytes_of(rows: Array) -> Array:
    """Return structured rows as bytes, one row each."""
    return rows.view(np.uint8).reshape(len(rows), ROW.itemsize)


def fields_of(binary: Array) -> Array:
    """Return structured rows from their bytes."""
    return np.asarray(binary.view(ROW).reshape(-1))


def some_of(read: Array, which: Array) -> Array:
    """Return some of the rows by index or mask.

    They are copied as bytes, because copying structured records is slow.
    """
    return fields_of(bytes_of(read)[which])


def places_of(read: Array) -> Ints:
    """Return a number that identifies the memory of each row: its thread and its position in it."""
    threads, seqs = read["threads"], read["seqs"]
    return np.where(threads < 0, threads, threads * THREAD + seqs)


def single_memory_threads(source_ids: Array) -> Ints:
    """Return a negative thread number for each memory that is no turn, derived from its id (`S16`).

    Numbering them in order of appearance would take 300 bytes of memory each. With 63 bits of random ids, the
    probability of a collision among a million is 5e-8.
    """
    first, second = np.ascontiguousarray(source_ids, "S16").view(np.uint64).reshape(-1, 2).T
    return np.asarray(~((first * _ODD ^ second) >> np.uint64(1)).view(np.int64))
