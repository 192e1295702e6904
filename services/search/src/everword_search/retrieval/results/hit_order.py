"""Order the hits of a page: replacements before outdated hits, originals before pasted copies.

For a question about the present, newer statements also precede older ones that they probably replace.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from everword.db.arrays import array_of_uuids
from everword.db.pool import STATEMENT_CAP_S, Connection, Database
from everword.db.statements import Pending
from everword.domain.deadline import remaining
from everword_search.endings.model import CurrentFact, Ending, EndingKind
from everword_search.endings.read_endings import (
    Endings,
    OutdatedRow,
    find_endings,
    read_endings,
)
from everword_search.passages.ranked_memories import Candidate, RankedMemories
from everword_search.passages.store import Scope
from everword_search.retrieval.arms.base import RankingArm
from everword_search.retrieval.hits import FoundHits, RankedHit, Signal
from everword_search.retrieval.model import SearchMode
from everword_search.retrieval.results.newer_statements import NewerStatement
from everword_search.retrieval.results.placement import (
    PagePlacement,
    PlacementInputs,
    PromotedHits,
    has_misplaced_hit,
    list_replacements,
    place,
)
from everword_search.retrieval.runner import ArmFailed, Runner

#: Modes in which replacements are promoted; the others match letters.
BRINGING = frozenset({SearchMode.HYBRID, SearchMode.LEXICAL, SearchMode.SEMANTIC})
#: Explains the place of a newer statement; its score is that of the older one.
_NEWER = Signal("newer_statement", 1.0, 0.0)


@dataclass(frozen=True)
class RankedPage:
    """The hits of a page in ranking order, with the inputs of their final order."""

    scope: Scope
    mode: SearchMode
    size: int
    is_first_page: bool
    brought: PromotedHits
    found: FoundHits
    runner: Runner
    #: Hits that may be outdated; None if the namespace has no facts or corrections.
    outdated: Pending[OutdatedRow] | None
    #: The original messages of each pasted copy.
    originals: Mapping[UUID, Sequence[RankedHit]] = field(default_factory=dict)
    #: Pairs of messages on the page; empty unless the query asks about the present.
    newer: Sequence[NewerStatement] = ()

    @property
    def original_ids(self) -> Mapping[UUID, Sequence[UUID]]:
        return {id_: [hit.source_id for hit in hits] for id_, hits in self.originals.items()}


@dataclass(frozen=True)
class OrderedHits:
    """The hits of a page in their final order, with their outdated facts."""

    placed: PagePlacement
    endings: Endings = field(default_factory=dict)


async def order(
    conn: Connection, database: Database, ranked_page: RankedPage, hits: Sequence[RankedHit]
) -> OrderedHits:
    """Return the page's hits in order: outdated hits after their replacements, pasted copies after their originals."""
    return _with_newer_first(await _order_known(conn, database, ranked_page, hits), ranked_page)


def _with_newer_first(ordered: OrderedHits, ranked_page: RankedPage) -> OrderedHits:
    """Mark the older statements of pairs as possibly outdated, and move the newer ones before them.

    Nothing is brought from other pages, so page tokens are not affected.
    """
    hits, endings = list(ordered.placed.hits), dict(ordered.endings)
    currents = [each.current for known in endings.values() for each in known if each.current]
    replacing = {id_ for current in currents for id_ in current.memory_ids}
    for pair in ranked_page.newer:
        places = {hit.source_id: place for place, hit in enumerate(hits)}
        older, newer = places.get(pair.older.id), places.get(pair.newer.id)
        known = endings.get(pair.older.id, ())
        # A stored ending is surer, also of the newer statement: a third one may have restored the older one.
        stored = [*known, *endings.get(pair.newer.id, ())]
        if older is None or newer is None or any(each.fact_id or each.value for each in stored):
            continue
        # A message that is known to replace another one probably does not replace this one, too.
        if pair.newer.id in replacing:
            continue
        endings[pair.older.id] = [*known, _possible_ending(pair, hits[newer].passage_id)]
        if newer > older:
            hits.insert(older, _promoted(hits.pop(newer), hits[older]))
    return OrderedHits(replace(ordered.placed, hits=hits), endings)


