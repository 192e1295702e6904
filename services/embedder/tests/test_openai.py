"""The provider of servers with OpenAI's API, against servers that answer as they should."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from everword.domain.settings import Secret
from everword.telemetry.tracing import tracer
from everword_embedder.describe import ModelRequest, describe, main
from everword_embedder.providers.errors import ProviderMisconfigured
from everword_embedder.providers.openai.provider import RELEARN_S, OpenAIProvider
from everword_embedder.providers.settings import EmbedSettings
from support.scripted_embedder import Behaviour, ScriptedEmbedder, slow, status, unordered
from support.spans import exporter

TEXTS = ["one", "two words", "three words here"]
Connect = Callable[..., OpenAIProvider]


@pytest.fixture
def ollama() -> Iterator[ScriptedEmbedder]:
    """A server that knows no encodings and cuts nothing."""
    with ScriptedEmbedder(vllm=False, binary=False).running() as server:
        yield server


def expected(server: ScriptedEmbedder, *texts: str) -> np.ndarray:
    return np.array([server.vector(text) for text in texts])


async def test_vectors_are_returned_in_the_order_of_the_texts(
    server: ScriptedEmbedder, connect: Connect
) -> None:
    provider = connect(server)
    np.testing.assert_allclose(await provider.embed(TEXTS), expected(server, *TEXTS), rtol=1e-6)
    server.always = unordered
    np.testing.assert_allclose(await provider.embed(TEXTS), expected(server, *TEXTS), rtol=1e-6)


async def test_empty_batch_sends_no_request(server: ScriptedEmbedder, connect: Connect) -> None:
    assert (await connect(server).embed([])).shape == (0, 8)
    assert server.requests == []


async def test_server_capabilities_are_detected_once(
    server: ScriptedEmbedder, connect: Connect
) -> None:
    provider = connect(server)
    assert provider.max_tokens is None
    for _ in range(3):
        await provider.embed(TEXTS)
    assert provider.max_tokens == server.max_words
    assert server.texts == [["hello"], TEXTS, TEXTS, TEXTS]
    assert server.requests[-1] == {
        "model": "scripted",
        "input": TEXTS,
        "encoding_format": "base64",
        "truncate_prompt_tokens": -1,
    }


async def test_server_without_extensions_gets_only_standard_fields(
    ollama: ScriptedEmbedder, connect: Connect
) -> None:
    provider = connect(ollama)
    np.testing.assert_allclose(await provider.embed(TEXTS), expected(ollama, *TEXTS), rtol=1e-6)
    assert ollama.requests[-1] == {"model": "scripted", "input": TEXTS}
    assert provider.max_tokens is None


async def test_vllm_truncates_long_texts_instead_of_refusing_the_batch(
    server: ScriptedEmbedder, connect: Connect
) -> None:
    long = "word " * 200
    [first, second] = await connect(server).embed(["short", long])
    np.testing.assert_allclose(first, server.vector("short"), rtol=1e-6)
    np.testing.assert_allclose(second, server.vector(("word " * 100).strip()), rtol=1e-6)


@pytest.mark.parametrize("declared_there_too", [True, False])
async def test_matryoshka_vectors_are_truncated_by_server_or_client(
    connect: Connect, declared_there_too: bool
) -> None:
    with ScriptedEmbedder(matryoshka=declared_there_too).running() as server:
        vectors = await connect(server, dimensions=4, matryoshka=True).embed(TEXTS)
        assert ("dimensions" in server.requests[-1]) == declared_there_too
        cut = expected(server, *TEXTS)[:, :4]
        unit = cut / np.linalg.norm(cut, axis=1, keepdims=True)
        np.testing.assert_allclose(vectors, unit, rtol=1e-5)


async def test_dimensions_are_not_sent_for_a_model_that_is_not_matryoshka(
    server: ScriptedEmbedder, connect: Connect
) -> None:
    await connect(server).embed(TEXTS)
    assert all("dimensions" not in request for request in server.requests)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


async def test_server_capabilities_are_detected_again_after_a_refusal(
    server: ScriptedEmbedder, connect: Connect
) -> None:
    clock = Clock()
    provider = connect(server, clock=clock)
    await provider.embed(TEXTS)
    server.vllm = server.binary = False  # another server under the same address
    clock.now += RELEARN_S
    with pytest.raises(Exception, match="answers 400"):
        await provider.embed(TEXTS)
    np.testing.assert_allclose(await provider.embed(TEXTS), expected(server, *TEXTS), rtol=1e-6)


async def test_slow_answer_within_the_read_timeout_is_awaited(
    server: ScriptedEmbedder, connect: Connect
) -> None:
    server.always = slow(0.1)
    assert (await connect(server).embed(TEXTS)).shape == (3, 8)


async def test_trace_context_is_sent_to_the_server(
    server: ScriptedEmbedder, connect: Connect
) -> None:
    exporter()
    with tracer().start_as_current_span("caller") as span:
        await connect(server).embed(TEXTS)
    assert f"{span.get_span_context().trace_id:032x}" in server.headers["traceparent"]


async def test_api_key_is_sent_only_to_the_configured_server(
    server: ScriptedEmbedder, ollama: ScriptedEmbedder, connect: Connect
) -> None:
    settings = EmbedSettings(url=server.url, api_key=Secret("k"))
    await connect(server, settings=settings).embed(TEXTS)
    await connect(ollama, settings=settings).embed(TEXTS)
    assert server.headers["authorization"] == "Bearer k"
    assert "authorization" not in ollama.headers
    assert "'k'" not in repr(settings)


async def test_describe_returns_model_dimensions_and_token_limit(server: ScriptedEmbedder) -> None:
    for name in ("", "scripted"):
        request = ModelRequest(name, server.url, tried=False)
        found = await describe(request, EmbedSettings())
        assert (found.model, found.dimensions, found.max_tokens) == ("scripted", 8, 100)


@pytest.mark.parametrize("behaviour", [status(401), status(404)])
async def test_describe_fails_if_the_server_refuses(
    server: ScriptedEmbedder, behaviour: Behaviour
) -> None:
    server.always = behaviour
    with pytest.raises(ProviderMisconfigured):
        await describe(ModelRequest("scripted", server.url), EmbedSettings())


def test_main_prints_the_model_description_as_json(
    server: ScriptedEmbedder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(url: str) -> None:
        request = json.dumps({"url": url, "dimensions": 4, "tried": False})
        monkeypatch.setattr(sys, "argv", ["describe", request])
        main()

    run(server.url)
    printed = json.loads(capsys.readouterr().out)
    assert (printed["model"], printed["dimensions"], printed["matryoshka"]) == ("scripted", 4, True)
    with pytest.raises(SystemExit):
        run("nowhere")
    assert "it must be a URL" in json.loads(capsys.readouterr().out)["error"]
