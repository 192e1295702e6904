"""Fits a non-decreasing map from evidence to relevance to results whose relevance is known."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

#: Observations of each label from which on their shares are taken as they are; with fewer, a curve with two parameters.
ENOUGH = 100
#: Results whose share of relevant ones is worth a knot.
LEAST_BLOCK = 10
#: The ends have knots too.
MAX_BLOCKS = 62
#: Weight of the curve in the shares; it makes more evidence count more if the shares are equal.
CURVE_SHARE = 0.01
#: Blocks that the curve is fitted to: it has two parameters only.
CURVE_BLOCKS = 1000
_ROUNDS = 100


class FitError(Exception):
    """No map can be fitted; the message says why."""


@dataclass(frozen=True)
class Block:
    """Results with adjacent evidence, pooled: the mean evidence, the number of results, and of relevant ones."""

    #: Mean.
    evidence: float
    results: float
    relevant: float

    @property
    def share(self) -> float:
        return self.relevant / self.results

    def joined(self, other: Block) -> Block:
        results = self.results + other.results
        evidence = (self.evidence * self.results + other.evidence * other.results) / results
        return Block(evidence, results, self.relevant + other.relevant)


@dataclass(frozen=True)
class Curve:
    """1 / (1 + e^-(slope · (evidence - centre) / scale + offset))."""

    centre: float
    scale: float
    slope: float
    offset: float

    def __call__(self, evidence: float) -> float:
        odds = self.slope * (evidence - self.centre) / self.scale + self.offset
        return 0.5 * (1 + math.tanh(odds / 2))


def fit(observations: Iterable[tuple[float, bool]]) -> list[tuple[float, float]]:
    """Return the knots (evidence, relevance), at most 64. Raises FitError.

    `observations` are results: the evidence for each, and whether it was relevant. With few results, the map is the
    curve alone.
    """
    blocks = _by_evidence(observations)
    results, relevant = sum(b.results for b in blocks), sum(b.relevant for b in blocks)
    if len(blocks) < 2 or not 0 < relevant < results:
        raise FitError("it takes results that answer their query and results that do not")
    curve = fit_curve(_coarse(blocks, results / CURVE_BLOCKS))
    ends = [blocks[0].evidence, blocks[-1].evidence]
    if min(relevant, results - relevant) < ENOUGH:
        step = (ends[1] - ends[0]) / (MAX_BLOCKS + 1)
        places = [ends[0] + number * step for number in range(MAX_BLOCKS + 1)] + [ends[1]]
        return _knots((place, curve(place)) for place in places)
    merged = merge(isotonic(blocks))
    # Half a result of each kind keeps a share from certainty.
    shares = [((b.relevant + 0.5) / (b.results + 1), b.evidence) for b in merged]
    steps = [(ends[0], shares[0][0]), *((e, s) for s, e in shares), (ends[1], shares[-1][0])]
    return _knots(
        (place, (1 - CURVE_SHARE) * share + CURVE_SHARE * curve(place)) for place, share in steps
    )


def isotonic(blocks: Iterable[Block]) -> list[Block]:
    """Join neighbours until shares ascend: the non-decreasing shares with the least squared error."""
    pooled: list[Block] = []
    for block in blocks:
        pooled.append(block)
        while len(pooled) > 1 and pooled[-2].share >= pooled[-1].share:
            last = pooled.pop()
            pooled[-1] = pooled[-1].joined(last)
    return pooled


def merge(blocks: Sequence[Block]) -> list[Block]:
    """Join neighbours until none is too small and they are few enough, at the least squared error."""
    merged = list(blocks)
    while len(merged) > 1:
        small = [index for index, block in enumerate(merged) if block.results < LEAST_BLOCK]
        if not small and len(merged) <= MAX_BLOCKS:
            break
        pairs = {at for index in small[:1] for at in (index - 1, index)} or range(len(merged) - 1)
        inside = (at for at in pairs if 0 <= at < len(merged) - 1)
        best = min(inside, key=lambda at: _loss(merged[at], merged[at + 1]))
        merged[best : best + 2] = [merged[best].joined(merged[best + 1])]
    return merged


def _loss(one: Block, other: Block) -> float:
    apart = one.share - other.share
    return one.results * other.results / (one.results + other.results) * apart * apart


def fit_curve(blocks: Sequence[Block]) -> Curve:
    """Return the logistic curve of maximum likelihood, with Platt's targets. Raises FitError if it is decreasing."""
    results, relevant = sum(b.results for b in blocks), sum(b.relevant for b in blocks)
    centre = sum(b.evidence * b.results for b in blocks) / results
    spread = sum(b.results * (b.evidence - centre) ** 2 for b in blocks) / results
    scale = math.sqrt(spread) or 1.0
    # Labels of 1 and 0 would let the curve become a step.
    high, low = (relevant + 1) / (relevant + 2), 1 / (results - relevant + 2)
    points = [
        (
            (b.evidence - centre) / scale,
            b.results,
            b.relevant * high + (b.results - b.relevant) * low,
        )
        for b in blocks
    ]
    slope, offset = _newton(points, math.log((relevant + 1) / (results - relevant + 1)))
    if slope <= 0:
        raise FitError("results with more evidence answer their queries no more often")
    return Curve(centre, scale, slope, offset)


def _newton(points: Sequence[tuple[float, float, float]], offset: float) -> tuple[float, float]:
    """Return slope and offset. Points are (evidence, results, relevant ones)."""
    slope = 0.0
    for _ in range(_ROUNDS):
        g0 = g1 = h00 = h01 = h11 = 0.0
        for x, results, relevant in points:
            p = 0.5 * (1 + math.tanh((slope * x + offset) / 2))
            error, weight = results * p - relevant, results * max(p * (1 - p), 1e-12)
            g0, g1 = g0 + error, g1 + error * x
            h00, h01, h11 = h00 + weight, h01 + weight * x, h11 + weight * x * x
        h00, h11 = h00 + 1e-9, h11 + 1e-9
        determinant = h00 * h11 - h01 * h01
        down = (h11 * g0 - h01 * g1) / determinant
        across = (h00 * g1 - h01 * g0) / determinant
        # Far from the optimum a whole step may lead away.
        shorter = min(1.0, 2 / max(abs(down), abs(across), 1e-12))
        offset, slope = offset - shorter * down, slope - shorter * across
        if abs(down) + abs(across) < 1e-9:
            break
    return slope, offset


def _by_evidence(observations: Iterable[tuple[float, bool]]) -> list[Block]:
    """Return a block for each value of the evidence, ascending."""
    counts: dict[float, list[int]] = {}
    for evidence, relevant in observations:
        count = counts.setdefault(evidence, [0, 0])
        count[0] += 1
        count[1] += relevant
    return [Block(evidence, *counts[evidence]) for evidence in sorted(counts)]


def _coarse(blocks: Iterable[Block], minimum: float) -> list[Block]:
    """Merge neighbours until each block but the last has at least `minimum` results."""
    coarse: list[Block] = []
    for block in blocks:
        if coarse and coarse[-1].results < minimum:
            coarse[-1] = coarse[-1].joined(block)
        else:
            coarse.append(block)
    return coarse


def _knots(points: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return points as knots: rounded, ascending, and never falling."""
    knots: dict[float, float] = {}
    highest = 0.0
    for evidence, relevance in points:
        highest = max(highest, round(min(1.0, relevance), 6))
        knots[round(evidence, 6)] = highest
    if len(knots) < 2:
        raise FitError("all results have the same evidence")
    return list(knots.items())
