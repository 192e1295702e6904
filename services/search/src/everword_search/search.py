"""Find the memories most relevant to a query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from everword.db.namespaces import NamespaceSettings
from everword.db.pool import STATEMENT_CAP_S, Connection, Database
from everword.domain.calibration import DECIDING
from everword.domain.caller import NamespaceScope
from everword.domain.deadline import remaining
from everword.domain.errors import EmbedderUnavailable, InvalidArgument
from everword.text.author_names import without_names
from everword_search import store
from everword_search.arms.base import Arm, RankingArm, Window
from everword_search.formula import rank_by_formula
from everword_search.freshness import ensure_fresh
from everword_search.model import (
    Candidate,
    Found,
    Hit,
    ScorePart,
    SearchArm,
    SearchMode,
    SearchRequest,
    SearchResponse,
    SearchResult,
)
from everword_search.pages import DEFAULT_CONTENT_CHARS, Cursor, max_parts, open_cursor
from everword_search.plan import Plan, plan_search
from everword_search.profiles import Balanced, Profile, find_profile
from everword_search.query_embedder import QueryEmbedder, QueryNotEmbedded, QueryVector
from everword_search.ranking.ranker import Ranker
from everword_search.ranking.recall import Ranking, rank_by_recall
from everword_search.relevance import (
    Relevance,
    calibrated_profile,
    deciding_evidence,
    ensure_has_relevance,
    ensure_judged,
    find_relevance,
)
from everword_search.runner import ArmFailed, Runner
from everword_search.store import Scope
from everword_search.summaries.in_results import with_summaries
from everword_search.understand import BY_MEANING, Understood, understand
from everword_search.use import count_use

DEFAULT_PAGE = 10
#: Page tokens of one kind hold positions of one form: a change of `_next_token` takes another number.
TOKEN_KIND = "Search/3"
#: `UseCounting` of a namespace in which being returned is a use.
_RETURNED = 2


@dataclass(frozen=True)
class Sources:
    """Where searches find things."""

    database: Database
    embedder: QueryEmbedder
    ranker: Ranker


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
    anything in it and for a profile that there is not, InvalidPageToken, InvalidConsistencyToken, InvalidRegex and
    RegexTooExpensive, EmbedderUnavailable for SEMANTIC, which no other arm can stand in for, and NotCalibrated or
    EmbedderUnavailable where `min_relevance` is asked for and relevance cannot be told.
    """
    database = sources.database
    if not request.text.strip():
        raise InvalidArgument(violations=(("query", "must hold more than white space"),))
    ensure_has_relevance(request)
    # Refuses a profile that there is not also where the mode has one arm, and ranks by that.
    profile = find_profile(request.profile, request.balanced)
    chars = request.max_content_chars or DEFAULT_CONTENT_CHARS
    cursor = await open_cursor(database, namespace, TOKEN_KIND, request.page, DEFAULT_PAGE, chars)
    understood: Understood | None = None
    vector: QueryVector | QueryNotEmbedded | None = None
    if request.mode in BY_MEANING:
        # The query is embedded before a connection is taken for the search: a slow model must not hold one.
        async with database.transaction(namespace.id) as conn:
            understood = await _understand(conn, namespace, request)
        vector = await _embed(sources.embedder, request, understood)
    search: _Search | None = None
    while True:
        try:
            async with database.transaction(namespace.id) as conn:
                await ensure_fresh(database, conn, namespace, request.at_least_as_fresh)
                if understood is None or not understood.has_generation(_generation(vector)):
                    understood = await _understand(conn, namespace, request)
                if search is None:
                    scope = Scope(namespace.id, request.filter)
                    plan = plan_search(scope, request, understood, vector)
                    relevance = find_relevance(request, understood.generation(_generation(vector)))
                    ranking = _ranking(sources.ranker, profile, request, plan)
                    search = _Search(request, cursor, chars, plan, relevance, ranking)
                return await search.answer(conn), understood.settings
        except ArmFailed as failure:
            # What an arm needs is all that another cannot give: where none is left, it is the database that fails.
            if search is None or (not search.goes_on and failure.__cause__):
                raise failure.__cause__ or failure from None


