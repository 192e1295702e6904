"""The models of the profile `recall`: a weighted sum, trees that refine it, and trees that tell relevance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from everword_search.kernels.arrays import Floats
from everword_search.ranking.models.ensemble import Ensemble, load_ensemble
from everword_search.ranking.models.plain import PlainRanking

RANKING_FILE = "recall-ranking.npz"
RELEVANCE_FILE = "recall-relevance.npz"
#: The sum's share beside the trees, chosen by cross-validation; both alone are worse.
PLAIN_SHARE = 0.4
#: What becomes a score of one half, and how far scores spread: half of what answers a question has more than .6.
_MIDDLE = 5.0
_SPREAD = 3.0
#: Hardly anything in the training data is looked up letter by letter: what a literal match adds to rank and evidence,
#: by the cube of its score, since letters that are alike in part say little.
LITERAL_WEIGHT = 8.0
LITERAL_EVIDENCE = 4.0
#: What is said word for word by messages in the index comes after them.
REPEATED_WEIGHT = 12.0


@dataclass(frozen=True)
class Ranker:
    """Scores candidates by their features."""

    plain: PlainRanking
    #: None where it cannot be used: the sum alone ranks.
    trees: Ensemble | None
    #: None where it cannot be used: nobody has measured what the sum says of relevance.
    relevance: Ensemble | None

    @classmethod
    def load(cls) -> Ranker:
        """Return the packaged models; what cannot be loaded is missing, with a warning."""
        return cls(PlainRanking.load(), load_ensemble(RANKING_FILE), load_ensemble(RELEVANCE_FILE))

    @classmethod
    def without_models(cls) -> Ranker:
        """Return the weighted sum alone."""
        return cls(PlainRanking.load(), None, None)

    def rank(
        self,
        features: Mapping[str, Floats],
        literals: Floats,
        handicaps: Floats | float = 0.0,
        plain: Floats | None = None,
    ) -> Floats:
        """Return each memory's score, from 0 to 1, to the ninth digit.

        `handicaps` are in the models' own unit; `plain` are the weighted sums, where those are known.
        """
        total = self.plain.score(features) if plain is None else plain
        if self.trees is not None:
            total = PLAIN_SHARE * total + self.trees.score(features)
        total = (total + beside(literals, handicaps) - _MIDDLE) / _SPREAD
        return np.round(1 / (1 + np.exp(-total)), 9)

    def judge(
        self, features: Mapping[str, Floats], literals: Floats, literal_share: float = 1.0
    ) -> Floats:
        """Return the evidence that each memory answers the query, in log-odds; NaN where that cannot be told.

        `literal_share` is how much of the query is literals: what holds a file's name answers nothing else that is
        asked. By its square: of questions in prose, the words of literals count already, as all others do.
        """
        if self.relevance is None:
            return np.full(len(literals), np.nan)
        alike = LITERAL_EVIDENCE * literal_share**2 * literals**3
        return np.round(self.relevance.score(features) + alike, 9)


def beside(literals: Floats, handicaps: Floats | float) -> Floats:
    """Return what counts beside the models."""
    return LITERAL_WEIGHT * literals**3 - handicaps
