"""Pages contain everything once, in order, in every mode, at any depth."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import grpc
import psycopg
import pytest
import pytest_asyncio

from everword.domain.tokens import PageTokens
from everword.rpc.pages import to_page
from everword.v1 import memory_pb2
from everword.v1 import search_service_pb2 as pb
from everword_search.retrieval.search import TOKEN_KIND
from support.callers import make_namespaces, within
from support.calls import append, append_request, message
from support.corpus import Corpus, sample_corpus, search_request
from support.databases import cloned
from support.refusals import refused
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")
#: More than 4,096, the limit of other search engines.
MANY = 4200

QUERIES = {
    "LEXICAL": "When does the migration of the orders start, and who decides?",
    "HYBRID": "orders-db migration 10.20.4.17 PostgreSQL-16",
    "TRIGRAM": "orders migration",
    "REGEX": "[aeiou]{2}",
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def corpus(postgres_url: str) -> AsyncIterator[Corpus]:
    async with sample_corpus(postgres_url) as corpus:
        yield corpus


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def crowded(postgres_url: str) -> AsyncIterator[Stack]:
    """A stack with many mostly similar memories."""
    with cloned(postgres_url) as database:
        async with running_stack(database, embedder=False) as stack:
            for start in range(0, MANY, 600):
                numbers = range(start, start + 600)
                texts = [f"note about build-{n % 50} of the gateway" for n in numbers]
                await stack.ingest.AppendMessages(append_request(*texts))
            yield stack


async def walk(stack: Stack, mode: str, query: str, size: int, **fields: Any) -> list[list[str]]:
    pages: list[list[str]] = []
    token = ""
    while True:
        request = search_request(query, mode, page_size=size, page_token=token, **fields)
        response = await stack.search.Search(request)
        pages.append([result.memory.id for result in response.results])
        token = response.next_page_token
        if not token:
            return pages


@pytest.mark.parametrize("mode", list(QUERIES))
async def test_small_pages_concatenate_to_the_whole_result(corpus: Corpus, mode: str) -> None:
    (whole,) = await walk(corpus.stack, mode, QUERIES[mode], 200)
    assert len(whole) > 10
    pages = await walk(corpus.stack, mode, QUERIES[mode], 7)
    assert [id_ for page in pages for id_ in page] == whole
    assert [len(page) for page in pages[:-1]] == [7] * (len(pages) - 1)
    assert len(set(whole)) == len(whole)


@pytest.mark.parametrize("mode", ["LEXICAL", "HYBRID"])
async def test_pages_have_no_duplicates_when_appends_change_every_score(
    postgres_url: str, mode: str
) -> None:
    with cloned(postgres_url) as database:
        async with running_stack(database, embedder=False) as stack:
            await append(stack, *(f"The heron was seen {n} times." for n in range(12)))
            request = search_request("heron", mode, page_size=5)
            first = await stack.search.Search(request)
            # Longer than the average, so that the others, which are shorter, score more.
            await append(stack, "Nothing but geese and ducks again. " * 20, session_key="other")
            request.page_token = first.next_page_token
            second = await stack.search.Search(request)
            request.page_token = second.next_page_token
            third = await stack.search.Search(request)
    assert third.results[0].score > 0
    pages = [[result.memory.id for result in page.results] for page in (first, second, third)]
    assert [len(page) for page in pages] == [5, 5, 2]
    assert len({id_ for page in pages for id_ in page}) == 12


@pytest.mark.parametrize(
    ("mode", "query"),
    [("LEXICAL", "gateway note"), ("REGEX", "gateway$")],
)
async def test_paging_returns_thousands_of_equal_scores_once(
    crowded: Stack, mode: str, query: str
) -> None:
    pages = await walk(crowded, mode, query, 200)
    ids = [id_ for page in pages for id_ in page]
    assert len(ids) == len(set(ids)) == MANY
    assert [len(page) for page in pages] == [200] * (MANY // 200)


async def test_hybrid_paging_returns_each_candidate_once(crowded: Stack) -> None:
    pages = await walk(crowded, "HYBRID", "build-7 of the gateway", 50)
    ids = [id_ for page in pages for id_ in page]
    assert len(ids) == len(set(ids))
    assert 150 <= len(ids) < MANY


async def test_first_hybrid_page_of_thousands_has_ten_matching_results(crowded: Stack) -> None:
    response = await crowded.search.Search(search_request("build-7", "HYBRID"))
    assert len(response.results) == 10
    assert all("build-7 " in result.memory.content for result in response.results)


async def test_page_size_is_ten_by_default_and_at_most_two_hundred(crowded: Stack) -> None:
    default = await crowded.search.Search(search_request("gateway"))
    assert len(default.results) == 10
    most = await crowded.search.Search(search_request("gateway", page_size=1_000_000))
    assert len(most.results) == 200


async def test_paging_ends_at_min_score(corpus: Corpus) -> None:
    query = QUERIES["HYBRID"]
    (whole,) = await walk(corpus.stack, "HYBRID", query, 200)
    response = await corpus.search(query, "HYBRID", page_size=200)
    floor = response.results[len(whole) // 2].score
    above = [result.memory.id for result in response.results if result.score >= floor]
    pages = await walk(corpus.stack, "HYBRID", query, 5, min_score=floor)
    assert [id_ for page in pages for id_ in page] == above
    assert len(above) < len(whole)


async def token_of(corpus: Corpus, query: str = "orders", **fields: Any) -> str:
    response = await corpus.search(query, page_size=1, **fields)
    assert response.next_page_token
    return response.next_page_token


@pytest.mark.parametrize(
    "fields",
    [
        {"query": "order"},
        {"mode": "HYBRID"},
        {"filter": memory_pb2.MemoryFilter(agents=["atlas"])},
        {"min_score": 0.01},
        {"explain": True},
    ],
)
async def test_page_token_of_another_request_is_refused(
    corpus: Corpus, fields: dict[str, Any]
) -> None:
    changed = {"query": "orders", "page_token": await token_of(corpus), **fields}
    refusal = await refused(corpus.search(**changed))
    assert refusal.code is grpc.StatusCode.INVALID_ARGUMENT
    assert refusal.reason == "PAGE_TOKEN_INVALID"


async def test_page_token_works_with_another_page_size(corpus: Corpus) -> None:
    token = await token_of(corpus)
    response = await corpus.search("orders", page_size=3, page_token=token)
    (whole,) = await walk(corpus.stack, "LEXICAL", "orders", 200)
    assert [result.memory.id for result in response.results] == whole[1:4]


@pytest.mark.parametrize("token", ["x", "AAAA", "!!!!", "a" * 400])
async def test_forged_page_token_is_refused(corpus: Corpus, token: str) -> None:
    refusal = await refused(corpus.search("orders", page_token=token))
    assert refusal.reason == "PAGE_TOKEN_INVALID"


async def test_page_token_of_another_rpc_or_namespace_is_refused(corpus: Corpus) -> None:
    await make_namespaces(corpus.stack, "other")
    await append(corpus.stack, message("orders"), metadata=within("other"))
    request = search_request("orders", page_token=await token_of(corpus))
    elsewhere = corpus.stack.search.Search(request, metadata=within("other"))
    assert (await refused(elsewhere)).reason == "PAGE_TOKEN_INVALID"
    browse = pb.BrowseRequest(page_token=request.page_token)
    assert (await refused(corpus.stack.search.Browse(browse))).reason == "PAGE_TOKEN_INVALID"


@pytest.mark.parametrize("mode", ["LEXICAL", "HYBRID"])
async def test_page_token_of_an_earlier_release_is_refused(corpus: Corpus, mode: str) -> None:
    """Its positions lacked promoted hits of earlier pages."""
    request = search_request("orders", mode)
    with corpus.stack.database.connect() as conn:
        [(secret, namespace_id)] = conn.execute(
            "SELECT token_secret, id FROM deployment, namespaces WHERE name = 'default'"
        ).fetchall()
    position = [-0.5, 0.5, 7]
    tokens = PageTokens(bytes(secret), f"Search/2:{namespace_id}")
    request.page_token = tokens.issue(to_page(request).request_hash, position)
    refusal = await refused(corpus.stack.search.Search(request))
    assert refusal.code is grpc.StatusCode.INVALID_ARGUMENT
    assert refusal.reason == "PAGE_TOKEN_INVALID"
    # It is refused for its kind, not for its secret. The current format begins with the source of the page.
    known = PageTokens(bytes(secret), f"{TOKEN_KIND}:{namespace_id}")
    request.page_token = known.issue(to_page(request).request_hash, [0.5, "", 0, [], *position[1:]])
    await corpus.stack.search.Search(request)


async def test_pages_of_long_contents_are_shorter(corpus: Corpus) -> None:
    response = await corpus.search("orders", page_size=200, max_content_chars=100_000)
    assert len(response.results) <= 41
    assert bool(response.next_page_token) == (len(response.results) == 41)


async def test_repeated_search_returns_equal_results_and_counts_no_use(corpus: Corpus) -> None:
    def uses() -> list[tuple[object, ...]]:
        with corpus.stack.database.connect() as conn:
            rows: psycopg.Cursor[Any] = conn.execute("SELECT * FROM memory_use")
            return rows.fetchall()

    first = await corpus.search(QUERIES["HYBRID"], "HYBRID")
    for _ in range(3):
        again = await corpus.search(QUERIES["HYBRID"], "HYBRID")
        assert again.results == first.results
    assert uses() == []
