"""A query's vector is requested once, and, with a cached namespace, before the database is asked."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import AsyncIterator

import pytest

from everword.domain.errors import EmbedderUnavailable, InvalidConsistencyToken
from everword.domain.not_found import NamespaceNotFound
from everword.domain.settings import NO_SECRET
from everword.embedded.ports import free_ports
from everword_search.passages.vectors import QueryNotEmbedded, QueryVector
from everword_search.retrieval.arms.base import ArmState, SearchArm
from everword_search.retrieval.model import SearchMode, SearchResponse
from everword_search.retrieval.query.query_embedder import QueryEmbedder
from support.background import embed_everything
from support.cached_search import Searching, check_same, locked, searching, waiting
from support.calls import append, message
from support.databases import DatabaseUnderTest
from support.stack import Stack, running_stack
from support.waits import until

PETS = "Which pets do we have?"
BY_MEANING = pytest.mark.parametrize("mode", [SearchMode.HYBRID, SearchMode.SEMANTIC])


class ObservedEmbedder(QueryEmbedder):
    """Calls the real embedder and records the requests; a test may delay them or let them fail."""

    def __init__(self, address: str) -> None:
        super().__init__(address, NO_SECRET)
        self.asked: list[str] = []
        #: Cancelled requests.
        self.let_go: list[str] = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.fails = False
        #: Queries without any answer.
        self.stuck: set[str] = set()

    async def embed(self, namespace_id: int, query: str, generation_id: int | None) -> QueryVector:
        self.asked.append(query)
        try:
            await (asyncio.Event() if query in self.stuck else self.gate).wait()
            if self.fails:
                raise QueryNotEmbedded("the embedding model cannot be reached")
            return await super().embed(namespace_id, query, generation_id)
        except asyncio.CancelledError:
            self.let_go.append(query)
            raise


@pytest.fixture
async def knowing(database: DatabaseUnderTest) -> AsyncIterator[Stack]:
    """A stack with three messages and their vectors."""
    async with running_stack(database) as stack:
        await append(
            stack,
            message("Our cat Miso sleeps on the radiator.", author="Lea"),
            message("The ferry leaves at nine.", author="Marta Silva"),
            message("I cannot stand mushrooms.", author="Marta Silva"),
        )
        await embed_everything(stack)
        yield stack


@pytest.fixture
def embedder(knowing: Stack) -> ObservedEmbedder:
    return ObservedEmbedder(knowing.addresses["embedder"])


@pytest.fixture
async def search(knowing: Stack, embedder: ObservedEmbedder) -> AsyncIterator[Searching]:
    """Searches of a cached namespace."""
    async with searching(knowing, embedder=embedder) as search:
        await search.often()
        assert search.holds()
        assert embedder.asked == []
        yield search


async def of_the_database(stack: Stack, text: str, mode: SearchMode) -> SearchResponse:
    """Return a search's result from the database alone, without a cache."""
    embedder = QueryEmbedder(stack.addresses["embedder"], NO_SECRET)
    async with searching(stack, 0, embedder=embedder) as nothing:
        return await nothing.search(text, mode=mode)


# Number of requests


@BY_MEANING
async def test_new_query_is_embedded_once_and_then_cached(
    search: Searching, embedder: ObservedEmbedder, knowing: Stack, mode: SearchMode
) -> None:
    expected = await of_the_database(knowing, PETS, mode)
    assert expected.results
    for _ in range(3):
        check_same(await search.search(PETS, mode=mode), expected)
    assert embedder.asked == [PETS]
    assert embedder.let_go == []


async def test_query_vector_is_cached_per_namespace(
    search: Searching, embedder: ObservedEmbedder
) -> None:
    for namespace_id in (1, 1, 2):
        if not embedder.known(namespace_id, PETS, 1):
            await embedder.embed(namespace_id, PETS, 1)
    assert embedder.asked == [PETS, PETS]


async def test_lexical_search_embeds_nothing(search: Searching, embedder: ObservedEmbedder) -> None:
    assert await search.contents("ferry") == ["The ferry leaves at nine."]
    assert embedder.asked == []


@BY_MEANING
async def test_query_with_cached_namespace_is_embedded_before_the_database_answers(
    search: Searching, embedder: ObservedEmbedder, knowing: Stack, mode: SearchMode
) -> None:
    with locked(knowing, "namespaces") as lock:
        asking = asyncio.create_task(search.search("What does Marta dislike?", mode=mode))
        await until(lambda: bool(waiting(knowing)))
        await until(lambda: embedder.known(1, "What does dislike?", 1) is not None)
        assert not asking.done()
        lock.rollback()
    assert [result.memory.content for result in (await asking).results]
    assert embedder.asked == ["What does dislike?"]


