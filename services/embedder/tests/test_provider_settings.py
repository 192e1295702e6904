"""From settings and a generation to a provider."""

from __future__ import annotations

from dataclasses import replace

import pytest

from everword.domain.settings import Environment
from everword_embedder.describe import ModelRequest, describe
from everword_embedder.providers.errors import ProviderMisconfigured
from everword_embedder.providers.factory import ProviderFactory
from everword_embedder.providers.generation import ModelGeneration
from everword_embedder.providers.local import LocalProvider
from everword_embedder.providers.openai.provider import OpenAIProvider
from everword_embedder.providers.settings import EmbedSettings
from support.models import LOCAL_GENERATION, served_generation


def test_embed_settings_are_read_from_environment() -> None:
    settings = EmbedSettings.from_environment(
        Environment(
            {
                "EVERWORD_EMBED_URL": "http://models:8000/v1",
                "EVERWORD_EMBED_MODEL": "a-model",
                "EVERWORD_EMBED_API_KEY": "a-key",
            }
        )
    )
    assert settings.api_key.reveal() == "a-key"
    assert replace(settings, api_key=EmbedSettings.api_key) == EmbedSettings(
        url="http://models:8000/v1", model="a-model"
    )


async def test_describe_refuses_to_change_a_packaged_model() -> None:
    request = ModelRequest("multilingual-e5-small", pooling="cls")
    with pytest.raises(ProviderMisconfigured, match="packaged"):
        await describe(request, EmbedSettings())


async def test_factory_opens_the_provider_of_a_generation() -> None:
    factory = ProviderFactory(EmbedSettings(threads=1, batch=5, concurrency=3))
    local = factory.open(LOCAL_GENERATION)
    served = factory.open(served_generation("http://models:8000", "m", 8))
    assert isinstance(local, LocalProvider)
    assert isinstance(served, OpenAIProvider)
    assert (local.limits.texts, local.limits.background) == (1, 1)
    assert (served.limits.texts, served.limits.background) == (5, 3)
    await served.close()
    factory.close()


@pytest.mark.parametrize(
    ("generation", "message"),
    [
        (served_generation("", "m", 8), "set EVERWORD_EMBED_URL, or name the generation's"),
        (replace(LOCAL_GENERATION, provider="word2vec"), "no embedding provider 'word2vec'"),
    ],
    ids=["no endpoint", "unknown provider"],
)
def test_factory_refuses_a_generation_that_cannot_be_served(
    generation: ModelGeneration, message: str
) -> None:
    with pytest.raises(ProviderMisconfigured, match=message):
        ProviderFactory(EmbedSettings()).open(generation)
