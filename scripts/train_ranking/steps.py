"""Print the gain of each part of the ranking: the weighted sum with more and more terms, then the trees.

All figures are on conversations that were left out of the fit.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate

import numpy as np

from everword.bench.metrics import judge
from everword_search.kernels.arrays import Floats
from everword_search.ranking.models.plain import TERMS, VECTOR_TERMS, PlainRanking
from everword_search.ranking.models.ranker import PLAIN_SHARE
from scripts.train_ranking.collect import QuestionSample
from scripts.train_ranking.features import RANKING_FEATURES
from scripts.train_ranking.fit import (
    SET_WEIGHTS,
    answered,
    cross_validate,
    fit_ranking,
    matrix_of,
    predict,
    without_vectors,
)
from scripts.train_ranking.plain import features_of, fit_weights

Fit = Callable[[Sequence[QuestionSample]], Callable[[QuestionSample], Floats]]

_WHO = ("m_named", "m_other", "m_mention")
_AROUND = ("sb_1", "sb_2")
_SIMILAR = ("de", "de_1", "de_2")
_PARTS: Mapping[str, Sequence[str]] = {
    "words, meaning, neighbours, who is named": ("sb", *_AROUND, *_SIMILAR, *_WHO),
    "+ words held with neighbours, pairs of words": ("cov", "covw", "cov3", "pairs"),
    "+ role, length, asks, “I”, time for “when”": (
        *("d_role", "d_len", "short", "d_q", "d_self", "d_prevq", "when", "role_len"),
    ),
    "+ dates": ("x_month", "x_day", "x_year"),
    "+ length and role with meaning: the weighted sum that ships": ("role_de", "len_de"),
}
_ALONE: Mapping[str, Sequence[str]] = {
    "words alone, weighed by the language": ("sb",),
    "meaning alone": ("de",),
    "words + who is named": ("sb", *_WHO),
    "words + who is named + neighbours": ("sb", *_WHO, *_AROUND),
    "words + meaning": ("sb", "de"),
}


def print_steps(samples: Sequence[QuestionSample]) -> None:
    """Print recall@10 and nDCG@10 of each step, a column a set, as a table of Markdown."""
    answerable = [one for one in samples if one.relevant]
    sets = list(dict.fromkeys(one.set for one in answerable))
    print(f"| step | {' | '.join(sets)} |\n|{'---|' * (len(sets) + 1)}")
    for name, fit in _steps():
        figures = _figures(answerable, cross_validate(answerable, fit))
        print(f"| {name} | {' | '.join(figures[each] for each in sets)} |", flush=True)


def _steps() -> Iterator[tuple[str, Fit]]:
    for name, terms in _ALONE.items():
        yield name, _sum_of(terms)
    for name, terms in zip(_PARTS, accumulate(map(tuple, _PARTS.values())), strict=True):
        yield name, _sum_of(terms)
    assert set(terms) == {*TERMS, *VECTOR_TERMS}
    yield "+ trees: what ships", _fit_all(blind=False)
    yield "the weighted sum without vectors", _sum_of(TERMS)
    yield "what ships, where nothing has a vector", _fit_all(blind=True)


def _sum_of(terms: Sequence[str]) -> Fit:
    def fit(samples: Sequence[QuestionSample]) -> Callable[[QuestionSample], Floats]:
        weights = fit_weights(answered(samples), terms, SET_WEIGHTS)
        ranking = PlainRanking(weights, weights)
        return lambda one: ranking.score(features_of(one))

    return fit


def _fit_all(*, blind: bool) -> Fit:
    """Return the fit of the sum and the trees; `blind` ones are evaluated without vectors."""

    def fit(samples: Sequence[QuestionSample]) -> Callable[[QuestionSample], Floats]:
        trees, plain = fit_ranking(samples, RANKING_FEATURES)

        def score(one: QuestionSample) -> Floats:
            matrix, features = matrix_of(one, RANKING_FEATURES), features_of(one)
            if blind:
                matrix = without_vectors(matrix, RANKING_FEATURES)
                features["de"] = np.full(len(matrix), np.nan)
            return predict(trees, matrix) + PLAIN_SHARE * plain.score(features)

        return score

    return fit


def _figures(samples: Sequence[QuestionSample], scores: Sequence[Floats]) -> dict[str, str]:
    """Return the mean figures of each set's questions."""
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for one, score in zip(samples, scores, strict=True):
        order = np.argsort(-score, kind="stable")[:50]
        figures = judge([one.candidates[index] for index in order], one.relevant)
        found[one.set].append((figures["recall@10"], figures["ndcg@10"]))
    means = {name: np.mean(rows, axis=0).tolist() for name, rows in found.items()}
    return {name: f"{recall:.3f} / {ndcg:.3f}" for name, (recall, ndcg) in means.items()}
