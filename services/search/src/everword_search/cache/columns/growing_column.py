"""Arrays that grow at the end; views taken earlier stay valid and unchanged."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from everword.db.arrays import Array
from everword_search.kernels.arrays import Ints

#: Growth factor of a full array; small, because all arrays share one memory limit.
_GROWTH = 1.0625
_LEAST = 64


class GrowingColumn:
    """An array of one or more dimensions to which rows are appended."""

    def __init__(self, kind: Any, shape: tuple[int, ...] = (), capacity: int = 0) -> None:
        """`capacity` is the number of rows that fit without reallocation."""
        self._values = np.empty((max(_LEAST, capacity), *shape), kind)
        self._size = 0

    @property
    def values(self) -> Array:
        """The rows so far, not copied; they must not be modified while others may read them."""
        return self._values[: self._size]

    @property
    def nbytes(self) -> int:
        """Allocated bytes."""
        return int(self._values.nbytes)

    def trim(self) -> None:
        """Free unused capacity, if it is more than one reallocation would add."""
        if len(self._values) > _GROWTH * self._size:
            self._values = self.values.copy()

    def extend(self, rows: Array) -> None:
        size = self._size + len(rows)
        self._reserve(size)
        self._values[self._size : size] = rows
        self._size = size

    def extend_zeros(self, count: int) -> None:
        """Append `count` rows of zeros."""
        self._reserve(self._size + count)
        self._values[self._size : self._size + count] = 0
        self._size += count

    def replace(self, values: Array) -> None:
        """Replace all rows by `values`, which the caller must not modify afterwards."""
        self._values, self._size = values, len(values)

    def _reserve(self, size: int) -> None:
        if size > len(self._values):
            available = max(size, _LEAST, int(len(self._values) * _GROWTH))
            grown = np.empty((available, *self._values.shape[1:]), self._values.dtype)
            grown[: self._size] = self.values
            self._values = grown


class Numbers:
    """Assigns consecutive numbers from 0 to values in the order of their first appearance."""

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}
        self.things: list[Any] = []

    def get(self, thing: Any) -> int | None:
        """Return the number of a value; None if it has not appeared."""
        return self._numbers.get(thing)

    def of(self, things: Iterable[Any]) -> list[int]:
        """Return the number of each value, assigning new ones."""
        numbers, known = self._numbers, self.things
        found = []
        for thing in things:
            number = numbers.get(thing)
            if number is None:
                number = numbers[thing] = len(known)
                known.append(thing)
            found.append(number)
        return found


def find(ascending: Array, numbers: Array) -> Ints:
    """Return the index of each number in an ascending array; -1 if it is missing."""
    if not len(ascending):
        return np.full(len(numbers), -1)
    places = np.minimum(np.searchsorted(ascending, numbers), len(ascending) - 1)
    return np.where(ascending[places] == numbers, places, -1)


def ranges(starts: Ints, lengths: Ints) -> Ints:
    """Return the ranges of `lengths[i]` numbers from `starts[i]`, concatenated."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    return np.asarray(np.arange(total) + np.repeat(starts - (ends - lengths), lengths))
