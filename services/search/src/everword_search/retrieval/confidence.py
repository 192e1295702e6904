"""Confidence levels: from calibrated relevance, or from the quality of the match without a calibration."""

from __future__ import annotations

from enum import IntEnum


class Confidence(IntEnum):
    """Level of confidence that a result answers the query. Values equal proto `Confidence`."""

    #: The mode has no confidence.
    UNSPECIFIED = 0
    NONE = 1
    LOW = 2
    MEDIUM = 3
    HIGH = 4


#: Minimum relevance of each level. In the development sets, .65 of HIGH results, .3 of MEDIUM and .1 of LOW, or more,
#: were answers.
_RELEVANCES = ((Confidence.HIGH, 0.5), (Confidence.MEDIUM, 0.15), (Confidence.LOW, 0.04))
#: Without a calibration: minimum score of words or letters, and minimum score of meaning, for each level. Meaning alone
#: never gives HIGH, since the model's cosines were not measured. With the packaged model, .3 of MEDIUM results and .15
#: of LOW were answers.
_MATCHES = (
    (Confidence.HIGH, 0.8, None),
    (Confidence.MEDIUM, 0.35, 0.55),
    (Confidence.LOW, 1e-9, 0.15),
)


def by_relevance(relevance: float) -> Confidence:
    """Return the level of a calibrated relevance or chance from 0 to 1."""
    return next((each for each, least in _RELEVANCES if relevance >= least), Confidence.NONE)


def by_match(literal: float, meaning: float) -> Confidence:
    """Return the level for a match: the scores of words or letters, and of meaning, each from 0 to 1."""
    for confidence, words, similarity in _MATCHES:
        if literal >= words or (similarity is not None and meaning >= similarity):
            return confidence
    return Confidence.NONE
