"""Ranks what several arms find as one list: weighted sums of calibrated scores, exact at any depth.

A hit's score is Σ weight·score ÷ Σ weight over the arms that ran. It is the same whatever page or pool the hit comes
in: a candidate that an arm's list lacks is scored by that arm explicitly, and counts 0 there only if it does not match.
What no list holds yet cannot score more than what the ends of the lists add up to (Fagin's threshold); only hits above
that are returned, and where they are too few for a page, the lists are made longer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from everword_search.arms.base import RankingArm, Window
from everword_search.model import Candidate, Hit, ScorePart, SearchArm
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
    #: The arm's weight ÷ Σ weight.
    share: float
    candidates: dict[UUID, Candidate]
    #: No memory that is missing scores more.
    bound: float
    complete: bool


@dataclass(frozen=True)
class _Ranked:
    """A memory with its place in the fused ranking."""

    score: float
    #: The passage that contributes most.
    passage_id: int
    source_id: UUID

    @property
    def rank(self) -> tuple[float, int]:
        return self.score, self.passage_id


async def fuse(
    runner: Runner, arms: Sequence[RankingArm], weights: Mapping[SearchArm, float], window: Window
) -> list[Hit]:
    """Return the hits in `window`, best first. Raises ArmFailed."""
    # The third element of a position is how long the lists were: the next page needs at least that. A position from a
    # page for which only one arm answered has none.
    _, _, *reached = window.after or (2.0, 0)
    pool = max([POOL + window.limit, *reached])
    total = sum(weights[arm.name] for arm in arms)
    while True:
        lists = [await _list(runner, arm, weights[arm.name] / total, pool) for arm in arms]
        await _complete(runner, lists)
        bound = _bound(lists)
        certain = [entry for entry in _ranked(lists, window) if entry.score > bound]
        if len(certain) >= window.limit or all(entry.complete for entry in lists):
            certain.sort(key=lambda entry: entry.rank, reverse=True)
            return [_hit(lists, entry, pool) for entry in certain[: window.limit]]
        pool *= GROWTH


async def _list(runner: Runner, arm: RankingArm, share: float, pool: int) -> _List:
    found = await runner.find(arm, Window(limit=pool), TIME_SHARE)
    complete = len(found) < pool
    candidates = {candidate.source_id: candidate for candidate in found}
    return _List(arm, share, candidates, 0.0 if complete else found[-1].score, complete)


async def _complete(runner: Runner, lists: Sequence[_List]) -> None:
    """Let each arm score what only other arms have found."""
    everything = {source_id for entry in lists for source_id in entry.candidates}
    for entry in lists:
        missing = everything - entry.candidates.keys()
        if missing and not entry.complete:
            for candidate in await runner.score(entry.arm, list(missing), TIME_SHARE):
                if candidate.matches:
                    entry.candidates[candidate.source_id] = candidate


def _ranked(lists: Sequence[_List], window: Window) -> list[_Ranked]:
    """Return the memories in `window` with their fused scores."""
    weighted: dict[UUID, list[tuple[float, int]]] = {}
    for entry in lists:
        for source_id, candidate in entry.candidates.items():
            part = (entry.share * candidate.score, candidate.passage_id)
            weighted.setdefault(source_id, []).append(part)
    ranked = (
        _Ranked(round(sum(score for score, _ in parts) * 1e9) / 1e9, max(parts)[1], source_id)
        for source_id, parts in weighted.items()
    )
    before = (window.after[0], window.after[1]) if window.after else (2.0, 0)
    return [entry for entry in ranked if entry.score >= window.min_score and entry.rank < before]


def _hit(lists: Sequence[_List], ranked: _Ranked, pool: int) -> Hit:
    found = [
        (entry.arm.name, entry.share, entry.candidates[ranked.source_id])
        for entry in lists
        if ranked.source_id in entry.candidates
    ]
    return Hit(
        ranked.source_id,
        ranked.passage_id,
        ranked.score,
        position=[*ranked.rank, pool],
        parts=tuple(ScorePart(name, c.raw, c.score, share) for name, share, c in found),
        terms=tuple(term for _, _, candidate in found for term in candidate.terms),
    )


def _bound(lists: Sequence[_List]) -> float:
    """Return what a memory that is in no list can score at most; below 0 where all lists are complete."""
    if all(entry.complete for entry in lists):
        return -1.0
    # A hit's score is rounded, by less than what is added.
    return sum(entry.share * entry.bound for entry in lists) + 1e-9
