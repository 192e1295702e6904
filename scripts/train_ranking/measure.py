"""Measure the order of candidates, and how well the first ones predict whether there is an answer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from everword.bench.calibration_fit import FittedCalibration
from everword.bench.metrics import auroc, judge
from everword_search.kernels.arrays import Floats
from scripts.train_ranking.collect import QuestionSample

SHOWN = ("recall@1", "recall@5", "recall@10", "recall@50", "ndcg@10", "mrr")


def print_ranking(samples: Sequence[QuestionSample], scores: Sequence[Floats]) -> None:
    """Print the averages over the answerable questions of each set, and recall@10 of each category."""
    figures: dict[str, list[dict[str, float]]] = defaultdict(list)
    for one, score in zip(samples, scores, strict=True):
        if one.relevant:
            order = np.argsort(-score, kind="stable")
            found = judge([one.candidates[index] for index in order[:50]], one.relevant)
            figures[one.set].append(found)
            figures[f"{one.set} {one.question.query.category}"].append(found)
    for name, rows in sorted(figures.items()):
        means = "  ".join(f"{each} {np.mean([row[each] for row in rows]):.3f}" for each in SHOWN)
        print(f"{name:42} {len(rows):4}  {means}")


def print_abstention(samples: Sequence[QuestionSample], fitted: FittedCalibration) -> None:
    """Print the AUROC of the verdict's probability: answerable questions against foreign ones and near misses."""
    chances: dict[tuple[str, str], list[float]] = defaultdict(list)
    for one, chance in zip(samples, fitted.chances, strict=True):
        chances[one.set, one.kind].append(chance)
    for name in sorted({one.set for one in samples}):
        own = chances[name, "own"]
        against = {kind: auroc(own, chances[name, kind]) for kind in ("foreign", "near miss")}
        print(f"{name:42} {'  '.join(f'{k} {v}' for k, v in against.items())}")


def print_calibration(fitted: FittedCalibration) -> None:
    """Print the error of predicted relevance, and the shares of questions below the floor."""
    print(
        f"calibration error {fitted.error:.4f}, floor {fitted.calibration.floor:.4f}, rejected: ",
        end="",
    )
    print(
        f"answerable {fitted.answerable_rejected:.3f}, foreign {fitted.foreign_rejected:.3f}, "
        f"near misses {fitted.near_misses_rejected:.3f}"
    )
    for each in fitted.bins:
        print(f"  {each.results:7} told {each.predicted} observed {each.observed}")
