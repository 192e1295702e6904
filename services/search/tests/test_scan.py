"""`nearest_signs`, compiled and in numpy, finds the rows with the largest sums of table entries.

A table has an entry for each combination of four signs of a vector.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from everword.db.arrays import Array
from everword_search.kernels.compiled import GROUP, nearest_signs

#: Rows of one block of the scan, for vectors of 384 numbers.
SCANNED = 4_096
SIZES = [1, 15, 16, 17, 63, 64, 65, 1_000, SCANNED - 1, SCANNED, SCANNED + 1, 3 * SCANNED + 777]
Bytes = npt.NDArray[np.uint8]


@pytest.fixture(params=["scan", "scan_numpy"], autouse=True)
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run each test with both versions; the compiled one is skipped if it was not built."""
    module = pytest.importorskip(f"everword_search.kernels.{request.param}")
    for name in ("nearest_signs", "GROUP"):
        monkeypatch.setitem(globals(), name, getattr(module, name))


def random_bytes(rng: np.random.Generator, rows: int, width: int) -> Bytes:
    return rng.integers(256, size=(rows, width), dtype=np.uint8)


def random_tables(rng: np.random.Generator, width: int, maximum: int = 128) -> Bytes:
    return rng.integers(maximum, size=(width, 2, 16), dtype=np.uint8)


