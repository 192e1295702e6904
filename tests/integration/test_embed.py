"""EmbedderService.Embed over gRPC: the local model, and a scripted model server."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence

import grpc
import numpy as np
import pytest

from everword.db.generations import Generations, NewGeneration
from everword.internal.v1 import embedder_service_pb2 as pb
from everword_embedder.providers.vectors import from_bytes
from support.minilm import cosine, reference
from support.refusals import refused
from support.scripted_embedder import ScriptedEmbedder, hang, status
from support.stack import Stack

QUERY, BACKGROUND = pb.EMBED_PRIORITY_QUERY, pb.EMBED_PRIORITY_BACKGROUND
TEXTS = ["Where does Anna live?", "Anna's home is in Lisbon.", "The train to Köln is late."]


@pytest.fixture
def server() -> Iterator[ScriptedEmbedder]:
    with ScriptedEmbedder().running() as server:
        yield server


def add_generation(stack: Stack, server: ScriptedEmbedder, dimensions: int = 8) -> int:
    """Add a generation of the scripted model, with prefixes."""
    return Generations(stack.database.admin_url).add(
        NewGeneration(
            provider="openai",
            model=server.model,
            dimensions=dimensions,
            endpoint=server.url,
            query_prefix="query: ",
            passage_prefix="passage: ",
            matryoshka=dimensions < server.dimensions,
        )
    )


async def embed(
    stack: Stack,
    texts: Sequence[str],
    priority: pb.EmbedPriority.ValueType = BACKGROUND,
    generation_id: int = 0,
    timeout: float = 20,
) -> pb.EmbedResponse:
    request = pb.EmbedRequest(texts=texts, priority=priority, generation_id=generation_id)
    return await stack.embedder.Embed(request, timeout=timeout)


@pytest.mark.parametrize("priority", [QUERY, BACKGROUND])
async def test_embed_with_the_local_model_returns_reference_vectors(
    stack: Stack, priority: pb.EmbedPriority.ValueType
) -> None:
    answer = await embed(stack, TEXTS, priority)
    coverage = await stack.embedder.GetCoverage(pb.GetCoverageRequest())
    assert (answer.generation_id, answer.dimensions) == (coverage.generation_id, 384)
    assert [len(raw) for raw in answer.vectors] == [4 * 384] * len(TEXTS)
    for text, raw in zip(TEXTS, answer.vectors, strict=True):
        assert cosine(from_bytes(raw), reference(text)) >= 0.99


async def test_concurrent_embed_calls_return_their_own_vectors(stack: Stack) -> None:
    batches = [[f"caller {caller} text {text}" for text in range(16)] for caller in range(4)]
    answers = await asyncio.gather(
        *(embed(stack, batch) for batch in batches), embed(stack, ["a question"], QUERY)
    )
    for batch, answer in zip([*batches, ["a question"]], answers, strict=True):
        again = await embed(stack, batch[-1:])
        assert list(again.vectors) == answer.vectors[-1:]


async def test_embed_prefixes_queries_and_passages_differently(
    stack: Stack, server: ScriptedEmbedder
) -> None:
    generation = add_generation(stack, server)
    for priority, sent in ((QUERY, "query: Anna"), (BACKGROUND, "passage: Anna")):
        answer = await embed(stack, ["Anna"], priority, generation)
        assert server.texts[-1] == [sent]
        np.testing.assert_allclose(from_bytes(answer.vectors[0]), server.vector(sent), rtol=1e-6)


async def test_embed_serves_two_generations_at_once(stack: Stack, server: ScriptedEmbedder) -> None:
    building = add_generation(stack, server, dimensions=4)
    active, other = await embed(stack, TEXTS), await embed(stack, TEXTS, BACKGROUND, building)
    assert (active.dimensions, other.dimensions) == (384, 4)
    assert other.generation_id == building != active.generation_id
    assert {len(raw) for raw in other.vectors} == {16}


async def test_embed_caches_queries_per_generation(stack: Stack, server: ScriptedEmbedder) -> None:
    first, second = add_generation(stack, server), add_generation(stack, server)
    answers = [
        await embed(stack, ["Anna", "Anna"], QUERY, generation)
        for generation in (first, first, second, second)
    ]
    assert server.texts.count(["query: Anna"]) == 2
    # Cached vectors cost nothing.
    assert (answers[0].input_tokens, answers[1].input_tokens) == (3, 0)
    assert answers[1].vectors == answers[0].vectors
    assert answers[2].vectors == answers[0].vectors


async def test_embed_caches_queries_per_namespace(stack: Stack, server: ScriptedEmbedder) -> None:
    """Otherwise response times would reveal another namespace's queries."""
    generation = add_generation(stack, server)
    for namespace_id in (1, 2, 1, 2):
        request = pb.EmbedRequest(
            texts=["Anna"], priority=QUERY, generation_id=generation, namespace_id=namespace_id
        )
        await stack.embedder.Embed(request)
    assert server.texts.count(["query: Anna"]) == 2


