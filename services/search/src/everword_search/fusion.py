"""Ranks what several arms find as one list: weighted sums of calibrated scores, exact at any depth.

A hit's score is Σ weight·score ÷ Σ weight over the arms that ran. It is the same whatever page or pool the hit comes
in: a candidate that an arm's list lacks is scored by that arm explicitly, and counts 0 there only if it does not match.
What no list holds yet cannot score more than what the ends of the lists add up to (Fagin's threshold); only hits above
that are returned, and where they are too few for a page, the lists are made longer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from everword_search.arms.base import RankingArm, Window
from everword_search.model import Candidate, Hit, ScorePart
from everword_search.runner import Runner

#: Candidates taken from each arm at first.
POOL = 200
#: How much longer the lists become where they were too short.
GROWTH = 4
#: Of the time that is left, what one statement of an arm may take while others wait for their turn.
TIME_SHARE = 0.4


@dataclass(frozen=True)
class _List:
    """An arm's candidates by memory."""

    arm: RankingArm
    candidates: dict[UUID, Candidate]
    #: No memory that is missing scores more.
    bound: float
    complete: bool


async def fuse(runner: Runner, arms: Sequence[RankingArm], window: Window) -> list[Hit]:
    """Return the hits in `window`, best first. Raises ArmFailed."""
    # The third element of a position is how long the lists were: the next page needs at least that.
    pool = max(POOL + window.limit, int(window.after[2]) if window.after else 0)
    while True:
        lists = [await _list(runner, arm, pool) for arm in arms]
        hits = [hit for hit in await _fused(runner, lists, pool) if _in_window(hit, window)]
        reached = _bound(lists)
        certain = [hit for hit in hits if hit.score > reached]
        if len(certain) >= window.limit or all(entry.complete for entry in lists):
            return sorted(certain, key=_rank, reverse=True)[: window.limit]
        pool *= GROWTH


async def _list(runner: Runner, arm: RankingArm, pool: int) -> _List:
    found = await runner.find(arm, Window(limit=pool), TIME_SHARE)
    complete = len(found) < pool
    candidates = {candidate.source_id: candidate for candidate in found}
    return _List(arm, candidates, 0.0 if complete else found[-1].score, complete)


async def _fused(runner: Runner, lists: Sequence[_List], pool: int) -> list[Hit]:
    everything = {source_id for entry in lists for source_id in entry.candidates}
    for entry in lists:
        missing = everything - entry.candidates.keys()
        if missing and not entry.complete:
            for candidate in await runner.score(entry.arm, list(missing), TIME_SHARE):
                entry.candidates[candidate.source_id] = candidate
    return [_hit(lists, source_id, pool) for source_id in everything]


def _hit(lists: Sequence[_List], source_id: UUID, pool: int) -> Hit:
    total = sum(entry.arm.weight for entry in lists)
    found = [
        (entry.arm.weight / total, entry.arm.name, entry.candidates[source_id])
        for entry in lists
        if source_id in entry.candidates
    ]
    # The passage shown is the one that contributes most.
    best = max((weight * c.score, c.passage_id) for weight, _, c in found)[1]
    score = round(sum(weight * c.score for weight, _, c in found) * 1e9) / 1e9
    parts = tuple(ScorePart(name, c.raw, c.score, weight) for weight, name, c in found)
    terms = tuple(term for _, _, c in found for term in c.terms)
    return Hit(source_id, best, score, [score, best, pool], parts, terms)


def _in_window(hit: Hit, window: Window) -> bool:
    if hit.score < window.min_score:
        return False
    return window.after is None or _rank(hit) < (window.after[0], window.after[1])


def _rank(hit: Hit) -> tuple[float, int]:
    return hit.score, hit.passage_id


def _bound(lists: Sequence[_List]) -> float:
    """Return what a memory that is in no list can score at most; below 0 where all lists are complete."""
    if all(entry.complete for entry in lists):
        return -1.0
    total = sum(entry.arm.weight for entry in lists)
    # A hit's score is rounded, by less than this.
    return sum(entry.arm.weight / total * entry.bound for entry in lists) + 1e-9
