"""Searches of cached namespaces, and checks by their statements whether the cache answered."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import psycopg
import pytest
from opentelemetry import propagate, trace
from opentelemetry.context import Context

from everword.client.channel import open_channel
from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.settings import NO_SECRET
from everword.v1 import search_service_pb2 as pb
from everword.v1.search_service_pb2_grpc import SearchServiceStub
from everword_search.cache.namespace_cache import NamespaceCache
from everword_search.ranking.models.ranker import Ranker
from everword_search.retrieval.model import SearchMode, SearchRequest, SearchResponse
from everword_search.retrieval.query.query_embedder import QueryEmbedder
from everword_search.retrieval.search import search
from everword_search.retrieval.sources import Sources
from everword_search.server import SearchServer
from everword_search.settings import SearchSettings
from support.callers import Metadata
from support.corpus import search_request
from support.databases import DatabaseUnderTest
from support.spans import exporter, trace_of
from support.stack import BASE, Stack
from support.waits import until

_ASKING = "asking"
_WAITING = """
SELECT pid FROM pg_stat_activity
 WHERE datname = current_database() AND wait_event_type = 'Lock' AND application_name = 'everword-search'
"""


@asynccontextmanager
async def reference_search(
    database: DatabaseUnderTest, embedder_address: str = ""
) -> AsyncIterator[SearchServiceStub]:
    """Run another search server without a cache."""
    settings = SearchSettings(
        replace(BASE, service="search"),
        database.settings("search"),
        embedder_address=embedder_address,
        cache_bytes=0,
    )
    server = SearchServer(settings)
    address = await server.start()
    try:
        async with open_channel(address) as channel:
            yield SearchServiceStub(channel)
    finally:
        await server.stop()


async def asked(
    stub: SearchServiceStub, request: pb.SearchRequest, metadata: Metadata = ()
) -> tuple[pb.SearchResponse, set[str]]:
    """Return a search's response, and the names of the statements that it ran."""
    memory = exporter()
    with trace.get_tracer("tests").start_as_current_span(_ASKING, context=Context()):
        carrier: dict[str, str] = {}
        propagate.inject(carrier)
        response = await stub.Search(request, metadata=(*metadata, *carrier.items()))
    statements = {span.name for span in trace_of(memory.get_finished_spans(), _ASKING)}
    memory.clear()
    return response, statements


def was_in_memory(statements: set[str]) -> bool:
    found = {"find_lexical", "find_semantic_exact", "find_semantic_hnsw", "read_candidates"}
    return "read_passages" in statements and not statements & found


async def find(
    stack: Stack, query: str, mode: str = "LEXICAL", metadata: Metadata = (), **fields: Any
) -> tuple[list[str], bool]:
    """Return the contents of a search's hits, and whether the cache answered."""
    fields.setdefault("page_size", 50)
    response, statements = await asked(
        stack.search, search_request(query, mode, **fields), metadata
    )
    return [result.memory.content for result in response.results], was_in_memory(statements)


async def warm_up(stack: Stack, metadata: Metadata = ()) -> None:
    """Search a namespace until it is cached."""

    async def is_warm() -> bool:
        return (await find(stack, "anything", metadata=metadata))[1]

    await until(is_warm)


class Clock:
    """A clock controlled by the test."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Searching:
    """The search use case with a cache whose limits and clock the test controls."""

    database: Database
    cache: NamespaceCache
    clock: Clock
    embedder: QueryEmbedder
    sources: Sources = field(init=False)

    def __post_init__(self) -> None:
        self.sources = Sources(self.database, self.embedder, Ranker.load(), self.cache)

    async def search(
        self, text: str, namespace_id: int = 1, mode: SearchMode = SearchMode.LEXICAL, **fields: Any
    ) -> SearchResponse:
        request = SearchRequest(text, mode, **fields)
        return await search(self.sources, NamespaceScope(namespace_id, "tests"), request)

    async def contents(
        self, text: str, namespace_id: int = 1, mode: SearchMode = SearchMode.LEXICAL, **fields: Any
    ) -> list[str]:
        found = await self.search(text, namespace_id, mode, **fields)
        return [result.memory.content for result in found.results]

    async def often(self, namespace_id: int = 1) -> None:
        """Search a namespace until it is cached, if the cache has space for it."""
        await self.search("anything", namespace_id)
        await self.loaded()

    async def loaded(self) -> None:
        """Wait until all loading has ended."""
        work = _tasks("NamespaceCache._load", "NamespaceCache._look_for_vectors")
        await asyncio.gather(*work, return_exceptions=True)
        # A load that has just ended is removed from the loading list in the next turn of the loop.
        await asyncio.sleep(0)

    def holds(self, namespace_id: int = 1) -> bool:
        """Return whether a namespace is in memory. This call counts as a search of the namespace."""
        return self.cache.ask(namespace_id) is not None


def _tasks(*names: str) -> list[asyncio.Task[Any]]:
    """Return the tasks that run functions of these names."""
    return [
        task
        for task in asyncio.all_tasks()
        if getattr(task.get_coro(), "__qualname__", "") in names
    ]


@asynccontextmanager
async def searching(
    stack: Stack,
    limit_bytes: int = 64 << 20,
    embedder: QueryEmbedder | None = None,
) -> AsyncIterator[Searching]:
    """Yield the use case with a cache of the given size."""
    database = Database(stack.database.settings("search"), "search")
    await database.open()
    clock = Clock()
    embedder = embedder or QueryEmbedder("", NO_SECRET)
    await embedder.open()
    cache = NamespaceCache(database, limit_bytes, clock)
    cache.open()
    try:
        yield Searching(database, cache, clock, embedder)
    finally:
        await cache.close()
        await embedder.close()
        await database.close()


def check_same(found: SearchResponse, expected: SearchResponse) -> None:
    """Check that two searches found the same. Scores may differ by 1e-6, since cosines are not computed alike
    everywhere.
    """
    results, others = found.results, expected.results
    assert [each.memory.content for each in results] == [each.memory.content for each in others]
    scores = [each.hit.score for each in others]
    assert [each.hit.score for each in results] == pytest.approx(scores, abs=1e-6)


def count_as_large(monkeypatch: pytest.MonkeyPatch, passages: int) -> None:
    """Let the cache treat namespaces with more than `passages` passages as large: it keeps only signs of
    their vectors.
    """
    monkeypatch.setattr("everword_search.cache.cached_namespace.EXACT_PASSAGES", passages)


def locked(stack: Stack, table: str) -> psycopg.Connection:
    """Return a connection that locks a table until it is rolled back; readers of the table wait."""
    conn = psycopg.connect(stack.database.admin_url, options="-c search_path=everword,public")
    conn.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE".encode())
    return conn


def waiting(stack: Stack) -> list[int]:
    """Return the database backends of search that wait for a lock."""
    with stack.database.connect() as conn:
        return [pid for (pid,) in conn.execute(_WAITING).fetchall()]
