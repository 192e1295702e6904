"""The vectors of a namespace's passages: of a small one in half precision, of a large one in a byte for each number."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from everword.db.arrays import Array
from everword_search.ranking.arrays import Floats, Ints
from everword_search.resident.columns import Column
from everword_search.resident.scan import half_products, nearest_signs, products
from everword_search.resident.storage import Storage

_LARGEST_BYTE = 127


class Vectors(ABC):
    """Vectors of one generation by row; a row has one, or is owed one."""

    def __init__(self, generation_id: int, storage: Storage) -> None:
        self.generation_id = generation_id
        self._known = storage.column(bool)
        self._lacking = 0

    @property
    @abstractmethod
    def _columns(self) -> Sequence[Column]: ...

    @property
    def nbytes(self) -> int:
        return sum(column.nbytes for column in self._columns)

    def trim(self) -> None:
        """Give back memory that was taken for more to come."""
        for column in self._columns:
            column.trim()

    def add(self, rows: int) -> None:
        """Add rows at the end, which are owed vectors: last of all, since there may be no room for those."""
        self._known.extend(np.zeros(rows, bool))
        self._lacking += rows

    @property
    def owed(self) -> Ints:
        return np.flatnonzero(~self._known.values) if self._lacking else np.zeros(0, np.int64)

    def store(self, rows: Ints, vectors: npt.NDArray[np.float16]) -> None:
        """Keep the vectors of some rows, as Postgres has them."""
        if len(rows):
            self._keep(rows, vectors)
            self._lacking -= int(np.count_nonzero(~self._known.values[rows]))
            self._known.values[rows] = True

    @abstractmethod
    def nearest(self, asked: npt.NDArray[np.float32], allowed: Array, most: int) -> Ints:
        """Return the rows that may be the nearest, of those that are allowed and have a vector, in no order.

        There are all of them, or at least `most`. `allowed` has an element for each row that counts.
        """

    def cosines(self, asked: npt.NDArray[np.float32], rows: Ints) -> Floats:
        """Return the cosines of some rows; NaN where there is no vector."""
        unit = _unit(asked[None].astype(np.float16))[0]
        cosines = np.asarray(self._products(unit, rows), float)
        cosines[~self._known.values[rows]] = np.nan
        return cosines

    @abstractmethod
    def _keep(self, rows: Ints, vectors: npt.NDArray[np.float16]) -> None: ...

    @abstractmethod
    def _products(self, unit: npt.NDArray[np.float32], rows: Ints) -> npt.NDArray[np.float32]: ...


class ExactVectors(Vectors):
    """Every vector as Postgres has it, and what makes its length 1."""

    def __init__(self, generation_id: int, dimensions: int, storage: Storage) -> None:
        super().__init__(generation_id, storage)
        self._halves = storage.column(np.float16, (dimensions,))
        self._scales = storage.column(np.float32)

    @property
    def _columns(self) -> Sequence[Column]:
        return (self._known, self._halves, self._scales)

    def add(self, rows: int) -> None:
        self._halves.extend(np.zeros((rows, self._halves.values.shape[1]), np.float16))
        self._scales.extend(np.zeros(rows, np.float32))
        super().add(rows)

    def nearest(self, asked: npt.NDArray[np.float32], allowed: Array, most: int) -> Ints:
        return np.flatnonzero(allowed & self._known.values[: len(allowed)])

    def _keep(self, rows: Ints, vectors: npt.NDArray[np.float16]) -> None:
        self._halves.values[rows] = vectors
        self._scales.values[rows] = 1 / _lengths(vectors.astype(np.float32))

    def _products(self, unit: npt.NDArray[np.float32], rows: Ints) -> npt.NDArray[np.float32]:
        bits = self._halves.values.view(np.uint16)
        return half_products(bits, self._scales.values, rows, unit)


class CompactVectors(Vectors):
    """A byte for each number of a vector, which keeps cosines to .002, and a bit for its sign.

    Vectors whose signs differ in few places are near each other: comparing signs finds which cosines to compute.
    """

    def __init__(self, generation_id: int, dimensions: int, storage: Storage) -> None:
        super().__init__(generation_id, storage)
        self._bytes = storage.column(np.int8, (dimensions,))
        self._scales = storage.column(np.float32)
        # A column for each 64 signs: what is compared at once lies together.
        self._signs = [storage.column(np.uint64) for _ in range(-(-dimensions // 64))]

    @property
    def _columns(self) -> Sequence[Column]:
        return (self._known, self._bytes, self._scales, *self._signs)

    def add(self, rows: int) -> None:
        self._bytes.extend(np.zeros((rows, self._bytes.values.shape[1]), np.int8))
        self._scales.extend(np.zeros(rows, np.float32))
        for column in self._signs:
            column.extend(np.zeros(rows, np.uint64))
        super().add(rows)

    def nearest(self, asked: npt.NDArray[np.float32], allowed: Array, most: int) -> Ints:
        allowed = allowed & self._known.values[: len(allowed)]
        if np.count_nonzero(allowed) <= 2 * most:
            return np.flatnonzero(allowed)
        signs = [column.values for column in self._signs]
        return nearest_signs(signs, _signs(asked[None])[0], allowed.view(np.uint8), most)

    def _keep(self, rows: Ints, vectors: npt.NDArray[np.float16]) -> None:
        units = _unit(vectors)
        scales = np.abs(units).max(axis=1) / _LARGEST_BYTE
        self._scales.values[rows] = scales
        steps = np.maximum(scales, np.finfo(np.float32).tiny)
        self._bytes.values[rows] = np.round(units / steps[:, None])
        for column, signs in zip(self._signs, _signs(units).T, strict=True):
            column.values[rows] = signs

    def _products(self, unit: npt.NDArray[np.float32], rows: Ints) -> npt.NDArray[np.float32]:
        return products(self._bytes.values, self._scales.values, rows, unit)


def _unit(vectors: npt.NDArray[np.float16]) -> npt.NDArray[np.float32]:
    """Return vectors of length 1."""
    wide = vectors.astype(np.float32)
    return np.asarray(wide / _lengths(wide)[:, None])


def _lengths(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return the length of each vector, which can be divided by."""
    lengths = np.linalg.norm(vectors, axis=1)
    return np.asarray(np.maximum(lengths, np.finfo(np.float32).tiny))


def _signs(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.uint64]:
    bits = np.packbits(vectors > 0, axis=1)
    padded = np.zeros((len(bits), -(-bits.shape[1] // 8) * 8), np.uint8)
    padded[:, : bits.shape[1]] = bits
    return padded.view(np.uint64)
