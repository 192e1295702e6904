"""Rank by a formula of relevance, time and importance, for a pool of the arms' best and the newest memories.

A memory of the pool is a hit only if an arm matches it: recency raises matches, but is no match itself. The pool's size
is limited, so pages end with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TypeAlias
from uuid import UUID

from everword.db.pool import STATEMENT_CAP_S
from everword.domain.calibration import DECIDING
from everword.domain.deadline import remaining
from everword_search.passages import store
from everword_search.passages.ranked_memories import Candidate, RankedMemories, Window
from everword_search.passages.store import Scope, SignalRow
from everword_search.retrieval.arms.base import RankingArm, SearchArm
from everword_search.retrieval.hits import FoundHits, RankedHit, ScorePart, Signal
from everword_search.retrieval.profiles import Balanced, importance_of
from everword_search.retrieval.relevance import deciding_evidence
from everword_search.retrieval.runner import TIME_SHARE, Runner

#: Each arm's candidate for one memory.
_Views: TypeAlias = Mapping[SearchArm, Candidate]
#: Arms whose scores are the evidence; without one of them the evidence is unknown.
_JUDGING = frozenset({SearchArm.LEXICAL, SearchArm.SEMANTIC})


@dataclass(slots=True)
class _ScoredMemory:
    """A memory of the pool with its score."""

    source_id: UUID
    views: _Views
    #: The passage of the arm with the largest weighted score.
    passage_id: int
    score: float
    temporal: float
    importance: float
    #: Evidence for its relevance; None if unknown.
    evidence: float | None
    only_asks: bool


async def rank_by_formula(
    runner: Runner, arms: Sequence[RankingArm], scope: Scope, profile: Balanced, window: Window
) -> FoundHits:
    """Return the hits in `window`, best first. Raises ArmFailed."""
    # The third element of a position is the time of the first page. With the current time, the last hit of a page would
    # score less than its position says, and appear again.
    score, passage_id, *requested_time = window.after or (2.0, 0)
    now = datetime.fromisoformat(requested_time[0]) if requested_time else datetime.now(UTC)
    await runner.prepare(generic_plans=False, limit_s=remaining(STATEMENT_CAP_S))
    newest = await store.browse(runner.conn, scope, True, None, profile.newest)
    pool = await _pool(runner, arms, {row.source_id for row in newest}, profile.pool)
    await runner.prepare(generic_plans=False, limit_s=remaining(STATEMENT_CAP_S))
    rows = await store.read_signals(runner.conn, scope.namespace_id, list(pool))
    judged = {arm.name for arm in arms} >= _JUDGING
    evidence = {row.source_id: _evidence(pool[row.source_id], judged) for row in rows}
    best = max((each for each in evidence.values() if each is not None), default=0.0)
    scored = [
        _score(row, pool[row.source_id], profile, now, (evidence[row.source_id], best))
        for row in rows
    ]
    # The last digits differ between the cache and the database, so use the current score of the last hit.
    [score, *_] = [*(each.score for each in scored if each.passage_id == passage_id), score]
    scored.sort(key=lambda each: (each.score, each.passage_id), reverse=True)
    listed = [each for each in scored if window.admits(each.score, each.evidence)]
    requested = [each for each in listed if (each.score, each.passage_id) < (score, passage_id)]
    # A pool is several times as large as a page, so explanations of scores are created for the page only.
    hits = [_hit(each, profile, now) for each in requested[: window.limit]]
    # The verdict ignores recency: it depends on the most relevant memories, wherever they rank.
    relevant = sorted(scored, key=lambda each: each.evidence or 0.0, reverse=True)[:DECIDING]
    first = [_hit(each, profile, now) for each in relevant] if not window.after else []
    deciding = deciding_evidence([each.evidence for each in relevant])
    return FoundHits(hits, deciding, first, order=partial(_ranked, listed))


def _ranked(scored: Sequence[_ScoredMemory]) -> RankedMemories:
    return RankedMemories.of(
        [Candidate(each.source_id, each.passage_id, each.score, each.score, []) for each in scored]
    )


async def _pool(
    runner: Runner, arms: Sequence[RankingArm], newest: set[UUID], limit: int
) -> dict[UUID, _Views]:
    """Return the arms' candidates for each memory that at least one arm matches."""
    found = [await runner.find(arm, Window(limit=limit), TIME_SHARE) for arm in arms]
    everything = newest | {each.source_id for candidates in found for each in candidates}
    pool: dict[UUID, dict[SearchArm, Candidate]] = {source_id: {} for source_id in everything}
    for arm, candidates in zip(arms, found, strict=True):
        missing = everything - {each.source_id for each in candidates}
        scored = await runner.score(arm, list(missing), TIME_SHARE) if missing else []
        for each in [*candidates, *scored]:
            pool[each.source_id][arm.name] = each
    return {
        source_id: views
        for source_id, views in pool.items()
        if any(candidate.matches for candidate in views.values())
    }


def _evidence(views: _Views, judged: bool) -> float | None:
    """Return the evidence of relevance, which excludes time and importance; None if an arm that judges is missing."""
    scores = [_score_of(arm, each) for arm, each in views.items() if arm in _JUDGING]
    return sum(scores) / len(_JUDGING) if judged else None


def _score(
    row: SignalRow,
    views: _Views,
    profile: Balanced,
    now: datetime,
    evidence: tuple[float | None, float],
) -> _ScoredMemory:
    """Return a memory's score; `evidence` is its own and the best one of the pool."""
    total, found = 0.0, (-1.0, 0.0, 0)
    for arm, candidate in views.items():
        score = _score_of(arm, candidate)
        weighted = profile.weight_of(arm, row.only_asks) * score
        total += weighted
        if candidate.matches:
            found = max(found, (weighted, score, candidate.passage_id))
    used_at = max(row.occurred_at, row.last_used_at or row.occurred_at)
    quality = profile.quality(*evidence, row.only_asks)
    temporal = quality * profile.temporal(now - used_at, row.use_count)
    importance = quality * importance_of(row.importance_class, row.note_importance)
    total += profile.temporal_weight * temporal + profile.importance_weight * importance
    rounded = round(total * 1e9) / 1e9
    signals = temporal, importance
    return _ScoredMemory(
        row.source_id, views, found[2], rounded, *signals, evidence[0], row.only_asks
    )


def _score_of(arm: SearchArm, candidate: Candidate) -> float:
    # The formula uses the cosine itself, without the model's background.
    return max(0.0, candidate.raw) if arm is SearchArm.SEMANTIC else candidate.score


def _hit(scored: _ScoredMemory, profile: Balanced, now: datetime) -> RankedHit:
    parts = tuple(
        ScorePart(
            arm,
            candidate.raw,
            _score_of(arm, candidate),
            profile.weight_of(arm, scored.only_asks),
        )
        for arm, candidate in scored.views.items()
    )
    signals = (
        Signal("temporal", scored.temporal, profile.temporal_weight),
        Signal("importance", scored.importance, profile.importance_weight),
    )
    terms = tuple(term for candidate in scored.views.values() for term in candidate.terms)
    position = [scored.score, scored.passage_id, now.isoformat()]
    return RankedHit(
        scored.source_id,
        scored.passage_id,
        scored.score,
        position,
        parts,
        terms,
        signals,
        evidence=scored.evidence,
    )
