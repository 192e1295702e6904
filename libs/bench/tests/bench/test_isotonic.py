"""Fitting: pool adjacent violators against values worked out by hand, and what every map must be like."""

from __future__ import annotations

import math
import random
from itertools import pairwise

import pytest

from everword.bench.isotonic import MAX_BLOCKS, Block, FitError, fit, fit_curve, isotonic, merge
from everword.domain.calibration import Calibration


def blocks(*shares: tuple[float, float]) -> list[Block]:
    """Return blocks of (results, relevant) at evidence 0, 1, 2…"""
    return [Block(float(at), *share) for at, share in enumerate(shares)]


@pytest.mark.parametrize(
    ("given", "pooled"),
    [
        ([0, 0, 1, 1], [0, 1]),
        ([1, 0], [0.5]),
        # 0 | 1 0 0 pools to 1/3 | 1 0 to 1/2 | 1
        ([0, 1, 0, 0, 1, 0, 1], [0, 1 / 3, 1 / 2, 1]),
        # A late value pulls down all before it: 1 1 1 0 is 3/4.
        ([1, 1, 1, 0], [3 / 4]),
        # 0 | 1 0 is 1/2, and so is 1 0 after it: one block.
        ([0, 1, 0, 1, 0], [0, 1 / 2]),
    ],
)
def test_isotonic_pools_decreasing_neighbours(given: list[int], pooled: list[float]) -> None:
    found = isotonic(blocks(*((1, each) for each in given)))
    assert [block.share for block in found] == pytest.approx(pooled)
    assert sum(block.results for block in found) == len(given)


def test_isotonic_weights_blocks_by_number_of_results() -> None:
    [first, pooled] = isotonic(blocks((10, 1), (30, 15), (10, 3)))
    assert first.share == 0.1
    # (15 + 3) / (30 + 10), at (1 · 30 + 2 · 10) / 40
    assert (pooled.share, pooled.evidence) == (0.45, 1.25)


def test_merge_joins_small_blocks_with_the_most_similar_neighbour() -> None:
    found = merge(blocks((100, 10), (4, 1), (100, 90)))
    assert [block.results for block in found] == [104, 100]


def test_merge_limits_the_number_of_blocks() -> None:
    shares = [(1000.0, 5.0 * at) for at in range(100)]
    found = merge(blocks(*shares))
    assert len(found) == MAX_BLOCKS
    assert all(one.share < other.share for one, other in pairwise(found))


def noisy(count: int, seed: int = 7) -> list[tuple[float, bool]]:
    """Draw observations that are relevant with the probability 1 / (1 + e^-(2x - 1))."""
    draw = random.Random(seed)
    places = (draw.gauss(0, 2) for _ in range(count))
    return [(x, draw.random() < 1 / (1 + math.exp(1 - 2 * x))) for x in places]


def as_map(knots: list[tuple[float, float]]) -> Calibration:
    evidence, relevance = zip(*knots, strict=True)
    return Calibration(evidence, relevance, floor=0.0)


@pytest.mark.parametrize("count", [50, 20_000])
def test_fitted_map_increases_and_approximates_the_probability(count: int) -> None:
    knots = fit(noisy(count))
    assert 2 <= len(knots) <= 64
    assert all(a[0] < b[0] and a[1] <= b[1] for a, b in pairwise(knots))
    found = as_map(knots)
    error = 0.3 if count < 100 else 0.06
    for step in range(-20, 21):
        x = step / 10
        assert found.relevance_of(x) == pytest.approx(1 / (1 + math.exp(1 - 2 * x)), abs=error)


def test_fitted_map_increases_strictly_between_equal_shares() -> None:
    # Both halves of the results are relevant half of the time; only the ends differ.
    middle = [(float(x), x % 2 == 0) for x in range(400)]
    knots = fit([(-1.0, False)] * 200 + middle + [(401.0, True)] * 200)
    found = as_map(knots)
    assert found.relevance_of(50) < found.relevance_of(150) < found.relevance_of(350)


def test_fit_curve_recovers_slope_and_midpoint() -> None:
    curve = fit_curve([Block(x, 1, relevant) for x, relevant in noisy(5000)])
    assert curve.slope / curve.scale == pytest.approx(2, abs=0.2)
    assert curve(0.5) == pytest.approx(0.5, abs=0.05)


def test_fit_of_perfectly_separated_results_is_finite() -> None:
    knots = fit([(0.0, False)] * 20 + [(1.0, True)] * 20)
    assert knots[0][1] < 0.1 < 0.9 < knots[-1][1] < 1


@pytest.mark.parametrize(
    "observations",
    [
        [],
        [(0.0, True), (1.0, True)],
        [(0.0, False), (1.0, False)],
        [(1.0, True), (1.0, False)],
        [(0.0, True), (1.0, False)] * 50,
    ],
)
def test_fit_refuses_uninformative_observations(observations: list[tuple[float, bool]]) -> None:
    with pytest.raises(FitError):
        fit(observations)
