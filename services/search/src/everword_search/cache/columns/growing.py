"""Arrays that grow at their end. What was read of one before stays as it was."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from everword.db.arrays import Array
from everword_search.kernels.arrays import Ints

#: What an array that is full grows to, of its size: hardly more than it has to, since there is a limit to all of them.
_GROWTH = 1.0625
_LEAST = 64


class GrowingColumn:
    """An array of one or more dimensions that rows are added to."""

    def __init__(self, kind: Any, shape: tuple[int, ...] = (), room: int = 0) -> None:
        """Without a copy, it takes as many rows as there is `room`."""
        self._values = np.empty((max(_LEAST, room), *shape), kind)
        self._size = 0

    @property
    def values(self) -> Array:
        """The rows so far. They are not copied, and must not be changed where others may read them."""
        return self._values[: self._size]

    @property
    def nbytes(self) -> int:
        """Bytes of memory that it takes."""
        return int(self._values.nbytes)

    def trim(self) -> None:
        """Give back the room that is left, where that is more than it would take again at once."""
        if len(self._values) > _GROWTH * self._size:
            self._values = self.values.copy()

    def extend(self, rows: Array) -> None:
        size = self._size + len(rows)
        self._make_room(size)
        self._values[self._size : size] = rows
        self._size = size

    def extend_zeros(self, count: int) -> None:
        """Add rows of zeros."""
        self._make_room(self._size + count)
        self._values[self._size : self._size + count] = 0
        self._size += count

    def replace(self, values: Array) -> None:
        """Have other rows, which nobody else may change."""
        self._values, self._size = values, len(values)

    def _make_room(self, size: int) -> None:
        if size > len(self._values):
            room = max(size, _LEAST, int(len(self._values) * _GROWTH))
            grown = np.empty((room, *self._values.shape[1:]), self._values.dtype)
            grown[: self._size] = self.values
            self._values = grown


class Numbers:
    """Numbers things in the order in which they come: from 0."""

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}
        self.things: list[Any] = []

    def get(self, thing: Any) -> int | None:
        """Return the number of a thing; None where it did not come yet."""
        return self._numbers.get(thing)

    def of(self, things: Iterable[Any]) -> list[int]:
        """Return the number of each thing."""
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
    """Return the place of each number among some that ascend; -1 for one that is not there."""
    if not len(ascending):
        return np.full(len(numbers), -1)
    places = np.minimum(np.searchsorted(ascending, numbers), len(ascending) - 1)
    return np.where(ascending[places] == numbers, places, -1)


def ranges(starts: Ints, lengths: Ints) -> Ints:
    """Return the numbers from each start, as many as each length says, one range after the other."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    return np.asarray(np.arange(total) + np.repeat(starts - (ends - lengths), lengths))
