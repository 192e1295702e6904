"""The linear ranking: a weighted sum of a few features.

Trees refine it; it ranks alone if they cannot be loaded. The training script writes its weights to a packaged file: one
set for memories with a vector, one for memories without.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import resources

import numpy as np

from everword_search.kernels.arrays import Floats, known

FILE = "recall-plain.json"
#: Length in words above which the term `short` grows no further.
_SHORT_WORDS = 20
#: Numbers of time expressions and of word pairs above which their terms grow no further.
_ENOUGH = 3.0
#: The terms of the sum that need no vector.
TERMS = (
    *("cov", "covw", "cov3", "pairs", "m_named", "m_other", "m_mention"),
    *("d_role", "d_len", "d_q", "d_self", "d_prevq", "when", "short", "role_len"),
    *("x_month", "x_day", "x_year", "sb", "sb_1", "sb_2"),
)
#: The terms that need the memory's vector.
VECTOR_TERMS = ("de", "de_1", "de_2", "role_de", "len_de")


def plain_terms(features: Mapping[str, Floats]) -> dict[str, Floats]:
    """Return the terms of the sum from features; terms of vectors are NaN for memories without one."""
    made = {
        "pairs": np.minimum(features["bg"], _ENOUGH),
        "when": np.minimum(features["d_time"], _ENOUGH) * features["q_when"],
        "short": np.minimum(features["d_len"], np.log1p(_SHORT_WORDS)),
        "role_len": features["d_role"] * features["d_len"],
        "role_de": features["d_role"] * features["de"],
        "len_de": features["d_len"] * features["de"],
    }
    for arm in ("sb", "de"):
        made[f"{arm}_1"] = features[f"{arm}_p1"] + features[f"{arm}_n1"]
        made[f"{arm}_2"] = features[f"{arm}_p2"] + features[f"{arm}_n2"]
    return {**features, **made}


class PlainRanking:
    """A linear ranking with one set of weights for memories with a vector, and one for those without."""

    def __init__(
        self, with_vector: Mapping[str, float], without_vector: Mapping[str, float]
    ) -> None:
        self._with_vector = with_vector
        self._without_vector = without_vector

    @classmethod
    def load(cls) -> PlainRanking:
        path = resources.files(__package__) / FILE
        weights = json.loads(path.read_text(encoding="utf-8"))
        return cls(weights["with_vector"], weights["without_vector"])

    @property
    def weights(self) -> dict[str, Mapping[str, float]]:
        """The weights, as stored in the file."""
        return {"with_vector": self._with_vector, "without_vector": self._without_vector}

    def score(self, features: Mapping[str, Floats]) -> Floats:
        """Return a score for each memory: higher is better, 0 is neutral."""
        terms = plain_terms(features)
        has_no_vector = np.isnan(features["de"])
        scores = _sum(self._with_vector, terms)
        if has_no_vector.any():
            scores[has_no_vector] = _sum(self._without_vector, terms)[has_no_vector]
        return scores


def _sum(weights: Mapping[str, float], terms: Mapping[str, Floats]) -> Floats:
    values = known(np.array([terms[name] for name in weights]))
    return np.asarray(np.array(list(weights.values())) @ values, np.float64)