async def test_embed_does_not_cache_background_texts(
    stack: Stack, server: ScriptedEmbedder
) -> None:
    generation = add_generation(stack, server)
    for _ in range(2):
        await embed(stack, ["Anna"], BACKGROUND, generation)
    assert server.texts.count(["passage: Anna"]) == 2


async def test_embed_with_unknown_generation_is_a_field_violation(stack: Stack) -> None:
    refusal = await refused(embed(stack, TEXTS, QUERY, 99))
    assert refusal.code == grpc.StatusCode.INVALID_ARGUMENT
    assert refusal.fields == {"generation_id"}


@pytest.mark.parametrize("code", [401, 404, 429, 500])
async def test_embed_with_failing_model_server_returns_embedder_unavailable(
    stack: Stack, server: ScriptedEmbedder, code: int
) -> None:
    server.always = status(code)
    generation = add_generation(stack, server)
    refusal = await refused(embed(stack, TEXTS, BACKGROUND, generation))
    assert (refusal.code, refusal.reason) == (
        grpc.StatusCode.UNAVAILABLE,
        "EMBEDDER_UNAVAILABLE",
    )
    assert f"answers {code}" in refusal.message
    assert "RetryInfo" in refusal.details
    server.always = None
    assert len((await embed(stack, TEXTS, BACKGROUND, generation)).vectors) == 3


async def test_embed_of_a_query_ends_at_its_deadline_if_the_server_hangs(
    stack: Stack, server: ScriptedEmbedder
) -> None:
    generation = add_generation(stack, server)
    await embed(stack, ["hello"], QUERY, generation)
    server.always = hang
    started = time.monotonic()
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await embed(stack, TEXTS, QUERY, generation, timeout=0.5)
    assert caught.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED
    assert time.monotonic() - started < 60
    server.always = None
    assert len((await embed(stack, TEXTS, QUERY, generation)).vectors) == 3


async def test_embed_names_refused_texts_by_index_without_their_content(
    stack: Stack, server: ScriptedEmbedder
) -> None:
    server.poison = "unspeakable"
    generation = add_generation(stack, server)
    texts = ["one", "an unspeakable secret", "two", "another unspeakable secret"]
    refusal = await refused(embed(stack, texts, BACKGROUND, generation))
    assert refusal.code == grpc.StatusCode.INVALID_ARGUMENT
    assert refusal.violations == {
        "texts[1]": "the model server answers 400",
        "texts[3]": "the model server answers 400",
    }
    assert "secret" not in refusal.message
    assert len((await embed(stack, texts[::2], BACKGROUND, generation)).vectors) == 2


async def test_embed_with_unservable_generation_returns_embedder_unavailable(stack: Stack) -> None:
    generation = Generations(stack.database.admin_url).add(
        NewGeneration(provider="openai", model="m", dimensions=8)
    )
    refusal = await refused(embed(stack, TEXTS, QUERY, generation))
    assert refusal.reason == "EMBEDDER_UNAVAILABLE"
    assert "set EVERWORD_EMBED_URL" in refusal.message


@pytest.mark.parametrize("priority", [pb.EMBED_PRIORITY_UNSPECIFIED, 7])
async def test_embed_without_valid_priority_is_refused(
    stack: Stack, priority: pb.EmbedPriority.ValueType
) -> None:
    refusal = await refused(embed(stack, TEXTS, priority))
    assert refusal.fields == {"priority"}
