"""Find the memories most relevant to a query."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from everword.admission.fair_share import Group
from everword.db.namespaces import NamespaceSettings, get_namespace_settings
from everword.db.pool import STATEMENT_CAP_S, Connection, Database
from everword.domain.caller import NamespaceScope
from everword.domain.deadline import remaining
from everword.domain.errors import InvalidArgument
from everword.rpc.pages import DEFAULT_CONTENT_CHARS, Cursor, PageRequest, open_cursor
from everword.text.periods import find_event
from everword_search.passages.as_of import find_as_of
from everword_search.passages.vectors import QueryNotEmbedded, QueryVector
from everword_search.ranking.times.periods import TimeRange, event_period, named_event
from everword_search.records.freshness import ensure_fresh, fresh_transaction
from everword_search.records.read_conversations import read_conversation
from everword_search.records.store import recent_turns, use_generic_plans
from everword_search.records.use import count_use
from everword_search.retrieval.model import SearchMode, SearchRequest, SearchResponse, Verdict
from everword_search.retrieval.plan import QueryWords, plan_words
from everword_search.retrieval.profiles import find_profile
from everword_search.retrieval.query.event_phrases import names_event
from everword_search.retrieval.query.follow_up import (
    TURNS_READ,
    TURNS_READ_BYTES,
    complete,
    last_turns,
    word_list_of,
)
from everword_search.retrieval.query.parse_query import BY_MEANING, BY_WORDS, ParsedQuery
from everword_search.retrieval.query.query import parse_operands
from everword_search.retrieval.query.query_embedding import ExpectedVector, QueryEmbedding
from everword_search.retrieval.query.topics import topic_of
from everword_search.retrieval.relevance import ensure_has_relevance
from everword_search.retrieval.runner import ArmFailed
from everword_search.retrieval.sources import Sources
from everword_search.retrieval.stages import (
    HitPage,
    OpenedSearch,
    PlannedSearch,
    ValidatedSearch,
    hydrate,
    open_search,
    plan,
    retrieve,
)

DEFAULT_PAGE = 10
#: The profile that ranks by periods.
BY_PERIODS = "recall"
#: Results of the search for an event; the first that is no question tells of it.
_EVENT_RESULTS = 3
#: Kind of the page tokens. Increment the number when the form of positions in `_next_token` changes.
TOKEN_KIND = "Search/8"
#: Value of `UseCounting`: returned memories count as used.
_RETURNED = 2


async def search(
    sources: Sources, namespace: NamespaceScope, request: SearchRequest
) -> SearchResponse:
    """Return a page of results, best first (newest first for REGEX).

    Counts the results as used if the namespace counts returned memories. Raises the errors of `find_memories`.
    """
    response, settings = await find_memories(sources, namespace, request)
    if settings.use_counting == _RETURNED:
        await count_use(
            sources.database, namespace, [result.memory.id for result in response.results]
        )
    return response


async def find_memories(
    sources: Sources, namespace: NamespaceScope, request: SearchRequest, *, with_events: bool = True
) -> tuple[SearchResponse, NamespaceSettings]:
    """Return a page of results, and the namespace settings of the search.

    An arm that fails is reported as degraded if another arm answers. `with_events` allows one more search for an event
    that the query names its time by.

    Raises InvalidArgument for an empty query and for an unknown profile, InvalidPageToken, InvalidConsistencyToken,
    ConversationNotFound; for REGEX InvalidRegex, RegexTooExpensive and Overloaded; EmbedderUnavailable for SEMANTIC,
    which has no other arm; and NotCalibrated or EmbedderUnavailable if the request has a `min_relevance` and relevance
    cannot be computed.
    """
    if not request.text.strip():
        raise InvalidArgument(violations=(("query", "must contain more than white space"),))
    ensure_has_relevance(request)
    # An unknown profile is refused in every mode, although modes with one arm rank by that arm.
    profile = find_profile(request.profile, request.balanced)
    chars = request.max_content_chars or DEFAULT_CONTENT_CHARS
    cursor = await open_cursor(
        *(sources.database, namespace, TOKEN_KIND, request.page),
        default=DEFAULT_PAGE,
        item_chars=chars,
    )
    if request.mode is SearchMode.HYBRID:
        # Loading takes a while right after the start, so it happens before a connection is taken.
        await sources.word_lists.ready()
    filter_ = await find_as_of(
        *(sources.database, namespace, request.filter, request.reference_time),
        at_least_as_fresh=request.at_least_as_fresh,
    )
    text = topic_of(request.text) if request.mode is SearchMode.HYBRID else request.text
    request, last_seq = replace(request, filter=filter_, text=text), 0
    if request.conversation_id and request.mode in BY_WORDS | BY_MEANING:
        request, last_seq = await _complete(sources, namespace, request, cursor)
    if with_events and cursor.after:
        # A message added since the first page could change the period, and with it the order of the results.
        request = replace(
            request, event_periods=tuple(TimeRange(*each) for each in cursor.after[3])
        )
    elif with_events:
        request = await _find_event_period(sources, namespace, request)
    asked = ValidatedSearch(namespace, request, profile, cursor, chars, last_seq)
    embedding = QueryEmbedding(sources.embedder, namespace.id, request)
    async with AsyncExitStack() as stack:
        expected = embedding.expect(sources.cache.find(namespace.id))
        if expected:
            stack.enter_context(closing(expected))
        if request.mode is SearchMode.REGEX:
            await stack.enter_async_context(sources.expensive.acquired(Group(namespace.id)))
        response, settings = await _find(_Search(sources, asked, embedding, expected))
    if request.is_completed:
        response = replace(response, completed_query=request.text)
    return response, settings


async def _complete(
    sources: Sources, namespace: NamespaceScope, request: SearchRequest, cursor: Cursor
) -> tuple[SearchRequest, int]:
    """Return the request completed with words of its conversation, without the turns that they are from.

    Also return the position of the latest turn that counts, which is the same on every page. Raises
    ConversationNotFound.
    """
    assert request.conversation_id is not None
    async with fresh_transaction(sources.database, namespace, request.at_least_as_fresh) as conn:
        await read_conversation(conn, namespace.id, request.conversation_id)
        newest = await recent_turns(
            *(conn, namespace.id, request.conversation_id, TURNS_READ, TURNS_READ_BYTES)
        )
    last_seq = cursor.after[2] if cursor.after else max((turn.seq for turn in newest), default=0)
    said = last_turns([turn for turn in newest if turn.seq <= last_seq], request.text)
    if request.operators and parse_operands(request.text).filters:
        return request, last_seq
    await sources.word_lists.ready(word_list_of(said))
    text = complete(said)
    if text == request.text:
        return request, last_seq
    excluded = [*(request.filter.excluded_memory_ids or ()), *said.ids]
    filter_ = replace(request.filter, excluded_memory_ids=excluded)
    return replace(request, text=text, filter=filter_, is_completed=True), last_seq


async def _find_event_period(
    sources: Sources, namespace: NamespaceScope, request: SearchRequest
) -> SearchRequest:
    """Return the request with the period that its query names by an event, such as `after the wedding`.

    The event is found by another search for its words, without events of its own.
    """
    event = find_event(request.text, ()) if request.mode is SearchMode.HYBRID else None
    if event is None or request.profile != BY_PERIODS or not names_event(request.text, event):
        return request
    now = request.reference_time or datetime.now(UTC)
    async with sources.database.transaction(namespace.id) as conn:
        settings = await get_namespace_settings(conn, namespace.id)
    event = named_event(request.text, settings.text_search_config, now, settings.time_zone)
    if event is None:
        return request
    of_event = SearchRequest(
        event.words,
        filter=request.filter,
        page=PageRequest(_EVENT_RESULTS),
        at_least_as_fresh=request.at_least_as_fresh,
        operators=False,
    )
    response, _ = await find_memories(sources, namespace, of_event, with_events=False)
    # The question may be among the memories, too.
    told = next(
        (
            each.memory
            for each in response.results
            if not each.memory.content.endswith(("?", "？", "؟"))
        ),
        None,
    )
    if response.verdict is not Verdict.RELEVANT or told is None:
        return request
    period = event_period(event, told.content, told.occurred_at, settings.time_zone)
    return replace(request, event_periods=(period,)) if period else request


@dataclass(frozen=True)
class _Search:
    """A search with the objects that its transactions use."""

    sources: Sources
    asked: ValidatedSearch
    embedding: QueryEmbedding
    expected: ExpectedVector | None

    @property
    def database(self) -> Database:
        return self.sources.database

    @asynccontextmanager
    async def transaction(self, conn: Connection) -> AsyncIterator[None]:
        """Begin a transaction that sees the write of the request's consistency token."""
        namespace = self.asked.namespace
        async with self.database.bound(conn, namespace.id):
            await ensure_fresh(self.database, conn, namespace, self.asked.request.at_least_as_fresh)
            yield

    def has_word_lists(self, parsed: ParsedQuery) -> bool:
        """Return whether the search can weigh words in its namespace's language."""
        if self.asked.request.mode is not SearchMode.HYBRID:
            return True
        return self.sources.word_lists.are_ready(parsed.settings.text_search_config)

    async def wait_for_word_lists(self, parsed: ParsedQuery) -> None:
        """Wait until the search can weigh words in its namespace's language."""
        if not self.has_word_lists(parsed):
            await self.sources.word_lists.ready(parsed.settings.text_search_config)


