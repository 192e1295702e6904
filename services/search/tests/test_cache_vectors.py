"""Vectors of a cached namespace: cosines, nearest rows, and rows whose vector is pending."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pytest

from everword_search.cache.columns.vectors import SignedVectors, Vectors

SIZE = 300
#: Maximum error of a cosine in single precision.
WITHIN = 1e-6
Matrix = npt.NDArray[Any]
Kind: TypeAlias = type[Vectors]
kinds = pytest.mark.parametrize("kind", [Vectors, SignedVectors])


def random_vectors(rng: np.random.Generator, count: int, dimensions: int) -> Matrix:
    return rng.normal(size=(count, dimensions)).astype(np.float16)


def random_query(rng: np.random.Generator, dimensions: int) -> Matrix:
    return rng.normal(size=dimensions).astype(np.float32)


@kinds
def test_rows_are_pending_until_their_vectors_are_stored(kind: Kind) -> None:
    rng = np.random.default_rng(1)
    vectors = kind(7, 20)
    vectors.add(5)
    vectors.add(100)
    rows = np.array([3, 50, 104])
    vectors.store(rows, random_vectors(rng, 3, 20))
    vectors.store(rows[:0], random_vectors(rng, 0, 0))
    others = [row for row in range(105) if row not in rows]
    assert vectors.pending.tolist() == vectors.lacking.tolist() == others
    assert (vectors.generation_id, vectors.missing_count) == (7, 102)


@kinds
def test_set_pending_excludes_rows_that_expect_no_vector(kind: Kind) -> None:
    rng = np.random.default_rng(1)
    vectors = kind(7, 20)
    vectors.add(6)
    vectors.store(np.array([1]), random_vectors(rng, 1, 20))
    # Row 1 has a vector already, so it stays present although it is reported as not pending.
    vectors.set_pending(np.array([0, 1, 2, 3]), np.array([False, False, True, False]))
    assert (vectors.pending.tolist(), vectors.lacking.tolist()) == ([2, 4, 5], [0, 2, 3, 4, 5])
    vectors.set_pending(np.array([0, 2]), np.array([True, False]))
    assert vectors.pending.tolist() == [0, 4, 5]
    vectors.store(np.array([2, 3, 0]), random_vectors(rng, 3, 20))
    assert (vectors.pending.tolist(), vectors.lacking.tolist()) == ([4, 5], [4, 5])
    found = vectors.cosines(random_query(rng, 20), np.arange(6))
    assert np.isnan(found).tolist() == [False, False, False, False, True, True]
    vectors.set_pending(np.array([4, 5]), np.array([False, False]))
    assert (vectors.pending.tolist(), vectors.missing_count) == ([], 2)


def cosines_of(stored: Matrix, asked: Matrix) -> Matrix:
    halves, query = (each.astype(np.float16).astype(float) for each in (stored, asked))
    return np.asarray(halves @ query / np.linalg.norm(halves, axis=1) / np.linalg.norm(query))


@kinds
@pytest.mark.parametrize("dimensions", [48, 100, 384])
def test_cosines_are_correct_and_nan_without_a_vector(kind: Kind, dimensions: int) -> None:
    rng = np.random.default_rng(2)
    stored, asked = random_vectors(rng, SIZE, dimensions), random_query(rng, dimensions)
    # The first 50 vectors are near the query, and one is equal to it.
    stored[:50] = asked + 0.5 * stored[:50]
    stored[7] = asked
    vectors = kind(1, dimensions)
    vectors.add(SIZE)
    rows = np.union1d(rng.permutation(SIZE)[: SIZE // 2], [7])
    vectors.store(rows, stored[rows])
    expected = cosines_of(stored, asked)
    expected[vectors.pending] = np.nan
    everything = np.arange(SIZE)
    assert vectors.cosines(asked, everything) == pytest.approx(expected, abs=WITHIN, nan_ok=True)
    some = np.array([4, 4, 7, 0, 299])
    assert vectors.cosines(asked, some) == pytest.approx(expected[some], abs=WITHIN, nan_ok=True)
    assert vectors.cosines(asked, some[2:3]) == pytest.approx([1.0], abs=WITHIN)
    assert len(vectors.cosines(asked, some[:0])) == 0


@kinds
def test_cosines_are_independent_of_vector_length(kind: Kind) -> None:
    rng = np.random.default_rng(8)
    # From the largest numbers of half precision down to numbers with only a few significant bits.
    lengths = np.array([1e4, 1.0, 1e-2, 1e-5, 2e-7])
    numbers = np.clip(random_vectors(rng, 5, 384), -3, 3) * lengths[:, None]
    stored, asked = numbers.astype(np.float16), random_query(rng, 384)
    vectors = kind(1, 384)
    vectors.add(6)
    vectors.store(np.arange(6), np.append(stored, np.zeros((1, 384), np.float16), axis=0))
    *found, nothing = vectors.cosines(asked, np.arange(6)).tolist()
    assert found == pytest.approx(cosines_of(stored, asked).tolist(), abs=WITHIN)
    assert nothing == 0


@kinds
def test_equal_vectors_have_equal_cosines(kind: Kind) -> None:
    """Otherwise the order of memories with the same text would be arbitrary."""
    rng = np.random.default_rng(3)
    vectors = kind(1, 384)
    vectors.add(101)
    vectors.store(np.arange(101), np.repeat(random_vectors(rng, 1, 384), 101, axis=0))
    asked = random_query(rng, 384)
    assert len(set(vectors.cosines(asked, np.arange(101)).tolist())) == 1


def test_nearest_of_unsigned_vectors_returns_all_allowed_rows() -> None:
    rng = np.random.default_rng(4)
    vectors = Vectors(1, 8)
    vectors.add(50)
    vectors.store(np.arange(0, 50, 2), random_vectors(rng, 25, 8))
    allowed = np.arange(40) % 3 == 0
    asked = np.ones(8, np.float32)
    assert vectors.nearest(asked, allowed, 1).tolist() == list(range(0, 40, 6))


@pytest.mark.parametrize("dimensions", [8, 20, 64, 100, 384])
@pytest.mark.parametrize("most", [1, 10, 40, SIZE - 1, SIZE, 10 * SIZE])
def test_nearest_of_signed_vectors_are_rows_with_largest_sign_products(
    dimensions: int, most: int
) -> None:
    rng = np.random.default_rng(dimensions)
    stored, asked = random_vectors(rng, SIZE, dimensions), random_query(rng, dimensions)
    vectors = SignedVectors(1, dimensions)
    vectors.add(SIZE + 7)
    known = np.sort(rng.permutation(SIZE)[:250])
    vectors.store(known, stored[known])
    # Shorter than the column, as in a search that began before the last rows were added.
    allowed = rng.random(SIZE) < 0.8
    found = vectors.nearest(asked, allowed, most).tolist()
    possible = [row for row in known.tolist() if allowed[row]]
    if len(possible) <= 2 * most:
        assert found == possible
        return
    assert len(set(found)) == len(found) == most
    assert set(found) <= set(possible)
    products = np.where(stored > 0, asked, 0).sum(axis=1)
    # The sum of each group of four numbers is rounded to one of 127 steps.
    fours = np.append(np.abs(asked), np.zeros(-dimensions % 4)).reshape(-1, 4).sum(axis=1)
    within = len(fours) * fours.max() / 127
    assert min(products[found]) >= np.sort(products[possible])[-most] - within


def test_nearest_of_signed_vectors_has_high_recall() -> None:
    """The vectors are in 200 groups of similar vectors, like texts about 200 subjects."""
    rng = np.random.default_rng(9)
    subjects = rng.normal(size=(200, 384))
    stored = (np.repeat(subjects, 100, axis=0) + rng.normal(size=(20_000, 384))).astype(np.float16)
    vectors = SignedVectors(1, 384)
    vectors.add(20_000)
    vectors.store(np.arange(20_000), stored)
    shares = []
    for subject in subjects[:20]:
        asked = (subject + rng.normal(size=384)).astype(np.float32)
        nearest = np.argsort(-cosines_of(stored, asked))[:100]
        found = vectors.nearest(asked, np.ones(20_000, bool), 150)
        shares.append(np.isin(nearest, found).mean())
    assert np.mean(shares) > 0.98


def test_nearest_of_signed_vectors_is_robust_to_one_large_dimension() -> None:
    """Some models have one dimension that is large in every vector and carries no information."""
    rng = np.random.default_rng(11)
    stored, asked = random_vectors(rng, 20_000, 384), random_query(rng, 384)
    stored[:, 7], asked[7] = 3_000, 3_000
    vectors = SignedVectors(1, 384)
    vectors.add(20_000)
    vectors.store(np.arange(20_000), stored)
    products = np.where(stored > 0, asked, 0).sum(axis=1)
    found = vectors.nearest(asked, np.ones(20_000, bool), 1_000)
    best = np.argsort(-products)[:500]
    assert np.isin(best, found).mean() > 0.95


def test_nearest_of_a_zero_query_returns_any_rows() -> None:
    vectors = SignedVectors(1, 64)
    vectors.add(50)
    vectors.store(np.arange(50), random_vectors(np.random.default_rng(1), 50, 64))
    assert len(vectors.nearest(np.zeros(64, np.float32), np.ones(50, bool), 5)) == 5


def test_nearest_skips_rows_without_vector_or_not_allowed() -> None:
    vectors = SignedVectors(1, 16)
    vectors.add(40)
    asked = np.ones(16, np.float32)
    assert len(vectors.nearest(asked, np.ones(40, bool), 5)) == 0
    vectors.store(np.arange(40), np.ones((40, 16), np.float16))
    assert len(vectors.nearest(asked, np.zeros(40, bool), 5)) == 0
    assert len(vectors.nearest(asked, np.ones(40, bool), 5)) == 5


@kinds
def test_trimmed_vectors_keep_their_values_and_can_grow(kind: Kind) -> None:
    rng = np.random.default_rng(6)
    stored, asked = random_vectors(rng, 5, 20), random_query(rng, 20)
    vectors = kind(1, 20)
    vectors.add(3)
    vectors.store(np.arange(3), stored[:3])
    before, taken = vectors.cosines(asked, np.arange(3)), vectors.nbytes
    vectors.trim()
    assert vectors.nbytes < taken
    vectors.add(2)
    vectors.store(np.arange(3, 5), stored[3:])
    assert vectors.cosines(asked, np.arange(3)).tolist() == before.tolist()
    assert vectors.pending.tolist() == []
