"""Fits the models by gradient boosting, and measures them on conversations that they were not fitted on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import lightgbm
import numpy as np
import numpy.typing as npt

from everword_search.kernels.arrays import Floats
from everword_search.ranking.models.plain import PlainRanking
from scripts.train_ranking.collect import QuestionSample
from scripts.train_ranking.plain import features_of, fit_plain

#: How much a question of a set counts: the sets are of very different size, and none shall be ranked for alone. Others
#: count 1.
SET_WEIGHTS: Mapping[str, float] = {
    "locomo-dev": 2.0,
    "realtalk-dev": 4.0,
    "beam100k-dev": 6.0,
    "madial-en-dev": 1.5,
    "sweagent-dev": 3.0,
    "chats": 3.0,
    "xquad-en-dev": 0.5,
    **{f"xquad-{language}-dev": 0.4 for language in ("ar", "de", "es", "hi", "ru", "th", "zh")},
}
#: Share of the questions that are used again without vectors: the same models rank namespaces without vectors.
BLIND_SHARE = 0.3
FOLDS = 5
SEEDS = (1, 2)
#: Candidates of a question that relevance is learned from: the best by the weighted sum. Others are never shown.
JUDGED = 40
#: How much a question counts for relevance, by what there is to find.
KIND_WEIGHTS: Mapping[str, float] = {"own": 1.0, "near miss": 2.0, "foreign": 0.6}

_COMMON: Mapping[str, Any] = {
    "learning_rate": 0.1,
    "num_leaves": 15,
    "min_data_in_leaf": 60,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 10.0,
    "verbose": -1,
    "num_threads": 2,
    "deterministic": True,
    "force_row_wise": True,
}
RANKING: Mapping[str, Any] = {
    **_COMMON,
    "objective": "lambdarank",
    "lambdarank_truncation_level": 30,
    "label_gain": [0, 1],
}
RELEVANCE: Mapping[str, Any] = {
    **_COMMON,
    "objective": "binary",
    "num_leaves": 7,
    "min_data_in_leaf": 80,
}
ROUNDS: Mapping[str, int] = {"lambdarank": 120, "binary": 150}


@dataclass(frozen=True)
class Table:
    """Candidates of questions, question after question."""

    values: npt.NDArray[np.float32]
    labels: npt.NDArray[np.int64]
    groups: Sequence[int]
    weights: Floats


def table_of(
    samples: Sequence[QuestionSample], features: Sequence[str], plain: PlainRanking | None = None
) -> Table:
    """Return the training table of a model: every candidate, or the best by `plain`; some again without vectors."""
    values: list[npt.NDArray[np.float32]] = []
    labels: list[npt.NDArray[np.int64]] = []
    weights: list[Floats] = []
    generator = np.random.default_rng(0)
    for one in samples:
        label = np.array([each in one.relevant for each in one.candidates], np.int64)
        rows = np.arange(len(label)) if plain is None else _training_subset(one, plain, label)
        matrix = matrix_of(one, features)[rows]
        weight = SET_WEIGHTS.get(one.set, 1.0) * (1.0 if plain is None else KIND_WEIGHTS[one.kind])
        copies = [matrix]
        if generator.random() < BLIND_SHARE:
            copies.append(without_vectors(matrix, features))
        for copy in copies:
            values.append(copy)
            labels.append(label[rows])
            weights.append(np.full(len(rows), weight))
    return Table(
        np.concatenate(values),
        np.concatenate(labels),
        [len(each) for each in labels],
        np.concatenate(weights),
    )


def _training_subset(
    one: QuestionSample, plain: PlainRanking, label: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    best = np.argsort(-plain.score(features_of(one)), kind="stable")[:JUDGED]
    return np.union1d(best, np.flatnonzero(label)).astype(np.int64)


def matrix_of(one: QuestionSample, features: Sequence[str]) -> npt.NDArray[np.float32]:
    return one.values[:, [list(one.features).index(name) for name in features]]


def without_vectors(
    matrix: npt.NDArray[np.float32], features: Sequence[str]
) -> npt.NDArray[np.float32]:
    """Return the features of passages without vectors."""
    changed = matrix.copy()
    for column, name in enumerate(features):
        if name == "de":
            changed[:, column] = np.nan
        elif name.startswith("de_"):
            changed[:, column] = 0.0
    return changed


def directions(features: Sequence[str]) -> list[int]:
    """Return the known direction of each feature: 1 if it can only raise the score, -1 if it can only lower
    it, else 0.
    """
    speaks_for = {"sb", "de", "cov", "covm", "covw", "cov3", "cov_rare", "bg", "m_named"}
    speaks_against = {"m_other", "m_unk", "m_absent"}
    return [
        1 if name in speaks_for or name.startswith(("sb_", "de_")) else -(name in speaks_against)
        for name in features
    ]


def train(table: Table, features: Sequence[str], parameters: Mapping[str, Any]) -> list[Any]:
    """Return boosters, one a seed, whose mean is the model."""
    ranks = parameters["objective"] == "lambdarank"
    return [
        lightgbm.train(
            {**parameters, "seed": seed, "monotone_constraints": directions(features)},
            lightgbm.Dataset(
                table.values,
                table.labels,
                group=list(table.groups) if ranks else None,
                weight=table.weights,
            ),
            ROUNDS[parameters["objective"]],
        )
        for seed in SEEDS
    ]


def predict(boosters: Sequence[Any], values: npt.NDArray[np.float32]) -> Floats:
    """Return the mean of the boosters' raw scores."""
    if not len(values):
        return np.zeros(0)
    scores = [booster.predict(values, raw_score=True) for booster in boosters]
    return np.asarray(np.mean(scores, axis=0))


def cross_validate(
    samples: Sequence[QuestionSample],
    fit: Callable[[Sequence[QuestionSample]], Callable[[QuestionSample], Floats]],
) -> list[Floats]:
    """Return the scores of every question's candidates, by models that saw nothing of its conversation."""
    worlds = list(dict.fromkeys((one.set, one.world) for one in samples))
    fold_of = {
        world: [each for each in worlds if each[0] == world[0]].index(world) % FOLDS
        for world in worlds
    }
    scores: list[Floats] = [np.zeros(0)] * len(samples)
    for fold in range(FOLDS):
        score = fit([one for one in samples if fold_of[one.set, one.world] != fold])
        for index, one in enumerate(samples):
            if one.candidates and fold_of[one.set, one.world] == fold:
                scores[index] = score(one)
    return scores


def fit_sum(samples: Sequence[QuestionSample]) -> PlainRanking:
    """Return the weighted sum that orders candidates."""
    weights = fit_plain(answered(samples), SET_WEIGHTS)
    return PlainRanking(weights["with_vector"], weights["without_vector"])


def fit_ranking(
    samples: Sequence[QuestionSample], features: Sequence[str]
) -> tuple[list[Any], PlainRanking]:
    """Return the trees and the weighted sum that order candidates, learned from questions with an answer."""
    return train(table_of(answered(samples), features), features, RANKING), fit_sum(samples)


def answered(samples: Sequence[QuestionSample]) -> list[QuestionSample]:
    """Return the questions that have an answer among their candidates."""
    return [one for one in samples if not one.relevant.isdisjoint(one.candidates)]


def fit_relevance(
    samples: Sequence[QuestionSample], features: Sequence[str], plain: PlainRanking
) -> list[Any]:
    """Return the trees that tell relevance, learned from all questions that have candidates."""
    judged = [one for one in samples if one.candidates]
    return train(table_of(judged, features, plain), features, RELEVANCE)
