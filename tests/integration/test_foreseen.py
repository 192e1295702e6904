"""If a query's vector is cached, nearest passages are searched once, while the database executes its query."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from everword.db.arrays import Array
from everword.domain.settings import NO_SECRET
from everword_search.cache.cached_index import CachedIndex
from everword_search.cache.columns.vectors import Vectors
from everword_search.cache.prefetched_scan import prefetch_scan
from everword_search.kernels.arrays import Ints
from everword_search.records.model import MemoryFilter
from everword_search.retrieval.model import SearchMode
from everword_search.retrieval.query.query_embedder import QueryEmbedder
from support.background import embed_everything
from support.cached_search import Searching, check_same, locked, searching, waiting
from support.calls import append, message
from support.databases import DatabaseUnderTest
from support.stack import Stack, running_stack
from support.tool_calls import tool_call, write_pending_sentences
from support.waits import until

PETS = "Which pets do we have?"
CAT = "Our cat Miso sleeps on the radiator."
BY_MEANING = pytest.mark.parametrize("mode", [SearchMode.HYBRID, SearchMode.SEMANTIC])


@pytest.fixture
async def knowing(database: DatabaseUnderTest) -> AsyncIterator[Stack]:
    async with running_stack(database) as stack:
        await append(
            stack,
            message(CAT, author="Lea"),
            message("The ferry leaves at nine.", author="Marta"),
            message("I cannot stand mushrooms.", author="Marta"),
        )
        await embed_everything(stack)
        yield stack


@pytest.fixture
async def search(knowing: Stack) -> AsyncIterator[Searching]:
    """Searches of a cached namespace."""
    embedder = QueryEmbedder(knowing.addresses["embedder"], NO_SECRET)
    async with searching(knowing, embedder=embedder) as search:
        await search.often()
        assert search.holds()
        yield search


async def search_in_database(stack: Stack, text: str) -> list[str]:
    embedder = QueryEmbedder(stack.addresses["embedder"], NO_SECRET)
    async with searching(stack, 0, embedder=embedder) as nothing:
        return await nothing.contents(text, mode=SearchMode.HYBRID)


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Number of rows in each search for nearest vectors."""
    looks: list[int] = []
    nearest = Vectors.nearest

    def watched(self: Vectors, asked: Array, allowed: Array, most: int) -> Ints:
        looks.append(int(allowed.sum()))
        return nearest(self, asked, allowed, most)

    monkeypatch.setattr(Vectors, "nearest", watched)
    return looks


@BY_MEANING
async def test_vector_scan_runs_once_while_the_database_query_runs(
    search: Searching, knowing: Stack, looked: list[int], mode: SearchMode
) -> None:
    first = await search.search(PETS, mode=mode)
    assert looked == [3]
    with locked(knowing, "namespaces") as lock:
        again = asyncio.create_task(search.search(PETS, mode=mode))
        await until(lambda: bool(waiting(knowing)))
        assert looked == [3, 3]
        lock.rollback()
    check_same(await again, first)
    assert looked == [3, 3]
    assert first.results[0].memory.content == CAT


@BY_MEANING
async def test_prefetched_scan_applies_the_filter(
    search: Searching, looked: list[int], mode: SearchMode
) -> None:
    of_marta = MemoryFilter(authors=["Marta"])
    first = await search.search(PETS, mode=mode, filter=of_marta)
    again = await search.search(PETS, mode=mode, filter=of_marta)
    check_same(again, first)
    assert looked == [2, 2]
    assert CAT not in [each.memory.content for each in again.results]
    assert (await search.contents(PETS, mode=mode))[0] == CAT


@BY_MEANING
async def test_passage_stored_after_the_prefetch_is_found(
    search: Searching, knowing: Stack, looked: list[int], mode: SearchMode
) -> None:
    await search.search(PETS, mode=mode)
    await append(knowing, message("We have two pets, a cat and a parrot.", author="Lea"))
    await embed_everything(knowing)
    looked.clear()
    found = await search.contents(PETS, mode=mode)
    assert found[0] == "We have two pets, a cat and a parrot."
    # The search in advance covers the old passages; new ones are compared separately.
    assert looked == [3]
    assert await search.contents(PETS, mode=mode) == found
    assert looked == [3, 4]


async def test_vector_stored_after_the_prefetch_is_found(
    search: Searching, knowing: Stack, looked: list[int]
) -> None:
    await search.search(PETS, mode=SearchMode.SEMANTIC)
    await append(knowing, message("We have two pets, a cat and a parrot.", author="Lea"))
    assert len(await search.contents(PETS, mode=SearchMode.SEMANTIC)) < 4
    looked.clear()
    await embed_everything(knowing)
    found = await search.contents(PETS, mode=SearchMode.SEMANTIC)
    assert found[0] == "We have two pets, a cat and a parrot."
    # A cache that waits for vectors asks for them first.
    assert looked == [4]


async def test_prefetched_scan_includes_passages_added_by_another_search(
    search: Searching, knowing: Stack
) -> None:
    await search.search(PETS, mode=SearchMode.SEMANTIC)
    copy = search.cache.find(1)
    assert copy is not None
    vectors = copy.index.vectors
    assert vectors is not None
    vector = search.embedder.known(1, PETS, vectors.generation_id)
    assert vector is not None
    prefetched = prefetch_scan(copy, vector, MemoryFilter())
    assert prefetched is not None

    def now() -> CachedIndex:
        return CachedIndex(copy, copy.index.snapshot(), vectors, MemoryFilter(), 0.0)

    before = prefetched.now(now(), vectors, vector.values)
    assert before is not None
    assert sorted(before[0].tolist()) == [0, 1, 2]
    await append(knowing, message("We have two pets, a cat and a parrot.", author="Lea"))
    await embed_everything(knowing)
    await search.search("Who has a parrot?", mode=SearchMode.SEMANTIC)
    assert len(copy.pending()) == 0
    after = prefetched.now(now(), vectors, vector.values)
    assert after is not None
    assert sorted(after[0].tolist()) == [0, 1, 2, 3]
    assert after[1][3] == max(after[1])
    assert prefetched.now(now(), vectors, vector.values.copy()) is None


async def test_passage_deleted_after_the_prefetch_is_not_found(
    search: Searching, knowing: Stack
) -> None:
    stored = await append(knowing, tool_call("pets.py"))
    await write_pending_sentences(knowing)
    await embed_everything(knowing)
    question = "What was called?"
    for _ in range(2):
        found = await search.contents(question, mode=SearchMode.HYBRID)
    with knowing.database.connect() as conn:
        conn.execute("SELECT set_config('everword.namespace_id', '1', false)")
        conn.execute(
            "SELECT drop_derived_passages(1, %s::uuid[])", [[stored.messages[0].message_id]]
        )
    # First in the database, and then in a cache with as many rows, one of which is deleted.
    for _ in range(3):
        left = await search.contents(question, mode=SearchMode.HYBRID)
        await search.loaded()
        assert search.holds()
        assert left == (await search_in_database(knowing, question))
    assert left != found
