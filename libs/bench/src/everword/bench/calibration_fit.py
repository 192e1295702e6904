"""Fit calibrations to benchmark questions: how often a result with some evidence was relevant, and how well that
carries over to other conversations.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from everword.bench.checkpoint import Row
from everword.bench.isotonic import FitError, fit
from everword.bench.metrics import percentile
from everword.bench.variants import ARMS, PROFILES, Variant
from everword.domain.calibration import Calibration, answer_chance

#: Share of the answerable queries that may get the verdict that nothing is relevant, on the data measured. Answers in
#: other conversations have less evidence, so the share is larger there.
REJECTED = 0.005
FOLDS = 5
BINS = 10

#: Variants to calibrate, each with explanations, which hold the evidence.
VARIANTS = tuple(
    replace(each, fields={**each.fields, "explain": True}) for each in (*PROFILES, *ARMS)
)


@dataclass(frozen=True)
class Bin:
    """Results with about the same predicted relevance."""

    results: int
    #: Mean predicted relevance; None in a bin without results.
    predicted: float | None
    #: Share of the results that were relevant; None in a bin without results.
    observed: float | None


@dataclass(frozen=True)
class FittedCalibration:
    """A calibration, and how well such a one told the relevance of results that it was not fitted to."""

    calibration: Calibration
    queries: int
    results: int
    #: True if the figures below come from conversations left out of the fit; a single conversation is not left out.
    is_crossed: bool
    bins: list[Bin]
    #: Expected calibration error: the mean distance between predicted and observed relevance.
    error: float
    #: Predicted probability for each row that it is answered.
    chances: list[float]
    #: Share of the queries of each kind with the verdict that nothing is relevant; None without queries of the kind.
    answerable_rejected: float | None
    foreign_rejected: float | None
    near_misses_rejected: float | None


def variants_of(profiles: Sequence[str]) -> list[Variant]:
    return [each for each in VARIANTS if not profiles or each.name in profiles]


def calibrate(rows: Sequence[Row]) -> FittedCalibration:
    """Return the calibration of the rows of one variant. Raises FitError, also where evidence is missing."""
    if any(row["evidence"] is None for row in rows):
        raise FitError("an arm that the evidence rests on could not answer")
    conversations = list(dict.fromkeys(map(_place, rows)))
    fold_of = {place: number % FOLDS for number, place in enumerate(conversations)}
    calibration = _fit(rows)
    if len(conversations) == 1:
        return _fitted(calibration, [(row, calibration) for row in rows], crossed=False)
    others = {
        fold: _fit([row for row in rows if fold_of[_place(row)] != fold])
        for fold in set(fold_of.values())
    }
    judged = [(row, others[fold_of[_place(row)]]) for row in rows]
    return _fitted(calibration, judged, crossed=True)


def _fitted(
    calibration: Calibration, judged: Sequence[tuple[Row, Calibration]], crossed: bool
) -> FittedCalibration:
    told = [
        (by.relevance_of(evidence), bool(relevant))
        for row, by in judged
        for evidence, relevant in row["evidence"]
    ]
    bins = reliability(told)
    return FittedCalibration(
        calibration,
        queries=len(judged),
        results=len(told),
        is_crossed=crossed,
        bins=bins,
        error=expected_error(bins),
        chances=[_chance(row, by) for row, by in judged],
        answerable_rejected=_rejected(judged, lambda row: bool(row["answerable"])),
        foreign_rejected=_rejected(judged, lambda row: bool(row["foreign"])),
        near_misses_rejected=_rejected(
            judged, lambda row: not row["foreign"] and not row["answerable"]
        ),
    )


def _fit(rows: Sequence[Row]) -> Calibration:
    knots = fit(
        (evidence, bool(relevant)) for row in rows for evidence, relevant in row["evidence"]
    )
    places, relevance = zip(*knots, strict=True)
    calibration = Calibration(places, relevance, 0.0)
    chances = [_chance(row, calibration) for row in rows if row["answerable"]]
    floor = percentile(chances, REJECTED)
    if floor is None:
        raise FitError("there is no query that can be answered")
    return replace(calibration, floor=round(floor, 6))


def reliability(told: Iterable[tuple[float, bool]]) -> list[Bin]:
    """Return predicted and observed relevance in bins of equal width."""
    parts: list[list[tuple[float, bool]]] = [[] for _ in range(BINS)]
    for relevance, relevant in told:
        parts[min(BINS - 1, int(relevance * BINS))].append((relevance, relevant))
    return [
        Bin(
            len(part),
            statistics.fmean(relevance for relevance, _ in part) if part else None,
            statistics.fmean(relevant for _, relevant in part) if part else None,
        )
        for part in parts
    ]


def expected_error(bins: Sequence[Bin]) -> float:
    total = sum(each.results for each in bins)
    apart = (
        each.results * abs(each.predicted - each.observed)
        for each in bins
        if each.predicted is not None and each.observed is not None
    )
    return sum(apart) / total if total else 0.0


def _rejected(
    judged: Sequence[tuple[Row, Calibration]], asked: Callable[[Row], bool]
) -> float | None:
    nothing = [_chance(row, by) < by.floor for row, by in judged if asked(row)]
    return statistics.fmean(nothing) if nothing else None


def _chance(row: Row, calibration: Calibration) -> float:
    """Return the probability that decides the verdict on a row, whose evidence is in the order of the results."""
    return answer_chance(calibration.relevance_of(evidence) for evidence, _ in row["evidence"])


def _place(row: Row) -> tuple[str, str]:
    return row["set"], row["conversation"]
