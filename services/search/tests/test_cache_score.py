"""`add_scores`, compiled and in numpy, equals the BM25 formula."""

from __future__ import annotations

import numpy as np
import pytest

from everword_search.kernels.compiled import add_scores
from everword_search.ranking.bm25 import K1, B

MEAN = 31.7
LENGTHS = np.array([3, 80, 0, 31, 7], np.int32)


@pytest.fixture(params=["score", "score_numpy"], autouse=True)
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run each test with both versions; the compiled one is skipped if it was not built."""
    module = pytest.importorskip(f"everword_search.kernels.{request.param}")
    for name in ("add_scores",):
        monkeypatch.setitem(globals(), name, getattr(module, name))


def test_add_scores_adds_bm25_of_each_word() -> None:
    rng = np.random.default_rng(5)
    lengths = rng.integers(0, 90, 65_536).astype(np.int32)
    scores, requested = np.zeros(len(lengths)), np.zeros(len(lengths))
    for weight, held in ((9.3, 1), (4.1, 700), (0.2, 40_000)):
        rows = np.sort(rng.choice(len(lengths), held, replace=False)).astype(np.uint16)
        occurrences = rng.integers(1, 256, held).astype(np.uint8)
        add_scores(rows, occurrences, lengths, weight, K1, B, MEAN, scores)
        norm = K1 * (1 - B + B * lengths[rows] / MEAN)
        requested[rows] += weight * occurrences * (K1 + 1) / (occurrences + norm)
    np.testing.assert_allclose(scores, requested, rtol=1e-12)


def test_add_scores_of_a_word_without_rows_changes_nothing() -> None:
    scores = np.ones(5)
    none = np.zeros(0, np.uint16), np.zeros(0, np.uint8)
    add_scores(*none, LENGTHS, 2.0, K1, B, MEAN, scores)
    assert scores.tolist() == [1.0] * 5


def test_add_scores_refuses_an_invalid_row_without_changing_scores() -> None:
    scores = np.zeros(5)
    held = np.array([0, 5], np.uint16), np.ones(2, np.uint8)
    with pytest.raises(IndexError, match="row 5 of 5"):
        add_scores(*held, LENGTHS, 2.0, K1, B, MEAN, scores)
    assert not scores.any()


@pytest.mark.parametrize(("occurrences", "lengths"), [(1, 5), (3, 5), (2, 4), (2, 6)])
def test_add_scores_refuses_arrays_of_different_lengths(occurrences: int, lengths: int) -> None:
    rows = np.array([0, 1], np.uint16)
    other = np.ones(occurrences, np.uint8), np.ones(lengths, np.int32)
    with pytest.raises(ValueError, match="2 rows of 5"):
        add_scores(rows, *other, 2.0, K1, B, MEAN, np.zeros(5))
