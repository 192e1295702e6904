"""The compiled scan of signs finds what counting bits finds, and adds up what the table says."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest

from everword.db.arrays import Array
from everword_search.resident.columns import Kept
from everword_search.resident.scan import nearest_signs
from support.resident_passages import mapped

#: Rows whose signs are compared at once.
SCANNED = 16_384
SIZES = [
    1,
    2,
    3,
    63,
    64,
    65,
    1000,
    SCANNED - 1,
    SCANNED,
    SCANNED + 1,
    2 * SCANNED,
    2 * SCANNED + 777,
]
Signs = npt.NDArray[np.uint64]
Table = npt.NDArray[np.int16]


def random_signs(rng: np.random.Generator, shape: int | tuple[int, int]) -> Signs:
    return rng.integers(2**64, size=shape, dtype=np.uint64)


def random_table(rng: np.random.Generator, words: int) -> Table:
    return rng.integers(-(2**15), 2**15, (8 * words, 256)).astype(np.int16)


def nearest(
    columns: Sequence[Signs], asked: Signs, table: Table, allowed: Array, near: int
) -> dict[int, int]:
    """Return the sum of each row that is found where each column is told by range."""
    tells = [Kept(column).between for column in columns]
    rows, sums = nearest_signs(tells, asked, table, allowed.view(np.uint8), near)
    assert rows.tolist() == sorted(rows.tolist())
    return dict(zip(rows.tolist(), sums.tolist(), strict=True))


def expected(
    columns: Sequence[Signs], asked: Signs, table: Table, allowed: Array, near: int
) -> dict[int, int]:
    """Return what there is to be found: of each block, what is as near as the nearest of all up to its end."""
    rows = len(allowed)
    distances, sums = np.zeros(rows, int), np.zeros(rows, int)
    for word, (column, one) in enumerate(zip(columns, asked, strict=True)):
        distances += np.bitwise_count(column[:rows] ^ one)
        each = np.ascontiguousarray(column[:rows]).view(np.uint8).reshape(rows, 8)
        for byte in range(8):
            sums += table[8 * word + byte][each[:, byte]]
    found: list[int] = []
    for begin in range(0, rows, SCANNED):
        end = min(rows, begin + SCANNED)
        so_far = np.sort(distances[:end][allowed[:end]])
        limit = so_far[near - 1] if len(so_far) >= near else 64 * len(columns)
        here = np.flatnonzero(allowed[begin:end] & (distances[begin:end] <= limit))
        found += (begin + here).tolist()
    return {row: int(sums[row]) for row in found}


@pytest.mark.parametrize("rows", SIZES)
@pytest.mark.parametrize("words", range(1, 9))
def test_the_nearest_differ_in_the_fewest_places(rows: int, words: int) -> None:
    rng = np.random.default_rng([rows, words])
    columns = list(random_signs(rng, (words, rows)))
    asked, table = random_signs(rng, words), random_table(rng, words)
    allowed = rng.random(rows) < rng.choice([0.1, 0.9, 1])
    for near in (1, rows // 20 + 1, rows // 2 + 1, rows, rows + 1):
        found = nearest(columns, asked, table, allowed, near)
        assert found == expected(columns, asked, table, allowed, near)
        assert len(found) >= min(near, int(allowed.sum()))


@pytest.mark.parametrize("rows", [1, 100, SCANNED + 100, 2 * SCANNED])
@pytest.mark.parametrize("words", [1, 3, 8, 70])
def test_all_that_are_equally_near_are_found(rows: int, words: int) -> None:
    """What is said again and again is all equal; and what is wholly opposite is the farthest there is."""
    rng = np.random.default_rng([rows, words])
    asked, table = random_signs(rng, words), random_table(rng, words)
    # The same, one bit apart, and wholly opposite.
    apart = np.array([0, 1 << 63, 2**64 - 1], np.uint64)[rng.integers(3, size=rows)]
    columns = [one ^ apart for one in asked]
    allowed = rng.random(rows) < 0.8
    near = [int(np.count_nonzero(allowed & (apart <= limit))) for limit in apart[:3]]
    for count in {0, 1, rows // 3, rows // 2, rows, *near}:
        for most in {max(1, count - 1), count or 1, count + 1}:
            found = nearest(columns, asked, table, allowed, most)
            assert found == expected(columns, asked, table, allowed, most)


@pytest.mark.parametrize("row", [0, 1, SCANNED - 1, SCANNED, 2 * SCANNED - 1, 2 * SCANNED])
def test_one_near_row_is_found_wherever_it_is(row: int) -> None:
    rows = 2 * SCANNED + 1
    asked = np.array([0, 2**64 - 1], np.uint64)
    columns = [np.full(rows, ~one) for one in asked]
    for column, one in zip(columns, asked, strict=True):
        column[row] = one ^ np.uint64(1 << 40)
    allowed, table = np.ones(rows, bool), random_table(np.random.default_rng(row), 2)
    assert row in nearest(columns, asked, table, allowed, 1)
    allowed[row] = False
    assert row not in nearest(columns, asked, table, allowed, rows)


def test_rows_that_came_later_are_never_near() -> None:
    """A search that began before goes by what was there then."""
    asked, table = np.array([5, 7], np.uint64), np.ones((16, 256), np.int16)
    columns = [np.append(np.full(10, ~one), np.full(SCANNED, one)) for one in asked]
    found = nearest(columns, asked, table, np.ones(10, bool), 100)
    assert found == dict.fromkeys(range(10), 16)


def test_the_largest_sums_do_not_overflow() -> None:
    """Vectors in half precision have 4,000 numbers at most: 63 words."""
    asked, columns = np.zeros(63, np.uint64), [np.zeros(3, np.uint64)] * 63
    for number in (2**15 - 1, -(2**15)):
        table = np.full((8 * 63, 256), number, np.int16)
        found = nearest(columns, asked, table, np.ones(3, bool), 3)
        assert found == dict.fromkeys(range(3), 8 * 63 * number)


def test_nothing_is_near_where_there_is_nothing() -> None:
    asked, table = np.array([5], np.uint64), np.ones((8, 256), np.int16)
    for length in (0, 3):
        signs = np.full(length, 5, np.uint64)
        assert nearest([signs], asked, table, np.zeros(0, bool), 5) == {}
        assert nearest([signs], asked, table, np.zeros(length, bool), 5) == {}
        for near in (0, -1):
            assert nearest([signs], asked, table, np.ones(length, bool), near) == {}
    assert nearest([], asked[:0], table[:0], np.ones(3, bool), 5) == {}


def test_signs_that_are_not_there_are_an_error() -> None:
    allowed, asked, column = np.ones(9, bool), np.zeros(2, np.uint64), np.zeros(9, np.uint64)
    table = np.ones((16, 256), np.int16)
    with pytest.raises(ValueError, match="every row"):
        nearest([column, column[:8]], asked, table, allowed, 3)
    with pytest.raises(ValueError, match="with 1 columns"):
        nearest([column], asked, table, allowed, 3)
    with pytest.raises(ValueError, match="too many"):
        nearest([column] * 1001, np.zeros(1001, np.uint64), table, allowed, 3)
    for wrong in (table[:15], table[:, :255].copy(), table[:0]):
        with pytest.raises(ValueError, match="16 bytes"):
            nearest([column] * 2, asked, wrong, allowed, 3)


def test_what_cannot_be_read_is_an_error() -> None:
    def unreadable(begin: int, end: int) -> Signs:
        raise OSError(f"no {begin} to {end}")

    columns = [Kept(np.zeros(9, np.uint64)).between, unreadable]
    table = np.ones((16, 256), np.int16)
    with pytest.raises(OSError, match="no 0 to 9"):
        nearest_signs(columns, np.zeros(2, np.uint64), table, np.ones(9, np.uint8), 3)


@pytest.mark.parametrize("is_sparse", [False, True])
def test_signs_are_read_from_a_file(is_sparse: bool) -> None:
    rng = np.random.default_rng(1)
    rows = 3 * SCANNED
    storage, signs, table = mapped(rows), random_signs(rng, (6, rows)), random_table(rng, 6)
    columns = [storage.column(np.uint64, is_sparse=is_sparse) for _ in signs]
    for column, values in zip(columns, signs, strict=True):
        column.extend(values)
    # Nothing of it may be written to.
    asked = np.frombuffer(random_signs(rng, 6).tobytes(), np.uint64)
    allowed = np.frombuffer(bytes(SCANNED) + b"\1" * (rows - SCANNED), np.uint8)
    tells = [column.between for column in columns]
    found, sums = nearest_signs(tells, asked, table, allowed, 500)
    assert dict(zip(found.tolist(), sums.tolist(), strict=True)) == expected(
        list(signs), asked, table, allowed.view(bool), 500
    )
