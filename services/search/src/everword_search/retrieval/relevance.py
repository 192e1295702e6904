"""The relevance of results, and the verdict on a search, from evidence.

Relevance is the probability that a memory is about the query; in the profile `recall` it is computed from the evidence,
the meaning and the words of the memory. Confidence and verdict are about answers: they depend on the evidence, which a
calibration maps to the probability of an answer. In other profiles and modes that probability is also the relevance.

A calibration belongs to a profile, or a mode with one arm, and to an embedding model. It is the one stored in this
deployment by `everword calibrate`, or else the one shipped. Without a calibration, relevance is unknown.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from everword.domain.calibration import (
    DECIDING,
    CalibratedProfile,
    Calibration,
    answer_chance,
    from_json,
)
from everword.domain.errors import EmbedderUnavailable, InvalidArgument, NotCalibrated
from everword_search.passages.ranked_memories import Window
from everword_search.passages.vectors import GenerationRow
from everword_search.retrieval.arms.base import SearchArm
from everword_search.retrieval.confidence import Confidence, by_match, by_relevance
from everword_search.retrieval.hits import FoundHits, RankedHit, ScorePart
from everword_search.retrieval.model import CalibrationState, SearchMode, SearchRequest, Verdict

#: Made by `everword calibrate --out` from the data that it names.
SHIPPED = "calibrations.json"
#: Tolerance of `min_relevance`: cache and database differ in the last digits, and a result must be returned by both if
#: the minimum is its own reported relevance.
_LAST_DIGITS = 1e-5
#: Maximum score of similar letters for the confidence: enough for MEDIUM, less than for HIGH.
_ALIKE = 0.79
#: Relevance from which a memory is about the query, and about a query that has words of earlier turns.
_SURELY_ABOUT, _ABOUT = 0.5, 0.1
_LITERAL = frozenset({SearchArm.LEXICAL, SearchArm.TRIGRAM})
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Relevance:
    """Computes relevance, confidence and verdict for the results of one search."""

    #: None if the profile and model have no calibration.
    calibration: Calibration | None
    #: False if the mode has no relevance at all.
    exists: bool = True

    def of(self, hit: RankedHit) -> float | None:
        answers = self._answer_chance(hit)
        if answers is None or hit.match is None:
            return answers
        return 1 / (1 + math.exp(-hit.match))

    def _answer_chance(self, hit: RankedHit) -> float | None:
        """Return the calibrated probability that a hit answers the query; None if unknown."""
        if self.calibration is None or hit.evidence is None:
            return None
        return self.calibration.relevance_of(hit.evidence)

    def limit(self, window: Window, min_relevance: float) -> Window:
        """Return the window without memories below a relevance; 0 for no minimum."""
        if not min_relevance or self.calibration is None:
            return window
        least = min_relevance * (1 - _LAST_DIGITS)
        return replace(
            window,
            min_evidence=self.calibration.evidence_for(least),
            min_match=math.log(least / (1 - least)),
        )

    def state(self, found: FoundHits) -> CalibrationState:
        if not self.exists:
            return CalibrationState.UNSPECIFIED
        told = self.calibration is not None and not _unjudged(found)
        return CalibrationState.CALIBRATED if told else CalibrationState.UNCALIBRATED

    def confidence_of(self, hit: RankedHit) -> Confidence:
        if not self.exists:
            return Confidence.UNSPECIFIED
        answers = self._answer_chance(hit)
        return _by_match(hit) if answers is None else by_relevance(answers)

    def chance(self, found: FoundHits, *, is_completed: bool = False) -> float | None:
        """Return the probability that one of the first results of a first page answers.

        It is at least the floor if a result is about the query, so that the verdict does not contradict the relevance
        of the results. `is_completed` means that the query has words of earlier turns, which an answer often lacks.

        If it is unknown, return the highest confidence of these results as a number at or below 0; the verdict of every
        page uses it. None if the mode has no relevance.
        """
        if not self.exists:
            return None
        if self.calibration is None or not found.deciding:
            best = max(map(_by_match, found.first), default=Confidence.NONE)
            is_off_topic = best <= Confidence.LOW and found.coverage.is_off_topic(None)
            return -float(Confidence.NONE if is_off_topic else best)
        chance = answer_chance(map(self.calibration.relevance_of, found.deciding))
        if self._is_about(found, _ABOUT if is_completed else _SURELY_ABOUT):
            return max(chance, self.calibration.floor)
        if is_completed:
            return chance
        if found.coverage.is_whole:
            # A query for these exact words has its answer in the memory that contains them.
            return max(chance, self.calibration.floor)
        return 0.0 if found.coverage.is_off_topic(chance) else chance

    def _is_about(self, found: FoundHits, least: float) -> bool:
        """Return whether one of the first results has at least this relevance."""
        return any((self.of(hit) or 0.0) >= least for hit in found.first)

    def verdict(self, found: FoundHits, chance: float | None) -> Verdict:
        """Return the verdict on a search whose first page had this `chance`."""
        if not found.hits:
            return Verdict.NOTHING_RELEVANT
        if chance is None:
            return Verdict.RELEVANT
        if chance < 0:
            is_nothing = chance == -Confidence.NONE
        else:
            is_nothing = self.calibration is not None and chance < self.calibration.floor
        return Verdict.NOTHING_RELEVANT if is_nothing else Verdict.RELEVANT

    def confidence(self, verdict: Verdict, chance: float | None) -> Confidence:
        """Return the confidence that one of the first results of a search answers."""
        if verdict is Verdict.NOTHING_RELEVANT:
            return Confidence.NONE
        if chance is None:
            return Confidence.UNSPECIFIED
        return Confidence(int(-chance)) if chance < 0 else max(by_relevance(chance), Confidence.LOW)


def find_relevance(request: SearchRequest, generation: GenerationRow | None) -> Relevance:
    """Return the relevance computation of a search.

    Raises NotCalibrated if the request has a `min_relevance` that cannot be applied. `generation` is that of the
    query's vector, or else the active one.
    """
    if request.mode is SearchMode.REGEX:
        return Relevance(None, exists=False)
    profile = calibrated_profile(request)
    calibration = _of_row(generation, profile)
    if calibration is None and request.min_relevance:
        raise NotCalibrated(profile=profile, model=(generation and generation.model) or "")
    return Relevance(calibration)


def calibrated_profile(request: SearchRequest) -> str:
    """Return the name of a search's calibration: the profile for HYBRID, otherwise the mode."""
    return request.profile if request.mode is SearchMode.HYBRID else request.mode.name.lower()