class _Search:
    """A search that is planned: what stays the same in each transaction that it takes."""

    def __init__(
        self,
        request: SearchRequest,
        cursor: Cursor,
        chars: int,
        plan: Plan,
        relevance: Relevance,
        ranking: Ranking | Balanced | None,
    ) -> None:
        self._request = request
        self._cursor = cursor
        self._chars = chars
        self._plan = plan
        self._relevance = relevance
        self._ranking = ranking
        self._runner = Runner(plan.arms)
        self._window = _window(cursor, request, relevance)

    @property
    def goes_on(self) -> bool:
        """Whether an arm is left that has something to do and did not fail."""
        return bool(self._runner.left())

    async def answer(self, conn: Connection) -> SearchResponse:
        """Return the response of the arms that did not fail yet. Raises ArmFailed."""
        request, cursor, relevance, runner = (
            self._request,
            self._cursor,
            self._relevance,
            self._runner,
        )
        runner.begin(conn)
        found = await self._find(runner.left())
        # The verdict is the same on every page.
        chance = cursor.after[0] if cursor.after else relevance.chance(found)
        ensure_judged(request, found)
        await runner.prepare(planned_once=True, limit_s=remaining(STATEMENT_CAP_S))
        namespace_id = self._plan.scope.namespace_id
        page = found.hits[: cursor.size]
        read = await _read(conn, namespace_id, page, self._chars, relevance)
        results = await with_summaries(conn, namespace_id, read, request, cursor.after is None)
        return SearchResponse(
            results,
            _next_token(cursor, found, chance),
            runner.reports(),
            relevance.verdict(found, chance),
            relevance.state(found),
        )

    async def _find(self, arms: Sequence[Arm]) -> Found:
        """Return the hits in the window, as the ranking orders them. Raises ArmFailed."""
        if not arms:
            return Found([])
        ranked = [arm for arm in arms if isinstance(arm, RankingArm)]
        scope, ranking = self._plan.scope, self._ranking
        if isinstance(ranking, Balanced):
            return await rank_by_formula(self._runner, ranked, scope, ranking, self._window)
        if isinstance(ranking, Ranking):
            return await rank_by_recall(self._runner, ranked, scope, ranking, self._window)
        return await _rank_alone(self._runner, arms[0], self._window)


async def _understand(
    conn: Connection, namespace: NamespaceScope, request: SearchRequest
) -> Understood:
    return await understand(conn, namespace.id, request, calibrated_profile(request))


async def _embed(
    embedder: QueryEmbedder, request: SearchRequest, understood: Understood
) -> QueryVector | QueryNotEmbedded:
    """Return the query's vector, or why there is none.

    Passages are embedded without who spoke, so that a name in the query would only draw it away from what is asked.
    Raises EmbedderUnavailable where nothing else would answer.
    """
    try:
        text = without_names(request.text, understood.names)
        return await embedder.embed(text, understood.active_id)
    except QueryNotEmbedded as error:
        if request.mode is SearchMode.SEMANTIC:
            raise EmbedderUnavailable(
                f"Search by meaning alone is not possible: {error}."
            ) from error
        return error


def _ranking(
    ranker: Ranker, profile: Profile, request: SearchRequest, plan: Plan
) -> Ranking | Balanced | None:
    """Return what a search ranks by; None for the order of its one arm."""
    if plan.question is None:
        return None
    if isinstance(profile, Balanced):
        return profile
    return Ranking(ranker, plan.question, request.explain)


def _generation(vector: QueryVector | QueryNotEmbedded | None) -> int | None:
    return vector.generation_id if isinstance(vector, QueryVector) else None


def _window(cursor: Cursor, request: SearchRequest, relevance: Relevance) -> Window:
    """Return which hits are asked for: one more than the page has, which tells whether there is another one."""
    after = cursor.after[1:] if cursor.after else None
    least = relevance.least_evidence(request.min_relevance)
    return Window(cursor.size + 1, after, request.min_score, least)


async def _rank_alone(runner: Runner, arm: Arm, window: Window) -> Found:
    """Return the hits of a search with one arm, whose score is the evidence."""
    window = replace(window, min_score=max(window.min_score, window.min_evidence))
    asked = window
    if window.after is None and isinstance(arm, RankingArm):
        # The verdict goes by more results than a short page has, and by those that a floor leaves out.
        asked = Window(max(window.limit, DECIDING))
    hits = [_hit(arm, candidate) for candidate in await runner.find(arm, asked)]
    wanted = [hit for hit in hits if hit.score >= window.min_score]
    return Found(wanted[: window.limit], deciding_evidence(hits))


def _hit(arm: Arm, candidate: Candidate) -> Hit:
    """Return the hit of a search with one arm."""
    part = ScorePart(arm.name, candidate.raw, candidate.score, 1.0)
    return Hit(
        candidate.source_id,
        candidate.passage_id,
        candidate.score,
        candidate.position,
        (part,),
        candidate.terms,
        evidence=None if arm.name is SearchArm.REGEX else candidate.score,
    )


async def _read(
    conn: Connection, namespace_id: int, hits: Sequence[Hit], chars: int, relevance: Relevance
) -> list[SearchResult]:
    source_ids = [hit.source_id for hit in hits]
    passage_ids = [hit.passage_id for hit in hits]
    rows = await store.read_memories(
        conn, namespace_id, source_ids, passage_ids, chars, max_parts(chars)
    )
    by_id = {hit.source_id: hit for hit in hits}
    return [
        SearchResult(row, row.passage, by_id[row.id], relevance.of(by_id[row.id])) for row in rows
    ]


def _next_token(cursor: Cursor, found: Found, chance: float | None) -> str:
    if len(found.hits) <= cursor.size:
        return ""
    return cursor.token([chance, *found.hits[cursor.size - 1].position])