@dataclass(frozen=True)
class _ReadQuery:
    """The query as interpreted in its namespace, with its vector."""

    opened: OpenedSearch
    #: The vector or the reason that there is none; None if it must be waited for, or if the mode needs none.
    vector: QueryVector | QueryNotEmbedded | None
    #: None until they are planned.
    words: QueryWords | None = None

    @property
    def parsed(self) -> ParsedQuery:
        return self.opened.parsed


async def _find(search: _Search) -> tuple[SearchResponse, NamespaceSettings]:
    """Search in one transaction, or in two if the query's vector or the word lists must be waited for."""
    async with search.database.connection() as conn:
        query, page = await _read_and_retrieve(conn, search)
        if page:
            return await _respond(conn, search, query, page)
    # The connection is returned first, because a slow model must not occupy one.
    query = await _wait(search, query)
    async with search.database.connection() as conn:
        query, page = await _retrieve(conn, search, query)
        return await _respond(conn, search, query, page)


async def _read_and_retrieve(
    conn: Connection, search: _Search
) -> tuple[_ReadQuery, HitPage | None]:
    """Read the query, and retrieve a page in the same transaction unless something must be waited for."""
    try:
        async with search.transaction(conn):
            query, limit_s = await _read_query(conn, search)
            has_no_vector = query.vector is None and search.embedding.is_wanted
            if has_no_vector or not search.has_word_lists(query.parsed):
                return query, None
            planned = _plan(search, query)
            page = await retrieve(conn, search.asked, planned, limit_s)
    except ArmFailed as failure:
        page = await _retrieve_without_failed_arms(conn, search, planned, failure)
    return query, page


