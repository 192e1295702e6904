"""Names in a query may be spelt differently; a query about an unknown person gets a verdict of no answer."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from everword.v1 import search_service_pb2 as pb
from everword.v1.search_service_pb2_grpc import SearchServiceStub
from support.background import embed_everything
from support.cached_search import reference_search, warm_up
from support.calls import append, message
from support.corpus import search_request
from support.databases import cloned
from support.stack import running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")

SAID = {
    "Muhhamed": ["I run a bakery in the old town.", "My sister plays the violin."],
    "Catherine": ["I repaired my bicycle on Sunday.", "The bakery has the best bread."],
    "Stephen": ["I sold my car.", "We went to the lake with the dog."],
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def searches(postgres_url: str) -> AsyncIterator[list[SearchServiceStub]]:
    """A search with a cache, and one without."""
    with cloned(postgres_url) as database:
        async with running_stack(database) as stack:
            for author, texts in SAID.items():
                await append(stack, *(message(text, author=author) for text in texts))
            await embed_everything(stack)
            await warm_up(stack)
            async with reference_search(database, stack.addresses["embedder"]) as reference:
                yield [stack.search, reference]


async def ask(searches: list[SearchServiceStub], query: str) -> pb.SearchResponse:
    """Return the response, which cache and database must agree on."""
    request = search_request(query, "HYBRID")
    response, again = [await stub.Search(request) for stub in searches]
    assert response.verdict == again.verdict
    assert [each.memory.id for each in response.results] == [
        each.memory.id for each in again.results
    ]
    return response


@pytest.mark.parametrize(
    ("asked", "known"),
    [
        ("Muhammad", "Muhhamed"),
        ("Mohammed", "Muhhamed"),
        ("Katherine", "Catherine"),
        ("Steven", "Stephen"),
    ],
)
async def test_search_finds_a_person_by_another_spelling(
    searches: list[SearchServiceStub], asked: str, known: str
) -> None:
    """With the same results as the known spelling."""
    query = "What does {} have to do with the bakery or the car?"
    response = await ask(searches, query.format(asked))
    expected = await ask(searches, query.format(known))
    assert response.verdict == pb.VERDICT_RELEVANT
    assert response.results[0].memory.author == known
    for found, same in zip(response.results, expected.results, strict=True):
        assert found.memory.id == same.memory.id
        assert found.relevance == pytest.approx(same.relevance, abs=0.01)


async def test_search_for_a_name_alone_finds_messages_of_this_author(
    searches: list[SearchServiceStub],
) -> None:
    response = await ask(searches, "Stephen?")
    assert [each.memory.author for each in response.results[:2]] == ["Stephen", "Stephen"]
    assert response.verdict == pb.VERDICT_RELEVANT


async def test_query_about_unknown_person_has_verdict_nothing_relevant(
    searches: list[SearchServiceStub],
) -> None:
    response = await ask(searches, "What does Bartholomew say about the harpsichord?")
    assert response.verdict == pb.VERDICT_NOTHING_RELEVANT


@pytest.mark.parametrize(
    "query",
    [
        "What did we decide about the harpsichord?",
        "How much did the zeppelin cost?",
        "Which tarantula is the best one?",
        "When was the glacier mentioned on 12.05.2023?",
    ],
)
async def test_query_about_unknown_topic_has_verdict_nothing_relevant(
    searches: list[SearchServiceStub], query: str
) -> None:
    """The nearest results are returned all the same."""
    response = await ask(searches, query)
    assert response.verdict == pb.VERDICT_NOTHING_RELEVANT
    assert response.results


async def test_query_in_other_words_has_verdict_relevant(searches: list[SearchServiceStub]) -> None:
    for query in ("Who mended a bike?", "Where can I buy bread?", "Who bakes?"):
        assert (await ask(searches, query)).verdict == pb.VERDICT_RELEVANT, query
