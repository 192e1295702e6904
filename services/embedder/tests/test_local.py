"""The local model gives the vectors of all-MiniLM-L6-v2 on every processor."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from everword.processes.priority import NICENESS
from everword_embedder.providers import local_model
from everword_embedder.providers.errors import ProviderMisconfigured
from everword_embedder.providers.factory import ProviderFactory
from everword_embedder.providers.local import LocalProvider
from everword_embedder.providers.local_model import (
    LocalModelHolder,
    load_model,
    reference_vectors,
)
from everword_embedder.providers.model_files import WEIGHTS, read_verified
from everword_embedder.providers.onnx_model import LocalEmbedding, LocalModel
from everword_embedder.providers.settings import EmbedSettings
from everword_embedder.providers.weights import BATCH, ModelSpeed, WeightChoice, WeightForm
from support.minilm import cosine, reference
from support.models import LOCAL_GENERATION

TEXTS = [
    "",
    "a",
    "Where did I put the keys?",
    "Ich hätte gern einen Kaffee, bitte. ☕",
    "机器学习 模型",
    "def area(r): return 3.14159 * r**2",
    "The deployment failed at 03:12 with exit code 137. " * 8,
    "A text that is far longer than the model reads. " * 200,
    "x" * 5000,
]


@pytest.fixture(scope="module")
def holder() -> Iterator[LocalModelHolder]:
    holder = LocalModelHolder(threads=2)
    yield holder
    holder.close()


@pytest.fixture
async def provider(holder: LocalModelHolder) -> AsyncIterator[LocalProvider]:
    provider = LocalProvider(LOCAL_GENERATION, holder)
    yield provider
    await provider.close()


async def test_vectors_match_a_full_precision_reference(
    provider: LocalProvider,
) -> None:
    vectors = await provider.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), 384)
    assert vectors.dtype == np.float32
    for text, vector in zip(TEXTS, vectors, strict=True):
        assert cosine(vector, reference(text)) >= 0.99, text[:40]
        assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-6)


def test_stored_reference_vectors_match_full_precision() -> None:
    stored = reference_vectors()
    assert len(stored) >= 3
    for text, vector in stored.items():
        assert cosine(vector, reference(text)) >= 0.99999


@pytest.mark.parametrize("form", WeightForm)
@pytest.mark.parametrize("batch", [1, BATCH])
def test_embed_gives_a_text_the_same_vector_alone_and_in_a_batch(
    form: WeightForm, batch: int
) -> None:
    model = load_model(form)
    model.choice = WeightChoice(form, {form: ModelSpeed(1, 1, batch)})
    together = model.embed(TEXTS * 2)
    for text, embedded in zip(TEXTS * 2, together, strict=True):
        [alone] = model.embed([text])
        assert embedded.tokens == alone.tokens
        assert cosine(embedded.vector, alone.vector) >= 0.9999, text[:40]


async def test_texts_of_similar_meaning_have_closer_vectors(provider: LocalProvider) -> None:
    question, answer, other = await provider.embed(
        ["Where does Anna live?", "Anna's home is in Lisbon.", "The build is broken again."]
    )
    assert cosine(question, answer) > cosine(question, other) + 0.3


async def test_matryoshka_generation_gets_the_first_dimensions_normalised(
    holder: LocalModelHolder, provider: LocalProvider
) -> None:
    short = LocalProvider(replace(LOCAL_GENERATION, dimensions=256, matryoshka=True), holder)
    [native], [cut] = await provider.embed(["hello"]), await short.embed(["hello"])
    np.testing.assert_allclose(cut, native[:256] / np.linalg.norm(native[:256]), rtol=1e-5)


async def test_fewer_dimensions_require_matryoshka_declaration(holder: LocalModelHolder) -> None:
    undeclared = LocalProvider(replace(LOCAL_GENERATION, dimensions=256), holder)
    with pytest.raises(ProviderMisconfigured, match="not declared Matryoshka"):
        await undeclared.embed(["hello"])


def test_unknown_local_model_is_refused() -> None:
    factory = ProviderFactory(EmbedSettings())
    with pytest.raises(ProviderMisconfigured, match="not all-mpnet-base-v2"):
        factory.open(replace(LOCAL_GENERATION, model="all-mpnet-base-v2"))


@pytest.mark.skipif(sys.platform != "linux", reason="a process has one priority there")
async def test_background_embedding_runs_at_lower_cpu_priority(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[int] = []
    embed = LocalModel.embed

    def noted(model: LocalModel, texts: Sequence[str]) -> list[LocalEmbedding]:
        seen.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))
        return embed(model, texts)

    holder = LocalModelHolder(threads=1)
    provider = LocalProvider(LOCAL_GENERATION, holder)
    await provider.embed(["hello"])
    monkeypatch.setattr(LocalModel, "embed", noted)
    own = os.getpriority(os.PRIO_PROCESS, 0)
    for urgent in (True, False, True):
        await provider.embed(["hello"], urgent=urgent)
    holder.close()
    assert seen == [own, NICENESS, own]


async def test_concurrent_callers_load_the_model_once() -> None:
    loads: list[int] = []

    def counted() -> LocalModel:
        loads.append(1)
        return load_model()

    holder = LocalModelHolder(threads=1, load=counted)
    providers = [LocalProvider(LOCAL_GENERATION, holder) for _ in range(3)]
    await asyncio.gather(*(provider.embed(["hello"]) for provider in providers))
    holder.close()
    assert loads == [1]


async def test_failed_model_load_is_retried() -> None:
    errors = [ProviderMisconfigured("disk on fire")]

    def load() -> LocalModel:
        if errors:
            raise errors.pop()
        return load_model()

    holder = LocalModelHolder(threads=1, load=load)
    provider = LocalProvider(LOCAL_GENERATION, holder)
    with pytest.raises(ProviderMisconfigured, match="on fire"):
        await provider.embed(["hello"])
    assert (await provider.embed(["hello"])).shape == (1, 384)
    holder.close()


async def test_event_loop_is_not_blocked_while_embedding(provider: LocalProvider) -> None:
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.005)
            ticks += 1

    ticking = asyncio.create_task(tick())
    await provider.embed([TEXTS[-2]] * 8)
    ticking.cancel()
    assert ticks >= 5


def test_load_model_refuses_vectors_that_differ_from_the_reference(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wrong = {text: vector[::-1] for text, vector in reference_vectors().items()}
    monkeypatch.setattr(local_model, "reference_vectors", lambda name: wrong)
    with pytest.raises(ProviderMisconfigured, match="computes wrong vectors"):
        load_model()


def test_changed_model_file_is_refused() -> None:
    with pytest.raises(ProviderMisconfigured, match=r"model\.onnx is not the file"):
        read_verified(replace(WEIGHTS, sha256="0" * 64))


def test_missing_model_package_or_file_is_named() -> None:
    with pytest.raises(ProviderMisconfigured, match="no_such_model of the local model is not"):
        read_verified(replace(WEIGHTS, package="no_such_model"))
    with pytest.raises(ProviderMisconfigured, match=r"nothing\.onnx cannot be read"):
        read_verified(replace(WEIGHTS, path=str(Path("nothing.onnx"))))
