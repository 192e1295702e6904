"""Unrelated texts are compared like a query with a passage, because a search compares these."""

from __future__ import annotations

import numpy as np
import pytest

from everword_embedder.queue.calibration import measure


def test_measure_compares_each_query_with_the_passages_of_other_texts() -> None:
    queries = np.array([[1.0, 0.0], [0.0, 2.0]])
    passages = np.array([[0.0, 1.0], [3.0, 4.0]])
    # The cosine of the first query with the second passage is .6, that of the second with the first passage 1.
    assert measure(queries, passages) == pytest.approx((0.8, 0.2))


def test_measure_of_a_model_without_prefixes_is_over_all_pairs() -> None:
    vectors = np.eye(3) + 0.5
    first, second = vectors[0], vectors[1]
    expected = float(first @ second / (np.linalg.norm(first) * np.linalg.norm(second)))
    assert measure(vectors, vectors) == pytest.approx((expected, 0.0), abs=1e-9)
