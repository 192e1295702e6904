"""Vectors of cached passages in half precision, as PostgreSQL stores them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from everword.db.arrays import Array
from everword_search.cache.columns.growing_column import GrowingColumn
from everword_search.kernels.arrays import Floats, Ints
from everword_search.kernels.compiled import GROUP, cosines, nearest_signs

#: Vectors multiplied per batch; they fit the processor's cache.
_TAKEN = 256
#: Maximum sum of a vector's table entries: sums have 16 bits, and 0 marks rows that do not count.
_MOST_SUM = 65_534
#: Maximum entry of a table; the entries of two tables are added in 8 bits.
_MOST_ENTRY = 127
#: Numbers larger than this multiple of the mean are clipped to it, because they would leave too few steps for the
#: others.
_LARGEST = 64
#: The largest numbers, this share of all as a divisor, are left out of that mean; models have few so large ones.
_LARGE_SHARE = 100
#: The four bits of each value from 0 to 15.
_BITS = np.unpackbits(np.arange(16, dtype=np.uint8)[:, None], axis=1)[:, 4:].astype(np.float32)


#: State of a row: waiting for a vector, with a vector, or without one for good.
_PENDING, _KNOWN, _NONE = range(3)


class Vectors:
    """Vectors of one model generation, by row."""

    def __init__(self, generation_id: int, dimensions: int, capacity: int = 0) -> None:
        """`capacity` is the number of rows to allocate."""
        self.generation_id = generation_id
        self._dimensions = dimensions
        self._states = GrowingColumn(np.uint8, capacity=capacity)
        self._halves = GrowingColumn(np.float16, (dimensions,), capacity)
        #: Number of rows without a vector, and number of those that wait for one.
        self.missing_count = self._pending_count = 0

    @property
    def _columns(self) -> Sequence[GrowingColumn]:
        return (self._states, self._halves)

    @property
    def nbytes(self) -> int:
        return sum(column.nbytes for column in self._columns)

    def trim(self) -> None:
        """Free memory allocated for further rows."""
        for column in self._columns:
            column.trim()

    def add(self, rows: int) -> None:
        """Append rows that wait for vectors."""
        self._halves.extend_zeros(rows)
        self._states.extend_zeros(rows)
        self.missing_count += rows
        self._pending_count += rows

    @property
    def pending(self) -> Ints:
        """The rows that wait for a vector."""
        return (
            np.flatnonzero(self._states.values == _PENDING)
            if self._pending_count
            else np.zeros(0, np.int64)
        )

    @property
    def lacking(self) -> Ints:
        """The rows without a vector, including those that never get one."""
        return np.flatnonzero(self._states.values != _KNOWN)

    def store(self, rows: Ints, vectors: npt.NDArray[np.float16]) -> None:
        """Store the vectors of rows."""
        if len(rows):
            self._keep(rows, vectors)
            self.missing_count -= int(np.count_nonzero(self._states.values[rows] != _KNOWN))
            self._say(rows, _KNOWN)

    def set_pending(self, rows: Ints, is_pending: npt.NDArray[np.bool_]) -> None:
        """Mark which of the rows without a vector wait for one."""
        missing = self._states.values[rows] != _KNOWN  # The vector may have been stored since.
        self._say(rows[missing], np.where(is_pending[missing], _PENDING, _NONE))

    def nearest(self, asked: npt.NDArray[np.float32], allowed: Array, maximum: int) -> Ints:
        """Return candidates for the nearest rows: allowed rows that have a vector, in no order.

        It has all of them, or at least `maximum`. `allowed` is a mask of the first rows; later rows are ignored.
        """
        return np.flatnonzero(self._that_count(allowed))

    def cosines(self, asked: npt.NDArray[np.float32], rows: Ints) -> Floats:
        """Return the cosines of rows with `asked`; NaN for rows without a vector."""
        unit = _unit(asked[None].astype(np.float16))[0]
        found = np.empty(len(rows))
        for begin in range(0, len(rows), _TAKEN):
            part = rows[begin : begin + _TAKEN]
            bits = self._halves.values[part].view(np.uint16)
            found[begin : begin + _TAKEN] = cosines(bits, unit)
        found[self._states.values[rows] != _KNOWN] = np.nan
        return found

    def _that_count(self, allowed: Array) -> Array:
        """Return a mask of the rows that are allowed and have a vector."""
        return np.asarray(allowed & (self._states.values[: len(allowed)] == _KNOWN))

    def _say(self, rows: Ints, states: int | Array) -> None:
        self._pending_count -= int(np.count_nonzero(self._states.values[rows] == _PENDING))
        self._states.values[rows] = states
        self._pending_count += int(np.count_nonzero(self._states.values[rows] == _PENDING))

    def _keep(self, rows: Ints, vectors: npt.NDArray[np.float16]) -> None:
        self._halves.values[rows] = vectors


class SignedVectors(Vectors):
    """Vectors with an additional sign bit for each number.

    A vector is probably near a query if its signs agree where the query's numbers are large, so signs select the rows
    whose cosines are computed.
    """

    def __init__(self, generation_id: int, dimensions: int, capacity: int = 0) -> None:
        super().__init__(generation_id, dimensions, capacity)
        self._bytes = -(-dimensions // 8)
        # Laid out as `nearest_signs` reads them: in groups, the last of which may be partly empty.
        self._signs = GrowingColumn(np.uint8, capacity=-(-capacity // GROUP) * GROUP * self._bytes)

    @property
    def _columns(self) -> Sequence[GrowingColumn]:
        return (*super()._columns, self._signs)

    def add(self, rows: int) -> None:
        groups = -(-(len(self._states.values) + rows) // GROUP)
        self._signs.extend_zeros(groups * GROUP * self._bytes - len(self._signs.values))
        super().add(rows)

    def nearest(self, asked: npt.NDArray[np.float32], allowed: Array, maximum: int) -> Ints:
        """Return the `maximum` rows whose signs agree best with `asked`, weighted by the size of its numbers."""
        allowed = self._that_count(allowed)
        if np.count_nonzero(allowed) <= 2 * maximum:
            return np.flatnonzero(allowed)
        tables = _tables(asked.astype(np.float32))
        return nearest_signs(self._signs.values, tables, allowed.view(np.uint8), maximum)

    def _keep(self, rows: Ints, vectors: npt.NDArray[np.float16]) -> None:
        super()._keep(rows, vectors)
        signs = self._signs.values.reshape(-1, self._bytes, GROUP)
        signs[rows // GROUP, :, rows % GROUP] = np.packbits(vectors > 0, axis=1)


def _unit(vectors: npt.NDArray[np.float16]) -> npt.NDArray[np.float32]:
    """Return vectors scaled to length 1."""
    wide = vectors.astype(np.float32)
    return np.asarray(wide / _lengths(wide)[:, None])


def _lengths(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return the length of each vector, at least the smallest positive number so that it can be a divisor."""
    lengths = np.linalg.norm(vectors, axis=1)
    return np.asarray(np.maximum(lengths, np.finfo(np.float32).tiny))


def _tables(asked: npt.NDArray[np.float32]) -> npt.NDArray[np.uint8]:
    """Return the score of each value of four sign bits: the sum of |asked| over the positions whose signs agree.

    The shape is (bytes, 2, 16): two tables for every eight numbers.
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
