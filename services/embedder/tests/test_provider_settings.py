"""From settings and a generation to a provider."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from everword.domain.settings import Environment, SettingError
from everword_embedder.providers.errors import ProviderMisconfigured
from everword_embedder.providers.factory import ProviderFactory
from everword_embedder.providers.generation import ModelGeneration
from everword_embedder.providers.local import LocalProvider
from everword_embedder.providers.openai.provider import OpenAIProvider
from everword_embedder.providers.settings import EmbedSettings
from support.models import LOCAL_GENERATION, served_generation


def test_every_setting_comes_from_its_variable() -> None:
    settings = EmbedSettings.from_environment(
        Environment(
            {
                "EVERWORD_EMBED_URL": "http://models:8000/v1",
                "EVERWORD_EMBED_MODEL": "a-model",
                "EVERWORD_EMBED_API_KEY": "a-key",
                "EVERWORD_EMBED_CONNECT_TIMEOUT": "0.5",
                "EVERWORD_EMBED_READ_TIMEOUT": "7",
                "EVERWORD_EMBED_BATCH": "9",
                "EVERWORD_EMBED_CONCURRENCY": "3",
                "EVERWORD_EMBED_THREADS": "1",
            }
        )
    )
    assert settings.api_key.reveal() == "a-key"
    assert replace(settings, api_key=EmbedSettings.api_key) == EmbedSettings(
        url="http://models:8000/v1",
        model="a-model",
        connect_timeout_s=0.5,
        read_timeout_s=7.0,
        batch=9,
        concurrency=3,
        threads=1,
    )


def test_there_are_never_more_threads_than_cores() -> None:
    settings = EmbedSettings.from_environment(Environment({"EVERWORD_EMBED_THREADS": "4096"}))
    assert settings.threads == os.cpu_count()


@pytest.mark.parametrize("name", ["EVERWORD_EMBED_BATCH", "EVERWORD_EMBED_READ_TIMEOUT"])
def test_a_wrong_setting_is_named(name: str) -> None:
    with pytest.raises(SettingError, match=name):
        EmbedSettings.from_environment(Environment({name: "0"}))


async def test_a_generation_says_which_provider_it_has() -> None:
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
def test_a_generation_that_cannot_be_served_is_refused(
    generation: ModelGeneration, message: str
) -> None:
    with pytest.raises(ProviderMisconfigured, match=message):
        ProviderFactory(EmbedSettings()).open(generation)
