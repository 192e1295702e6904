"""Rows are read from a file as they were written, in any order, and never beyond what is there."""

from __future__ import annotations

import os
import random
import tempfile
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from everword_search.cache.reads import read_ranges

ROWS, START = 1_000, 77


@pytest.fixture
def file() -> Iterator[int]:
    """A file in which row n is n, eight bytes wide, after some that are no rows."""
    with tempfile.TemporaryFile() as opened:
        opened.write(b"x" * START)
        opened.write(np.arange(ROWS).tobytes())
        opened.flush()
        yield opened.fileno()


def read(file: int, ranges: Sequence[tuple[int, int]], rows: int = ROWS) -> list[int]:
    begins, lengths = np.array(ranges, np.int64).reshape(-1, 2).T.copy()
    found = np.full(int(max(0, lengths.sum())), -1)
    read_ranges(file, START, rows, 8, begins, lengths, found.view(np.uint8))
    return [int(number) for number in found]


def expected(ranges: Sequence[tuple[int, int]]) -> list[int]:
    return [row for begin, length in ranges for row in range(begin, begin + length)]


@pytest.mark.parametrize(
    "ranges",
    [
        [],
        [(0, 0)],
        [(5, 1)],
        [(0, ROWS)],
        [(ROWS - 1, 1)],
        [(ROWS, 0)],
        # What follows each other, what is the same, what overlaps, what goes back.
        [(3, 2), (5, 4), (9, 1)],
        [(7, 1), (7, 1), (7, 1)],
        [(7, 5), (9, 5)],
        [(9, 1), (8, 1), (7, 1)],
        [(3, 2), (5, 0), (5, 3), (0, 0), (0, 1), (1, 1)],
    ],
)
def test_ranges_are_read_one_after_the_other(file: int, ranges: list[tuple[int, int]]) -> None:
    assert read(file, ranges) == expected(ranges)


@pytest.mark.parametrize("seed", range(30))
def test_random_ranges_are_what_is_there(file: int, seed: int) -> None:
    rng = random.Random(seed)
    ranges: list[tuple[int, int]] = []
    for _ in range(rng.randint(0, 200)):
        begin = rng.randint(0, ROWS) if rng.random() < 0.5 or not ranges else sum(ranges[-1])
        ranges.append((begin, rng.randint(0, min(rng.choice((1, 3, ROWS)), ROWS - begin))))
    assert read(file, ranges) == expected(ranges)


@pytest.mark.parametrize(
    "wrong",
    [
        *((-1, 1), (0, -1), (ROWS, 1), (ROWS - 1, 2), (0, ROWS + 1), (ROWS + 1, 0)),
        *((2**63 - 1, 1), (-(2**63), 1), (1, 2**63 - 1)),
    ],
)
@pytest.mark.parametrize("place", [0, 3])
def test_rows_that_are_not_there_are_an_error(
    file: int, wrong: tuple[int, int], place: int
) -> None:
    ranges = [(1, 1)] * 3
    ranges.insert(place, wrong)
    begins, lengths = np.array(ranges, np.int64).T.copy()
    found = np.zeros(100, np.uint8)
    with pytest.raises(IndexError, match=f"of {ROWS}"):
        read_ranges(file, START, ROWS, 8, begins, lengths, found)
    assert not found.any()


@pytest.mark.parametrize("room", [0, 7, 9, 80])
def test_room_for_less_or_more_is_an_error(file: int, room: int) -> None:
    one = np.ones(1, np.int64)
    found = np.zeros(room, np.uint8)
    with pytest.raises(ValueError, match=f"room for {room} bytes of 8"):
        read_ranges(file, START, ROWS, 8, one, one, found)
    with pytest.raises(ValueError, match="1 ranges have 2 lengths"):
        read_ranges(file, START, ROWS, 8, one, np.ones(2, np.int64), found)


def test_a_file_that_ends_too_early_is_an_error(file: int) -> None:
    os.ftruncate(file, START + 8 * ROWS - 1)
    assert read(file, [(ROWS - 2, 1)]) == [ROWS - 2]
    for ranges in ([(ROWS - 1, 1)], [(5, 3), (0, ROWS)]):
        with pytest.raises(OSError, match="cannot be read"):
            read(file, ranges)


def test_what_is_no_file_is_an_error() -> None:
    reader, writer = os.pipe()
    try:
        for descriptor in (reader, -1):
            with pytest.raises(OSError, match="cannot be read") as refused:
                read(descriptor, [(0, 1)])
            assert refused.value.errno
    finally:
        os.close(reader)
        os.close(writer)
