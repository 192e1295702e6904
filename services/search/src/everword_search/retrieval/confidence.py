"""What relevance means in a word; and what can be said without a calibration, by what matched."""

from __future__ import annotations

from enum import IntEnum


class Confidence(IntEnum):
    """How sure it is that a result answers, in a word. Values equal proto `Confidence`."""

    #: The mode has none.
    UNSPECIFIED = 0
    NONE = 1
    LOW = 2
    MEDIUM = 3
    HIGH = 4


#: Least relevance for each. Of results of the development sets .65 or more of HIGH answered, .3 of MEDIUM, .1 of LOW.
_RELEVANCES = ((Confidence.HIGH, 0.5), (Confidence.MEDIUM, 0.15), (Confidence.LOW, 0.04))
#: Without a calibration, the least score of words or letters, and of meaning on its scale from the model's background.
#: Meaning alone is never HIGH: nobody has measured what this model's cosines are worth. With the packaged model .3 of
#: MEDIUM answered and .15 of LOW.
_MATCHES = (
    (Confidence.HIGH, 0.8, None),
    (Confidence.MEDIUM, 0.35, 0.55),
    (Confidence.LOW, 1e-9, 0.15),
)


def by_relevance(relevance: float) -> Confidence:
    """Return what a calibrated relevance, or chance, from 0 to 1 means."""
    return next((each for each, least in _RELEVANCES if relevance >= least), Confidence.NONE)


def by_match(literal: float, meaning: float) -> Confidence:
    """Return what can be said of a result by how well its words or letters match, and its meaning, each up to 1."""
    for confidence, words, likeness in _MATCHES:
        if literal >= words or (likeness is not None and meaning >= likeness):
            return confidence
    return Confidence.NONE