def ensure_has_relevance(request: SearchRequest) -> None:
    """Raise InvalidArgument if the request has a `min_relevance` in a mode without relevance."""
    if request.min_relevance and request.mode is SearchMode.REGEX:
        text = "goes with every mode but REGEX, which matches or does not"
        raise InvalidArgument(violations=(("min_relevance", text),))


def ensure_judged(request: SearchRequest, found: FoundHits) -> None:
    """Raise EmbedderUnavailable if the request has a `min_relevance` and the evidence of the results is unknown."""
    if request.min_relevance and _unjudged(found):
        raise EmbedderUnavailable(
            "min_relevance cannot be applied while a search arm that relevance depends on fails; repeat the call "
            "later, or without it."
        )


def deciding_evidence(evidence: Sequence[float | None]) -> tuple[float, ...]:
    """Return the evidence that decides the verdict: the known values of the first results, best ranked first."""
    return tuple(each for each in evidence[:DECIDING] if each is not None)


def _by_match(hit: RankedHit) -> Confidence:
    """Return the confidence of a hit whose relevance is unknown."""
    literal = max((_proof(part) for part in hit.parts if part.arm in _LITERAL), default=0.0)
    meaning = [part.score for part in hit.parts if part.arm is SearchArm.SEMANTIC]
    return by_match(literal, max(meaning, default=0.0))


def _proof(part: ScorePart) -> float:
    """Return the score of a match by words or letters; merely similar letters are capped, since they are no proof."""
    is_similar = part.arm is SearchArm.TRIGRAM and part.score < 1 - _LAST_DIGITS
    return min(part.score, _ALIKE) if is_similar else part.score


def _unjudged(found: FoundHits) -> bool:
    return bool(found.hits) and all(hit.evidence is None for hit in found.hits)


def _of_row(row: GenerationRow | None, profile: str) -> Calibration | None:
    if row is None:
        return None
    if row.evidence and row.relevance and row.floor is not None:
        return Calibration(row.evidence, row.relevance, row.floor)
    fitting = (each for each in _shipped() if each.fits(profile, row.model))
    return next((each.calibration for each in fitting), None)


@cache
def _shipped() -> tuple[CalibratedProfile, ...]:
    try:
        text = files("everword_search.retrieval").joinpath(SHIPPED).read_text(encoding="utf-8")
        return tuple(from_json(text))
    except (FileNotFoundError, ValueError) as error:
        log.warning("no shipped calibrations", extra={"error": repr(error)})
        return ()
