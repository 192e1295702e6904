"""The vectors of a namespace's passages, as Postgres has them: in half precision."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from everword.db.arrays import Array
from everword_search.cache.columns.growing import GrowingColumn
from everword_search.kernels.arrays import Floats, Ints
from everword_search.kernels.compiled import GROUP, cosines, nearest_signs

#: Vectors that are multiplied at once: they stay in the processor's cache.
_TAKEN = 256
#: What all tables of a vector's signs add up to at most: sums have 16 bits, and 0 stands for what does not count.
_MOST_SUM = 65_534
#: The largest number of a table: those of two are added up in 8 bits.
_MOST_ENTRY = 127
#: A number that is more than so many times as large as others counts for that: it would leave them no steps.
_LARGEST = 64
#: The share of numbers that may be so large, as a divisor: models have few of them.
_LARGE_SHARE = 100
#: Which of four numbers each value of four bits has.
_BITS = np.unpackbits(np.arange(16, dtype=np.uint8)[:, None], axis=1)[:, 4:].astype(np.float32)


#: What a row is: waiting for a vector, with one, or one that gets none.
_PENDING, _KNOWN, _NONE = range(3)


class Vectors:
    """Vectors of one generation by row."""

    def __init__(self, generation_id: int, dimensions: int, room: int = 0) -> None:
        """There is `room` for so many rows."""
        self.generation_id = generation_id
        self._dimensions = dimensions
        self._states = GrowingColumn(np.uint8, room=room)
        self._halves = GrowingColumn(np.float16, (dimensions,), room)
        #: How many rows have no vector, and how many of them wait for one.
        self.lacking_count = self._pending_count = 0

    @property
    def _columns(self) -> Sequence[GrowingColumn]:
        return (self._states, self._halves)

    @property
    def nbytes(self) -> int:
        return sum(column.nbytes for column in self._columns)

    def trim(self) -> None:
        """Give back memory that was taken for more to come."""
        for column in self._columns:
            column.trim()

    def add(self, rows: int) -> None:
        """Add rows at the end, which wait for vectors."""
        self._halves.extend_zeros(rows)
        self._states.extend_zeros(rows)
        self.lacking_count += rows
        self._pending_count += rows

    @property
    def pending(self) -> Ints:
        """The rows that a vector is to come for."""
        return (
            np.flatnonzero(self._states.values == _PENDING)
            if self._pending_count
            else np.zeros(0, np.int64)
        )

    @property
    def lacking(self) -> Ints:
        """The rows without a vector, also those that get none."""
        return np.flatnonzero(self._states.values != _KNOWN)

    def store(self, rows: Ints, vectors: npt.NDArray[np.float16]) -> None:
        """Keep the vectors of some rows."""
        if len(rows):
            self._keep(rows, vectors)
            self.lacking_count -= int(np.count_nonzero(self._states.values[rows] != _KNOWN))
            self._say(rows, _KNOWN)

    def set_pending(self, rows: Ints, is_pending: npt.NDArray[np.bool_]) -> None:
        """Say of some rows without a vector which of them wait for one."""
        lacking = self._states.values[rows] != _KNOWN  # it may have come since
        self._say(rows[lacking], np.where(is_pending[lacking], _PENDING, _NONE))

    def nearest(self, asked: npt.NDArray[np.float32], allowed: Array, most: int) -> Ints:
        """Return the rows that may be the nearest, of those that are allowed and have a vector, in no order.

        There are all of them, or at least `most`. `allowed` has an element for each row that counts.
        """
        return np.flatnonzero(self._that_count(allowed))

    def cosines(self, asked: npt.NDArray[np.float32], rows: Ints) -> Floats:
        """Return the cosines of some rows; NaN where there is no vector."""
        unit = _unit(asked[None].astype(np.float16))[0]
        found = np.empty(len(rows))
        for begin in range(0, len(rows), _TAKEN):
            part = rows[begin : begin + _TAKEN]
            bits = self._halves.values[part].view(np.uint16)
            found[begin : begin + _TAKEN] = cosines(bits, unit)
        found[self._states.values[rows] != _KNOWN] = np.nan
        return found

    def _that_count(self, allowed: Array) -> Array:
        """Return which rows are allowed and have a vector."""
        return np.asarray(allowed & (self._states.values[: len(allowed)] == _KNOWN))

    def _say(self, rows: Ints, states: int | Array) -> None:
        self._pending_count -= int(np.count_nonzero(self._states.values[rows] == _PENDING))
        self._states.values[rows] = states
        self._pending_count += int(np.count_nonzero(self._states.values[rows] == _PENDING))

    def _keep(self, rows: Ints, vectors: npt.NDArray[np.float16]) -> None:
        self._halves.values[rows] = vectors


class SignedVectors(Vectors):
    """Beside every vector, a bit for the sign of each of its numbers.

    A vector is likely near a query if it has the same signs where that has large numbers: signs tell which cosines to
    compute.
    """

    def __init__(self, generation_id: int, dimensions: int, room: int = 0) -> None:
        super().__init__(generation_id, dimensions, room)
        self._bytes = -(-dimensions // 8)
        # As `nearest_signs` goes through them: by groups, the last of which may have few rows.
        self._signs = GrowingColumn(np.uint8, room=-(-room // GROUP) * GROUP * self._bytes)

    @property
    def _columns(self) -> Sequence[GrowingColumn]:
        return (*super()._columns, self._signs)

    def add(self, rows: int) -> None:
        groups = -(-(len(self._states.values) + rows) // GROUP)
        self._signs.extend_zeros(groups * GROUP * self._bytes - len(self._signs.values))
        super().add(rows)

    def nearest(self, asked: npt.NDArray[np.float32], allowed: Array, most: int) -> Ints:
        """Return the rows whose signs agree with the largest part of `asked`: how large it is where they do counts."""
        allowed = self._that_count(allowed)
        if np.count_nonzero(allowed) <= 2 * most:
            return np.flatnonzero(allowed)
        tables = _tables(asked.astype(np.float32))
        return nearest_signs(self._signs.values, tables, allowed.view(np.uint8), most)

    def _keep(self, rows: Ints, vectors: npt.NDArray[np.float16]) -> None:
        super()._keep(rows, vectors)
        signs = self._signs.values.reshape(-1, self._bytes, GROUP)
        signs[rows // GROUP, :, rows % GROUP] = np.packbits(vectors > 0, axis=1)


def _unit(vectors: npt.NDArray[np.float16]) -> npt.NDArray[np.float32]:
    """Return vectors of length 1."""
    wide = vectors.astype(np.float32)
    return np.asarray(wide / _lengths(wide)[:, None])


def _lengths(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return the length of each vector, which can be divided by."""
    lengths = np.linalg.norm(vectors, axis=1)
    return np.asarray(np.maximum(lengths, np.finfo(np.float32).tiny))


def _tables(asked: npt.NDArray[np.float32]) -> npt.NDArray[np.uint8]:
    """Return what each value of four signs counts for: the numbers of `asked` that have the same signs, added up.

    Two tables for each eight numbers.
    """
    numbers = np.zeros((-(-len(asked) // 8), 2, 4), np.float32)
    others = np.sort(np.abs(asked))[: len(asked) - len(asked) // _LARGE_SHARE]
    most = _LARGEST * others.mean() or np.inf
    numbers.reshape(-1)[: len(asked)] = np.clip(asked, -most, most)
    largest = np.abs(numbers).sum(axis=2).max(initial=0)
    steps = min(_MOST_ENTRY, _MOST_SUM // (2 * len(numbers)))
    scaled = numbers * (steps / largest if largest else 0)
    agreeing = np.maximum(scaled, 0) @ _BITS.T + np.maximum(-scaled, 0) @ (1 - _BITS).T
    return np.asarray(np.rint(agreeing).astype(np.uint8))
