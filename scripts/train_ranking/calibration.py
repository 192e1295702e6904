"""Calibrate the relevance model on conversations that it was not fitted on.

`everword calibrate` asks the finished model, which has seen the answers of its training data; so the shipped
calibration of `recall` is fitted here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from everword.bench.calibration_fit import FittedCalibration, calibrate
from everword.bench.checkpoint import Row
from everword.bench.native_format import BenchSet
from everword.domain.calibration import CalibratedProfile, from_json, to_json
from everword_search.kernels.arrays import Floats
from scripts.train_ranking.collect import QuestionSample

PROFILE = "recall"
#: Answers in other languages and in other words have less probability than most, so the floor is not the share of
#: `calibrate`: with this one .01 of LoCoMo's answerable questions, .04 of MADial's and .13 of those in other words in
#: chats of twelve languages get the verdict that nothing is relevant (docs/retrieval.md).
FLOOR = 0.03
#: Results of a question that count, as many as the benchmark asks for.
RESULTS = 50


def calibrate_evidence(
    samples: Sequence[QuestionSample], scores: Sequence[Floats], evidence: Sequence[Floats]
) -> FittedCalibration:
    """Return what evidence says of relevance, for the results that `scores` put first."""
    rows: list[Row] = []
    for one, order, values in zip(samples, scores, evidence, strict=True):
        best = np.argsort(-order, kind="stable")[:RESULTS]
        rows.append(
            {
                "set": one.set,
                "conversation": one.world,
                "answerable": bool(one.question.query.is_averaged and not one.question.foreign),
                "foreign": one.question.foreign,
                "evidence": [
                    (float(values[index]), one.candidates[index] in one.relevant) for index in best
                ],
            }
        )
    fitted = calibrate(rows)
    return replace(fitted, calibration=replace(fitted.calibration, floor=FLOOR))


def write_calibration(
    path: Path,
    fitted: FittedCalibration,
    model: str,
    sets: Sequence[BenchSet],
    made_at: str | None,
) -> None:
    """Write the calibration of `recall` with an embedding model into the file of shipped ones; the others stay."""
    others = from_json(path.read_text(encoding="utf-8")) if path.exists() else []
    provenance = {
        "data": [{"name": each.name, "sha256": each.digest} for each in sets],
        "queries": fitted.queries,
        "results": fitted.results,
        "expected_calibration_error": fitted.error,
        "answerable_rejected": fitted.answerable_rejected,
        "commit": made_at,
        "created_at": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    own = CalibratedProfile(PROFILE, model, fitted.calibration, provenance)
    retained = [each for each in others if (each.profile, each.model) != (PROFILE, model)]
    path.write_text(to_json([own, *retained]), encoding="utf-8")
