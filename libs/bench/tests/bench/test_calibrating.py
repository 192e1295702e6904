"""Calibration: the floor, and figures on conversations that were left out."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

from everword.bench.calibration_fit import (
    Bin,
    calibrate,
    expected_error,
    reliability,
    variants_of,
)
from everword.bench.isotonic import FitError
from everword.domain.calibration import DECIDING, PROFILES


def row(conversation: str, kind: str, evidence: list[list[float]] | None) -> dict[str, Any]:
    return {
        "set": "s",
        "conversation": conversation,
        "answerable": kind == "answerable",
        "foreign": kind == "foreign",
        "evidence": evidence,
    }


def asked(conversations: int = 4, queries: int = 60) -> list[dict[str, Any]]:
    """Draw queries whose answers have more evidence than the rest, and foreign ones without answers."""
    draw = random.Random(3)
    rows = []
    for conversation in range(conversations):
        for _ in range(queries):
            rest = [[draw.gauss(0, 1), 0] for _ in range(20)]
            rows.append(row(f"c{conversation}", "answerable", [[draw.gauss(5, 1), 1], *rest]))
            other = [[draw.gauss(0, 1), 0] for _ in range(20)]
            rows.append(row(f"c{conversation}", "foreign", other))
    return rows


def test_calibrated_floor_rejects_at_most_two_percent_of_answerable_queries() -> None:
    fitted = calibrate(asked())
    floor, told = fitted.calibration.floor, fitted.calibration.relevance_of
    first = [each["evidence"][:DECIDING] for each in asked() if each["answerable"]]
    missed = [math.prod(1 - told(evidence) for evidence, _ in results) for results in first]
    rejected = [1 - chance_of_none < floor for chance_of_none in missed]
    assert 0 < sum(rejected) <= 0.02 * len(rejected) + 1


def test_chance_of_ten_weak_results_exceeds_chance_of_one() -> None:
    rows = asked()
    told = calibrate(rows).calibration.relevance_of
    weak = [row("c9", "answerable", [[2.6, 0]] * DECIDING), row("c9", "near miss", [[2.6, 0]])]
    fitted = calibrate([*rows, *weak])
    # Each row is predicted by the fit to the other conversations, in the order of the rows.
    several, one = fitted.chances[-2:]
    assert one == pytest.approx(told(2.6))
    assert several == pytest.approx(1 - (1 - one) ** DECIDING)
    assert several > 2 * one
    assert len(fitted.chances) == len(rows) + 2


def test_calibration_ignores_answers_after_rank_ten() -> None:
    """An answer at rank eleven changes no verdict and does not lower the floor."""
    rows = asked()
    for each in rows:
        # The first result is the answer, if there is one; move it behind ten others.
        each["evidence"] = [*each["evidence"][1:], each["evidence"][0]]
    late = calibrate(rows)
    assert late.foreign_rejected is not None
    assert late.foreign_rejected < 0.1
    assert calibrate(asked()).calibration.floor > 10 * late.calibration.floor


def test_calibration_figures_are_cross_validated_by_conversation() -> None:
    rows = asked()
    fitted = calibrate(rows)
    assert fitted.is_crossed
    assert fitted.queries == len(rows)
    assert fitted.results == sum(len(each["evidence"]) for each in rows)
    assert fitted.answerable_rejected is not None
    assert fitted.foreign_rejected is not None
    assert fitted.answerable_rejected < 0.06
    assert fitted.foreign_rejected > 0.8
    assert fitted.near_misses_rejected is None
    assert fitted.error < 0.01
    # Labels that were turned round in one conversation are no use to it, and it says so.
    for each in rows:
        if each["conversation"] == "c0":
            each["evidence"] = [[evidence, 1 - relevant] for evidence, relevant in each["evidence"]]
    assert calibrate(rows).error > 0.1


def test_calibration_of_one_conversation_is_not_cross_validated() -> None:
    assert not calibrate(asked(conversations=1)).is_crossed


def test_reliability_bins_split_predictions_into_tenths() -> None:
    bins = reliability([(0.0, False), (0.05, True), (0.1, False), (0.99, True), (1.0, True)])
    assert bins[0] == Bin(2, 0.025, 0.5)
    assert bins[1] == Bin(1, 0.1, 0.0)
    assert bins[9] == Bin(2, 0.995, 1.0)
    assert bins[5] == Bin(0, None, None)
    # (2 · .475 + 1 · .1 + 2 · .005) / 5
    assert expected_error(bins) == pytest.approx(0.212)
    assert expected_error(reliability([])) == 0


def test_calibrate_fails_if_a_row_has_no_evidence() -> None:
    rows = asked(conversations=1)
    rows[5]["evidence"] = None
    with pytest.raises(FitError, match="could not answer"):
        calibrate(rows)


def test_calibrate_fails_without_answerable_queries() -> None:
    rows = [row("c", "near miss", [[float(n), n % 2] for n in range(20)])] * 20
    with pytest.raises(FitError):
        calibrate(rows)


def test_calibration_variants_request_explanations_for_every_profile() -> None:
    assert {each.name for each in variants_of(())} == set(PROFILES)
    assert all(each.is_explained and each.request("x").explain for each in variants_of(()))
    assert [each.name for each in variants_of(["lexical"])] == ["lexical"]
