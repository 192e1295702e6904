"""A scripted model server, and providers that ask it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import TypeAlias

import pytest

from everword_embedder.providers.local_model import load_model
from everword_embedder.providers.openai.provider import OpenAIProvider
from everword_embedder.providers.openai.server import OpenAIServer
from everword_embedder.providers.settings import EmbedSettings
from support.models import served_generation
from support.scripted_embedder import ScriptedEmbedder

#: Patience of a test: long enough for a busy machine, and no longer.
QUICK = EmbedSettings(connect_timeout_s=1.0, read_timeout_s=0.5)
#: Makes a provider for a server; closed when the test ends.
Connect: TypeAlias = Callable[..., OpenAIProvider]


@pytest.fixture(autouse=True)
def _loads_its_own_model() -> Iterator[None]:
    load_model.cache_clear()
    yield
    load_model.cache_clear()


@pytest.fixture
def server() -> Iterator[ScriptedEmbedder]:
    with ScriptedEmbedder().running() as server:
        yield server


@pytest.fixture
async def connect() -> AsyncIterator[Connect]:
    opened: list[OpenAIProvider] = []

    def connect(
        server: ScriptedEmbedder,
        *,
        settings: EmbedSettings = QUICK,
        dimensions: int = 8,
        matryoshka: bool = False,
        model: str = "scripted",
        clock: Callable[[], float] | None = None,
    ) -> OpenAIProvider:
        clocked = {"clock": clock} if clock else {}
        generation = served_generation(server.url, model, dimensions, matryoshka=matryoshka)
        provider = OpenAIProvider(
            generation, OpenAIServer(server.url, settings, **clocked), settings, **clocked
        )
        opened.append(provider)
        return provider

    yield connect
    for provider in opened:
        await provider.close()
