"""Misspelt queries are answered: always by TRIGRAM, and by HYBRID if no memory contains the word."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import replace

import pytest
import pytest_asyncio

from everword.v1 import search_service_pb2 as pb
from everword.v1.ingest_service_pb2 import AppendMessagesRequest
from everword.v1.memory_pb2 import MEMORY_KIND_MESSAGE, MEMORY_KIND_SUMMARY, MemoryFilter
from everword.v1.search_service_pb2_grpc import SearchServiceStub
from everword_compactor.compose.extractive.composer import ExtractiveComposer
from everword_compactor.compose.model import Composition, Draft
from support.background import embed_everything
from support.cached_search import asked, reference_search, warm_up, was_in_memory
from support.calls import append, message, target
from support.compaction import compact_everything
from support.corpus import search_request
from support.databases import cloned
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")

SAID = (
    "We take the ferry from Rotterdam on Friday.",
    "The deployments of the ledger went well.",
    "Ledger and ferry were late again.",
    "Oluwaseun brings the keys.",
    "The report is in out/rotter-7.csv.",
    "The lease was signed in Málaga and in Gdańsk.",
)


class Retelling(ExtractiveComposer):
    """Writes summaries that repeat the first message."""

    def compose(self, draft: Draft, heartbeat: Callable[[], None]) -> Composition:
        return replace(super().compose(draft, heartbeat), content=SAID[0])


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    with cloned(postgres_url) as database:
        async with running_stack(database) as stack:
            await append(stack, *(message(text, author="Mara") for text in SAID))
            await stack.ingest.AppendMessages(
                AppendMessagesRequest(
                    conversation=target("other", subject="hanneke"),
                    messages=[message("Hanneke lives in Eindhoven.", author="Hanneke")],
                )
            )
            await compact_everything(stack, Retelling())
            await embed_everything(stack)
            yield stack


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def reference(stack: Stack) -> AsyncIterator[SearchServiceStub]:
    """A search of the same database without a cache."""
    async with reference_search(stack.database, stack.addresses["embedder"]) as reference:
        yield reference


def said(response: pb.SearchResponse) -> list[str]:
    return [result.memory.content for result in response.results]


@pytest.mark.parametrize(
    ("typed", "place"),
    [
        ("Rotterdm", 0),
        ("rotterdam", 0),
        ("Rotterdm?", 0),
        ("deploymnts", 1),
        ("Oluwasuen", 3),
    ],
)
async def test_trigram_finds_word_with_one_wrong_letter(
    stack: Stack, typed: str, place: int
) -> None:
    response = await stack.search.Search(search_request(typed, "TRIGRAM", explain=True))
    [part] = response.results[0].explanation.parts
    assert response.results[0].memory.content == SAID[place]
    assert part.score == (1.0 if typed == "rotterdam" else pytest.approx(part.score))
    assert 0.8 < part.score <= 1.0
    # Similar letters are no proof.
    is_exact = typed == "rotterdam"
    sure = pb.CONFIDENCE_HIGH if is_exact else pb.CONFIDENCE_MEDIUM
    assert response.results[0].confidence == sure


async def test_trigram_ranks_message_above_summaries_with_the_same_word(stack: Stack) -> None:
    found = await stack.search.Search(search_request("Rotterdm", "TRIGRAM"))
    kinds = [result.memory.kind for result in found.results if result.score > 0.8]
    assert (kinds[0], set(kinds[1:])) == (MEMORY_KIND_MESSAGE, {MEMORY_KIND_SUMMARY})


async def test_trigram_score_averages_similarity_over_query_words(stack: Stack) -> None:
    only = MemoryFilter(kinds=[MEMORY_KIND_MESSAGE])
    request = search_request("Rotterdm fery", "TRIGRAM", filter=only)
    response = await stack.search.Search(request)
    assert said(response)[:2] == [SAID[0], SAID[2]]
    assert response.results[0].score == pytest.approx((1 - 1 / 9 + 1 - 1 / 5) / 2)
    assert response.results[1].score == pytest.approx((1 - 1 / 5) / 2)


async def test_trigram_returns_only_memories_within_the_filter(stack: Stack) -> None:
    request = search_request("Eindhovn", "TRIGRAM", filter=MemoryFilter(subjects=["hanneke"]))
    assert said(await stack.search.Search(request))[0] == "Hanneke lives in Eindhoven."
    request = search_request("Eindhovn", "TRIGRAM", filter=MemoryFilter(subjects=["mara"]))
    assert said(await stack.search.Search(request)) == []


@pytest.mark.parametrize(
    ("query", "corrections", "place"),
    [
        ("When do we go to Rotterdm?", {"rotterdm": "rotterdam"}, 0),
        ("Rotterdm", {"rotterdm": "rotterdam"}, 0),
        ("how did the deploymnts go", {"deploymnts": "deployments"}, 1),
    ],
)
async def test_hybrid_corrects_word_that_no_memory_contains(
    stack: Stack, query: str, corrections: dict[str, str], place: int
) -> None:
    response = await stack.search.Search(search_request(query, "HYBRID"))
    assert dict(response.corrections) == corrections
    assert response.results[0].memory.content == SAID[place]
    [(wrong, right)] = corrections.items()
    rightly = query.replace(wrong, right).replace(wrong.capitalize(), right.capitalize())
    expected = await stack.search.Search(search_request(rightly, "HYBRID"))
    assert said(response) == said(expected)
    assert response.verdict == expected.verdict == pb.VERDICT_RELEVANT
    assert response.results[0].score == pytest.approx(expected.results[0].score, abs=1e-6)


@pytest.mark.parametrize("query", ["What was signed in Malaga?", "Who was in Gdansk?"])
async def test_hybrid_finds_words_typed_without_accents_and_corrects_nothing(
    stack: Stack, query: str
) -> None:
    response = await stack.search.Search(search_request(query, "HYBRID"))
    assert response.results[0].memory.content == SAID[5]
    assert response.verdict == pb.VERDICT_RELEVANT
    assert not response.corrections


@pytest.mark.parametrize(
    "query",
    [
        "Did Oluwaseun bring the keys?",  # In no dictionary, but in a memory.
        '+"Rotterdm" ferry',  # Required verbatim.
        "-Rotterdm ferry",
        "Rotterdm*",
        "marathon",  # A dictionary word.
        "Rtterdm",  # Two letters away.
        "xqzzy wvvuk",
    ],
)
async def test_hybrid_does_not_correct_known_required_or_distant_words(
    stack: Stack, query: str
) -> None:
    response = await stack.search.Search(search_request(query, "HYBRID"))
    assert dict(response.corrections) == {}


async def test_lexical_does_not_correct_misspelt_words(stack: Stack) -> None:
    assert said(await stack.search.Search(search_request("Rotterdm", "LEXICAL"))) == []


async def test_cached_and_database_search_give_equal_corrections(
    stack: Stack, reference: SearchServiceStub
) -> None:
    await warm_up(stack)
    for query in ("Where is Rotterdm?", "Did Oluwaseun bring the keys?", "Oluwasuen"):
        for mode in ("HYBRID", "TRIGRAM"):
            request = search_request(query, mode)
            found, statements = await asked(stack.search, request)
            expected = await reference.Search(request)
            assert said(found) == said(expected)
            assert dict(found.corrections) == dict(expected.corrections)
            if mode == "HYBRID":
                assert was_in_memory(statements)
                assert ("find_near_words" in statements) is bool(found.corrections)


@pytest.mark.parametrize(
    "query", ["¿Cuándo va a comer mi suegra nueva?", "Wann fahre ich nach Rotterdam?"]
)
async def test_questions_in_other_languages_are_not_corrected(stack: Stack, query: str) -> None:
    response = await stack.search.Search(search_request(query, "HYBRID"))
    assert not response.corrections