def _possible_ending(pair: NewerStatement, passage_id: int) -> Ending:
    newer, since = pair.newer, pair.newer.occurred_at
    current = CurrentFact(None, "", newer.content, since, newer.id, (newer.id,), (passage_id,))
    return Ending(None, "", "", EndingKind.POSSIBLY_REPLACED, since, current)


def _promoted(newer: RankedHit, older: RankedHit) -> RankedHit:
    """Return the newer hit with the score of the older one, and at least its relevance."""
    evidence = [each for each in (newer.evidence, older.evidence) if each is not None]
    match = [each for each in (newer.match, older.match) if each is not None]
    return replace(
        newer,
        score=older.score,
        signals=(*newer.signals, _NEWER),
        evidence=max(evidence, default=None),
        match=max(match, default=None),
    )


async def _order_known(
    conn: Connection, database: Database, ranked_page: RankedPage, hits: Sequence[RankedHit]
) -> OrderedHits:
    """Return the page's hits in the order that stored facts, corrections and originals demand."""
    outdated = await ranked_page.outdated.rows() if ranked_page.outdated else []
    ordered = OrderedHits(PagePlacement(list(hits), last=hits[-1] if hits else None))
    if not outdated and not ranked_page.originals:
        return ordered
    try:
        async with database.bound(conn, ranked_page.scope.namespace_id):
            ranked_page.runner.begin(conn, None)
            limit_s = remaining(STATEMENT_CAP_S)
            await ranked_page.runner.prepare(generic_plans=True, limit_s=limit_s)
            ids = [row.memory_id for row in outdated]
            if ids:
                ordered = replace(ordered, endings=await find_endings(conn, ranked_page.scope, ids))
            if ranked_page.mode in BRINGING and has_misplaced_hit(
                hits, ordered.endings, ranked_page.original_ids
            ):
                return await _promote_replacements(conn, ranked_page, hits, ordered.endings)
    except ArmFailed:
        pass  # Outdated hits are marked as such and keep their places.
    return ordered


async def _promote_replacements(
    conn: Connection, ranked_page: RankedPage, hits: Sequence[RankedHit], endings: Endings
) -> OrderedHits:
    instead = list_replacements(hits, endings)
    if instead:
        endings = {**await read_endings(conn, ranked_page.scope, instead), **endings}
    originals = {hit.source_id: hit for hits in ranked_page.originals.values() for hit in hits}
    requested = [*instead, *(id_ for id_ in originals if id_ not in instead)]
    found = {**originals, **await _find(ranked_page, instead, hits)}
    first = (hits[0].score, hits[0].passage_id)
    earlier = {
        id_
        for id_ in requested
        if id_ in ranked_page.brought
        or (
            not ranked_page.is_first_page
            and id_ in found
            and (found[id_].score, found[id_].passage_id) > first
        )
    }
    known = PlacementInputs(
        endings, earlier, ranked_page.brought.room, found, ranked_page.original_ids
    )
    return OrderedHits(place(hits, ranked_page.size, known), endings)


async def _find(
    ranked_page: RankedPage, wanted: Sequence[UUID], hits: Sequence[RankedHit]
) -> Mapping[UUID, RankedHit]:
    """Return the hits for those memories that the search finds. Raises ArmFailed."""
    found = {hit.source_id: hit for hit in ranked_page.found.hits}
    elsewhere = [id_ for id_ in wanted if id_ not in found]
    if ranked_page.found.order:
        candidates = _among(ranked_page.found.order(), elsewhere)
    elif ranked_page.is_first_page:
        # There are no earlier pages, so the ranks of further memories do not matter.
        candidates = []
    else:
        candidates = [
            each
            for arm in ranked_page.runner.left()
            if isinstance(arm, RankingArm)
            for each in await ranked_page.runner.score(arm, elsewhere, 1.0)
        ]
    for each in candidates:
        if each.matches:
            found[each.source_id] = RankedHit(each.source_id, each.passage_id, each.score, [], ())
    return found


def _among(ranked: RankedMemories, source_ids: Sequence[UUID]) -> list[Candidate]:
    """Return the memories of `source_ids` that are in `ranked`."""
    places = ranked.places_of(array_of_uuids(source_ids))
    here = places[places >= 0]
    columns = ranked.passage_ids, ranked.source_ids, ranked.raws, ranked.scores
    passage_ids, sources, raws, scores = (column[here] for column in columns)
    return RankedMemories(passage_ids, sources, raws, scores).candidates()
