"""The record of a passage in memory, field by field, and the place of its memory."""

from __future__ import annotations

import numpy as np

from everword.db.arrays import Array
from everword_search.kernels.arrays import Ints

#: A conversation's places are so far apart from those of the next one; more than a conversation has turns.
THREAD = 1 << 32
#: Spreads the bits of a number of 64; odd, so that none are lost (2^64 by the golden ratio, as in splitmix64).
_ODD = np.uint64(0x9E3779B97F4A7C15)
#: What is read of some rows lies together, as bytes: NumPy copies those at once, and records field by field.
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
    "flags": np.uint8,
    "words": np.uint16,
    "time_words": np.uint8,
    "self_words": np.uint8,
    "term_starts": np.int64,
    "term_counts": np.uint16,
}
ROW = np.dtype(list(FIELDS.items()))


def bytes_of(rows: Array) -> Array:
    """Return rows as bytes, a row each."""
    return rows.view(np.uint8).reshape(len(rows), ROW.itemsize)


def fields_of(binary: Array) -> Array:
    """Return rows from their bytes, field by field."""
    return np.asarray(binary.view(ROW).reshape(-1))


def some_of(read: Array, which: Array) -> Array:
    """Return some of the rows that were read, by number or by a mask: as bytes, since records are copied slowly."""
    return fields_of(bytes_of(read)[which])


def places_of(read: Array) -> Ints:
    """Return a number for the memory of each row that was read: its thread, and its place in that."""
    threads, seqs = read["threads"], read["seqs"]
    return np.where(threads < 0, threads, threads * THREAD + seqs)


def threads_alone(source_ids: Array) -> Ints:
    """Return a negative number for each memory that is no turn, from its id (`S16`), a thread of its own.

    To number them as they come would take 300 bytes of memory each. With 63 bits of random ids, two of a million have
    the same with a probability of 5e-8.
    """
    first, second = np.ascontiguousarray(source_ids, "S16").view(np.uint64).reshape(-1, 2).T
    return np.asarray(~((first * _ODD ^ second) >> np.uint64(1)).view(np.int64))
