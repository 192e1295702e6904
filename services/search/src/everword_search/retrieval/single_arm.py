"""Rank the candidates of a single arm; its score is the evidence."""

from __future__ import annotations

from dataclasses import replace

from everword.domain.calibration import DECIDING
from everword_search.passages.ranked_memories import Candidate, Window
from everword_search.retrieval.arms.base import Arm, RankingArm, SearchArm
from everword_search.retrieval.hits import FoundHits, RankedHit, ScorePart
from everword_search.retrieval.relevance import deciding_evidence
from everword_search.retrieval.runner import Runner


async def rank_single_arm(runner: Runner, arm: Arm, window: Window) -> FoundHits:
    """Return the hits in `window`, best first. Raises ArmFailed."""
    window = replace(window, min_score=max(window.min_score, window.min_evidence))
    asked = window
    if window.after is None and isinstance(arm, RankingArm):
        # The verdict needs more results than a short page has, including those below the minimum score.
        asked = Window(max(window.limit, DECIDING))
    hits = [_hit(arm, candidate) for candidate in await runner.find(arm, asked)]
    requested = [hit for hit in hits if hit.score >= window.min_score]
    return FoundHits(
        requested[: window.limit],
        deciding_evidence([hit.evidence for hit in hits]),
        hits[:DECIDING],
    )


def _hit(arm: Arm, candidate: Candidate) -> RankedHit:
    """Return a candidate of a search with one arm as a hit."""
    part = ScorePart(arm.name, candidate.raw, candidate.score, 1.0)
    return RankedHit(
        candidate.source_id,
        candidate.passage_id,
        candidate.score,
        candidate.position,
        (part,),
        candidate.terms,
        evidence=None if arm.name is SearchArm.REGEX else candidate.score,
    )
