"""A map from evidence to relevance, fitted where the answers are known, and the file it is shipped in.

    {"format": "everword-calibrations/1", "calibrations": [
      {"profile": "recall", "model": "all-MiniLM-L6-v2",
       "evidence": [-6.1, …], "relevance": [0.001, …], "floor": 0.07, "provenance": {…}}]}

`model` is null where a profile embeds nothing.
"""

from __future__ import annotations

import json
import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice, pairwise
from typing import Any

FORMAT = "everword-calibrations/1"
#: Number of first results that decide the verdict: later ones are seldom read, and with more results it becomes
#: likelier that one only seems to answer.
DECIDING = 10
#: Modes that rank without an embedding model.
WITHOUT_MODEL = frozenset({"lexical", "trigram"})
#: Profiles to calibrate: those of HYBRID, and the modes of one arm.
PROFILES = ("recall", "balanced", "lexical", "semantic", "trigram")


@dataclass(frozen=True)
class Calibration:
    """A non-decreasing map from evidence to relevance, linear between its knots and flat beyond them.

    Raises ValueError for knots that make no such map.
    """

    #: Ascending.
    evidence: Sequence[float]
    #: From 0 to 1, one for each knot.
    relevance: Sequence[float]
    #: If `answer_chance` is lower, nothing is relevant.
    floor: float

    def __post_init__(self) -> None:
        ascends = all(a < b for a, b in pairwise(self.evidence))
        falls = any(a > b for a, b in pairwise(self.relevance))
        values = (*self.relevance, self.floor)
        if len(self.evidence) != len(self.relevance) or len(self.evidence) < 2:
            raise ValueError("a calibration needs two knots, and a relevance for each")
        if not ascends or falls or not all(0 <= value <= 1 for value in values):
            raise ValueError("knots must ascend, and relevance must not fall or leave 0 to 1")
        if not all(map(math.isfinite, self.evidence)):
            raise ValueError("knots must be finite")

    def relevance_of(self, evidence: float) -> float:
        after = bisect_right(self.evidence, evidence)
        if after in (0, len(self.evidence)):
            return self.relevance[0 if after == 0 else -1]
        left, right = self.evidence[after - 1], self.evidence[after]
        low, high = self.relevance[after - 1], self.relevance[after]
        return min(high, low + (high - low) * ((evidence - left) / (right - left)))

    def evidence_for(self, relevance: float) -> float:
        """Return the least evidence with this relevance; infinity if there is none."""
        low, high = self.evidence[0], self.evidence[-1]
        if self.relevance_of(low) >= relevance:
            return -math.inf
        if self.relevance_of(high) < relevance:
            return math.inf
        # Bisect to the last bit, so that exactly the evidence with this relevance is included.
        while low < (middle := low + (high - low) / 2) < high:
            if self.relevance_of(middle) >= relevance:
                high = middle
            else:
                low = middle
        return high


def answer_chance(relevances: Iterable[float]) -> float:
    """Return the probability that one of the first `DECIDING` results answers, which decides the verdict; 0 without
    results.

    Takes the relevance of results, best ranked first, and treats them as independent.
    """
    return 1.0 - math.prod(1.0 - relevance for relevance in islice(relevances, DECIDING))


@dataclass(frozen=True)
class CalibratedProfile:
    """A calibration with its profile, model and provenance."""

    #: A profile of HYBRID, or a mode with one arm.
    profile: str
    #: Name of the embedding model; None without one.
    model: str | None
    calibration: Calibration
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def fits(self, profile: str, model: str | None) -> bool:
        """Return whether this calibration is for a profile and an embedding model.

        Model names are compared without publisher or folder. The profiles `lexical` and `trigram` need no model.
        """
        if profile in WITHOUT_MODEL or profile != self.profile:
            return profile == self.profile
        return model is not None and _model_base_name(model) == _model_base_name(self.model or "")


def _model_base_name(model: str) -> str:
    """Return a model's name without its publisher or its folder."""
    return model.rstrip("/").rpartition("/")[2].lower()


def to_json(found: Iterable[CalibratedProfile]) -> str:
    """Return the text of a file that holds calibrations."""
    entries = [
        {
            "profile": each.profile,
            "model": each.model,
            **asdict(each.calibration),
            "provenance": dict(each.provenance),
        }
        for each in found
    ]
    return json.dumps({"format": FORMAT, "calibrations": entries}, indent=1) + "\n"


def from_json(text: str) -> list[CalibratedProfile]:
    """Return the calibrations of a file. Raises ValueError if it is malformed."""
    try:
        document = json.loads(text)
        if document["format"] != FORMAT:
            raise ValueError(f"the format is not {FORMAT}")
        return [_entry(**fields) for fields in document["calibrations"]]
    except (KeyError, TypeError) as error:
        raise ValueError(f"not a file of calibrations: {error!r}") from error


def _entry(
    profile: str,
    model: str | None,
    evidence: list[float],
    relevance: list[float],
    floor: float,
    provenance: dict[str, Any],
) -> CalibratedProfile:
    calibration = Calibration(tuple(evidence), tuple(relevance), floor)
    return CalibratedProfile(profile, model, calibration, provenance)