async def test_query_without_cached_namespace_is_embedded_after_the_database_answers(
    embedder: ObservedEmbedder, knowing: Stack
) -> None:
    async with searching(knowing, embedder=embedder) as search:
        with locked(knowing, "namespaces") as lock:
            asking = asyncio.create_task(search.search(PETS, mode=SearchMode.SEMANTIC))
            await until(lambda: bool(waiting(knowing)))
            assert embedder.asked == []
            lock.rollback()
        await asking
        assert embedder.asked == [PETS]


# Names


@BY_MEANING
async def test_cached_author_names_are_removed_from_the_embedded_query(
    search: Searching, embedder: ObservedEmbedder, knowing: Stack, mode: SearchMode
) -> None:
    question = "What can't Marta Silva's daughter Lea stand?"
    expected = await of_the_database(knowing, question, mode)
    check_same(await search.search(question, mode=mode), expected)
    assert embedder.asked == ["What can't daughter stand?"]


@BY_MEANING
async def test_author_added_after_caching_is_removed_from_the_embedded_query(
    search: Searching, embedder: ObservedEmbedder, knowing: Stack, mode: SearchMode
) -> None:
    await append(knowing, message("My parrot speaks.", author="Zelda"), session_key="new")
    await embed_everything(knowing)
    question = "What pet does Zelda have?"
    expected = await of_the_database(knowing, question, mode)
    assert "My parrot speaks." in [result.memory.content for result in expected.results]
    check_same(await search.search(question, mode=mode), expected)
    # The speculative request is one additional question, once; afterwards the cache contains the name.
    assert embedder.asked == [question, "What pet does have?"]
    check_same(await search.search(question, mode=mode), expected)
    other = "What bird does Zelda have?"
    expected = await of_the_database(knowing, other, mode)
    check_same(await search.search(other, mode=mode), expected)
    assert embedder.asked[2:] == ["What bird does have?"]


@BY_MEANING
async def test_author_known_only_to_the_cache_stays_in_the_embedded_query(
    search: Searching, embedder: ObservedEmbedder, knowing: Stack, mode: SearchMode
) -> None:
    with knowing.database.connect() as conn:
        conn.execute("DELETE FROM author_names WHERE name = 'marta'")
    question = "What does Marta dislike?"
    expected = await of_the_database(knowing, question, mode)
    check_same(await search.search(question, mode=mode), expected)
    assert embedder.asked == ["What does dislike?", question]


async def test_wrong_speculative_embedding_is_cancelled_without_waiting(
    search: Searching, embedder: ObservedEmbedder, knowing: Stack
) -> None:
    await append(knowing, message("My parrot speaks.", author="Zelda"), session_key="new")
    question = "What pet does Zelda have?"
    embedder.stuck = {question}
    response = await search.search(question, mode=SearchMode.HYBRID)
    assert all(report.state is not ArmState.DEGRADED for report in response.arms)
    assert embedder.asked == [question, "What pet does have?"]
    await until(lambda: embedder.let_go == [question])


# Failures


