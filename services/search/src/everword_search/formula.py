"""Ranks by a formula over relevance, time and importance: a pool of what the arms find best and of what is newest.

A memory of the pool is a hit where at least one arm matches it: being new lifts what matches, and answers nothing by
itself. The pool has a bounded size, so pages end with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TypeAlias
from uuid import UUID

from everword.db.pool import STATEMENT_CAP_S
from everword.domain.deadline import remaining
from everword_search import store
from everword_search.arms.base import RankingArm, Window
from everword_search.model import Candidate, Found, Hit, ScorePart, SearchArm, Signal
from everword_search.profiles import Balanced, age_of, importance_of
from everword_search.relevance import deciding_evidence
from everword_search.runner import TIME_SHARE, Runner
from everword_search.store import Scope, SignalRow

#: What each arm says of one memory.
_Views: TypeAlias = Mapping[SearchArm, Candidate]
#: Arms whose scores are the evidence; without one of them it cannot be told.
_JUDGING = frozenset({SearchArm.LEXICAL, SearchArm.SEMANTIC})


async def rank_by_formula(
    runner: Runner, arms: Sequence[RankingArm], scope: Scope, profile: Balanced, window: Window
) -> Found:
    """Return the hits in `window`, best first. Raises ArmFailed."""
    # The third element of a position is when the first page was asked for: with a clock that went on, what a page ended
    # with would score less than its position says, and come again.
    score, passage_id, *asked_at = window.after or (2.0, 0)
    now = datetime.fromisoformat(asked_at[0]) if asked_at else datetime.now(UTC)
    await runner.prepare(planned_once=False, limit_s=remaining(STATEMENT_CAP_S))
    newest = await store.browse(runner.conn, scope, True, None, profile.newest)
    pool = await _pool(runner, arms, {row.source_id for row in newest}, profile.pool)
    await runner.prepare(planned_once=False, limit_s=remaining(STATEMENT_CAP_S))
    rows = await store.read_signals(runner.conn, scope.namespace_id, list(pool))
    judged = {arm.name for arm in arms} >= _JUDGING
    hits = [_hit(row, pool[row.source_id], profile, now, judged) for row in rows]
    # In memory and in the database the last digits differ.
    [score, *_] = [*(hit.score for hit in hits if hit.passage_id == passage_id), score]
    hits.sort(key=lambda hit: (hit.score, hit.passage_id), reverse=True)
    wanted = [
        hit
        for hit in hits
        if window.admits(hit.score, hit.evidence)
        and (hit.score, hit.passage_id) < (score, passage_id)
    ]
    return Found(wanted[: window.limit], deciding_evidence(hits))


async def _pool(
    runner: Runner, arms: Sequence[RankingArm], newest: set[UUID], limit: int
) -> dict[UUID, _Views]:
    """Return what the arms say of each memory that at least one of them matches."""
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


def _hit(row: SignalRow, views: _Views, profile: Balanced, now: datetime, judged: bool) -> Hit:
    parts = tuple(_part(arm, candidate, profile) for arm, candidate in views.items())
    age = age_of(row.occurred_at, row.last_used_at, now)
    signals = (
        Signal("temporal", profile.temporal(age, row.use_count), profile.temporal_weight),
        Signal("importance", importance_of(row.importance_class), profile.importance_weight),
    )
    total = sum(part.weight * part.score for part in parts)
    total += sum(signal.weight * signal.value for signal in signals)
    score = round(total * 1e9) / 1e9
    _, _, passage_id = max(
        (part.weight * part.score, part.score, candidate.passage_id)
        for part, candidate in zip(parts, views.values(), strict=True)
        if candidate.matches
    )
    terms = tuple(term for candidate in views.values() for term in candidate.terms)
    position = [score, passage_id, now.isoformat()]
    evidence = _evidence(parts) if judged else None
    return Hit(row.source_id, passage_id, score, position, parts, terms, signals, evidence=evidence)


def _evidence(parts: Sequence[ScorePart]) -> float:
    """Return what speaks for a hit's relevance, whatever the weights: time and importance say nothing of it."""
    return sum(part.score for part in parts if part.arm in _JUDGING) / len(_JUDGING)


def _part(arm: SearchArm, candidate: Candidate, profile: Balanced) -> ScorePart:
    # The formula takes the cosine itself, not what it means against the model's background.
    score = max(0.0, candidate.raw) if arm is SearchArm.SEMANTIC else candidate.score
    return ScorePart(arm, candidate.raw, score, profile.weights[arm])
