"""Failures of a model server, and the error for each."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from everword.model_server.breaker import FAILURES, PAUSE_S
from everword_embedder.batcher import Batcher, Priority
from everword_embedder.providers.errors import (
    BatchRefused,
    ProviderError,
    ProviderMisconfigured,
    ProviderUnavailable,
    WrongAnswer,
)
from everword_embedder.providers.isolation import Outcome
from everword_embedder.providers.openai.provider import OpenAIProvider
from support.scripted_embedder import (
    Behaviour,
    ScriptedEmbedder,
    fewer,
    garbage,
    hang,
    not_a_number,
    reset,
    slow,
    status,
    wrong_dimensions,
)

TEXTS = ["one", "two words", "three words here"]
Connect = Callable[..., OpenAIProvider]


def assert_vectors(
    outcomes: Sequence[Outcome], server: ScriptedEmbedder, texts: Sequence[str]
) -> None:
    assert len(outcomes) == len(texts)
    for text, outcome in zip(texts, outcomes, strict=True):
        assert not isinstance(outcome, ProviderError)
        np.testing.assert_allclose(outcome, server.vector(text), rtol=1e-6)


@pytest.mark.parametrize(
    ("behaviour", "error", "message"),
    [
        (hang, ProviderUnavailable, "does not answer (ReadTimeout)"),
        (slow(2), ProviderUnavailable, "does not answer (ReadTimeout)"),
        (reset, ProviderUnavailable, "does not answer (ReadError)"),
        (status(429), ProviderUnavailable, "answers 429: no"),
        (status(500), ProviderUnavailable, "answers 500: no"),
        (status(503), ProviderUnavailable, "answers 503: no"),
        (status(400), BatchRefused, "answers 400: no"),
        (status(413), BatchRefused, "answers 413: no"),
        (status(422), BatchRefused, "answers 422: no"),
        (status(401), ProviderMisconfigured, "answers 401: no"),
        (status(402), ProviderMisconfigured, "answers 402: no"),
        (status(500, "input is too large to process"), BatchRefused, "input is too large"),
        (status(404), ProviderMisconfigured, "answers 404: no"),
        (status(302), ProviderMisconfigured, "answers 302: no"),
        (not_a_number, WrongAnswer, "not a number"),
        (fewer, WrongAnswer, "2 vectors were returned for 3 texts"),
        (garbage, WrongAnswer, "an unexpected JSON structure"),
        (wrong_dimensions, ProviderMisconfigured, "16 dimensions instead of 8"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
async def test_each_server_failure_raises_its_error_and_the_next_call_succeeds(
    server: ScriptedEmbedder,
    connect: Connect,
    behaviour: Behaviour,
    error: type[ProviderError],
    message: str,
) -> None:
    provider = connect(server)
    await provider.embed(["hello"])
    server.script.append(behaviour)
    with pytest.raises(ProviderError) as caught:
        await provider.embed(TEXTS)
    assert type(caught.value) is error
    assert message in str(caught.value)
    assert (await provider.embed(TEXTS)).shape == (3, 8)


async def test_closed_port_raises_unavailable(server: ScriptedEmbedder, connect: Connect) -> None:
    with ScriptedEmbedder().running() as gone:
        provider = connect(gone)
    with pytest.raises(ProviderUnavailable, match="ConnectError"):
        await provider.embed(TEXTS)


async def test_unknown_model_raises_misconfigured(
    server: ScriptedEmbedder, connect: Connect
) -> None:
    with pytest.raises(ProviderMisconfigured, match="The model `another` does not exist"):
        await connect(server, model="another").embed(TEXTS)


async def test_server_that_refuses_the_first_call_raises_misconfigured(
    server: ScriptedEmbedder, connect: Connect
) -> None:
    server.always = status(400, "not an embedding model")
    with pytest.raises(ProviderMisconfigured, match="not an embedding model"):
        await connect(server).embed(TEXTS)


async def test_describe_reports_the_error_of_the_last_request(
    server: ScriptedEmbedder, connect: Connect
) -> None:
    provider = connect(server)
    assert provider.describe() is None
    await provider.embed(TEXTS)
    state = provider.describe()
    assert state is not None
    assert (state.dimensions, state.max_tokens, state.base64, state.error) == (8, 100, True, "")
    server.script.append(status(402, "no credit left"))
    with pytest.raises(ProviderMisconfigured):
        await provider.embed(TEXTS)
    state = provider.describe()
    assert state is not None
    assert state.error == "the model server answers 402: no credit left"


async def test_requested_retry_pause_is_respected(
    server: ScriptedEmbedder, connect: Connect
) -> None:
    provider = connect(server)
    await provider.embed(["hello"])
    server.script.append(status(429, retry_after="30"))
    with pytest.raises(ProviderUnavailable) as caught:
        await provider.embed(TEXTS)
    assert caught.value.retry_after_s == 30
    asked = len(server.requests)
    with pytest.raises(ProviderUnavailable, match="left alone for a while"):
        await provider.embed(TEXTS)
    assert len(server.requests) == asked


@pytest.mark.parametrize("secret", ["my password is hunter2", "x" * 40])
async def test_error_message_never_contains_input_text(
    server: ScriptedEmbedder, connect: Connect, secret: str
) -> None:
    server.poison = secret
    with pytest.raises(BatchRefused) as caught:
        await connect(server).embed(["harmless", f"Note that {secret}."])
    assert str(caught.value) == "the model server answers 400"


async def test_cancelled_calls_to_a_hanging_server_open_the_circuit(
    server: ScriptedEmbedder, connect: Connect
) -> None:
    now = 0.0
    provider = connect(server, clock=lambda: now)
    await provider.embed(["hello"])
    server.always = hang
    for _ in range(FAILURES):
        waiting = asyncio.create_task(provider.embed(TEXTS))
        await asyncio.sleep(0.05)
        now += 1  # longer than patience asks for
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
    with pytest.raises(ProviderUnavailable, match="left alone"):
        await provider.embed(TEXTS)
    server.always = None
    now += PAUSE_S
    assert (await provider.embed(TEXTS)).shape == (3, 8)


async def test_batcher_embeds_the_beginning_of_a_long_text_and_refuses_a_bad_one(
    connect: Connect,
) -> None:
    with ScriptedEmbedder(vllm=False).running() as server:
        provider = connect(server)
        server.poison = "poison"
        long = "word" + " word" * (2 * server.max_words)
        bad = "poison " * 40
        texts = [f"text {number}" for number in range(20)]
        outcomes = await Batcher(provider).embed([*texts, bad, long], Priority.BACKGROUND)
    assert isinstance(outcomes[-2], BatchRefused)
    read = long[: len(long) // 4].split()
    assert_vectors([*outcomes[:-2], outcomes[-1]], server, [*texts, " ".join(read)])


@pytest.mark.parametrize(
    "behaviour",
    [hang, reset, status(400), status(429), status(500), not_a_number, wrong_dimensions, fewer],
    ids=lambda value: getattr(value, "__name__", None),
)
async def test_batcher_reports_a_server_failing_all_texts_as_unavailable(
    server: ScriptedEmbedder, connect: Connect, behaviour: Behaviour
) -> None:
    provider = connect(server)
    await provider.embed(["hello"])
    server.always = behaviour
    outcomes = await Batcher(provider).embed(TEXTS, Priority.BACKGROUND)
    assert all(isinstance(outcome, ProviderUnavailable) for outcome in outcomes)
    server.always = None
    recovered = await Batcher(provider).embed(TEXTS, Priority.BACKGROUND)
    assert_vectors(recovered, server, TEXTS)
