"""Metrics against values that were computed by hand."""

from __future__ import annotations

import math
import random

import pytest

from everword.bench.metrics import NAMES, auroc, average, judge, percentile


def test_metrics_of_a_ranking_match_their_definitions() -> None:
    ranked = ["x", "a", *"12345678", "b", *(str(n) for n in range(100, 139)), "c"]
    values = judge(ranked, {"a", "b", "c", "never found"})
    assert ranked.index("b") + 1 == 11
    assert ranked.index("c") + 1 == 51
    assert values == {
        "recall@1": 0,
        "recall@5": 1 / 4,
        "recall@10": 1 / 4,
        "recall@20": 2 / 4,
        "recall@50": 2 / 4,
        "ndcg@10": pytest.approx(
            (1 / math.log2(3)) / (1 + 1 / math.log2(3) + 1 / 2 + 1 / math.log2(5))
        ),
        "mrr": 1 / 2,
    }


def test_metrics_of_a_perfect_ranking_are_maximal() -> None:
    relevant = {str(n) for n in range(12)}
    values = judge([str(n) for n in range(12)], relevant)
    assert values["ndcg@10"] == pytest.approx(1)
    assert values["recall@10"] == pytest.approx(10 / 12)
    assert values["recall@20"] == values["mrr"] == 1


def test_metrics_of_an_empty_ranking_are_zero() -> None:
    assert set(judge([], {"a"}).values()) == {0}


def test_average_is_mean_over_queries_or_none_without_queries() -> None:
    values = average([judge(["a"], {"a"}), judge(["b"], {"a"})])
    assert values == dict.fromkeys(NAMES, 0.5)
    assert average([]) == dict.fromkeys(NAMES)


@pytest.mark.parametrize(
    ("positive", "negative", "expected"),
    [
        ([3, 2], [1, 0], 1.0),
        ([0], [1], 0.0),
        ([1, 1], [1], 0.5),
        ([0.9, 0.5, 0.5], [0.5, 0.1], (2 + 1.5 + 1.5) / 6),
        ([], [1], None),
        ([1], [], None),
    ],
)
def test_auroc_counts_ties_as_half(
    positive: list[float], negative: list[float], expected: float | None
) -> None:
    assert auroc(positive, negative) == expected


def test_auroc_equals_share_of_all_pairs_in_order() -> None:
    rng = random.Random(7)
    for _ in range(50):
        positive = [rng.randrange(6) for _ in range(rng.randrange(1, 30))]
        negative = [rng.randrange(6) for _ in range(rng.randrange(1, 30))]
        pairs = [(p > n) + (p == n) / 2 for p in positive for n in negative]
        assert auroc(positive, negative) == pytest.approx(sum(pairs) / len(pairs))


def test_percentile_interpolates_between_nearest_values() -> None:
    assert percentile([4, 1, 3, 2], 0.5) == 2.5
    assert percentile(range(101), 0.95) == 95
    assert percentile([7], 0.95) == 7
    assert percentile([], 0.5) is None
