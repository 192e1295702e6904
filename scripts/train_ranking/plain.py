"""Fits the weighted sum by listwise softmax: what answers is to have the largest share of all exponentials."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from everword_search.kernels.arrays import Floats
from everword_search.ranking.models.plain import TERMS, VECTOR_TERMS, plain_terms
from scripts.train_ranking.collect import QuestionSample

L2 = 1e-3


def features_of(one: QuestionSample) -> dict[str, Floats]:
    """Return the features of a question's candidates by name."""
    return {name: one.values[:, n].astype(float) for n, name in enumerate(one.features)}


def fit_plain(
    samples: Sequence[QuestionSample], set_weights: Mapping[str, float]
) -> dict[str, dict[str, float]]:
    """Return the weights for memories with and without a vector."""
    return {
        "with_vector": fit_weights(samples, (*TERMS, *VECTOR_TERMS), set_weights),
        "without_vector": fit_weights(samples, TERMS, set_weights),
    }


def write_plain(path: Path, weights: Mapping[str, Mapping[str, float]]) -> None:
    """Write the weights as the package reads them."""
    path.write_text(json.dumps(weights, indent=1) + "\n", encoding="utf-8")


def fit_weights(
    samples: Sequence[QuestionSample], terms: Sequence[str], set_weights: Mapping[str, float]
) -> dict[str, float]:
    """Return the weight of each term, from questions that all have an answer among their candidates."""
    parts: list[Floats] = []
    targets: list[Floats] = []
    for one in samples:
        found = plain_terms(features_of(one))
        parts.append(np.stack([np.nan_to_num(found[name]) for name in terms], axis=1))
        label = np.array([each in one.relevant for each in one.candidates], float)
        targets.append(label / label.sum())
    scale = np.concatenate(parts).std(axis=0) + 1e-9
    values = np.concatenate(parts) / scale
    target = np.concatenate(targets)
    sizes = np.array([len(each) for each in targets])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    of = np.repeat(np.arange(len(sizes)), sizes)
    weight = np.array([set_weights.get(one.set, 1.0) for one in samples])
    weight /= weight.sum()

    def loss(weights: Floats) -> tuple[float, Floats]:
        scores = values @ weights
        scores = scores - np.maximum.reduceat(scores, starts)[of]
        total = np.add.reduceat(np.exp(scores), starts)
        likelihood = np.add.reduceat(target * scores, starts) - np.log(total)
        gradient = values.T @ ((np.exp(scores) / total[of] - target) * weight[of])
        return (
            float(-(weight * likelihood).sum() + L2 * weights @ weights),
            gradient + 2 * L2 * weights,
        )

    found = minimize(loss, np.zeros(len(terms)), jac=True, method="L-BFGS-B")
    return {
        name: round(float(value), 6) for name, value in zip(terms, found.x / scale, strict=True)
    }
