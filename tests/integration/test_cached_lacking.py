"""In the cache, passages that get no vector cost nothing per search, and are checked again later."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from everword.domain.settings import NO_SECRET
from everword_search.cache.cached_namespace import PENDING_AT_ONCE, RECHECK_INTERVAL_S
from everword_search.retrieval.model import SearchMode
from everword_search.retrieval.query.query_embedder import QueryEmbedder
from support.background import embed_everything
from support.cached_search import Searching, asked, searching, warm_up, was_in_memory
from support.calls import append
from support.corpus import search_request
from support.databases import DatabaseUnderTest
from support.stack import Stack, running_stack
from support.tool_calls import tool_call


@pytest.fixture
async def knowing(database: DatabaseUnderTest) -> AsyncIterator[Stack]:
    async with running_stack(database) as stack:
        yield stack


async def test_passages_without_vector_do_not_prevent_cached_search(
    knowing: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Append more such passages than a search asks for: calls without words, and symbols only."""
    monkeypatch.setattr("everword_search.cache.cached_namespace.PENDING_AT_ONCE", 40)
    await append(knowing, *[tool_call(f"file{number}.py") for number in range(50)])
    await append(knowing, "🎉 🎉", "Our cat Miso sleeps on the radiator.", "Lea is vegetarian.")
    await embed_everything(knowing)
    await warm_up(knowing)
    for mode in ("SEMANTIC", "HYBRID"):
        request = search_request(f"Which pets do we have, by {mode}?", mode)
        response, statements = await asked(knowing.search, request)
        assert response.results[0].memory.content.startswith("Our cat")
        assert was_in_memory(statements)
        assert "read_vectors" not in statements


@pytest.mark.parametrize("asked_at_once", [PENDING_AT_ONCE, 0])
async def test_parked_passage_is_found_after_late_embedding(
    stack: Stack, asked_at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("everword_search.cache.cached_namespace.PENDING_AT_ONCE", asked_at_once)
    await append(stack, "Our cat Miso sleeps on the radiator.", "Lea is vegetarian.")
    say = "UPDATE embedding_queue SET state = '{}' WHERE memory_id = (SELECT min(id) FROM memories)"
    with stack.database.connect() as owner:
        owner.execute(say.format("failed").encode())
        await embed_everything(stack)
        embedder = QueryEmbedder(stack.addresses["embedder"], NO_SECRET)
        async with searching(stack, embedder=embedder) as search:
            await search.often()
            assert await _pets(search) == []
            owner.execute(say.format("pending").encode())
            assert await _pets(search) == []
            search.clock.now += RECHECK_INTERVAL_S + 1
            # Expected vectors are requested by each search from now on, or after another interval.
            assert await _pets(search) == []
            await embed_everything(stack)
            search.clock.now += RECHECK_INTERVAL_S + 1 if not asked_at_once else 0
            await _pets(search)
            assert await _pets(search) == ["Our cat Miso sleeps on the radiator."]
            assert search.holds()


async def _pets(search: Searching) -> list[str]:
    """Return hits about a cat by meaning, after all background loading has ended."""
    found = await search.contents("Which pets do we have?", mode=SearchMode.SEMANTIC)
    await search.loaded()
    return [content for content in found if "cat" in content]
