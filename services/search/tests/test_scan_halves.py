"""Cosines of vectors in half precision, compiled and in numpy, equal those in double precision within rounding."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from everword.db.arrays import Array
from everword_search.kernels.compiled import cosines

#: Number of partial sums that the compiled version adds up in parallel.
SIDE_BY_SIDE = 32
HALF_DIMENSIONS = [
    *(1, 2, 15, 16, 17),
    *(SIDE_BY_SIDE - 1, SIDE_BY_SIDE, SIDE_BY_SIDE + 1, 3 * SIDE_BY_SIDE - 1, 100, 384, 1000),
]
#: Every number of half precision, as its bits.
FINITE = np.flatnonzero(np.isfinite(np.arange(1 << 16, dtype=np.uint16).view(np.float16)))
#: Maximum relative error of one addition in single precision.
STEP = 2**-24


@pytest.fixture(params=["scan", "scan_numpy"], autouse=True)
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run each test with both versions; the compiled one is skipped if it was not built."""
    module = pytest.importorskip(f"everword_search.kernels.{request.param}")
    for name in ("cosines",):
        monkeypatch.setitem(globals(), name, getattr(module, name))


def exact(bits: Array, asked: Array) -> Array:
    vectors = bits.view(np.float16).astype(float)
    lengths = np.linalg.norm(vectors, axis=1)
    products = vectors @ asked.astype(float)
    found = np.divide(products, lengths, out=np.zeros(len(bits)), where=lengths > 0)
    return np.asarray(found)


def max_error(bits: Array, asked: Array) -> Array:
    """Return the maximum error of the cosines of half-precision vectors.

    The products and partial sums are rounded to single precision. Each addition that a product takes part in adds an
    error of at most 2^-24 of the sum of absolute products. The sum of squares has the same relative error, its square
    root half of it. The root and the division add one rounding step each.
    """
    numbers = np.abs(bits.view(np.float16).astype(float))
    lengths = np.linalg.norm(numbers, axis=1)
    weight = np.divide(
        numbers @ np.abs(asked.astype(float)), lengths, out=np.zeros(len(bits)), where=lengths > 0
    )
    additions = bits.shape[1] // SIDE_BY_SIDE + 2 + np.log2(SIDE_BY_SIDE)
    return np.asarray(weight * (1.5 * additions + 2) * STEP)


def random_bits(rng: np.random.Generator, shape: tuple[int, int]) -> npt.NDArray[np.uint16]:
    """Return random numbers of half precision of any size and sign, as bits."""
    return rng.choice(FINITE, size=shape).astype(np.uint16)


def test_cosines_convert_every_half_precision_number_exactly() -> None:
    """Includes subnormal numbers, and zeros of both signs."""
    halves = FINITE.astype(np.uint16).view(np.float16)
    found = cosines(FINITE.astype(np.uint16)[:, None], np.ones(1, np.float32))
    assert len(found) == 2 * 0x7C00
    assert found.tolist() == np.sign(halves).astype(float).tolist()
    # In a vector of one number, only its sign matters. With a second number 1, its value matters as well.
    pairs = np.stack([halves, np.ones_like(halves)], axis=1)
    asked = np.array([1, 0], np.float32)
    wide = halves.astype(float)
    expected = wide / np.sqrt(wide * wide + 1)
    found = cosines(pairs.view(np.uint16), asked)
    # The relative error is within a few bits of single precision, also for the smallest numbers.
    assert found == pytest.approx(expected, rel=4 * STEP, abs=0)


@pytest.mark.parametrize("dimensions", HALF_DIMENSIONS)
def test_cosines_of_halves_are_within_rounding_error(dimensions: int) -> None:
    rng = np.random.default_rng(dimensions)
    units = rng.normal(size=(40, dimensions)) / np.sqrt(dimensions)
    for bits in (
        units.astype(np.float16).view(np.uint16),
        # So small that each number has only a few significant bits.
        (units * 1e-6).astype(np.float16).view(np.uint16),
        random_bits(rng, (40, dimensions)),
    ):
        for asked in (rng.normal(size=dimensions), rng.normal(size=dimensions) * 1e6):
            query = asked.astype(np.float32)
            found = cosines(bits, query)
            assert found.dtype == np.float32
            assert (np.abs(found - exact(bits, query)) <= max_error(bits, query)).all()


@pytest.mark.parametrize("dimensions", HALF_DIMENSIONS)
def test_cosines_use_every_dimension(dimensions: int) -> None:
    """Includes dimensions after the last full block. Integers are used, so that rounding cannot hide an error."""
    rng = np.random.default_rng(dimensions)
    vectors = rng.integers(1, 101, (20, dimensions)).astype(np.float16)
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1)
    for place in range(dimensions):
        only = np.zeros(dimensions, np.float32)
        only[place] = 2
        found = cosines(vectors.view(np.uint16), only)
        assert found == pytest.approx(2 * vectors[:, place] / lengths, rel=1e-6)


def test_cosine_of_a_vector_is_independent_of_other_rows() -> None:
    rng = np.random.default_rng(5)
    bits = random_bits(rng, (300, 100))
    asked = rng.normal(size=100).astype(np.float32)
    alone = [cosines(bits[row : row + 1], asked)[0] for row in range(300)]
    assert len(set(alone)) > 250
    for rows in (rng.integers(300, size=77), np.full(5, 299), np.arange(299, -1, -1)):
        assert cosines(bits[rows], asked).tolist() == [alone[row] for row in rows]


def test_cosines_of_zero_or_empty_vectors_are_zero() -> None:
    bits = random_bits(np.random.default_rng(6), (4, 70))
    zero = np.zeros(70, np.float32)
    assert cosines(bits, zero).tolist() == [0, 0, 0, 0]
    assert cosines(bits[:0], zero + 1).tolist() == []
    assert cosines(np.zeros((2, 0), np.uint16), zero[:0]).tolist() == [0, 0]
    # Pending vectors are stored as zeros.
    bits[2] = 0
    found = cosines(bits, zero + 1)
    assert found[2] == 0
    assert np.count_nonzero(found) == 3


def test_cosines_refuses_mismatched_arrays() -> None:
    bits = np.ones((4, 3), np.uint16)
    for dimensions in (0, 2, 4):
        with pytest.raises(ValueError, match=f"{dimensions} numbers"):
            cosines(bits, np.ones(dimensions, np.float32))
    asked = np.ones(3, np.float32)
    for kind in (np.uint8, np.int16, np.float32):
        other: Any = np.ones((4, 3), kind)
        with pytest.raises(ValueError, match="mismatch"):
            cosines(other, asked)


def test_cosines_accepts_read_only_arrays() -> None:
    rng = np.random.default_rng(1)
    bits, asked = random_bits(rng, (500, 384)), rng.normal(size=384).astype(np.float32)
    frozen = np.frombuffer(bits.tobytes(), np.uint16).reshape(500, 384)
    query = np.frombuffer(asked.tobytes(), np.float32)
    assert cosines(frozen, query).tolist() == cosines(bits, asked).tolist()
