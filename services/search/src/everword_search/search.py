"""Find the memories most relevant to a query."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack, closing
from dataclasses import dataclass, field

from everword.db.namespaces import NamespaceSettings
from everword.db.pool import STATEMENT_CAP_S, Connection, Database
from everword.db.statements import Pending, ask
from everword.domain.caller import NamespaceScope
from everword.domain.deadline import remaining
from everword.domain.errors import InvalidArgument
from everword.rpc.fair_share import FairShare, Group, Limits
from everword_search import store
from everword_search.arms.base import RankingArm, Window
from everword_search.arms.frequent import FrequentWords
from everword_search.arms.large import LargeScopes
from everword_search.cache.cached_namespace import CachedNamespace
from everword_search.cache.namespace_cache import NamespaceCache
from everword_search.cache.prefetched_scan import PrefetchedScan, prefetch_scan
from everword_search.formula import rank_by_formula
from everword_search.freshness import ensure_fresh
from everword_search.kinds import completions_of
from everword_search.model import (
    Found,
    Hit,
    SearchMode,
    SearchRequest,
    SearchResponse,
    SearchResult,
)
from everword_search.open_index import open_index
from everword_search.pages import DEFAULT_CONTENT_CHARS, Cursor, max_parts, open_cursor
from everword_search.parse_query import ParsedQuery, parse_query
from everword_search.passage_index import PassageIndex
from everword_search.plan import Plan, Words, plan_search, plan_words
from everword_search.profiles import Balanced, Profile, find_profile
from everword_search.query_embedder import QueryEmbedder, QueryNotEmbedded
from everword_search.query_embedding import QueryEmbedding
from everword_search.query_plans import use_generic_plans
from everword_search.ranking.ranker import Ranker
from everword_search.ranking.recall import Ranking, rank_by_recall
from everword_search.ranking.word_lists import WordLists
from everword_search.relevance import (
    Relevance,
    calibrated_profile,
    ensure_has_relevance,
    ensure_judged,
    find_relevance,
)
from everword_search.runner import ArmFailed, Runner
from everword_search.single_arm import rank_single_arm
from everword_search.store import Scope
from everword_search.use import count_use

DEFAULT_PAGE = 10
#: Page tokens of one kind hold positions of one form: a change of `_next_token` takes another number.
TOKEN_KIND = "Search/5"
#: Searches by REGEX at once, of all and of one namespace. The next one is refused at once.
EXPENSIVE = Limits(total=4, of_group=2)
#: `UseCounting` of a namespace in which being returned is a use.
_RETURNED = 2


@dataclass(frozen=True)
class Sources:
    """Where searches find things."""

    database: Database
    embedder: QueryEmbedder
    ranker: Ranker
    cache: NamespaceCache
    frequent: FrequentWords = field(default_factory=FrequentWords)
    large_scopes: LargeScopes = field(default_factory=LargeScopes)
    word_lists: WordLists = field(default_factory=WordLists)
    #: Searches that read whatever the filter lets through: each may keep a processor of Postgres for two seconds.
    expensive: FairShare = field(default_factory=lambda: FairShare(EXPENSIVE))


async def search(
    sources: Sources, namespace: NamespaceScope, request: SearchRequest
) -> SearchResponse:
    """Return a page of results, best first (newest first for REGEX).

    Nothing changes by it, unless being returned is a use in this namespace. Raises what `find_memories` does.
    """
    response, settings = await find_memories(sources, namespace, request)
    if settings.use_counting == _RETURNED:
        await count_use(
            sources.database, namespace, [result.memory.id for result in response.results]
        )
    return response


async def find_memories(
    sources: Sources, namespace: NamespaceScope, request: SearchRequest
) -> tuple[SearchResponse, NamespaceSettings]:
    """Return a page of results and the settings that they were found with.

    An arm that fails is reported as degraded where another one answers. Raises InvalidArgument for a query without
    anything in it and for a profile that there is not, InvalidPageToken, InvalidConsistencyToken; for REGEX
    InvalidRegex, RegexTooExpensive and Overloaded; EmbedderUnavailable for SEMANTIC, which no other arm can stand in
    for; and NotCalibrated or EmbedderUnavailable where `min_relevance` is asked for and relevance cannot be told.
    """
    database = sources.database
    if not request.text.strip():
        raise InvalidArgument(violations=(("query", "must hold more than white space"),))
    ensure_has_relevance(request)
    # Refuses a profile that there is not also where the mode has one arm, and ranks by that.
    profile = find_profile(request.profile, request.balanced)
    chars = request.max_content_chars or DEFAULT_CONTENT_CHARS
    cursor = await open_cursor(database, namespace, TOKEN_KIND, request.page, DEFAULT_PAGE, chars)
    if request.mode is SearchMode.HYBRID:
        # Before a connection is lent: right after the start, this takes a while.
        await sources.word_lists.ready()
    search = _Search(sources, namespace, request, profile, cursor, chars)
    async with AsyncExitStack() as held:
        held.enter_context(closing(search))
        if request.mode is SearchMode.REGEX:
            await held.enter_async_context(sources.expensive.having(Group(namespace.id)))
        while True:
            async with database.connection() as conn:
                answer = await _attempt(database, conn, namespace, request, search)
            if answer:
                return answer
            # A slow model must not hold a connection.
            await search.prepare()


async def _attempt(
    database: Database,
    conn: Connection,
    namespace: NamespaceScope,
    request: SearchRequest,
    search: _Search,
) -> tuple[SearchResponse, NamespaceSettings] | None:
    """Return what a search answers; None where its query has to be embedded first."""
    while True:
        try:
            page: _Page | None = None
            async with database.bound(conn, namespace.id):
                await ensure_fresh(database, conn, namespace, request.at_least_as_fresh)
                if await search.is_ready(conn):
                    page = await search.find_page(conn)
            return await search.answer(conn, page) if page else None
        except ArmFailed as failure:
            # Where no arm is left to answer, it is the database that fails. The others go on with the same connection:
            # there may be a queue for another one.
            if not search.goes_on or conn.broken:
                raise failure.__cause__ or failure from None


@dataclass(frozen=True)
class _Planned:
    """What a search does in each transaction that it takes."""

    plan: Plan
    runner: Runner
    relevance: Relevance
    #: With what the query demands.
    scope: Scope
    ranking: Ranking | Balanced | None
    window: Window


@dataclass(frozen=True)
class _Page:
    """What a search found, before its memories are there."""

    planned: _Planned
    found: Found
    hits: Sequence[Hit]
    #: That something found answers the query.
    chance: float | None
    memories: Pending[store.MemoryRow]


class _Search:
    """One search, on its way to an answer."""

    def __init__(
        self,
        sources: Sources,
        namespace: NamespaceScope,
        request: SearchRequest,
        profile: Profile,
        cursor: Cursor,
        chars: int,
    ) -> None:
        self._sources = sources
        self._namespace_id = namespace.id
        self._request = request
        self._profile = profile
        self._cursor = cursor
        self._chars = chars
        self._parsed: ParsedQuery | None = None
        self._words: Words | None = None
        self._vector = QueryEmbedding(sources.embedder, namespace.id, request)
        if copy := sources.cache.find(namespace.id):
            self._vector.expect(copy)
        self._prefetched: PrefetchedScan | None = None
        self._planned: _Planned | None = None
        #: How long each statement of the transaction may take, where they are planned once.
        self._generic_plans_s: float | None = None

    @property
    def goes_on(self) -> bool:
        """Whether an arm is left that has something to do and did not fail."""
        return self._planned is not None and bool(self._planned.runner.left())

    async def is_ready(self, conn: Connection) -> bool:
        """Find out what the query means; return whether all is known that an answer takes, its vector too."""
        request = self._request
        self._generic_plans_s = None
        if self._parsed is None or self._parsed.generation(self._vector.generation_id) is None:
            profile = calibrated_profile(request)
            # What the query means is asked for in the same way each time, and so is the page at the end.
            self._generic_plans_s = remaining(STATEMENT_CAP_S)
            await use_generic_plans(conn, self._generic_plans_s)
            self._parsed = await parse_query(
                conn,
                self._namespace_id,
                request,
                profile,
                self._sources.cache,
                self._prefetch,
            )
            self._words = None
            if self._parsed.generation(self._vector.generation_id) is None:
                self._vector.miss(QueryNotEmbedded("this database does not have the query's model"))
        self._vector.look(self._parsed)
        return self._vector.is_settled and self._can_weigh_words(self._parsed)

    def _can_weigh_words(self, parsed: ParsedQuery) -> bool:
        """Tell whether the lists of the namespace's language are there: to read them takes a while."""
        config = parsed.settings.text_search_config
        hybrid = self._request.mode is SearchMode.HYBRID
        return not hybrid or self._sources.word_lists.are_ready(config)

    def _prefetch(self, copy: CachedNamespace) -> None:
        """Look for what is near the query, where its vector is at hand."""
        if vector := self._vector.prefetched:
            self._prefetched = prefetch_scan(copy, vector, self._request.filter)

    async def prepare(self) -> None:
        """Get the query's vector, or why there is none, and what words weigh.

        Raises EmbedderUnavailable where nothing else would answer.
        """
        parsed = self._parsed
        assert parsed is not None
        if not self._can_weigh_words(parsed):
            await self._sources.word_lists.ready(parsed.settings.text_search_config)
        if not self._vector.is_settled:
            await asyncio.gather(self._vector.embed(parsed), self._look_ahead(parsed))

    async def _look_ahead(self, parsed: ParsedQuery) -> None:
        if words := self._plan_words(parsed):
            await words.lexical.look_ahead()

    def close(self) -> None:
        """Let go what the search began."""
        self._vector.close()

    async def find_page(self, conn: Connection) -> _Page:
        """Return what the arms that did not fail find. Its memories are asked for, and come with the commit.

        Raises ArmFailed.
        """
        assert self._parsed is not None
        self._planned = planned = self._planned or self._plan(self._parsed)
        cursor = self._cursor
        planned.runner.begin(conn, self._generic_plans_s)
        found = await _find(planned)
        # The verdict is the same on every page.
        chance = cursor.after[0] if cursor.after else planned.relevance.chance(found)
        ensure_judged(self._request, found)
        await planned.runner.prepare(generic_plans=True, limit_s=remaining(STATEMENT_CAP_S))
        hits = found.hits[: cursor.size]
        asked = store.memories_asked(
            self._namespace_id,
            [hit.source_id for hit in hits],
            [hit.passage_id for hit in hits],
            self._chars,
            max_parts(self._chars),
        )
        return _Page(planned, found, hits, chance, await ask(conn, asked))

    async def answer(
        self, conn: Connection, page: _Page
    ) -> tuple[SearchResponse, NamespaceSettings]:
        """Return the response that a page makes."""
        assert self._parsed is not None
        relevance, found = page.planned.relevance, page.found
        by_id = {hit.source_id: hit for hit in page.hits}
        results = [
            SearchResult(row, row.passage, by_id[row.id], relevance.of(by_id[row.id]))
            for row in await page.memories.rows()
        ]
        for complete in completions_of(results):
            async with self._sources.database.bound(conn, self._namespace_id):
                results = await complete(
                    conn, self._namespace_id, results, self._request, self._cursor.after is None
                )
        response = SearchResponse(
            results,
            _next_token(self._cursor, found, page.chance),
            page.planned.runner.reports(),
            relevance.verdict(found, page.chance),
            relevance.state(found),
        )
        return response, self._parsed.settings

    def _plan_words(self, parsed: ParsedQuery) -> Words | None:
        self._words = self._words or plan_words(self._request, parsed, self._open(parsed))
        return self._words

    def _open(self, parsed: ParsedQuery) -> PassageIndex:
        scope, sources = Scope(self._namespace_id, self._request.filter), self._sources
        return open_index(scope, parsed, self._prefetched, sources.frequent, sources.large_scopes)

    def _plan(self, parsed: ParsedQuery) -> _Planned:
        request, index = self._request, self._open(parsed)
        words = self._plan_words(parsed)
        plan = plan_search(request, parsed, index, words, self._vector.found)
        relevance = find_relevance(request, parsed.generation(self._vector.generation_id))
        return _Planned(
            plan,
            Runner(plan.arms),
            relevance,
            index.scope,
            _ranking(self._sources.ranker, self._profile, request, plan, index),
            _window(self._cursor, request, relevance),
        )


