"""Arrays that are kept, and arrays that grow at their end. What was read of one before stays as it was."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import numpy as np

from everword.db.arrays import Array
from everword_search.ranking.arrays import Ints

#: What an array that is full grows to, of its size: hardly more than it has to, since there is a limit to all of them.
_GROWTH = 1.0625
_LEAST = 64
#: Numbers that are read to find one: a kibibyte of them.
_BLOCK = 128


class Kept:
    """An array of one or more dimensions that does not change."""

    def __init__(self, values: Array) -> None:
        self._values = values

    @property
    def values(self) -> Array:
        """The rows. They are not copied, and must not be changed where others may read them."""
        return self._values

    @property
    def nbytes(self) -> int:
        """What it takes of memory."""
        return int(self._values.nbytes)

    @property
    def is_read(self) -> bool:
        """Whether rows are read from a file: those that are not needed had better be left."""
        return False

    def between(self, begin: int, end: int) -> Array:
        """Return the rows from `begin` to `end`, which must not be changed."""
        return self.values[begin:end]

    def take(self, rows: Ints) -> Array:
        """Return some rows. Raises IndexError."""
        return np.asarray(self.values[rows])

    def take_ranges(self, begins: Ints, lengths: Ints) -> Array:
        """Return the rows from each of `begins`, as many as its length says, one range after the other.

        Raises IndexError.
        """
        return np.asarray(self.values[ranges(begins, lengths)])


class Ascending:
    """Numbers that ascend. One of each `_BLOCK` is at hand, so that to look for a number reads few of the others."""

    def __init__(self, numbers: Kept) -> None:
        self.kept = numbers
        self._firsts = numbers.values[::_BLOCK].copy()

    @property
    def nbytes(self) -> int:
        return self.kept.nbytes + int(self._firsts.nbytes)

    @property
    def values(self) -> Ints:
        return self.kept.values

    def find(self, numbers: Ints) -> Ints:
        """Return the place of each number; -1 for one that is not here. Of those that are, each is here once."""
        counts, last = self._count(numbers, "right")
        return np.where(last == numbers, counts - 1, -1)

    def count_below(self, numbers: Ints) -> Ints:
        """Return how many are smaller than each of `numbers`."""
        return self._count(numbers, "left")[0]

    def count_up_to(self, numbers: Ints) -> Ints:
        """Return how many are not larger than each of `numbers`."""
        return self._count(numbers, "right")[0]

    def _count(self, numbers: Ints, side: Literal["left", "right"]) -> tuple[Ints, Ints]:
        """Return how many come before each of `numbers`, and the last of them; where there is none, a larger one."""
        size = len(self.values)
        if not size:
            return np.zeros(len(numbers), np.int64), numbers + 1
        if not self.kept.is_read:
            counts = np.searchsorted(self.values, numbers, side)
            return counts, self.values[np.maximum(counts, 1) - 1]
        firsts = np.searchsorted(self._firsts, numbers, side)
        # Numbers that are near each other are in one block; one after the other, blocks ascend as well.
        blocks, which = np.unique(np.maximum(firsts, 1) - 1, return_inverse=True)
        begins = blocks * _BLOCK
        lengths = np.minimum(size - begins, _BLOCK)
        read = self.kept.take_ranges(begins, lengths)
        places = np.searchsorted(read, numbers, side)
        left_out = begins - (np.cumsum(lengths) - lengths)
        return places + left_out[which], read[np.maximum(places, 1) - 1]


class Column(Kept):
    """An array that rows are added to."""

    def __init__(self, kind: Any, shape: tuple[int, ...] = ()) -> None:
        super().__init__(np.empty((_LEAST, *shape), kind))
        self._size = 0

    @property
    def values(self) -> Array:
        """The rows so far. They are not copied, and must not be changed where others may read them."""
        return self._values[: self._size]

    def trim(self) -> None:
        """Give back the room that is left."""
        self._values = self.values.copy()

    def extend(self, rows: Array) -> None:
        size = self._size + len(rows)
        self._make_room(size)
        self._values[self._size : size] = rows
        self._size = size

    def extend_zeros(self, count: int) -> None:
        """Add rows of zeros."""
        self.extend(np.zeros((count, *self._values.shape[1:]), self._values.dtype))

    def put(self, rows: Ints, values: Array) -> None:
        """Write some rows that are there."""
        self._values[rows] = values

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


def ranges(starts: Ints, lengths: Ints) -> Ints:
    """Return the numbers from each start, as many as each length says, one range after the other."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    return np.asarray(np.arange(total) + np.repeat(starts - (ends - lengths), lengths))