def laid_out(signs: Bytes) -> Bytes:
    """Return the bytes in the layout of the scan: for each group of 64 rows, all first bytes, then all second ones."""
    groups = -(-len(signs) // GROUP)
    padded = np.zeros((groups * GROUP, signs.shape[1]), np.uint8)
    padded[: len(signs)] = signs
    return padded.reshape(groups, GROUP, signs.shape[1]).transpose(0, 2, 1).reshape(-1).copy()


def nearest(signs: Bytes, tables: Bytes, allowed: Array, near: int) -> list[int]:
    """Return the rows that `nearest_signs` finds."""
    found = nearest_signs(laid_out(signs), tables, allowed.view(np.uint8), near)
    return [int(row) for row in found.tolist()]


def sums_of(signs: Bytes, tables: Bytes) -> npt.NDArray[np.int64]:
    sums = np.zeros(len(signs), np.int64)
    for byte, (first, last) in zip(signs.T, tables.astype(int), strict=True):
        sums += first[byte >> 4] + last[byte & 15]
    return sums


def expected(signs: Bytes, tables: Bytes, allowed: Array, near: int) -> list[int]:
    """Return the rows with the largest sums; if sums are equal, the last rows."""
    sums, rows = sums_of(signs, tables), np.flatnonzero(allowed)
    best = rows[np.lexsort((-rows, -sums[rows]))[: max(0, near)]]
    return [int(row) for row in np.sort(best)]


@pytest.mark.parametrize("rows", SIZES)
@pytest.mark.parametrize("width", [1, 2, 6, 48, 100])
def test_nearest_returns_rows_with_the_largest_sums(rows: int, width: int) -> None:
    rng = np.random.default_rng([rows, width])
    signs, tables = random_bytes(rng, rows, width), random_tables(rng, width)
    allowed = rng.random(rows) < rng.choice([0.1, 0.9, 1])
    for near in (1, rows // 20 + 1, rows // 2 + 1, rows, rows + 1):
        assert nearest(signs, tables, allowed, near) == expected(signs, tables, allowed, near)


@pytest.mark.parametrize("rows", [100, SCANNED, 5 * SCANNED + 100])
@pytest.mark.parametrize("kinds", [1, 2, 5])
def test_nearest_of_equal_sums_returns_the_last_rows(rows: int, kinds: int) -> None:
    """More rows than requested have equal signs, like texts that are repeated often."""
    rng = np.random.default_rng([rows, kinds])
    signs = random_bytes(rng, kinds, 48)[rng.integers(kinds, size=rows)]
    tables, allowed = random_tables(rng, 48), rng.random(rows) < 0.8
    for near in (1, 2, 99, rows // 3, rows - 1):
        assert nearest(signs, tables, allowed, near) == expected(signs, tables, allowed, near)


@pytest.mark.parametrize("ascend", [False, True])
def test_nearest_of_rows_sorted_by_sum_is_correct(ascend: bool) -> None:
    """If ascending, every row is better than all rows before it; if descending, none is."""
    rng = np.random.default_rng(ascend)
    signs, tables = random_bytes(rng, 3 * SCANNED, 48), random_tables(rng, 48)
    sums = sums_of(signs, tables)
    signs = signs[np.argsort(sums if ascend else -sums, kind="stable")]
    allowed = np.ones(len(signs), bool)
    assert nearest(signs, tables, allowed, 500) == expected(signs, tables, allowed, 500)


@pytest.mark.parametrize("row", [0, 1, SCANNED - 1, SCANNED, 2 * SCANNED - 1, 2 * SCANNED])
def test_nearest_finds_one_near_row_at_any_place(row: int) -> None:
    signs, tables = np.zeros((2 * SCANNED + 1, 48), np.uint8), np.zeros((48, 2, 16), np.uint8)
    signs[row, 17], tables[17, 1, 3] = 3, 1
    allowed = np.ones(len(signs), bool)
    assert nearest(signs, tables, allowed, 1) == [row]
    allowed[row] = False
    assert row not in nearest(signs, tables, allowed, len(signs))


def test_nearest_ignores_rows_added_later() -> None:
    """A search uses the rows that existed when it began: `allowed` is shorter than the signs."""
    signs = np.repeat(np.array([[0], [255]], np.uint8), [10, SCANNED], axis=0)
    tables = np.zeros((1, 2, 16), np.uint8)
    tables[:, :, 15] = 100
    assert nearest(signs, tables, np.ones(10, bool), 100) == list(range(10))


@pytest.mark.parametrize(("width", "most"), [(258, 127), (500, 65), (2_000, 16)])
def test_nearest_with_the_largest_possible_sums_does_not_overflow(width: int, most: int) -> None:
    """The widest case has 16,000 numbers, the maximum for vectors in half precision."""
    rng = np.random.default_rng(width)
    signs = random_bytes(rng, 300, width)
    signs[[7, 99]] = 255
    tables = random_tables(rng, width, most)
    tables[:, :, 15] = most
    assert 2 * width * most < 2**16
    assert nearest(signs, tables, np.ones(300, bool), 2) == [7, 99]
    assert nearest(signs, tables, np.ones(300, bool), 50) == expected(
        signs, tables, np.ones(300, bool), 50
    )


def test_nearest_of_empty_input_returns_nothing() -> None:
    tables = np.ones((1, 2, 16), np.uint8)
    for rows in (0, 3):
        signs = np.full((rows, 1), 5, np.uint8)
        assert nearest(signs, tables, np.zeros(0, bool), 5) == []
        assert nearest(signs, tables, np.zeros(rows, bool), 5) == []
        for near in (0, -1):
            assert nearest(signs, tables, np.ones(rows, bool), near) == []
    assert nearest(np.zeros((3, 0), np.uint8), tables[:0], np.ones(3, bool), 5) == []


def test_nearest_refuses_mismatched_arrays() -> None:
    signs, tables = np.zeros((64, 2), np.uint8), np.ones((2, 2, 16), np.uint8)
    with pytest.raises(ValueError, match="every row"):
        nearest(signs, tables, np.ones(65, bool), 3)
    for wrong in (tables[:, :1].copy(), tables[:, :, :15].copy()):
        with pytest.raises(ValueError, match="tables of 16"):
            nearest(signs, wrong, np.ones(9, bool), 3)
    for much in (np.full((2, 2, 16), 128, np.uint8), np.full((259, 2, 16), 127, np.uint8)):
        with pytest.raises(ValueError, match="16 bits"):
            nearest(np.zeros((9, len(much)), np.uint8), much, np.ones(9, bool), 3)