async def _find(planned: _Planned) -> Found:
    """Return the hits in the window, as the ranking orders them. Raises ArmFailed."""
    runner, ranking, window = planned.runner, planned.ranking, planned.window
    arms = runner.left()
    if not arms:
        return Found([])
    ranked = [arm for arm in arms if isinstance(arm, RankingArm)]
    if isinstance(ranking, Balanced):
        return await rank_by_formula(runner, ranked, planned.scope, ranking, window)
    if isinstance(ranking, Ranking):
        return await rank_by_recall(runner, ranked, ranking, window)
    return await rank_single_arm(runner, arms[0], window)


def _ranking(
    ranker: Ranker, profile: Profile, request: SearchRequest, plan: Plan, index: PassageIndex
) -> Ranking | Balanced | None:
    """Return what a search ranks by; None for the order of its one arm."""
    if plan.question is None:
        return None
    if isinstance(profile, Balanced):
        return profile
    return Ranking(ranker, plan.question, index, request.explain)


def _window(cursor: Cursor, request: SearchRequest, relevance: Relevance) -> Window:
    """Return which hits are asked for: one more than the page has, which tells whether there is another one."""
    _, *after = cursor.after or (None,)
    least = relevance.least_evidence(request.min_relevance)
    return Window(cursor.size + 1, after or None, request.min_score, least)


def _next_token(cursor: Cursor, found: Found, chance: float | None) -> str:
    if len(found.hits) <= cursor.size:
        return ""
    return cursor.token([chance, *found.hits[cursor.size - 1].position])
