"""The stages of a search: open the index, plan, retrieve and rank, hydrate. Each takes and returns immutable values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from everword.db.pool import STATEMENT_CAP_S, Connection, Database
from everword.db.statements import BoundStatement, Pending, ask
from everword.domain.caller import NamespaceScope
from everword.domain.deadline import remaining
from everword.rpc.pages import Cursor
from everword_search.cache.cached_namespace import CachedNamespace
from everword_search.cache.prefetched_scan import PrefetchedScan, prefetch_scan
from everword_search.endings.read_endings import OutdatedRow, outdated_statement
from everword_search.passages.ranked_memories import Window
from everword_search.passages.store import Scope
from everword_search.passages.vectors import QueryNotEmbedded, QueryVector
from everword_search.records.model import max_parts
from everword_search.records.store import MemoryRow, memories_statement
from everword_search.retrieval.arms.base import RankingArm
from everword_search.retrieval.arms.graph import GraphArm
from everword_search.retrieval.formula import rank_by_formula
from everword_search.retrieval.hits import FoundHits, RankedHit
from everword_search.retrieval.index.open_index import open_index
from everword_search.retrieval.index.passage_index import PassageIndex
from everword_search.retrieval.model import SearchMode, SearchRequest, SearchResponse, SearchResult
from everword_search.retrieval.plan import QueryWords, SearchPlan, plan_search, plan_words
from everword_search.retrieval.profiles import Balanced, Profile
from everword_search.retrieval.query.misspellings import correct_spelling
from everword_search.retrieval.query.parse_query import ParsedQuery, parse_query
from everword_search.retrieval.query.query_embedding import ExpectedVector
from everword_search.retrieval.recall import RecallRanking, rank_by_recall
from everword_search.retrieval.relevance import (
    Relevance,
    calibrated_profile,
    ensure_judged,
    find_relevance,
)
from everword_search.retrieval.results.completions import completions_of
from everword_search.retrieval.results.hit_order import RankedPage, order
from everword_search.retrieval.results.newer_statements import (
    NewerStatement,
    find_newer_statements,
)
from everword_search.retrieval.results.originals import find_page_originals
from everword_search.retrieval.results.placement import PagePlacement, PromotedHits
from everword_search.retrieval.results.present_questions import PresentQuestion
from everword_search.retrieval.results.sections import with_full_texts
from everword_search.retrieval.runner import Runner
from everword_search.retrieval.single_arm import rank_single_arm
from everword_search.retrieval.sources import Sources


@dataclass(frozen=True)
class ValidatedSearch:
    """A valid request for a page of a search."""

    namespace: NamespaceScope
    request: SearchRequest
    profile: Profile
    cursor: Cursor
    #: Maximum characters of each memory.
    chars: int
    #: Position of the latest turn that may complete the query, in the conversation in which it is asked; 0 without one.
    last_seq: int = 0


@dataclass(frozen=True)
class OpenedSearch:
    """An interpreted query, and the index to search."""

    parsed: ParsedQuery
    index: PassageIndex


@dataclass(frozen=True)
class PlannedSearch:
    """The parts of a search that all its transactions share."""

    plan: SearchPlan
    runner: Runner
    relevance: Relevance
    #: Includes the constraints of the query.
    scope: Scope
    has_endings: bool
    ranking: RecallRanking | Balanced | None
    window: Window


@dataclass(frozen=True)
class HitPage:
    """The hits of a page, before their memories are read."""

    planned: PlannedSearch
    found: FoundHits
    #: Excludes hits already promoted onto an earlier page.
    hits: Sequence[RankedHit]
    #: Probability that at least one hit answers the query; None if unknown.
    chance: float | None
    memories: Pending[MemoryRow]
    #: The memories promoted onto earlier pages.
    brought: PromotedHits
    #: None if the namespace has no facts.
    outdated: Pending[OutdatedRow] | None


async def open_search(
    conn: Connection, sources: Sources, validated: ValidatedSearch, expected: ExpectedVector | None
) -> OpenedSearch:
    """Interpret the query in its namespace, and open the index.

    If the query's vector is cached, the cached namespace is scanned for its nearest passages while the database works.
    """
    request, scans = validated.request, list[PrefetchedScan | None]()

    def prefetch(copy: CachedNamespace) -> None:
        if expected and expected.known:
            scans.append(prefetch_scan(copy, expected.known, request.filter))

    profile = calibrated_profile(request)
    parsed = await parse_query(
        conn, validated.namespace.id, request, profile, sources.cache, prefetch
    )
    config = parsed.settings.text_search_config
    if request.mode is SearchMode.HYBRID and sources.word_lists.are_ready(config):
        parsed = await correct_spelling(conn, validated.namespace.id, parsed)
    scope, scan = Scope(validated.namespace.id, request.filter), scans[0] if scans else None
    index = open_index(scope, parsed, scan, sources.frequent, sources.large_scopes)
    return OpenedSearch(parsed, index)


def plan(
    sources: Sources,
    validated: ValidatedSearch,
    opened: OpenedSearch,
    words: QueryWords | None,
    vector: QueryVector | QueryNotEmbedded | None,
) -> PlannedSearch:
    """Choose the arms and the ranking. The words are planned here, unless `words` has their plan."""
    request, parsed, index = validated.request, opened.parsed, opened.index
    words = words or plan_words(request, parsed, index)
    planned = plan_search(request, parsed, index, words, vector)
    relevance = find_relevance(request, parsed.generation_of(vector))
    ranking: RecallRanking | Balanced | None = None
    if planned.question is not None:
        ranking = validated.profile if isinstance(validated.profile, Balanced) else None
        ranking = ranking or RecallRanking(
            sources.ranker, planned.question, index, planned.timely, request.explain
        )
    # One hit more than the page shows whether there is another page.
    _, promoted, _, _, *after = validated.cursor.after or (None, "", 0, ())
    limit = validated.cursor.limit + len(PromotedHits.read(promoted).tails)
    window = Window(limit, after or None, request.min_score)
    return PlannedSearch(
        planned,
        Runner(planned.arms),
        relevance,
        index.scope,
        parsed.has_endings,
        ranking,
        relevance.limit(window, request.min_relevance),
    )


async def retrieve(
    conn: Connection,
    validated: ValidatedSearch,
    planned: PlannedSearch,
    generic_plans_s: float | None,
) -> HitPage:
    """Return the ranked hits of the arms that did not fail; their memories arrive with the commit.

    Raises ArmFailed, EmbedderUnavailable.
    """
    cursor, runner = validated.cursor, planned.runner
    runner.begin(conn, generic_plans_s)
    found = await _rank(planned)
    # The verdict is the same on every page.
    if cursor.after:
        chance = cursor.after[0]
    else:
        is_completed = validated.request.is_completed
        chance = planned.relevance.chance(found, is_completed=is_completed)
    ensure_judged(validated.request, found)
    await runner.prepare(generic_plans=True, limit_s=remaining(STATEMENT_CAP_S))
    promoted = PromotedHits.read(cursor.after[1]) if cursor.after else PromotedHits()
    hits = [hit for hit in found.hits if hit.source_id not in promoted][: cursor.limit]
    shown = hits[: cursor.size]
    memories = await ask(conn, _memories_statement(validated, shown))
    outdated = None
    if planned.has_endings and shown:
        ids = [hit.source_id for hit in shown]
        outdated = await ask(conn, outdated_statement(validated.namespace.id, ids))
    return HitPage(planned, found, hits, chance, memories, promoted, outdated)


def _memories_statement(
    validated: ValidatedSearch, hits: Sequence[RankedHit]
) -> BoundStatement[MemoryRow]:
    return memories_statement(
        validated.namespace.id,
        [hit.source_id for hit in hits],
        [hit.passage_id for hit in hits],
        validated.chars,
        max_parts(validated.chars),
    )


async def _rank(planned: PlannedSearch) -> FoundHits:
    """Return the hits in the window in ranking order. Raises ArmFailed."""
    runner, ranking, window = planned.runner, planned.ranking, planned.window
    arms = runner.left()
    if not arms:
        return FoundHits([])
    ranked = [arm for arm in arms if isinstance(arm, RankingArm)]
    if isinstance(ranking, Balanced):
        return await rank_by_formula(runner, ranked, planned.scope, ranking, window)
    if isinstance(ranking, RecallRanking):
        graph = next((arm for arm in planned.plan.arms if isinstance(arm, GraphArm)), None)
        return await rank_by_recall(runner, ranked, ranking, window, graph)
    return await rank_single_arm(runner, arms[0], window)


async def hydrate(
    conn: Connection, database: Database, validated: ValidatedSearch, page: HitPage
) -> SearchResponse:
    """Return the response for a page, with the fields that only some kinds have."""
    relevance, found, cursor = page.planned.relevance, page.found, validated.cursor
    rows = {row.id: row for row in await page.memories.rows()}
    there = [hit for hit in page.hits[: cursor.size] if hit.source_id in rows]
    ranked_page = _ranked_page(validated, page)
    least, chars = validated.request.min_score, validated.chars
    originals = await find_page_originals(conn, database, ranked_page, rows, least, chars)
    newer = _newer_statements(validated, page, [rows[hit.source_id] for hit in there])
    ranked_page = replace(ranked_page, originals=originals, newer=newer)
    ordered = await order(conn, database, ranked_page, there)
    numbered = ordered.placed
    if promoted := [hit for hit in numbered.hits if hit.source_id not in rows]:
        async with database.bound(conn, validated.namespace.id):
            pending = await ask(conn, _memories_statement(validated, promoted))
        rows |= {row.id: row for row in await pending.rows()}
    results = [
        SearchResult(
            rows[hit.source_id],
            rows[hit.source_id].passage,
            hit,
            relevance.of(hit),
            relevance.confidence_of(hit),
            endings=ordered.endings.get(hit.source_id, ()),
        )
        for hit in numbered.hits
        if hit.source_id in rows
    ]
    for complete in completions_of(results):
        async with database.bound(conn, validated.namespace.id):
            results = await complete(
                conn, validated.namespace.id, results, validated.request, cursor.after is None
            )
    if validated.request.section_chars:
        chars = validated.request.section_chars
        results = await with_full_texts(conn, database, validated.namespace.id, results, chars)
    verdict = relevance.verdict(found, page.chance)
    return SearchResponse(
        results,
        _next_token(validated, page, numbered),
        page.planned.runner.reports(),
        verdict,
        relevance.state(found),
        relevance.confidence(verdict, page.chance),
    )


def _ranked_page(validated: ValidatedSearch, page: HitPage) -> RankedPage:
    return RankedPage(
        page.planned.scope,
        validated.request.mode,
        validated.cursor.size,
        validated.cursor.after is None,
        page.brought,
        page.found,
        page.planned.runner,
        page.outdated,
    )


def _newer_statements(
    validated: ValidatedSearch, page: HitPage, ranked: Sequence[MemoryRow]
) -> Sequence[NewerStatement]:
    """Return the newer statements on a first page, for a question about the present in the profile `recall`."""
    ranking = page.planned.ranking
    if (
        validated.cursor.after
        or not isinstance(ranking, RecallRanking)
        or ranking.question.periods
        or (question := PresentQuestion.read(validated.request.text, ranking.question.config))
        is None
    ):
        return ()
    return find_newer_statements(question, ranked)


def _next_token(validated: ValidatedSearch, page: HitPage, placement: PagePlacement) -> str:
    """Return the token of the page after the last hit in its own place."""
    cursor, hits = validated.cursor, page.hits
    if not placement.is_cut and len(hits) <= cursor.size:
        return ""
    last = placement.last if placement.is_cut else hits[cursor.size - 1]
    if last is not None:
        position = last.position
    elif cursor.after:
        position = cursor.after[4:]
    else:
        # The position before the first hit; scores are at most 1.
        position = [2.0, 0, *hits[0].position[2:]]
    promoted = page.brought.with_(placement.brought).write()
    periods = [(each.start, each.end) for each in validated.request.event_periods]
    return cursor.token([page.chance, promoted, validated.last_seq, periods, *position])
