"""Vectors in memory: which are near, and which are owed."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from everword_search.resident.vectors import CompactVectors, ExactVectors

SIZE = 300
Matrix = npt.NDArray[Any]


def random_vectors(rng: np.random.Generator, count: int, dimensions: int) -> Matrix:
    return rng.normal(size=(count, dimensions)).astype(np.float32)


@pytest.mark.parametrize("kind", [ExactVectors, CompactVectors])
def test_rows_are_owed_vectors_until_they_have_them(
    kind: type[ExactVectors | CompactVectors],
) -> None:
    rng = np.random.default_rng(1)
    vectors = kind(7, 20)
    vectors.add(5)
    vectors.add(100)
    rows = np.array([3, 50, 104])
    vectors.store(rows, random_vectors(rng, 3, 20))
    vectors.store(rows[:0], random_vectors(rng, 0, 0))
    assert vectors.owed.tolist() == [row for row in range(105) if row not in rows]
    assert vectors.generation_id == 7


def cosines_of(stored: Matrix, asked: Matrix) -> Matrix:
    halves, query = (each.astype(np.float16).astype(float) for each in (stored, asked))
    return np.asarray(halves @ query / np.linalg.norm(halves, axis=1) / np.linalg.norm(query))


@pytest.mark.parametrize(("kind", "within"), [(ExactVectors, 1e-6), (CompactVectors, 0.004)])
@pytest.mark.parametrize("dimensions", [48, 100, 384])
def test_cosines_are_told_and_nothing_without_a_vector(
    kind: type[ExactVectors | CompactVectors], within: float, dimensions: int
) -> None:
    rng = np.random.default_rng(2)
    stored, asked = random_vectors(rng, SIZE, dimensions), random_vectors(rng, 1, dimensions)[0]
    # Near ones too: what is asked is among them.
    stored[:50] = asked + 0.5 * stored[:50]
    stored[7] = asked
    vectors = kind(1, dimensions)
    vectors.add(SIZE)
    rows = np.union1d(rng.permutation(SIZE)[: SIZE // 2], [7])
    vectors.store(rows, stored[rows])
    expected = cosines_of(stored, asked)
    expected[vectors.owed] = np.nan
    everything = np.arange(SIZE)
    assert vectors.cosines(asked, everything) == pytest.approx(expected, abs=within, nan_ok=True)
    some = np.array([4, 4, 7, 0, 299])
    assert vectors.cosines(asked, some) == pytest.approx(expected[some], abs=within, nan_ok=True)
    assert vectors.cosines(asked, some[2:3]) == pytest.approx([1.0], abs=within)
    assert len(vectors.cosines(asked, some[:0])) == 0


@pytest.mark.parametrize("kind", [ExactVectors, CompactVectors])
def test_equal_vectors_are_equally_near(kind: type[ExactVectors | CompactVectors]) -> None:
    """Else memories that say the same would come in an order that nobody can tell."""
    rng = np.random.default_rng(3)
    vectors = kind(1, 384)
    vectors.add(101)
    vectors.store(np.arange(101), np.repeat(random_vectors(rng, 1, 384), 101, axis=0))
    asked = random_vectors(rng, 1, 384)[0]
    assert len(set(vectors.cosines(asked, np.arange(101)).tolist())) == 1


def test_of_exact_vectors_all_may_be_the_nearest() -> None:
    rng = np.random.default_rng(4)
    vectors = ExactVectors(1, 8)
    vectors.add(50)
    vectors.store(np.arange(0, 50, 2), random_vectors(rng, 25, 8))
    allowed = np.arange(40) % 3 == 0
    asked = np.ones(8, np.float32)
    assert vectors.nearest(asked, allowed, 1).tolist() == list(range(0, 40, 6))


@pytest.mark.parametrize("dimensions", [8, 20, 64, 100, 384])
@pytest.mark.parametrize("most", [1, 10, SIZE - 1, SIZE, 10 * SIZE])
def test_the_nearest_have_the_most_signs_in_common(dimensions: int, most: int) -> None:
    rng = np.random.default_rng(dimensions)
    stored, asked = random_vectors(rng, SIZE, dimensions), random_vectors(rng, 1, dimensions)[0]
    vectors = CompactVectors(1, dimensions)
    vectors.add(SIZE + 7)
    known = np.sort(rng.permutation(SIZE)[:250])
    vectors.store(known, stored[known])
    # A search that began before the last rows came.
    allowed = rng.random(SIZE) < 0.8
    found = vectors.nearest(asked, allowed, most)
    differing = ((stored > 0) != (asked > 0)).sum(axis=1)
    possible = [row for row in known.tolist() if allowed[row]]
    assert len(set(found.tolist())) == len(found) == min(most, len(possible))
    assert set(found.tolist()) <= set(possible)
    assert sorted(differing[found]) == sorted(differing[possible])[: len(found)]


def test_vectors_that_are_not_there_or_not_allowed_are_never_near() -> None:
    vectors = CompactVectors(1, 16)
    vectors.add(40)
    asked = np.ones(16, np.float32)
    assert len(vectors.nearest(asked, np.ones(40, bool), 5)) == 0
    vectors.store(np.arange(40), np.ones((40, 16), np.float32))
    assert len(vectors.nearest(asked, np.zeros(40, bool), 5)) == 0
    assert len(vectors.nearest(asked, np.ones(40, bool), 5)) == 5


@pytest.mark.parametrize("kind", [ExactVectors, CompactVectors])
def test_what_is_trimmed_stays_and_grows_again(kind: type[ExactVectors | CompactVectors]) -> None:
    rng = np.random.default_rng(6)
    stored, asked = random_vectors(rng, 5, 20), random_vectors(rng, 1, 20)[0]
    vectors = kind(1, 20)
    vectors.add(3)
    vectors.store(np.arange(3), stored[:3])
    before, rows = vectors.cosines(asked, np.arange(3)), vectors.nbytes
    vectors.trim()
    assert vectors.nbytes < rows
    vectors.add(2)
    vectors.store(np.arange(3, 5), stored[3:])
    assert vectors.cosines(asked, np.arange(3)).tolist() == before.tolist()
    assert vectors.owed.tolist() == []
