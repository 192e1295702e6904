"""A text that spoils a batch is found, and blamed only where the provider is not to blame."""

from __future__ import annotations

import numpy as np
import pytest

from everword_embedder.providers.errors import (
    BatchRefused,
    ProviderError,
    ProviderUnavailable,
    WrongAnswer,
)
from everword_embedder.providers.isolation import PROBE, embed_isolating
from support.latched_provider import LatchedProvider, vector_of

TEXTS = [f"text {number}" for number in range(16)]


@pytest.fixture
def provider() -> LatchedProvider:
    return LatchedProvider(latched=False)


async def test_valid_batch_takes_one_call(provider: LatchedProvider) -> None:
    outcomes = await embed_isolating(provider, TEXTS)
    np.testing.assert_array_equal(outcomes, [vector_of(text) for text in TEXTS])
    assert provider.texts == [TEXTS]


@pytest.mark.parametrize("error", [BatchRefused("too long"), WrongAnswer("not a number")])
@pytest.mark.parametrize("culprits", [{"text 0"}, {"text 15"}, {"text 3", "text 4", "text 9"}])
async def test_refused_texts_are_isolated_and_others_get_vectors(
    provider: LatchedProvider, culprits: set[str], error: ProviderError
) -> None:
    provider.refuses, provider.refusal = culprits.__contains__, error
    outcomes = await embed_isolating(provider, TEXTS)
    assert {text for text, found in zip(TEXTS, outcomes, strict=True) if found is error} == culprits
    for text, outcome in zip(TEXTS, outcomes, strict=True):
        if text not in culprits:
            np.testing.assert_array_equal(outcome, vector_of(text))


async def test_isolating_one_refused_text_takes_few_calls(provider: LatchedProvider) -> None:
    provider.refuses = "text 5".__eq__
    await embed_isolating(provider, TEXTS)
    # The batch, the probe, and two halves on each of four levels.
    assert len(provider.calls) == 1 + 1 + 2 * 4


async def test_provider_that_refuses_everything_is_reported_as_unavailable(
    provider: LatchedProvider,
) -> None:
    provider.refuses = lambda text: True
    with pytest.raises(ProviderUnavailable, match="cannot embed any text: no"):
        await embed_isolating(provider, TEXTS)
    assert provider.texts == [TEXTS, [PROBE]]


async def test_provider_lost_during_isolation_raises_unavailable(provider: LatchedProvider) -> None:
    provider.refuses = "text 5".__eq__
    refuse = provider.refuses

    def lose(text: str) -> bool:
        if len(provider.calls) > 3:
            raise ProviderUnavailable("gone")
        return refuse(text)

    provider.refuses = lose
    with pytest.raises(ProviderUnavailable, match="gone"):
        await embed_isolating(provider, TEXTS)
