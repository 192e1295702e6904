"""Pages of random hits: each hit is on one page, and current facts come before the facts that they replace."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID

from everword_search.endings.model import CurrentFact, Ending, EndingKind
from everword_search.endings.read_endings import Endings
from everword_search.retrieval.hits import RankedHit
from everword_search.retrieval.results.placement import (
    MAX_PROMOTED,
    PagePlacement,
    PlacementInputs,
    PromotedHits,
    place,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def id_of(number: int) -> UUID:
    return UUID(int=number + 1)


def hits_of(count: int) -> list[RankedHit]:
    return [
        RankedHit(id_of(n), n, 1 - n / 1000, [1 - n / 1000, n], (), evidence=-float(n))
        for n in range(count)
    ]


def ending(fact: int, current: Sequence[int]) -> Ending:
    ids = tuple(map(id_of, current))
    held = CurrentFact(id_of(9000 + fact), "v", "a: v", NOW, None, ids, tuple(current))
    return Ending(id_of(8000 + fact), "a", "w", EndingKind.REPLACED, NOW, held)


def random_endings(rng: random.Random, count: int) -> Endings:
    """Return random endings of facts.

    The memory with the current value may rank before or after the outdated one, be no result, or be outdated itself.
    """
    facts = [
        ending(fact, rng.sample(range(count + 20), rng.randint(1, 2)))
        for fact in range(rng.randint(1, 12))
    ]
    return {
        id_of(number): own
        for number in range(count)
        if rng.random() < 0.4
        # A memory with the current value is not outdated by the same fact.
        and (own := [each for each in rng.sample(facts, 1) if id_of(number) not in _ids(each)])
    }


def _ids(each: Ending) -> tuple[UUID, ...]:
    return each.current.memory_ids if each.current else ()


def reached(endings: Endings, id_: UUID) -> set[UUID]:
    """Return the memories that replace a memory, directly or through other memories."""
    found, left = set[UUID](), [id_]
    while left:
        ids = {one for each in endings.get(left.pop(), ()) for one in _ids(each)} - found
        found |= ids
        left += ids
    return found


def pages(hits: Sequence[RankedHit], endings: Endings, size: int) -> list[RankedHit]:
    """Return the hits of all pages; as in searches, each page continues from the token of the previous one."""
    found: list[RankedHit] = []
    begin, promoted = 0, PromotedHits()
    while True:
        left = [hit for hit in hits[begin:] if hit.source_id not in promoted]
        there = left[:size]
        known = [id_ for each in endings.values() for one in each for id_ in _ids(one)]
        ahead = {hit.source_id for hit in hits[:begin]}
        earlier = {id_ for id_ in known if id_ in promoted or id_ in ahead}
        known_ = PlacementInputs(
            endings, earlier, promoted.room, {hit.source_id: hit for hit in hits}
        )
        page = place(there, size, known_)
        found += page.hits
        if not page.is_cut and len(left) <= size:
            return found
        assert len(page.hits) == size
        promoted = PromotedHits.read(promoted.with_(page.brought).write())
        begin = after(hits, begin, page, there)


def after(
    hits: Sequence[RankedHit], begin: int, page: PagePlacement, there: Sequence[RankedHit]
) -> int:
    last = page.last if page.is_cut else there[-1]
    return begin if last is None else hits.index(last) + 1


def test_pages_of_any_size_have_the_same_order_without_loss() -> None:
    rng = random.Random(7)
    promoted = 0
    for _ in range(100):
        hits = hits_of(rng.randint(1, 40))
        endings = random_endings(rng, len(hits))
        whole = pages(hits, endings, 200)
        order = [hit.source_id for hit in whole]
        assert len(order) == len(set(order))
        assert {hit.source_id for hit in hits} <= set(order)
        assert [hit.score for hit in whole] == sorted((h.score for h in whole), reverse=True)
        promoted += len(order) - len(hits)
        for size in (1, 3):
            assert [hit.source_id for hit in pages(hits, endings, size)] == order, size
        for id_ in set(order) & endings.keys():
            for each in endings[id_]:
                first = min(order.index(one) for one in _ids(each) if one in order)
                # If memories replace each other in a circle, any of them may be the first.
                assert first < order.index(id_) or id_ in reached(endings, id_)
    assert promoted > 100


def test_promoted_hit_takes_score_and_evidence_of_the_hit_it_precedes() -> None:
    hits = hits_of(3)
    numbered = place(
        hits, 10, PlacementInputs({id_of(1): [ending(1, [2, 99])]}, set(), 5, {id_of(2): hits[2]})
    )
    assert [hit.source_id for hit in numbered.hits] == [id_of(0), id_of(2), id_of(1)]
    assert (numbered.hits[1].score, numbered.hits[1].evidence) == (hits[1].score, hits[1].evidence)
    assert numbered.hits[1].passage_id == 2
    # If two messages have the current value, the one without outdated facts is promoted.
    endings = {id_of(0): [ending(1, [50, 51])], id_of(50): [ending(2, [52])]}
    numbered = place(hits, 10, PlacementInputs(endings, set(), 5, {}))
    assert [hit.source_id for hit in numbered.hits[:2]] == [id_of(51), id_of(0)]


def test_promoted_hits_fit_into_the_page_token() -> None:
    promoted = PromotedHits().with_(UUID(int=number) for number in range(MAX_PROMOTED))
    assert promoted.room == 0
    assert PromotedHits.read(promoted.write()) == promoted
    assert len(promoted.write()) <= 480
    full = PlacementInputs({id_of(0): [ending(1, [50])]}, set(), 0, {})
    assert place(hits_of(1), 10, full).brought == set()
