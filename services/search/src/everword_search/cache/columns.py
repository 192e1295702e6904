"""Arrays that are kept, and arrays that grow at their end. What was read of one before stays as it was."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from everword.db.arrays import Array
from everword_search.cache.reads import BLOCK, find_bounds
from everword_search.ranking.arrays import Ints

#: What an array that is full grows to, of its size: hardly more than it has to, since there is a limit to all of them.
_GROWTH = 1.0625
_LEAST = 64


class Unreadable(Exception):
    """What a copy keeps in a file cannot be read; the message says why."""


@contextmanager
def reading() -> Iterator[None]:
    """Read from a file in the block. Raises Unreadable."""
    try:
        yield
    except OSError as error:
        raise Unreadable(str(error)) from error


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
    def lies_at(self) -> tuple[int, int]:
        """Which file its rows are read from, and where in it they begin. The file is -1 if they are at hand."""
        return -1, 0

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
    """Numbers that ascend. One of each `BLOCK` is at hand, so that to look for a number reads few of the others."""

    def __init__(self, numbers: Kept) -> None:
        self.kept = numbers
        values = numbers.values
        self._firsts = np.append(values[::BLOCK], values[-1:])

    @property
    def nbytes(self) -> int:
        return self.kept.nbytes + int(self._firsts.nbytes)

    @property
    def values(self) -> Ints:
        return self.kept.values

    def find(self, numbers: Ints) -> Ints:
        """Return the place of each number; -1 for one that is not here. Of those that are, each is here once."""
        begins, ends = self.bounds(numbers, numbers)
        return np.where(begins < ends, begins, -1)

    def bounds(self, first: Ints, last: Ints) -> tuple[Ints, Ints]:
        """Return how many numbers come before each of `first`, and how many up to each of `last`, itself too."""
        with reading():
            return find_bounds(self.values, self._firsts, *self.kept.lies_at, first, last)


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
