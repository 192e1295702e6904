"""The compiled loop over vectors in half precision multiplies to what double precision says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from everword.db.arrays import Array
from everword_search.resident.scan import half_products

#: Sums of halves that are added up side by side.
SIDE_BY_SIDE = 32
HALF_DIMENSIONS = [
    *(1, 2, 15, 16, 17),
    *(SIDE_BY_SIDE - 1, SIDE_BY_SIDE, SIDE_BY_SIDE + 1, 3 * SIDE_BY_SIDE - 1, 100, 384, 1000),
]
#: Every number of half precision, as its bits.
FINITE = np.flatnonzero(np.isfinite(np.arange(1 << 16, dtype=np.uint16).view(np.float16)))


def random_scales(rng: np.random.Generator, rows: int) -> npt.NDArray[np.float32]:
    return rng.uniform(1e-4, 1e-2, rows).astype(np.float32)


def mapped(path: Path, array: Array) -> Array:
    """Return an array from a file, which must not be written to."""
    array.tofile(path)
    return np.memmap(path, array.dtype, "r", shape=array.shape)


def exact(bits: Array, scales: Array, rows: Array, asked: Array) -> Array:
    vectors = bits.view(np.float16).astype(float)
    return np.asarray((vectors[rows] @ asked.astype(float)) * scales[rows])


def furthest(bits: Array, scales: Array, rows: Array, asked: Array) -> Array:
    """Return how far products of halves may be from the exact ones.

    Each of them, and each sum on its way, is rounded to single precision: that moves it by 2^-24 of what all of them
    are without their signs, once for each addition that a number goes through.
    """
    weight = np.abs(bits.view(np.float16)[rows].astype(float)) @ np.abs(asked.astype(float))
    additions = bits.shape[1] // SIDE_BY_SIDE + 2 + np.log2(SIDE_BY_SIDE)
    return np.asarray(weight * scales[rows] * additions * 2**-24)


def random_bits(rng: np.random.Generator, shape: tuple[int, int]) -> npt.NDArray[np.uint16]:
    """Return numbers of all sizes, and of both signs."""
    return rng.choice(FINITE, size=shape).astype(np.uint16)


def test_every_half_is_the_number_that_it_is() -> None:
    """Below the smallest normal number, and zeros of both signs, too."""
    bits, one = FINITE.astype(np.uint16)[:, None], np.ones(1, np.float32)
    rows = np.arange(len(bits))
    found = half_products(bits, np.ones(len(bits), np.float32), rows, one)
    assert len(found) == 2 * 0x7C00
    assert found.tolist() == bits[:, 0].view(np.float16).astype(float).tolist()


@pytest.mark.parametrize("dimensions", HALF_DIMENSIONS)
def test_products_of_halves_are_as_near_as_rounding_leaves_them(dimensions: int) -> None:
    rng = np.random.default_rng(dimensions)
    scales = random_scales(rng, 40)
    rows = rng.integers(40, size=100)
    units = rng.normal(size=(40, dimensions)) / np.sqrt(dimensions)
    for bits in (
        units.astype(np.float16).view(np.uint16),
        # So small that few bits are left of each number.
        (units * 1e-6).astype(np.float16).view(np.uint16),
        random_bits(rng, (40, dimensions)),
    ):
        for asked in (rng.normal(size=dimensions), rng.normal(size=dimensions) * 1e6):
            query = asked.astype(np.float32)
            found = half_products(bits, scales, rows, query)
            assert found.dtype == np.float32
            error = np.abs(found - exact(bits, scales, rows, query))
            assert (error <= furthest(bits, scales, rows, query)).all()


@pytest.mark.parametrize("dimensions", HALF_DIMENSIONS)
def test_whole_halves_are_multiplied_exactly(dimensions: int) -> None:
    """Each place counts, also those after the last full block: no rounding hides one that does not."""
    rng = np.random.default_rng(dimensions)
    vectors = rng.integers(-100, 101, (20, dimensions)).astype(np.float16)
    asked = rng.integers(-100, 101, dimensions).astype(np.float32)
    bits, scales, rows = vectors.view(np.uint16), np.full(20, 0.5, np.float32), rng.permutation(20)
    expected = exact(bits, scales, rows, asked)
    assert half_products(bits, scales, rows, asked).tolist() == expected.tolist()
    for place in range(dimensions):
        only = np.zeros(dimensions, np.float32)
        only[place] = 2
        found = half_products(bits, scales, rows, only)
        assert found.tolist() == vectors[rows, place].astype(float).tolist()


def test_a_row_of_halves_has_its_product_whatever_else_is_asked_for() -> None:
    rng = np.random.default_rng(5)
    bits, scales = random_bits(rng, (300, 100)), random_scales(rng, 300)
    asked = rng.normal(size=100).astype(np.float32)
    alone = [half_products(bits, scales, np.array([row]), asked)[0] for row in range(300)]
    assert len(set(alone)) > 250
    for rows in (rng.integers(300, size=77), np.full(5, 299), np.arange(299, -1, -1)):
        found = half_products(bits, scales, rows, asked)
        assert found.tolist() == [alone[row] for row in rows]


def test_nothing_is_a_product_of_no_halves() -> None:
    rng = np.random.default_rng(6)
    bits, scales = random_bits(rng, (4, 70)), np.ones(4, np.float32)
    zero, none = np.zeros(70, np.float32), np.zeros(0, np.int64)
    assert half_products(bits, scales, np.array([3, 0, 3]), zero).tolist() == [0, 0, 0]
    assert half_products(bits, scales, none, zero + 1).tolist() == []
    assert half_products(bits[:0], scales[:0], none, zero + 1).tolist() == []
    flat = np.zeros((4, 0), np.uint16)
    assert half_products(flat, scales, np.array([1]), zero[:0]).tolist() == [0]
    # A vector of zeros is owed.
    bits[2], scales[2] = 0, 0
    assert half_products(bits, scales, np.array([2]), zero + 1).tolist() == [0]


@pytest.mark.parametrize("row", [-1, -4, 4, 5, 2**31, 2**32, 2**63 - 1, -(2**63)])
@pytest.mark.parametrize("place", [0, 1, 29])
def test_rows_of_halves_that_are_not_there_are_an_error(row: int, place: int) -> None:
    rows = np.zeros(30, np.int64)
    rows[place] = row
    bits, asked = np.ones((4, 3), np.uint16), np.ones(3, np.float32)
    with pytest.raises(IndexError, match=f"row {row} of 4"):
        half_products(bits, np.ones(4, np.float32), rows, asked)
    with pytest.raises(IndexError, match="row 3 of 3"):
        half_products(bits, np.ones(3, np.float32), np.array([3]), asked)
    with pytest.raises(IndexError, match="row 0 of 0"):
        half_products(bits[:0], np.ones(0, np.float32), rows[:1] * 0, asked)


def test_halves_that_do_not_match_are_an_error() -> None:
    bits, scales, rows = np.ones((4, 3), np.uint16), np.ones(4, np.float32), np.array([3])
    for dimensions in (0, 2, 4):
        with pytest.raises(ValueError, match=f"{dimensions} numbers"):
            half_products(bits, scales, rows, np.ones(dimensions, np.float32))
    asked = np.ones(3, np.float32)
    for kind in (np.uint8, np.int16, np.float32):
        other: Any = np.ones((4, 3), kind)
        with pytest.raises(ValueError, match="mismatch"):
            half_products(other, scales, rows, asked)


def test_halves_are_read_from_a_file(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    bits, scales = random_bits(rng, (500, 384)), random_scales(rng, 500)
    asked = rng.normal(size=384).astype(np.float32)
    rows = np.append(rng.integers(500, size=800), 499)
    found = half_products(
        mapped(tmp_path / "vectors", bits),
        mapped(tmp_path / "scales", scales),
        mapped(tmp_path / "rows", rows),
        mapped(tmp_path / "asked", asked),
    )
    assert found.tolist() == half_products(bits, scales, rows, asked).tolist()
