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


async def test_a_good_batch_is_one_call(provider: LatchedProvider) -> None:
    outcomes = await embed_isolating(provider, TEXTS)
    np.testing.assert_array_equal(outcomes, [vector_of(text) for text in TEXTS])
    assert provider.texts == [TEXTS]


@pytest.mark.parametrize("error", [BatchRefused("too long"), WrongAnswer("not a number")])
@pytest.mark.parametrize("culprits", [{"text 0"}, {"text 15"}, {"text 3", "text 4", "text 9"}])
async def test_the_culprits_stand_alone_and_the_others_have_their_vectors(
    provider: LatchedProvider, culprits: set[str], error: ProviderError
) -> None:
    provider.refuses, provider.refusal = culprits.__contains__, error
    outcomes = await embed_isolating(provider, TEXTS)
    assert {text for text, found in zip(TEXTS, outcomes, strict=True) if found is error} == culprits
    for text, outcome in zip(TEXTS, outcomes, strict=True):
        if text not in culprits:
            np.testing.assert_array_equal(outcome, vector_of(text))


async def test_one_culprit_costs_few_calls(provider: LatchedProvider) -> None:
    provider.refuses = "text 5".__eq__
    await embed_isolating(provider, TEXTS)
    # The batch, the probe, and two halves on each of four levels.
    assert len(provider.calls) == 1 + 1 + 2 * 4


async def test_no_text_is_blamed_while_the_provider_refuses_everything(
    provider: LatchedProvider,
) -> None:
    provider.refuses = lambda text: True
    with pytest.raises(ProviderUnavailable, match="cannot embed any text: no"):
        await embed_isolating(provider, TEXTS)
    assert provider.texts == [TEXTS, [PROBE]]


async def test_a_provider_that_goes_away_meanwhile_is_to_blame(provider: LatchedProvider) -> None:
    provider.refuses = "text 5".__eq__
    refuse = provider.refuses

    def lose(text: str) -> bool:
        if len(provider.calls) > 3:
            raise ProviderUnavailable("gone")
        return refuse(text)

    provider.refuses = lose
    with pytest.raises(ProviderUnavailable, match="gone"):
        await embed_isolating(provider, TEXTS)
