"""Find the memories most relevant to a query."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from everword.db.namespaces import NamespaceSettings, get_namespace_settings
from everword.db.pool import STATEMENT_CAP_S, Connection, Database
from everword.domain.caller import NamespaceScope
from everword.domain.deadline import remaining
from everword.domain.errors import EmbedderUnavailable, InvalidArgument
from everword_search import store
from everword_search.analysis import analyse_query
from everword_search.arms.base import Arm, RankingArm, Window
from everword_search.arms.regex import RegexArm
from everword_search.arms.semantic import SemanticArm
from everword_search.arms.trigram import TrigramArm, literals_asked_for, tokens_asked_for
from everword_search.arms.tsvector import TsvectorArm
from everword_search.formula import rank_by_formula
from everword_search.freshness import ensure_fresh
from everword_search.fusion import fuse
from everword_search.model import (
    Candidate,
    Hit,
    ScorePart,
    SearchMode,
    SearchRequest,
    SearchResponse,
    SearchResult,
)
from everword_search.pages import DEFAULT_CONTENT_CHARS, Cursor, max_parts, open_cursor
from everword_search.profiles import RECALL, Balanced, Profile, find_profile
from everword_search.query import parse_query, parse_words
from everword_search.query_embedder import QueryEmbedder, QueryNotEmbedded, QueryVector
from everword_search.runner import ArmFailed, Runner
from everword_search.store import Scope
from everword_search.use import count_use

DEFAULT_PAGE = 10
#: `UseCounting` of a namespace in which being returned is a use.
_RETURNED = 2


@dataclass(frozen=True)
class Sources:
    """Where searches find things."""

    database: Database
    embedder: QueryEmbedder


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
    RegexTooExpensive, and EmbedderUnavailable for SEMANTIC, which no other arm can stand in for.
    """
    database = sources.database
    if not request.text.strip():
        raise InvalidArgument(violations=(("query", "must hold more than white space"),))
    profile = _profile(request)
    chars = request.max_content_chars or DEFAULT_CONTENT_CHARS
    cursor = await open_cursor(database, namespace, "Search", request.page, DEFAULT_PAGE, chars)
    # The query is embedded before a connection is taken: a slow model must not hold one.
    vector = await _embed(sources.embedder, request)
    async with database.transaction(namespace.id) as conn:
        await ensure_fresh(database, conn, namespace, request.at_least_as_fresh)
        await store.prepare_search(conn)
        settings = await get_namespace_settings(conn, namespace.id)
        scope = Scope(namespace.id, request.filter)
        arms = await _arms(conn, scope, settings, request, vector)
        runner = Runner(conn, arms)
        # One more than the page tells whether there is another one.
        window = Window(cursor.size + 1, cursor.after, request.min_score)
        rank = partial(_rank, runner, scope, profile, window)
        found = await _run(rank, [arm for arm in arms if not arm.idle_reason])
        await store.limit_time(conn, remaining(STATEMENT_CAP_S))
        results = await _read(conn, namespace.id, found[: cursor.size], chars)
    return SearchResponse(results, _next_token(cursor, found), runner.reports()), settings


async def _embed(
    embedder: QueryEmbedder, request: SearchRequest
) -> QueryVector | QueryNotEmbedded | None:
    """Return the query's vector, or why there is none; None where the mode needs none.

    Raises EmbedderUnavailable where nothing else would answer.
    """
    if request.mode not in (SearchMode.HYBRID, SearchMode.SEMANTIC):
        return None
    try:
        return await embedder.embed(request.text)
    except QueryNotEmbedded as error:
        if request.mode is SearchMode.SEMANTIC:
            raise EmbedderUnavailable(
                f"Search by meaning alone is not possible: {error}."
            ) from error
        return error


async def _arms(
    conn: Connection,
    scope: Scope,
    settings: NamespaceSettings,
    request: SearchRequest,
    vector: QueryVector | QueryNotEmbedded | None,
) -> Sequence[Arm]:
    """Return the arms of the mode that is asked for, made for the query."""
    if request.mode is SearchMode.REGEX:
        return [RegexArm(scope, request.text)]
    if request.mode is SearchMode.TRIGRAM:
        return [TrigramArm(scope, tokens_asked_for(request.text))]
    if request.mode is SearchMode.SEMANTIC:
        return [SemanticArm(scope, vector)]
    query = parse_query(request.text) if request.operators else parse_words(request.text)
    analysed = await analyse_query(conn, settings.text_search_config, query)
    # What a query demands holds for every arm.
    scope = replace(scope, constraint=analysed.constraint)
    lexical = TsvectorArm(scope, analysed.terms, request.explain)
    if request.mode is SearchMode.LEXICAL:
        return [lexical]
    literal = TrigramArm(scope, literals_asked_for(query))
    return [lexical, literal, SemanticArm(scope, vector)]


def _profile(request: SearchRequest) -> Profile:
    """Return the profile that a search ranks by; with one arm, that is relevance. Raises InvalidArgument."""
    profile = find_profile(request.profile, request.balanced)
    return profile if request.mode is SearchMode.HYBRID else RECALL


async def _run(
    rank: Callable[[Sequence[Arm]], Awaitable[list[Hit]]], arms: Sequence[Arm]
) -> list[Hit]:
    """Return the hits of the arms that answer. Raises the driver's error where none does."""
    while arms:
        try:
            return await rank(arms)
        except ArmFailed as failure:
            arms = [arm for arm in arms if arm is not failure.arm]
            if not arms and failure.__cause__:
                raise failure.__cause__ from None
    return []


async def _rank(
    runner: Runner, scope: Scope, profile: Profile, window: Window, arms: Sequence[Arm]
) -> list[Hit]:
    """Return the hits in `window`, as the profile ranks them. Raises ArmFailed."""
    ranking = [arm for arm in arms if isinstance(arm, RankingArm)]
    if isinstance(profile, Balanced):
        return await rank_by_formula(runner, ranking, scope, profile, window)
    if len(arms) > 1:
        return await fuse(runner, ranking, profile.weights, window)
    return [_hit(arms[0], candidate) for candidate in await runner.find(arms[0], window)]


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
    )


async def _read(
    conn: Connection, namespace_id: int, hits: Sequence[Hit], chars: int
) -> list[SearchResult]:
    source_ids = [hit.source_id for hit in hits]
    passage_ids = [hit.passage_id for hit in hits]
    rows = await store.read_memories(
        conn, namespace_id, source_ids, passage_ids, chars, max_parts(chars)
    )
    by_id = {hit.source_id: hit for hit in hits}
    return [SearchResult(row, row.passage, by_id[row.id]) for row in rows]


def _next_token(cursor: Cursor, found: Sequence[Hit]) -> str:
    if len(found) <= cursor.size:
        return ""
    return cursor.token(found[cursor.size - 1].position)
