"""Checks of a real vLLM's answers and of their use in Everword. Run by run.py, which serves the model."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import numpy as np
import pytest

from everword.client import Client, ClientSettings
from everword.db.generations import Generations, NewGeneration
from everword.importer import import_records
from everword.samples import sample_path
from everword.transcripts import read_transcript
from everword_embedder.batcher import Batcher, Priority
from everword_embedder.providers.errors import ProviderMisconfigured
from everword_embedder.providers.openai.models import describe_model
from everword_embedder.providers.openai.provider import OpenAIProvider
from everword_embedder.providers.openai.server import OpenAIServer
from everword_embedder.providers.settings import EmbedSettings
from support.background import embed_everything
from support.minilm import MAX_TOKENS, cosine, reference
from support.models import served_generation
from support.stack import Stack
from vllm.server import MODEL

URL = os.environ["EVERWORD_TEST_VLLM_URL"]
SETTINGS = EmbedSettings()
LONG = "The deployment failed at 03:12 with exit code 137. " * 60
TEXTS = ["", "a", "Where did I put the keys?", "机器学习 模型", "☕ naïve façade", LONG]


def conversations() -> Path:
    """Return the file to import: the set in EVERWORD_BENCH_DATA, or the shipped sample."""
    folder = os.environ.get("EVERWORD_BENCH_DATA")
    return Path(folder) / "locomo-dev.json" if folder else sample_path()


@pytest.fixture
async def server() -> AsyncIterator[OpenAIServer]:
    server = OpenAIServer(URL, SETTINGS)
    yield server
    await server.close()


def provider(server: OpenAIServer, dimensions: int = 384, model: str = MODEL) -> OpenAIProvider:
    generation = served_generation(URL, model, dimensions, matryoshka=dimensions < 384)
    return OpenAIProvider(generation, server, SETTINGS)


async def test_vectors_equal_the_reference_in_full_precision(server: OpenAIServer) -> None:
    sample = [entry.message.content for entry in read_transcript(sample_path())][:60]
    texts = [*TEXTS, *sample]
    vectors = await provider(server).embed(texts)
    cosines = [cosine(vector, reference(text)) for text, vector in zip(texts, vectors, strict=True)]
    print(f"\nsmallest cosine to the fp32 reference: {min(cosines):.7f} of {len(texts)} texts")
    assert min(cosines) >= 0.9999


async def test_a_text_has_the_same_vector_alone_and_in_a_batch(server: OpenAIServer) -> None:
    model = provider(server)
    together = await model.embed(TEXTS)
    alone = [(await model.embed([text]))[0] for text in TEXTS]
    assert min(cosine(a, b) for a, b in zip(together, alone, strict=True)) >= 0.999999


async def test_the_server_says_what_a_generation_has_to_know(server: OpenAIServer) -> None:
    found = await describe_model(server)
    assert (found.model, found.dimensions, found.max_tokens) == (MODEL, 384, MAX_TOKENS)


async def test_what_is_too_long_is_refused_with_its_batch_unless_it_is_cut(
    server: OpenAIServer,
) -> None:
    body = {"model": MODEL, "input": ["short", LONG]}
    async with httpx2.AsyncClient(base_url=URL, timeout=60) as http:
        assert (await http.post("/v1/embeddings", json=body)).status_code == 400
        empty = await http.post("/v1/embeddings", json={**body, "input": []})
        health = await http.get("/health")
    assert empty.status_code == 400
    assert (health.status_code, health.content) == (200, b"")
    short, cut = await provider(server).embed(["short", LONG])
    assert cosine(short, reference("short")) >= 0.9999
    assert cosine(cut, reference(LONG)) >= 0.9999


@pytest.mark.parametrize("dimensions", [256, 100], ids=["declared there", "cut here"])
async def test_a_shorter_generation_has_the_first_dimensions(
    server: OpenAIServer, dimensions: int
) -> None:
    vectors = await provider(server, dimensions).embed(TEXTS)
    assert vectors.shape == (len(TEXTS), dimensions)
    for text, vector in zip(TEXTS, vectors, strict=True):
        assert cosine(vector, reference(text)[:dimensions]) >= 0.9999
        assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


async def test_an_unknown_model_is_a_matter_of_settings(server: OpenAIServer) -> None:
    with pytest.raises(ProviderMisconfigured, match="answers 404"):
        await provider(server, model="another").embed(["hello"])


async def test_the_queue_keeps_the_server_busy(server: OpenAIServer) -> None:
    texts = [f"{number}: {LONG[: 40 + number]}" for number in range(192)]
    model = provider(server)
    await model.embed(["hello"])
    started = time.perf_counter()
    await asyncio.gather(*(model.embed(texts[at : at + 32]) for at in range(0, 192, 32)))
    alone = time.perf_counter() - started
    batcher = Batcher(provider(server))
    started = time.perf_counter()
    outcomes = await batcher.embed(texts, Priority.BACKGROUND)
    queued = time.perf_counter() - started
    print(f"\n{192 / alone:.0f} texts/s asked directly, {192 / queued:.0f} through the queue")
    assert not any(isinstance(outcome, Exception) for outcome in outcomes)
    assert alone / queued >= 0.7  # 0.85 and more on an idle machine.


async def test_a_whole_import_gets_its_vectors(stack: Stack) -> None:
    generations = Generations(stack.database.admin_url)
    served = NewGeneration(provider="openai", endpoint=URL, model=MODEL, dimensions=384)
    generation = generations.add(served)
    await embed_everything(stack)
    generations.switch(generation)
    at = stack.addresses
    settings = ClientSettings(at["ingest"], at["search"], at["compactor"])
    async with Client.connect(settings) as client:
        imported = await import_records(client, read_transcript(conversations()))
    started = time.perf_counter()
    await embed_everything(stack)
    with stack.database.connect() as conn:
        rows = conn.execute(
            "SELECT state, error, count(*) FROM embedding_queue WHERE generation_id = %s GROUP BY 1, 2",
            [generation],
        ).fetchall()
        [(vectors, passages)] = conn.execute(
            f"SELECT (SELECT count(*) FROM memory_vectors_{generation}), "
            "(SELECT count(*) FROM memories WHERE content <> '')"
        ).fetchall()
    print(
        f"\n{imported.messages} messages, {vectors} of {passages} passages embedded "
        f"in {time.perf_counter() - started:.0f} s; parked: {rows}"
    )
    assert imported.messages > 0
    assert all(state == "failed" for state, _, _ in rows)
    assert vectors + sum(count for _, _, count in rows) == passages