async def _retrieve(
    conn: Connection, search: _Search, query: _ReadQuery
) -> tuple[_ReadQuery, HitPage]:
    """Retrieve a page for a query whose vector and words are ready."""
    limit_s = None
    try:
        async with search.transaction(conn):
            if query.parsed.generation_of(query.vector) is None:
                # A new model became active after the query was read.
                query, limit_s = await _read_query(conn, search, query.vector)
                # The namespace's language may have changed with it.
                await search.wait_for_word_lists(query.parsed)
            planned = _plan(search, query)
            page = await retrieve(conn, search.asked, planned, limit_s)
    except ArmFailed as failure:
        page = await _retrieve_without_failed_arms(conn, search, planned, failure)
    return query, page


async def _retrieve_without_failed_arms(
    conn: Connection, search: _Search, planned: PlannedSearch, failure: ArmFailed
) -> HitPage:
    """Retrieve a page without the arms that failed, in a new transaction.

    Raises the database's error if it breaks the connection, or if no arm is left.
    """
    # The connection is kept, because other callers may be waiting for one.
    while planned.runner.left() and not conn.broken:
        try:
            async with search.transaction(conn):
                page = await retrieve(conn, search.asked, planned, None)
        except ArmFailed as another:
            failure = another
        else:
            return page
    raise failure.__cause__ or failure from None


async def _read_query(
    conn: Connection, search: _Search, vector: QueryVector | QueryNotEmbedded | None = None
) -> tuple[_ReadQuery, float]:
    """Read the query in its namespace, and use its vector if it is cached.

    Also return the timeout of each statement of the transaction, in seconds; their plans are generic.
    """
    limit_s = remaining(STATEMENT_CAP_S)
    # The statements that read a query are constant, and so are those that read the memories of its page.
    await use_generic_plans(conn, limit_s)
    opened = await open_search(conn, search.sources, search.asked, search.expected)
    if opened.parsed.generation_of(vector) is None:
        missing = QueryNotEmbedded("this database does not have the query's model")
        vector = search.embedding.missing(missing)
    if vector is None and search.embedding.is_wanted:
        vector = search.embedding.at_hand(opened.parsed)
    return _ReadQuery(opened, vector), limit_s


def _plan(search: _Search, query: _ReadQuery) -> PlannedSearch:
    return plan(search.sources, search.asked, query.opened, query.words, query.vector)


async def _wait(search: _Search, query: _ReadQuery) -> _ReadQuery:
    """Wait for the word lists, and for the query's vector or the reason that there is none.

    Raises EmbedderUnavailable if no other arm would answer.
    """
    await search.wait_for_word_lists(query.parsed)
    if query.vector is not None or not search.embedding.is_wanted:
        return query
    words = plan_words(search.asked.request, query.parsed, query.opened.index)
    vector, _ = await asyncio.gather(
        search.embedding.embed(query.parsed, search.expected), _prepare_arms(words)
    )
    return replace(query, vector=vector, words=words)


async def _prepare_arms(words: QueryWords | None) -> None:
    if words:
        await words.lexical.prepare_search()


async def _respond(
    conn: Connection, search: _Search, query: _ReadQuery, page: HitPage
) -> tuple[SearchResponse, NamespaceSettings]:
    response = await hydrate(conn, search.database, search.asked, page)
    return replace(response, corrections=query.parsed.corrections), query.parsed.settings