def unretrieved(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return the logged failures that no task has retrieved."""
    gc.collect()
    return [
        record.getMessage()
        for record in caplog.records
        if record.name == "asyncio" and record.levelno >= logging.ERROR
    ]


async def check_failing(search: Searching, text: str) -> None:
    with pytest.raises(EmbedderUnavailable, match="cannot be reached"):
        await search.search(text, mode=SearchMode.SEMANTIC)
    response = await search.search(text, mode=SearchMode.HYBRID)
    states = {report.arm: (report.state, report.reason) for report in response.arms}
    assert states[SearchArm.LEXICAL][0] is ArmState.RAN
    assert states[SearchArm.SEMANTIC] == (
        ArmState.DEGRADED,
        "the embedding model cannot be reached",
    )
    assert response.results[0].memory.content == "The ferry leaves at nine."


async def test_failing_embedder_is_called_once_per_search_and_recovers(
    search: Searching, embedder: ObservedEmbedder, caplog: pytest.LogCaptureFixture
) -> None:
    embedder.fails = True
    await check_failing(search, "ferry")
    assert embedder.asked == ["ferry"] * 2
    assert unretrieved(caplog) == []
    embedder.fails = False
    response = await search.search("ferry", mode=SearchMode.HYBRID)
    assert all(report.state is not ArmState.DEGRADED for report in response.arms)


async def test_failed_speculative_embedding_leaves_no_unretrieved_exception(
    search: Searching, embedder: ObservedEmbedder, knowing: Stack, caplog: pytest.LogCaptureFixture
) -> None:
    await append(knowing, message("Hello.", author="Zelda"), session_key="new")
    embedder.fails = True
    await check_failing(search, "Zelda's ferry")
    # From the second search on, the cache contains the name.
    assert embedder.asked == ["Zelda's ferry", "ferry", "ferry"]
    assert unretrieved(caplog) == []


async def test_unreachable_embedder_leaves_no_unretrieved_exception(
    knowing: Stack, caplog: pytest.LogCaptureFixture
) -> None:
    away = QueryEmbedder(f"127.0.0.1:{free_ports(1)[0]}", NO_SECRET)
    async with searching(knowing, embedder=away) as search:
        await search.often()
        assert search.holds()
        await check_failing(search, "ferry")
    assert unretrieved(caplog) == []


async def test_failed_embedding_of_a_refused_search_leaves_no_unretrieved_exception(
    search: Searching, embedder: ObservedEmbedder, caplog: pytest.LogCaptureFixture
) -> None:
    embedder.fails = True
    with pytest.raises(InvalidConsistencyToken):
        await search.search(PETS, mode=SearchMode.HYBRID, at_least_as_fresh="nonsense")
    await until(lambda: embedder.asked == [PETS])
    assert unretrieved(caplog) == []


async def test_hybrid_without_embedder_skips_the_semantic_arm(
    knowing: Stack, caplog: pytest.LogCaptureFixture
) -> None:
    async with searching(knowing) as search:
        await search.often()
        assert search.holds()
        response = await search.search("ferry", mode=SearchMode.HYBRID)
        states = {report.arm: report.state for report in response.arms}
        assert states[SearchArm.LEXICAL] is ArmState.RAN
        assert states[SearchArm.SEMANTIC] is ArmState.SKIPPED
        with pytest.raises(EmbedderUnavailable, match="no embedder is configured"):
            await search.search("ferry", mode=SearchMode.SEMANTIC)
    assert unretrieved(caplog) == []


# Early ends


@BY_MEANING
async def test_cancelled_search_cancels_its_embedding(
    search: Searching,
    embedder: ObservedEmbedder,
    knowing: Stack,
    caplog: pytest.LogCaptureFixture,
    mode: SearchMode,
) -> None:
    """During the database's statement, and while waiting for the vector."""
    embedder.gate.clear()
    with locked(knowing, "namespaces") as lock:
        asking = asyncio.create_task(search.search(PETS, mode=mode))
        await until(lambda: bool(waiting(knowing)) and embedder.asked == [PETS])
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        lock.rollback()
    await until(lambda: embedder.let_go == [PETS])
    asking = asyncio.create_task(search.search("ferry", mode=mode))
    await until(lambda: embedder.asked == [PETS, "ferry"])
    await asyncio.sleep(0.1)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    await until(lambda: embedder.let_go == [PETS, "ferry"])
    embedder.gate.set()
    assert (await search.contents("ferry", mode=mode))[0] == "The ferry leaves at nine."
    assert search.holds()
    assert unretrieved(caplog) == []


async def test_refused_search_cancels_its_embedding(
    search: Searching, embedder: ObservedEmbedder, caplog: pytest.LogCaptureFixture
) -> None:
    embedder.gate.clear()
    with pytest.raises(InvalidConsistencyToken):
        await search.search(PETS, mode=SearchMode.HYBRID, at_least_as_fresh="nonsense")
    await asyncio.sleep(0)
    assert embedder.let_go == embedder.asked
    assert unretrieved(caplog) == []


async def test_search_in_deleted_namespace_cancels_its_embedding(
    search: Searching, embedder: ObservedEmbedder, knowing: Stack
) -> None:
    with knowing.database.connect() as conn:
        conn.execute("UPDATE namespaces SET state = 'deleting' WHERE id = 1")
    embedder.gate.clear()
    with pytest.raises(NamespaceNotFound):
        await search.search(PETS, mode=SearchMode.HYBRID)
    await until(lambda: embedder.let_go == [PETS])


async def test_cancelled_search_does_not_affect_concurrent_equal_searches(
    search: Searching, embedder: ObservedEmbedder, knowing: Stack
) -> None:
    """A cancelled search does not affect another one with the same query."""
    embedder.gate.clear()
    searches = [asyncio.create_task(search.search(PETS, mode=SearchMode.SEMANTIC)) for _ in "123"]
    await until(lambda: embedder.asked == [PETS] * 3)
    searches[1].cancel()
    embedder.gate.set()
    done = await asyncio.gather(*searches, return_exceptions=True)
    assert isinstance(done[1], asyncio.CancelledError)
    expected = await of_the_database(knowing, PETS, SearchMode.SEMANTIC)
    for response in (done[0], done[2]):
        assert isinstance(response, SearchResponse)
        check_same(response, expected)
