"""Frequent words are not used for candidates if rarer ones find enough."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from everword.db.pool import Connection
from everword.v1 import search_service_pb2 as pb
from everword_search.passages import store
from everword_search.retrieval.arms.frequent_words import FrequentWords
from everword_search.retrieval.arms.lexical import Term
from support.calls import append, message
from support.databases import cloned
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")
TURNS = 12
#: All turns contain `harbour`, every third `ferry`, one `zeppelin`.
TEXTS = [
    f"harbour {number}" + " ferry" * (number % 3 == 0) + " zeppelin" * (number == 7)
    for number in range(TURNS)
]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    with cloned(postgres_url) as database:
        async with running_stack(database, cache_mb=0, embedder=False) as stack:
            await append(stack, *(message(text) for text in TEXTS))
            yield stack


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The words of each BM25 statement, in a namespace that counts as large."""
    words: list[list[str]] = []
    find = store.find_lexical

    async def spy(conn: Connection, scope: store.Scope, parameters: dict[str, Any]) -> Any:
        words.append(sorted(parameters["stems"]))
        return await find(conn, scope, parameters)

    monkeypatch.setattr("everword_search.passages.store.find_lexical", spy)
    monkeypatch.setattr("everword_search.retrieval.index.database_index.LARGE", TURNS - 1)
    # A third of the turns counts as frequent, one turn does not.
    monkeypatch.setattr("everword_search.retrieval.arms.frequent_words.SHARE", 0.2)
    return words


async def search(stack: Stack, query: str, **fields: Any) -> list[str]:
    response = await stack.search.Search(pb.SearchRequest(query=query, page_size=50, **fields))
    return [result.memory.content for result in response.results]


async def test_known_frequent_words_are_skipped_if_rare_words_find_enough(
    stack: Stack, asked: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("everword_search.retrieval.recall.POOL", 1)
    first = await search(stack, "harbour zeppelin ferry")
    second = await search(stack, "harbour zeppelin ferry")
    assert asked[-1] == ["zeppelin"]
    assert first[0] == second[0] == "harbour 7 zeppelin"


async def test_all_words_are_looked_up_if_rare_words_find_too_few_results(
    stack: Stack, asked: list[list[str]]
) -> None:
    everything = await search(stack, "harbour zeppelin")
    again = await search(stack, "harbour zeppelin")
    assert asked[-2:] == [["zeppelin"], ["harbour", "zeppelin"]]
    assert again == everything
    assert len(again) == TURNS


@pytest.mark.parametrize(
    "fields",
    [{"mode": pb.SEARCH_MODE_LEXICAL}, {"profile": "balanced"}, {"explain": True}],
    ids=str,
)
async def test_displayed_and_ranking_scores_include_frequent_words(
    stack: Stack, asked: list[list[str]], fields: dict[str, Any]
) -> None:
    for _ in range(2):
        await search(stack, "harbour zeppelin", **fields)
    assert asked == [["harbour", "zeppelin"]] * 2


async def test_small_namespace_learns_no_frequent_words(
    stack: Stack, asked: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("everword_search.retrieval.index.database_index.LARGE", TURNS)
    for _ in range(2):
        await search(stack, "harbour zeppelin")
    assert asked == [["harbour", "zeppelin"]] * 2


async def test_frequent_words_are_learned_per_namespace() -> None:
    words = FrequentWords()
    terms = [Term("harbour", "harbour"), Term("ferry", "ferri")]
    prefix = Term("zeppelin*", "zeppelin", "zeppelin")
    words.learn(1, [*terms, prefix], [51, 50, 900], 1000)
    assert words.without(1, terms) == terms[1:]
    assert words.without(2, terms) == terms
    whole = [Term("zeppelin", "zeppelin")]
    assert words.without(1, whole) == whole
