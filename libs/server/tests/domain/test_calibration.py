"""The map from evidence to relevance, its inverse, and the file that it is shipped in."""

from __future__ import annotations

import json
import math
from itertools import pairwise

import pytest

from everword.domain.calibration import (
    DECIDING,
    CalibratedProfile,
    Calibration,
    answer_chance,
    from_json,
    to_json,
)

BENT = Calibration((-2.0, 0.0, 1.0, 4.0), (0.1, 0.1, 0.4, 0.9), floor=0.2)


@pytest.mark.parametrize(
    ("evidence", "relevance"),
    [(-9, 0.1), (-2, 0.1), (-1, 0.1), (0, 0.1), (0.5, 0.25), (1, 0.4), (2.5, 0.65), (4, 0.9), (99, 0.9)],
)  # fmt: skip
def test_relevance_is_linear_between_knots_and_constant_beyond_them(
    evidence: float, relevance: float
) -> None:
    assert BENT.relevance_of(evidence) == pytest.approx(relevance, abs=1e-12)


def test_relevance_never_decreases() -> None:
    values = [BENT.relevance_of(-3 + step / 997) for step in range(8000)]
    assert all(one <= other for one, other in pairwise(values))


@pytest.mark.parametrize("relevance", [0.1, 0.15, 0.25, 0.4, 1 / 3, 0.65, 0.9])
def test_evidence_for_is_the_smallest_float_that_reaches_the_relevance(relevance: float) -> None:
    evidence = BENT.evidence_for(relevance)
    assert BENT.relevance_of(evidence) >= relevance
    if evidence > -math.inf:
        assert BENT.relevance_of(math.nextafter(evidence, -math.inf)) < relevance


def test_evidence_for_a_computed_relevance_is_not_above_its_evidence() -> None:
    for step in range(1000):
        evidence = step / 250
        assert BENT.evidence_for(BENT.relevance_of(evidence)) <= evidence


def test_evidence_for_unreachable_relevance_is_infinite() -> None:
    assert BENT.evidence_for(0.901) == math.inf
    assert BENT.evidence_for(0.05) == -math.inf


@pytest.mark.parametrize(
    ("evidence", "relevance", "floor"),
    [
        ((1.0,), (0.5,), 0.1),
        ((1.0, 2.0), (0.5,), 0.1),
        ((1.0, 1.0), (0.5, 0.6), 0.1),
        ((1.0, 2.0), (0.5, 0.4), 0.1),
        ((1.0, 2.0), (0.5, 1.1), 0.1),
        ((1.0, 2.0), (0.5, 0.6), -0.1),
        ((1.0, math.inf), (0.5, 0.6), 0.1),
        ((1.0, math.nan), (0.5, 0.6), 0.1),
    ],
)
def test_calibration_refuses_invalid_knots(
    evidence: tuple[float, ...], relevance: tuple[float, ...], floor: float
) -> None:
    with pytest.raises(ValueError, match="knots"):
        Calibration(evidence, relevance, floor)


@pytest.mark.parametrize(
    ("relevances", "chance"),
    [((), 0), ((0.25,), 0.25), ((0.5, 0.5), 0.75), ((0.2, 0.1, 0.5), 0.64), ((0.3, 1.0), 1), ((0, 0), 0)],
)  # fmt: skip
def test_answer_chance_combines_independent_relevances(
    relevances: tuple[float, ...], chance: float
) -> None:
    assert answer_chance(relevances) == pytest.approx(chance)


def test_answer_chance_ignores_results_after_the_first_ten() -> None:
    first = [0.05] * DECIDING
    assert answer_chance(first) == pytest.approx(1 - 0.95**DECIDING)
    assert answer_chance([*first, 0.9]) == answer_chance(first)


def test_calibration_file_round_trips() -> None:
    found = [
        CalibratedProfile("recall", "all-MiniLM-L6-v2", BENT, {"queries": 3}),
        CalibratedProfile("lexical", None, BENT),
    ]
    assert from_json(to_json(found)) == found


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"format": "everword-calibrations/2", "calibrations": []}',
        '{"format": "everword-calibrations/1", "calibrations": [{"profile": "recall"}]}',
        json.dumps(
            {
                "format": "everword-calibrations/1",
                "calibrations": [
                    {
                        "profile": "recall", "model": None, "evidence": [1, 0],
                        "relevance": [0, 1], "floor": 0, "provenance": {},
                    }
                ],
            }
        ),
    ],
)  # fmt: skip
def test_invalid_calibration_file_raises_value_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        from_json(text)


def test_calibration_fits_its_model_in_any_spelling_of_the_name() -> None:
    shipped = CalibratedProfile("recall", "all-MiniLM-L6-v2", BENT)
    assert shipped.fits("recall", "sentence-transformers/all-minilm-l6-v2")
    assert not shipped.fits("recall", "all-MiniLM-L12-v2")
    assert not shipped.fits("balanced", "all-MiniLM-L6-v2")
    assert not shipped.fits("recall", None)


def test_calibration_without_model_fits_every_model() -> None:
    lexical = CalibratedProfile("lexical", None, BENT)
    assert lexical.fits("lexical", "anything")
    assert lexical.fits("lexical", None)
