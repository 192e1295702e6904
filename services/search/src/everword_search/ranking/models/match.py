"""Estimate whether a memory is about the query's subject at all, apart from whether it answers the query.

Evidence of an answer is low for most memories that mention the subject, and for answers in conversations unlike those
that its model was trained on. The weights were fitted by logistic regression on 18 development sets in seven languages:
evidence near the question in words or meaning, against memories that have nothing to do with it (docs/search.md).
The value depends on the query and the memory only, so a memory keeps it among any other memories.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from everword_search.kernels.arrays import Floats

#: Weights of the evidence in log-odds, of the cosine in deviations, and of the share of the query's words.
_EVIDENCE, _MEANING, _WORDS = 0.37, 0.61, 10.1
_CONSTANT = -4.24
#: Log-odds subtracted for each name of the query that the memory's conversation never mentions, and the maximum number
#: of such names: another person's camping trip is about the words of the query, but not about the query.
_ABSENT_NAME, _MOST_NAMES = 2.0, 2.0
#: Evidence beyond these counts no more.
_LEAST_EVIDENCE, _MOST_EVIDENCE = -8.0, 2.0
#: Share of the query's words from which more words add nothing: questions contain words that answers lack.
_ENOUGH_WORDS = 0.5


def match_log_odds(features: Mapping[str, Floats], evidence: Floats, literals: Floats) -> Floats:
    """Return the log-odds that each memory is about the query; NaN where the evidence is.

    `literals` are shares of the query that a memory contains as literals, which the features do not count.
    """
    words = np.minimum(np.maximum(features["covm"], literals), _ENOUGH_WORDS)
    # A memory without a vector is judged by its words.
    meaning = np.nan_to_num(features["de"])
    bounded = np.clip(evidence, _LEAST_EVIDENCE, _MOST_EVIDENCE)
    total = _EVIDENCE * bounded + _MEANING * meaning + _WORDS * words + _CONSTANT
    total -= _ABSENT_NAME * np.minimum(features["m_absent"], _MOST_NAMES)
    return np.round(total, 9)
