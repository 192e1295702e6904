"""Searches in memory and in the database return the same results."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import product
from typing import Any

import pytest
import pytest_asyncio

from everword.v1 import search_service_pb2 as pb
from everword.v1.memory_pb2 import MEMORY_KIND_MESSAGE, ROLE_TOOL, ROLE_USER, MemoryFilter
from everword.v1.search_service_pb2_grpc import SearchServiceStub
from support.background import embed_everything
from support.cached_search import (
    asked,
    count_as_large,
    reference_search,
    warm_up,
    was_in_memory,
)
from support.calls import append, message
from support.compaction import ScriptedComposer, compact_everything
from support.corpus import import_sample, sample, search_request
from support.databases import cloned
from support.memories import DERIVED_KINDS, remember
from support.stack import Stack, running_stack
from support.tool_calls import write_pending_sentences

# Slow: all tests of the file together, which one process runs.
pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.slow]

LONG = (
    "The harbour was quiet. " * 60
    + "The zeppelin over the harbour carried the orderdesk team to Basel. "
    + "Nobody spoke of the migration or the gateway for weeks. " * 200
)
WAYS: dict[str, dict[str, Any]] = {
    "recall": {"mode": "HYBRID"},
    # Recency changes from one moment to the next; with it, no two searches would score alike.
    "balanced": {
        "mode": "HYBRID",
        "profile": "balanced",
        "balanced": pb.BalancedOptions(temporal_weight=0.0),
    },
    "lexical": {"mode": "LEXICAL"},
    "semantic": {"mode": "SEMANTIC"},
}
QUESTIONS = (
    "When is the cutover?",
    "What does error E4017 mean?",
    "Did Marta decide on the migration?",
    "Which database holds the orders?",
    "zeppelin harbour",
    "harbour",
    "the harbour harbour HARBOUR",
    "heartbeat of the gateway",
    "Consulted src/auth.rs",
    "read_file auth.rs login",
    "MySQL 5.7.44",
    "10.20.4.17",
    "Does anybody in Basel know the stale key?",
    "to be or not to be",
    "qwertzuiop",
    "7",
)
ways = pytest.mark.parametrize("way", list(WAYS))
FILTERS = {
    "spoken": MemoryFilter(),
    "all": MemoryFilter(include_automated=True),
    "asked": MemoryFilter(roles=[ROLE_USER, ROLE_TOOL], include_automated=True),
    "messages": MemoryFilter(kinds=[MEMORY_KIND_MESSAGE]),
}
filters = pytest.mark.parametrize("only", list(FILTERS))


@dataclass(frozen=True)
class Pair:
    """A stack whose search has everything cached, and a search of the same database without a cache."""

    stack: Stack
    reference: SearchServiceStub


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pair(postgres_url: str) -> AsyncIterator[Pair]:
    with cloned(postgres_url) as database:
        async with running_stack(database) as stack:
            await import_sample(stack)
            beats = [message(f"heartbeat {n} of the gateway", automated=True) for n in range(5)]
            await append(stack, LONG, *beats, LONG, session_key="harbour")
            for kind in DERIVED_KINDS:
                await remember(database, kind, LONG, f"The harbour of {kind} has a gateway.")
            await write_pending_sentences(stack)
            await compact_everything(stack, ScriptedComposer())
            await embed_everything(stack)
            # Passages without a vector are found as well.
            await append(stack, "A late zeppelin reached the harbour.", session_key="harbour")
            async with reference_search(database, stack.addresses["embedder"]) as reference:
                yield Pair(stack, reference)


@pytest.fixture
def queries() -> list[str]:
    """Return questions, and the text of one message in fifty."""
    said = [entry["content"] for each in sample() for entry in each["messages"] if entry["content"]]
    found = [*QUESTIONS, *(" ".join(re.findall(r"\w[\w.]*", text)[:12]) for text in said[::50])]
    assert len(found) > len(QUESTIONS) + 3
    return found


def request_of(way: str, query: str, only: str, **fields: Any) -> pb.SearchRequest:
    return search_request(query, filter=FILTERS[only], **WAYS[way], **fields)


async def pages(
    stubs: list[SearchServiceStub], request: pb.SearchRequest
) -> list[pb.SearchResponse]:
    """Return all pages, each requested from the next of several servers in turn."""
    found: list[pb.SearchResponse] = []
    while True:
        request.page_token = found[-1].next_page_token if found else ""
        if found and not request.page_token:
            return found
        found.append(await stubs[len(found) % len(stubs)].Search(request))
        assert len(found) < 200


def results_of(responses: list[pb.SearchResponse]) -> list[pb.SearchResult]:
    return [result for response in responses for result in response.results]


def told(results: list[pb.SearchResult]) -> list[tuple[str, str]]:
    return [(result.memory.id, result.passage) for result in results]


def scores(results: list[pb.SearchResult]) -> list[float]:
    return [result.score for result in results]


def relevances(results: list[pb.SearchResult]) -> list[float]:
    return [result.relevance for result in results]


@filters
@ways
async def test_cached_search_returns_same_results_as_database(
    pair: Pair, queries: list[str], way: str, only: str
) -> None:
    await warm_up(pair.stack)
    found_any = 0
    # The other ways share most of its code.
    chosen = queries if way == "recall" else queries[::2]
    for query in chosen:
        request = request_of(way, query, only, page_size=100)
        found, statements = await asked(pair.stack.search, request)
        expected, others = await asked(pair.reference, request)
        assert was_in_memory(statements) or way == "balanced"
        assert "read_passages" in statements
        assert "read_passages" not in others
        results, wanted = list(found.results), list(expected.results)
        assert told(results) == told(wanted), query
        assert scores(results) == pytest.approx(scores(wanted), abs=1e-6), query
        # A calibration is steeper than its score.
        assert relevances(results) == pytest.approx(relevances(wanted), abs=1e-5), query
        assert found.verdict == expected.verdict
        assert found.calibration == expected.calibration
        assert bool(found.next_page_token) == bool(expected.next_page_token)
        assert [(a.arm, a.state) for a in found.arms] == [(a.arm, a.state) for a in expected.arms]
        found_any += len(wanted)
    assert found_any > 9 * len(chosen)


@ways
async def test_min_relevance_equal_to_a_result_returns_it_from_cache_and_database(
    pair: Pair, way: str
) -> None:
    await warm_up(pair.stack)
    asked_for = 0
    for query in QUESTIONS[::2]:
        request = request_of(way, query, "spoken", page_size=5)
        for teller, other in [
            (pair.stack.search, pair.reference),
            (pair.reference, pair.stack.search),
        ]:
            request.min_relevance = 0.0
            for result in (await teller.Search(request)).results:
                request.min_relevance = result.relevance
                assert told([result])[0] in told(list((await other.Search(request)).results)), query
                asked_for += result.relevance > 0
    assert asked_for > 30


@pytest.mark.parametrize("only", ["spoken", "all"])
@ways
async def test_cached_pages_equal_single_page_of_database(
    pair: Pair, queries: list[str], way: str, only: str
) -> None:
    await warm_up(pair.stack)
    for query in queries[:: 2 if way == "lexical" else 3]:
        whole = await pages([pair.reference], request_of(way, query, only, page_size=200))
        request = request_of(way, query, only, page_size=7)
        paged = await pages([pair.stack.search], request)
        assert told(results_of(paged)) == told(results_of(whole)), query
        assert {page.verdict for page in paged} == {page.verdict for page in whole}


@pytest.mark.parametrize("first", ["memory", "database"])
@ways
async def test_pages_continue_between_cache_and_database(
    pair: Pair, queries: list[str], way: str, first: str
) -> None:
    await warm_up(pair.stack)
    stubs = [pair.stack.search, pair.reference]
    stubs = stubs if first == "memory" else stubs[::-1]
    for query in queries[::6]:
        whole = await pages([pair.reference], request_of(way, query, "spoken", page_size=200))
        paged = await pages(stubs, request_of(way, query, "spoken", page_size=7))
        assert told(results_of(paged)) == told(results_of(whole)), query


@asynccontextmanager
async def with_signs(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[Stack, SearchServiceStub]]:
    """Yield a server that caches only signs of vectors, and one that asks the database."""
    count_as_large(monkeypatch, 10)
    with cloned(postgres_url) as database:
        async with (
            running_stack(database) as stack,
            reference_search(database, stack.addresses["embedder"]) as reference,
        ):
            await import_sample(stack)
            await embed_everything(stack)
            await append(stack, LONG)
            await warm_up(stack)
            yield stack, reference


async def test_namespace_cached_with_sign_vectors_returns_same_results(
    postgres_url: str, queries: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With fewer passages than are compared exactly, none is missed."""
    async with with_signs(postgres_url, monkeypatch) as (stack, reference):
        for way, query in product(("recall", "semantic"), queries):
            request = request_of(way, query, "all", page_size=100)
            found, statements = await asked(stack.search, request)
            expected = await reference.Search(request)
            assert was_in_memory(statements)
            results, wanted = list(found.results), list(expected.results)
            assert told(results) == told(wanted), query
            assert scores(results) == pytest.approx(scores(wanted), abs=1e-6), query
