"""Find the memories most relevant to a query."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, closing
from dataclasses import dataclass, replace

from everword.admission.fair_share import Group
from everword.db.namespaces import NamespaceSettings
from everword.db.pool import STATEMENT_CAP_S, Connection
from everword.domain.caller import NamespaceScope
from everword.domain.deadline import remaining
from everword.domain.errors import InvalidArgument
from everword_search.ranking.profiles import find_profile
from everword_search.records.freshness import ensure_fresh
from everword_search.records.pages import DEFAULT_CONTENT_CHARS, open_cursor
from everword_search.records.use import count_use
from everword_search.retrieval.index.as_of import find_as_of
from everword_search.retrieval.index.query_plans import use_generic_plans
from everword_search.retrieval.model import SearchMode, SearchRequest, SearchResponse
from everword_search.retrieval.plan import Words, plan_words
from everword_search.retrieval.query.query_embedder import QueryNotEmbedded, QueryVector
from everword_search.retrieval.query.query_embedding import ExpectedVector, QueryEmbedding
from everword_search.retrieval.relevance import ensure_has_relevance
from everword_search.retrieval.runner import ArmFailed
from everword_search.retrieval.sources import Sources
from everword_search.retrieval.stages import (
    AskedSearch,
    OpenedSearch,
    Page,
    PlannedSearch,
    hydrate,
    open_search,
    plan,
    retrieve,
)

DEFAULT_PAGE = 10
#: Page tokens of one kind hold positions of one form: a change of `_next_token` takes another number.
TOKEN_KIND = "Search/6"
#: `UseCounting` of a namespace in which being returned is a use.
_RETURNED = 2


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
    if not request.text.strip():
        raise InvalidArgument(violations=(("query", "must hold more than white space"),))
    ensure_has_relevance(request)
    # Refuses a profile that there is not also where the mode has one arm, and ranks by that.
    profile = find_profile(request.profile, request.balanced)
    chars = request.max_content_chars or DEFAULT_CONTENT_CHARS
    cursor = await open_cursor(
        sources.database, namespace, TOKEN_KIND, request.page, DEFAULT_PAGE, chars
    )
    if request.mode is SearchMode.HYBRID:
        # Before a connection is lent: right after the start, this takes a while.
        await sources.word_lists.ready()
    filter_ = await find_as_of(sources.database, namespace, request.filter)
    if filter_ is not request.filter:
        request = replace(request, filter=filter_)
    asked = AskedSearch(namespace, request, profile, cursor, chars)
    embedding = QueryEmbedding(sources.embedder, namespace.id, request)
    async with AsyncExitStack() as held:
        expected = embedding.expect(sources.cache.find(namespace.id))
        if expected:
            held.enter_context(closing(expected))
        if request.mode is SearchMode.REGEX:
            await held.enter_async_context(sources.expensive.having(Group(namespace.id)))
        return await _find(sources, _Prepared(asked, embedding, expected))


@dataclass(frozen=True)
class _Prepared:
    """A search, and how its query becomes a vector."""

    asked: AskedSearch
    embedding: QueryEmbedding
    expected: ExpectedVector | None


@dataclass(frozen=True)
class _Known:
    """The state of a search after a transaction: the next one goes on from there."""

    opened: OpenedSearch | None = None
    words: Words | None = None
    #: Or why there is none; None also where none is wanted.
    vector: QueryVector | QueryNotEmbedded | None = None
    #: Keeps which arms failed.
    planned: PlannedSearch | None = None


async def _find(sources: Sources, search: _Prepared) -> tuple[SearchResponse, NamespaceSettings]:
    """Go through the stages, in as few transactions as there are things to wait for."""
    known = _Known()
    while True:
        async with sources.database.connection() as conn:
            known, page = await _attempt(conn, sources, search, known)
            while page is None and known.planned:
                # An arm failed. The others go on with the same connection: there may be a queue for another one.
                known, page = await _attempt(conn, sources, search, known)
            if page and known.opened:
                response = await hydrate(conn, sources.database, search.asked, page)
                parsed = known.opened.parsed
                return replace(response, corrections=parsed.corrections), parsed.settings
        # A slow model must not hold a connection.
        known = await _prepare(sources, search, known)


async def _attempt(
    conn: Connection, sources: Sources, search: _Prepared, known: _Known
) -> tuple[_Known, Page | None]:
    """Go as far as one transaction does: to a page, unless something is to be waited for first, or an arm fails."""
    asked, database = search.asked, sources.database
    try:
        async with database.bound(conn, asked.namespace.id):
            freshness = asked.request.at_least_as_fresh
            await ensure_fresh(database, conn, asked.namespace, freshness)
            known, generic_plans_s = await _open(conn, sources, search, known)
            if known.opened is None or not _is_ready(sources, search, known):
                return known, None
            planned = known.planned or plan(sources, asked, known.opened, known.words, known.vector)
            known = replace(known, planned=planned)
            page = await retrieve(conn, asked, planned, generic_plans_s)
        return known, page
    except ArmFailed as failure:
        # Where no arm is left to answer, it is the database that fails.
        if known.planned is None or not known.planned.runner.left() or conn.broken:
            raise failure.__cause__ or failure from None
        return known, None


async def _open(
    conn: Connection, sources: Sources, search: _Prepared, known: _Known
) -> tuple[_Known, float | None]:
    """Find out what the query means, unless that is known, and take its vector if it is at hand.

    Also returns how long each statement of the transaction may take, where they are planned once.
    """
    opened, words, vector, generic_plans_s = known.opened, known.words, known.vector, None
    if opened is None or opened.parsed.generation_of(vector) is None:
        # What the query means is asked for in the same way each time, and so is the page at the end.
        generic_plans_s = remaining(STATEMENT_CAP_S)
        await use_generic_plans(conn, generic_plans_s)
        opened, words = await open_search(conn, sources, search.asked, search.expected), None
        if opened.parsed.generation_of(vector) is None:
            lacking = QueryNotEmbedded("this database does not have the query's model")
            vector = search.embedding.missing(lacking)
    if vector is None and search.embedding.is_wanted:
        vector = search.embedding.at_hand(opened.parsed)
    return replace(known, opened=opened, words=words, vector=vector), generic_plans_s


def _is_ready(sources: Sources, search: _Prepared, known: _Known) -> bool:
    """Tell whether all is known that an answer takes, the query's vector too."""
    has_vector = known.vector is not None or not search.embedding.is_wanted
    return has_vector and _can_weigh_words(sources, search, known)


def _can_weigh_words(sources: Sources, search: _Prepared, known: _Known) -> bool:
    """Tell whether the lists of the namespace's language are there: to read them takes a while."""
    if known.opened is None or search.asked.request.mode is not SearchMode.HYBRID:
        return True
    return sources.word_lists.are_ready(known.opened.parsed.settings.text_search_config)


async def _prepare(sources: Sources, search: _Prepared, known: _Known) -> _Known:
    """Wait for the query's vector, or why there is none, and for what words weigh.

    Raises EmbedderUnavailable where nothing else would answer.
    """
    assert known.opened is not None
    parsed, index = known.opened.parsed, known.opened.index
    if not _can_weigh_words(sources, search, known):
        await sources.word_lists.ready(parsed.settings.text_search_config)
    if known.vector is not None or not search.embedding.is_wanted:
        return known
    words = known.words or plan_words(search.asked.request, parsed, index)
    vector, _ = await asyncio.gather(
        search.embedding.embed(parsed, search.expected), _look_ahead(words)
    )
    return replace(known, words=words, vector=vector)


async def _look_ahead(words: Words | None) -> None:
    if words:
        await words.lexical.look_ahead()
