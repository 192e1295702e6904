"""Fusion: the ranking over everything, whatever the pool, page by page."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, ClassVar, cast
from uuid import UUID

import pytest

from everword.db.pool import Connection
from everword_search import fusion
from everword_search.arms.base import Arm, RankingArm, Window
from everword_search.fusion import fuse
from everword_search.model import Candidate, Hit, SearchArm
from everword_search.runner import Runner

NO_CONNECTION = cast(Connection, None)
WEIGHTS = {SearchArm.LEXICAL: 0.7, SearchArm.TRIGRAM: 0.3}


class FakeArm(RankingArm):
    """An arm whose scores are given."""

    def __init__(self, scores: dict[int, float]) -> None:
        self._scores = scores
        self.longest = 0

    @property
    def idle_reason(self) -> str:
        return ""

    async def find(self, conn: Connection, window: Window) -> list[Candidate]:
        self.longest = max(self.longest, window.limit)
        ranked = sorted(self._scores, key=lambda number: (self._scores[number], number))
        return [self._candidate(number) for number in ranked[::-1][: window.limit]]

    async def score(self, conn: Connection, source_ids: Sequence[UUID]) -> list[Candidate]:
        return [self._candidate(id_.int) for id_ in source_ids if id_.int in self._scores]

    def _candidate(self, number: int) -> Candidate:
        score = self._scores[number]
        return Candidate(UUID(int=number), number, score, score, [score, number])


class First(FakeArm):
    """The heavier of two arms."""

    name: ClassVar[SearchArm] = SearchArm.LEXICAL


class Second(FakeArm):
    """The lighter of two arms."""

    name: ClassVar[SearchArm] = SearchArm.TRIGRAM


class DirectRunner(Runner):
    """Runs arms without a database."""

    async def find(self, arm: Arm, window: Window, share: float = 1.0) -> list[Candidate]:
        return await arm.find(NO_CONNECTION, window)

    async def score(
        self, arm: RankingArm, source_ids: Sequence[UUID], share: float
    ) -> list[Candidate]:
        return await arm.score(NO_CONNECTION, source_ids)


async def walk(arms: list[RankingArm], size: int, min_score: float = 0.0) -> list[Hit]:
    """Return all hits, taken in pages of `size`."""
    hits: list[Hit] = []
    after: list[Any] | None = None
    while True:
        runner = DirectRunner(NO_CONNECTION, arms)
        found = await fuse(runner, arms, WEIGHTS, Window(size + 1, after, min_score))
        hits += found[:size]
        if len(found) <= size:
            return hits
        after = found[size - 1].position


def some_scores(rng: random.Random, among: int, count: int, digits: int) -> dict[int, float]:
    return {n: round(rng.random(), digits) for n in rng.sample(range(1, among), count)}


@pytest.mark.parametrize("digits", [1, 6])
@pytest.mark.parametrize("seed", range(10))
async def test_pages_together_are_the_exact_ranking(
    seed: int, digits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With one digit many scores are equal, and the lists have to become long to tell."""
    monkeypatch.setattr(fusion, "POOL", 3)
    rng = random.Random(seed)
    first = some_scores(rng, among=200, count=120, digits=digits)
    second = some_scores(rng, among=200, count=rng.randrange(1, 120), digits=digits)
    expected = {
        n: round((0.7 * first.get(n, 0.0) + 0.3 * second.get(n, 0.0)) * 1e9) / 1e9
        for n in first.keys() | second.keys()
    }
    hits = await walk([First(first), Second(second)], rng.randrange(1, 20))
    ranking = sorted(expected, key=lambda n: (expected[n], n), reverse=True)
    assert [hit.passage_id for hit in hits] == ranking
    assert [hit.score for hit in hits] == pytest.approx([expected[n] for n in ranking])


async def test_lists_stay_short_where_that_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fusion, "POOL", 10)
    arm = First({n: n / 1000 for n in range(1, 1000)})
    found = await fuse(DirectRunner(NO_CONNECTION, []), [arm, Second({5: 1.0})], WEIGHTS, Window(6))
    assert [hit.passage_id for hit in found] == [999, 998, 997, 996, 995, 994]
    assert arm.longest == 16


async def test_a_candidate_that_a_list_lacks_is_scored_by_its_arm(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fusion, "POOL", 1)
    first = First({n: n / 100 for n in range(1, 100)})
    found = await fuse(
        DirectRunner(NO_CONNECTION, []), [first, Second({3: 1.0})], WEIGHTS, Window(200)
    )
    hit = next(hit for hit in found if hit.passage_id == 3)
    assert hit.score == pytest.approx(0.7 * 0.03 + 0.3)
    assert {part.arm: part.score for part in hit.parts} == {
        SearchArm.LEXICAL: 0.03,
        SearchArm.TRIGRAM: 1.0,
    }


async def test_weights_are_shares_and_min_score_counts_for_the_sum() -> None:
    arms: list[RankingArm] = [First({1: 1.0, 2: 0.5}), Second({1: 1.0, 2: 0.4})]
    hits = await walk(arms, 10, min_score=0.6)
    assert [(hit.passage_id, hit.score) for hit in hits] == [(1, 1.0)]
    assert sum(part.weight for part in hits[0].parts) == pytest.approx(1)
