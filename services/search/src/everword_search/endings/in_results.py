"""Endings among results: what holds is put before what held, and that is marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from everword.db.arrays import array_of_uuids
from everword.db.pool import STATEMENT_CAP_S, Connection, Database
from everword.db.statements import Pending
from everword.domain.deadline import remaining
from everword_search.endings.placing import (
    Brought,
    Known,
    Placed,
    holding_instead,
    is_any_lacking,
    place,
)
from everword_search.endings.read_endings import (
    Endings,
    OutdatedRow,
    find_endings,
    read_endings,
)
from everword_search.retrieval.arms.base import RankingArm
from everword_search.retrieval.index.store import Scope
from everword_search.retrieval.model import Candidate, Found, Hit, Ranked, SearchMode
from everword_search.retrieval.runner import ArmFailed, Runner

#: Modes in which what holds is brought before what held: the others look for letters.
BRINGING = frozenset({SearchMode.HYBRID, SearchMode.LEXICAL, SearchMode.SEMANTIC})


@dataclass(frozen=True)
class Stretch:
    """The hits of a page, as they are ranked, and what is asked about them."""

    scope: Scope
    mode: SearchMode
    size: int
    is_first_page: bool
    brought: Brought
    found: Found
    runner: Runner
    #: Those of them that may say what does not hold any more; None where the namespace has no facts.
    outdated: Pending[OutdatedRow] | None


@dataclass(frozen=True)
class Ordered:
    """The hits of a page in their order, with the endings of each."""

    placed: Placed
    endings: Endings = field(default_factory=dict)


async def order(
    conn: Connection, database: Database, stretch: Stretch, hits: Sequence[Hit]
) -> Ordered:
    """Return hits that are there in the order of the page: after what holds instead of them."""
    outdated = await stretch.outdated.rows() if stretch.outdated else []
    ordered = Ordered(Placed(list(hits), last=hits[-1] if hits else None))
    if not outdated:
        return ordered
    try:
        async with database.bound(conn, stretch.scope.namespace_id):
            stretch.runner.begin(conn, None)
            limit_s = remaining(STATEMENT_CAP_S)
            await stretch.runner.prepare(generic_plans=True, limit_s=limit_s)
            ids = [row.memory_id for row in outdated]
            ordered = replace(ordered, endings=await find_endings(conn, stretch.scope, ids))
            if stretch.mode in BRINGING and is_any_lacking(hits, ordered.endings):
                return await _bring(conn, stretch, hits, ordered.endings)
    except ArmFailed:
        pass  # They are marked, and stay where they are.
    return ordered


async def _bring(
    conn: Connection, stretch: Stretch, hits: Sequence[Hit], endings: Endings
) -> Ordered:
    wanted = holding_instead(hits, endings)
    endings = {**await read_endings(conn, stretch.scope, wanted), **endings}
    found = await _find(stretch, wanted, hits)
    first = (hits[0].score, hits[0].passage_id)
    earlier = {
        id_
        for id_ in wanted
        if id_ in stretch.brought
        or (
            not stretch.is_first_page
            and id_ in found
            and (found[id_].score, found[id_].passage_id) > first
        )
    }
    known = Known(endings, earlier, stretch.brought.room, found)
    return Ordered(place(hits, stretch.size, known), endings)


async def _find(
    stretch: Stretch, wanted: Sequence[UUID], hits: Sequence[Hit]
) -> Mapping[UUID, Hit]:
    """Return the hits of some memories, as far as the search finds them. Raises ArmFailed."""
    found = {hit.source_id: hit for hit in stretch.found.hits}
    elsewhere = [id_ for id_ in wanted if id_ not in found]
    if stretch.found.order:
        candidates = _among(stretch.found.order(), elsewhere)
    elif stretch.is_first_page:
        # What is on no earlier page has no place that matters.
        candidates = []
    else:
        candidates = [
            each
            for arm in stretch.runner.left()
            if isinstance(arm, RankingArm)
            for each in await stretch.runner.score(arm, elsewhere, 1.0)
        ]
    for each in candidates:
        if each.matches:
            found[each.source_id] = Hit(each.source_id, each.passage_id, each.score, [], ())
    return found


def _among(ranked: Ranked, source_ids: Sequence[UUID]) -> list[Candidate]:
    """Return those of some memories that are among the ranked ones."""
    places = ranked.places_of(array_of_uuids(source_ids))
    here = places[places >= 0]
    columns = ranked.passage_ids, ranked.source_ids, ranked.raws, ranked.scores
    passage_ids, sources, raws, scores = (column[here] for column in columns)
    return Ranked(passage_ids, sources, raws, scores).candidates()
