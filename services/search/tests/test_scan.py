"""The compiled scan of vectors finds what counting bits finds, and multiplies to what double precision says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from everword.db.arrays import Array
from everword_search.resident.scan import nearest_signs, products

#: Rows whose signs are compared at once.
SCANNED = 8192
#: What the greatest number that is asked for is rounded to.
LARGEST = 8191
#: Numbers of a vector that are added up at once.
AT_ONCE = 2048
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
DIMENSIONS = [
    *(1, 2, 3, 15, 16, 17, 31, 33, 63, 64, 65, 100, 384, 1000),
    *(AT_ONCE - 1, AT_ONCE, AT_ONCE + 1, 2 * AT_ONCE - 1, 2 * AT_ONCE, 2 * AT_ONCE + 1, 4100),
]
Signs = npt.NDArray[np.uint64]


def random_signs(rng: np.random.Generator, shape: int | tuple[int, int]) -> Signs:
    return rng.integers(2**64, size=shape, dtype=np.uint64)


def differing(columns: list[Signs], asked: Signs, rows: int) -> list[int]:
    """Return in how many places the signs of each row differ."""
    counts = np.zeros(rows, int)
    for column, one in zip(columns, asked, strict=True):
        counts += np.bitwise_count(column[:rows] ^ one)
    return [int(count) for count in counts]


def assert_nearest(columns: list[Signs], asked: Signs, allowed: Array, most: int) -> None:
    found = nearest_signs(columns, asked, allowed.view(np.uint8), most).tolist()
    possible = np.flatnonzero(allowed).tolist()
    assert len(found) == len(set(found)) == min(most, len(possible))
    assert set(found) <= set(possible)
    # With as many rows at each distance, those that are nearer than the last are all there.
    distances = differing(columns, asked, len(allowed))
    nearest = sorted(distances[row] for row in possible)
    assert sorted(distances[row] for row in found) == nearest[: len(found)]


@pytest.mark.parametrize("rows", SIZES)
@pytest.mark.parametrize("words", range(1, 9))
def test_the_nearest_differ_in_the_fewest_places(rows: int, words: int) -> None:
    rng = np.random.default_rng([rows, words])
    columns = list(random_signs(rng, (words, rows)))
    asked = random_signs(rng, words)
    allowed = rng.random(rows) < rng.choice([0.1, 0.9, 1])
    for most in (1, rows // 20 + 1, rows // 2 + 1, rows, rows + 1):
        assert_nearest(columns, asked, allowed, most)


@pytest.mark.parametrize("rows", [1, 100, SCANNED + 100, 2 * SCANNED])
@pytest.mark.parametrize("words", [1, 3, 8, 64])
def test_of_equally_near_ones_there_are_no_more_than_asked_for(rows: int, words: int) -> None:
    """What is said again and again is all equal."""
    rng = np.random.default_rng([rows, words])
    asked = random_signs(rng, words)
    # The same, one bit apart, and wholly opposite.
    apart = np.array([0, 1 << 63, 2**64 - 1], np.uint64)[rng.integers(3, size=rows)]
    columns = [one ^ apart for one in asked]
    allowed = rng.random(rows) < 0.8
    near = [int(np.count_nonzero(allowed & (apart <= limit))) for limit in apart[:3]]
    for count in {0, 1, rows // 3, rows // 2, rows, *near}:
        for most in {max(0, count - 1), count, count + 1}:
            assert_nearest(columns, asked, allowed, most)


@pytest.mark.parametrize("row", [0, 1, SCANNED - 1, SCANNED, 2 * SCANNED - 1, 2 * SCANNED])
def test_one_near_row_is_found_wherever_it_is(row: int) -> None:
    rows = 2 * SCANNED + 1
    asked = np.array([0, 2**64 - 1], np.uint64)
    columns = [np.full(rows, ~one) for one in asked]
    for column, one in zip(columns, asked, strict=True):
        column[row] = one ^ np.uint64(1 << 40)
    allowed = np.ones(rows, np.uint8)
    assert nearest_signs(columns, asked, allowed, 1).tolist() == [row]
    allowed[row] = 0
    assert row not in nearest_signs(columns, asked, allowed, rows).tolist()


def test_rows_that_came_later_are_never_near() -> None:
    """A search that began before goes by what was there then."""
    asked = np.array([5, 7], np.uint64)
    columns = [np.append(np.full(10, ~one), np.full(SCANNED, one)) for one in asked]
    found = nearest_signs(columns, asked, np.ones(10, np.uint8), 100)
    assert sorted(found.tolist()) == list(range(10))


def test_nothing_is_near_where_there_is_nothing() -> None:
    asked = np.array([5], np.uint64)
    for length in (0, 3):
        signs = np.full(length, 5, np.uint64)
        assert len(nearest_signs([signs], asked, np.zeros(0, np.uint8), 5)) == 0
        assert len(nearest_signs([signs], asked, np.zeros(length, np.uint8), 5)) == 0
        assert len(nearest_signs([signs], asked, np.ones(length, np.uint8), 0)) == 0


def test_signs_that_are_not_there_are_an_error() -> None:
    allowed, asked, column = np.ones(9, np.uint8), np.zeros(2, np.uint64), np.zeros(9, np.uint64)
    with pytest.raises(ValueError, match="every row"):
        nearest_signs([column, column[:8]], asked, allowed, 3)
    with pytest.raises(ValueError, match="one each"):
        nearest_signs([column], asked, allowed, 3)
    with pytest.raises(ValueError, match="at most 64"):
        nearest_signs([column] * 65, np.zeros(65, np.uint64), allowed, 3)


def mapped(path: Path, array: Array) -> Array:
    """Return an array from a file, which must not be written to."""
    array.tofile(path)
    return np.memmap(path, array.dtype, "r", shape=array.shape)


def test_signs_are_read_from_a_file(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    stored = mapped(tmp_path / "signs", random_signs(rng, (6, 3 * SCANNED)))
    asked = np.frombuffer(random_signs(rng, 6).tobytes(), np.uint64)
    allowed = np.frombuffer(bytes(SCANNED) + b"\1" * 2 * SCANNED, bool)
    assert_nearest(list(stored), asked, allowed, 500)


def exact(vectors: Array, scales: Array, rows: Array, asked: Array) -> npt.NDArray[np.float64]:
    return np.asarray((vectors[rows].astype(float) @ asked.astype(float)) * scales[rows])


def furthest(vectors: Array, scales: Array, rows: Array, asked: Array) -> npt.NDArray[np.float64]:
    """Return how far products may be from the exact ones.

    What is asked for is rounded to steps of which its greatest number has `LARGEST`, which takes half a step at most;
    that they are told in single precision moves a number by 2^-23 of at most `LARGEST` steps, 2^-10 of one. Each error
    counts as often as the vector's number there says. The result is rounded to single precision.
    """
    step = float(np.abs(asked).max()) / LARGEST
    weight = np.abs(vectors[rows].astype(float)).sum(axis=1) * scales[rows]
    told = np.abs(exact(vectors, scales, rows, asked)) + weight * step
    return np.asarray(weight * step * (0.5 + 2**-10) + told * 2**-23)


def random_bytes(rng: np.random.Generator, shape: tuple[int, int]) -> npt.NDArray[np.int8]:
    return rng.integers(-127, 128, size=shape).astype(np.int8)


def random_scales(rng: np.random.Generator, rows: int) -> npt.NDArray[np.float32]:
    return rng.uniform(1e-4, 1e-2, rows).astype(np.float32)


@pytest.mark.parametrize("dimensions", DIMENSIONS)
def test_products_are_as_near_as_rounding_leaves_them(dimensions: int) -> None:
    rng = np.random.default_rng(dimensions)
    vectors, scales = random_bytes(rng, (40, dimensions)), random_scales(rng, 40)
    # Repeated, and in no order.
    rows = rng.integers(40, size=100)
    for asked in (
        rng.normal(size=dimensions).astype(np.float32),
        # One number is far greater than all others.
        rng.normal(size=dimensions).astype(np.float32) ** 9,
        np.full(dimensions, -1e-3, np.float32),
        rng.normal(size=dimensions).astype(np.float32) * np.float32(1e30),
    ):
        found = products(vectors, scales, rows, asked)
        assert found.dtype == np.float32
        error = np.abs(found - exact(vectors, scales, rows, asked))
        assert (error <= furthest(vectors, scales, rows, asked)).all()


@pytest.mark.parametrize("dimensions", DIMENSIONS)
def test_what_is_asked_in_whole_steps_is_multiplied_exactly(dimensions: int) -> None:
    """Each place counts, also the last ones of a block: no rounding hides one that does not."""
    rng = np.random.default_rng(dimensions)
    vectors, scales = random_bytes(rng, (20, dimensions)), np.full(20, 0.5, np.float32)
    asked = rng.integers(-LARGEST, LARGEST + 1, dimensions).astype(np.float32)
    asked[rng.integers(dimensions)] = LARGEST
    rows = rng.permutation(20)
    expected = exact(vectors, scales, rows, asked).astype(np.float32)
    assert products(vectors, scales, rows, asked).tolist() == expected.tolist()


@pytest.mark.parametrize("dimensions", DIMENSIONS)
@pytest.mark.parametrize("byte", [127, -127, -128])
def test_the_greatest_products_do_not_overflow(dimensions: int, byte: int) -> None:
    vectors = np.full((3, dimensions), byte, np.int8)
    asked = np.full(dimensions, 0.25, np.float32)
    ones = np.ones(3, np.float32)
    found = products(vectors, ones, np.arange(3), asked)
    assert found == pytest.approx(np.full(3, 0.25 * byte * dimensions), rel=1e-6)
    # What adds up beyond 32 bits in one half is taken away in the other.
    asked[dimensions // 2 :] *= -1
    left = dimensions // 2 - (dimensions - dimensions // 2)
    assert products(vectors, ones, np.arange(3), asked) == pytest.approx(0.25 * byte * left)


@pytest.mark.parametrize("count", [1, 2, 11, 12, 13, 24, 25, 300])
def test_a_row_has_its_product_whatever_else_is_asked_for(count: int) -> None:
    rng = np.random.default_rng(count)
    vectors, scales = random_bytes(rng, (300, 100)), random_scales(rng, 300)
    asked = rng.normal(size=100).astype(np.float32)
    alone = [products(vectors, scales, np.array([row]), asked)[0] for row in range(300)]
    assert len(set(alone)) > 250
    for rows in (
        rng.integers(300, size=count),
        np.full(count, 299),
        np.arange(299, 299 - count, -1),
    ):
        found = products(vectors, scales, rows, asked)
        assert found.tolist() == [alone[row] for row in rows]


def test_nothing_asked_for_is_nowhere() -> None:
    vectors, scales = np.full((4, 70), 127, np.int8), np.ones(4, np.float32)
    zero = np.zeros(70, np.float32)
    assert products(vectors, scales, np.array([3, 0, 3]), zero).tolist() == [0, 0, 0]
    assert products(vectors, scales, np.zeros(0, np.int64), zero + 1).tolist() == []
    assert products(vectors[:0], scales[:0], np.zeros(0, np.int64), zero + 1).tolist() == []
    # A vector of zeros is owed.
    vectors[2], scales[2] = 0, 0
    assert products(vectors, scales, np.array([2]), zero + 1).tolist() == [0]


@pytest.mark.parametrize("row", [-1, -4, 4, 5, 2**31, 2**32, 2**63 - 1, -(2**63)])
@pytest.mark.parametrize("place", [0, 1, 12, 29])
def test_rows_that_are_not_there_are_an_error(row: int, place: int) -> None:
    rows = np.zeros(30, np.int64)
    rows[place] = row
    vectors, asked = np.ones((4, 3), np.int8), np.ones(3, np.float32)
    with pytest.raises(IndexError, match=f"row {row} of 4"):
        products(vectors, np.ones(4, np.float32), rows, asked)
    with pytest.raises(IndexError):
        products(vectors[:0], np.ones(0, np.float32), rows[:1] * 0, asked)


def test_numbers_that_do_not_match_are_an_error() -> None:
    vectors, scales, rows = np.ones((4, 3), np.int8), np.ones(4, np.float32), np.array([3])
    for dimensions in (0, 2, 4):
        with pytest.raises(ValueError, match=f"{dimensions} numbers"):
            products(vectors, scales, rows, np.ones(dimensions, np.float32))
    with pytest.raises((ValueError, IndexError)):
        products(vectors, scales[:3], rows, np.ones(3, np.float32))


@pytest.mark.parametrize("kind", [np.float32, np.uint8, np.int16])
def test_vectors_of_another_kind_are_an_error(kind: Any) -> None:
    vectors, scales = np.ones((4, 3), kind), np.ones(4, np.float32)
    with pytest.raises(ValueError, match="mismatch"):
        products(vectors, scales, np.array([3]), np.ones(3, np.float32))


def test_vectors_are_read_from_a_file(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    vectors, scales = random_bytes(rng, (500, 384)), random_scales(rng, 500)
    asked = rng.normal(size=384).astype(np.float32)
    rows = np.append(rng.integers(500, size=800), 499)
    found = products(
        mapped(tmp_path / "vectors", vectors),
        mapped(tmp_path / "scales", scales),
        mapped(tmp_path / "rows", rows),
        mapped(tmp_path / "asked", asked),
    )
    assert found.tolist() == products(vectors, scales, rows, asked).tolist()
    error = np.abs(found - exact(vectors, scales, rows, asked))
    assert (error <= furthest(vectors, scales, rows, asked)).all()
