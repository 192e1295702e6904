"""The models of the profile `recall`: a weighted sum, trees that refine it, and trees that estimate relevance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from everword_search.kernels.arrays import Floats
from everword_search.ranking.models.ensemble import Ensemble, load_ensemble
from everword_search.ranking.models.plain import PlainRanking

RANKING_FILE = "recall-ranking.npz"
RELEVANCE_FILE = "recall-relevance.npz"
#: Weight of the linear sum relative to the trees, chosen by cross-validation; either alone is worse.
PLAIN_SHARE = 0.4
#: Total that maps to a score of 0.5, and the scale of the logistic function; half of the memories that answer a
#: question score above .6.
_MIDDLE = 5.0
_SPREAD = 3.0
#: Weights of a literal match in rank and in evidence, times the cube of its score, because partly similar letters mean
#: little. The models cannot learn them: the training data has hardly any literal look-ups.
LITERAL_WEIGHT = 8.0
LITERAL_EVIDENCE = 4.0
#: Handicap of a summary that only quotes indexed messages, so that these rank before it.
REPEATED_WEIGHT = 12.0


@dataclass(frozen=True)
class Ranker:
    """Scores candidates by their features."""

    plain: PlainRanking
    #: None if the file is unusable; the linear sum then ranks alone.
    trees: Ensemble | None
    #: None if the file is unusable; the linear sum is not calibrated for relevance.
    relevance: Ensemble | None

    @classmethod
    def load(cls) -> Ranker:
        """Return the packaged models; one that cannot be loaded is None, with a warning."""
        return cls(PlainRanking.load(), load_ensemble(RANKING_FILE), load_ensemble(RELEVANCE_FILE))

    @classmethod
    def without_models(cls) -> Ranker:
        """Return a ranker with the linear sum only."""
        return cls(PlainRanking.load(), None, None)

    def rank(
        self,
        features: Mapping[str, Floats],
        literals: Floats,
        handicaps: Floats | float = 0.0,
        plain: Floats | None = None,
    ) -> Floats:
        """Return each memory's score from 0 to 1, rounded to 9 digits.

        `handicaps` are subtracted in the models' own unit; `plain` are the linear sums, if already computed.
        """
        total = self.plain.score(features) if plain is None else plain
        if self.trees is not None:
            total = PLAIN_SHARE * total + self.trees.score(features)
        total = (total + unlearned_score(literals, handicaps) - _MIDDLE) / _SPREAD
        return np.round(1 / (1 + np.exp(-total)), 9)

    def judge(
        self, features: Mapping[str, Floats], literals: Floats, literal_share: float = 1.0
    ) -> Floats:
        """Return the evidence that each memory answers the query, in log-odds; NaN without a relevance model.

        `literal_share` is the share of the query made of literals; a memory with a file's name need not answer the rest
        of the query. It is squared, because in a prose question the words of literals already count like other words.
        """
        if self.relevance is None:
            return np.full(len(literals), np.nan)
        alike = LITERAL_EVIDENCE * literal_share**2 * literals**3
        return np.round(self.relevance.score(features) + alike, 9)


def lower_scores(scores: Floats, amounts: Floats) -> Floats:
    """Return scores that are lower by amounts in the models' own unit."""
    odds = np.clip(scores, 1e-12, 1 - 1e-12)
    return np.round(1 / (1 + (1 - odds) / odds * np.exp(amounts / _SPREAD)), 12)


def unlearned_score(literals: Floats, handicaps: Floats | float) -> Floats:
    """Return the contribution of literals and handicaps, which the models do not cover."""
    return LITERAL_WEIGHT * literals**3 - handicaps
