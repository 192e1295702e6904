"""Run a sample query before the service accepts calls, so that the first call is as fast as later ones.

When a connection first runs a statement, PostgreSQL reads its catalogue and plans the statement. Together with word
lists, the connection to the embedder and late imports, this took the first search 0.2 to 0.7 s. The sample query
belongs to no namespace: it reads no rows and appears in no trace.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from datetime import UTC
from uuid import UUID

import numpy as np

from everword.db.arrays import array_of_uuids
from everword.db.pool import SQL as DATABASE_SQL
from everword.db.pool import STATEMENT_CAP_S, Connection
from everword.db.statements import BoundStatement, ask, fetch_each
from everword.domain.caller import NamespaceScope
from everword.domain.credentials import CredentialPolicy
from everword.domain.not_found import NamespaceNotFound
from everword.rpc.pages import DEFAULT_CONTENT_CHARS, open_cursor
from everword.text.tokens.counter import TokenCounter
from everword_search.context.budget import ContextDraft
from everword_search.context.chat_history import Start, read_start
from everword_search.context.context_builder import ContextBuilder
from everword_search.context.model import ContextRequest
from everword_search.context.repetition import WordsInContext
from everword_search.context.text import Layout
from everword_search.context.tokens import Tokens
from everword_search.endings.read_endings import outdated_statement
from everword_search.passages.ranked_memories import RankedMemories
from everword_search.passages.store import SQL, Scope
from everword_search.passages.vectors import GenerationRow, QueryNotEmbedded, QueryVector
from everword_search.records.model import max_parts
from everword_search.records.store import memories_statement, use_generic_plans
from everword_search.retrieval.arms.semantic import SemanticArm
from everword_search.retrieval.index.open_index import open_index
from everword_search.retrieval.model import SearchRequest
from everword_search.retrieval.profiles import find_profile
from everword_search.retrieval.query.analysis import analyse_query
from everword_search.retrieval.query.parse_query import NamespaceRow, ParsedQuery, parse_query
from everword_search.retrieval.query.query import parse_operands
from everword_search.retrieval.recall import CONTEXT, MAX_PARTS, NEAR
from everword_search.retrieval.runner import TIME_SHARE
from everword_search.retrieval.sources import Sources
from everword_search.retrieval.stages import (
    OpenedSearch,
    PlannedSearch,
    ValidatedSearch,
    hydrate,
    plan,
    retrieve,
)

log = logging.getLogger(__name__)
#: Seconds after which the service accepts calls even if the warm-up has not finished.
LIMIT_S = 10.0
#: Ids of namespaces begin at 1, so none of these exists. Each falls into another of the four partitions of a table.
_NAMESPACES = tuple(NamespaceScope(id_, "") for id_ in (0, -1, -2, -5))
_REQUEST = SearchRequest("When did Anna say that she would warm up?", profile="recall")
#: A namespace of typical size.
_DESCRIBED = NamespaceRow(
    time_zone="UTC",
    day_cutoff_minutes=0,
    text_search_config="english",
    use_counting=0,
    channel_policies={},
    credentials=CredentialPolicy.KEEP,
    passages=1000,
    lexemes=10_000,
    has_endings=True,
    names=[],
    like_names=[],
    has_graph=True,
)


async def warm_up(sources: Sources, tokens: Tokens, connections: int) -> None:
    """Run the sample query on `connections` connections at once.

    A failure is only logged, because real calls report errors better.
    """
    try:
        async with asyncio.timeout(LIMIT_S):
            # Fails at once without a database; the pool would wait for one.
            await sources.database.probe(DATABASE_SQL["schema_version"])
            # Read the secret first, since each of the queries below occupies a connection.
            await sources.database.token_secret()
            await asyncio.gather(
                *(_ask_in_each_partition(sources) for _ in range(connections)),
                sources.embedder.warm_up(),
                sources.word_lists.ready(),
                tokens.ready(),
            )
            await _build_context(sources, await tokens.ready())
    except Exception as error:  # Slow first calls are better than no service.
        log.warning("search.not_warmed_up", extra={"error": repr(error)})


async def _ask_in_each_partition(sources: Sources) -> None:
    async with sources.database.connection() as conn:
        for namespace in _NAMESPACES:
            await _ask(conn, sources, namespace)


async def _ask(conn: Connection, sources: Sources, namespace: NamespaceScope) -> None:
    database = sources.database
    cursor = await open_cursor(database, namespace, "", _REQUEST.page, default=1)
    profile = find_profile(_REQUEST.profile)
    asked = ValidatedSearch(namespace, _REQUEST, profile, cursor, DEFAULT_CONTENT_CHARS)
    async with database.bound(conn, namespace.id):
        await use_generic_plans(conn, STATEMENT_CAP_S)
        opened = await _open(conn, sources, namespace.id)
        planned = plan(sources, asked, opened, None, _vector(opened.parsed))
        page = await retrieve(conn, asked, planned, STATEMENT_CAP_S)
        await _read_hits(conn, opened, planned)
    await hydrate(conn, database, asked, page)


async def _build_context(sources: Sources, counter: TokenCounter) -> None:
    """Run the statements of all context blocks except memories, one block after another."""
    request = ContextRequest(_REQUEST.text)
    with suppress(NamespaceNotFound):
        await read_start(sources.database, _NAMESPACES[0], request)
    layout = Layout(counter, request.format, UTC, masks=True)
    draft = ContextDraft(request.token_budget, layout, WordsInContext(request.query))
    start, text = Start(_DESCRIBED, None), request.query
    building = ContextBuilder(sources, _NAMESPACES[0], request, start, text, text, draft, ())
    for finding in building.finders().values():
        with suppress(NamespaceNotFound):
            await finding


async def _open(conn: Connection, sources: Sources, namespace_id: int) -> OpenedSearch:
    """Return the sample query parsed for the described namespace; its statements match no rows."""
    with suppress(NamespaceNotFound):
        await parse_query(
            conn, namespace_id, _REQUEST, _REQUEST.profile, sources.cache, lambda copy: None
        )
    listed = BoundStatement(SQL["list_generations"], {"profile": _REQUEST.profile}, GenerationRow)
    [generations] = await fetch_each(conn, listed)
    query = parse_operands(_REQUEST.text)
    parsed = ParsedQuery(
        _DESCRIBED,
        _DESCRIBED.passages,
        _DESCRIBED.has_endings,
        frozenset(),
        {},
        query,
        analyse_query(query, _DESCRIBED.text_search_config),
        generations,
    )
    scope = Scope(namespace_id, _REQUEST.filter)
    index = open_index(scope, parsed, None, sources.frequent, sources.large_scopes)
    return OpenedSearch(parsed, index)


def _vector(parsed: ParsedQuery) -> QueryVector | QueryNotEmbedded:
    """Return a vector of the active model's size without calling the model, because a hosted model may cost money."""
    active = parsed.generation(None)
    if active is None or active.id is None or not active.dimensions:
        return QueryNotEmbedded("no model is active", expected=True)
    values = np.full(active.dimensions, active.dimensions**-0.5, np.float32)
    return QueryVector(active.id, values)


async def _read_hits(conn: Connection, opened: OpenedSearch, planned: PlannedSearch) -> None:
    """Run the statements about the hits of a search, with ids that no memory has."""
    runner, no_id, zero = planned.runner, UUID(int=0), np.zeros(1)
    nothing = RankedMemories(np.zeros(1, np.int64), array_of_uuids([no_id]), zero, zero)
    await opened.index.candidates(runner, [nothing], NEAR + CONTEXT, MAX_PARTS)
    for arm in planned.plan.arms:
        if isinstance(arm, SemanticArm) and runner.may_run(arm):
            await runner.deviations(arm, nothing.passage_ids, np.zeros(1, bool), TIME_SHARE)
    await runner.prepare(generic_plans=True, limit_s=STATEMENT_CAP_S)
    chars = DEFAULT_CONTENT_CHARS
    namespace_id = planned.scope.namespace_id
    asked = memories_statement(namespace_id, [no_id], [0], chars, max_parts(chars))
    memories = await ask(conn, asked)
    outdated = await ask(conn, outdated_statement(namespace_id, [no_id]))
    await memories.rows()
    await outdated.rows()
