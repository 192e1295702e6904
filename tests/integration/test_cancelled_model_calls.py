"""Model calls that are cancelled at any moment leave no connection that later calls wait for."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress

import pytest

from everword.chat.client import ChatClient
from everword.chat.errors import ChatError
from everword.chat.model import ChatRequest
from everword.chat.settings import ChatSettings
from everword_embedder.providers.errors import ProviderError
from everword_embedder.providers.openai.server import OpenAIServer
from everword_embedder.providers.settings import EmbedSettings
from support.scripted_chat import ScriptedChat, drip
from support.scripted_embedder import ScriptedEmbedder, slow

#: With httpx 0.28 and httpcore 1.0.9 all connections were lost after some 70 rounds.
ROUNDS = 100
ANSWER_S = 0.012
ASKED = ChatRequest(task="leaf", system="Be brief.", user="What holds?", max_tokens=100)


async def _cancel_most(call: Callable[[], Awaitable[object]], at_once: int) -> None:
    drawn = random.Random(7)
    loop = asyncio.get_running_loop()

    async def one() -> None:
        with suppress(ChatError, ProviderError):
            await call()

    for _ in range(ROUNDS):
        calls = [asyncio.ensure_future(one()) for _ in range(at_once)]
        for each in calls:
            if drawn.random() < 0.7:
                loop.call_later(drawn.random() * 2 * ANSWER_S, each.cancel)
        _, hang = await asyncio.wait(calls, timeout=10)
        assert not hang
    await asyncio.wait_for(call(), 10)


async def test_cancelled_chat_calls_free_their_connections() -> None:
    with ScriptedChat().running() as server:
        server.always = drip("It holds.", ANSWER_S)
        client = ChatClient(ChatSettings(server.url, server.model, pauses_s=(0.01,)))
        await _cancel_most(lambda: client.complete(ASKED), 6)
        await client.close()


async def test_cancelled_embedding_calls_free_their_connections(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Cancelled calls are no evidence about the server.
    monkeypatch.setattr("everword_embedder.providers.openai.server._MIN_HANG_S", 60)
    with ScriptedEmbedder().running() as server:
        server.always = slow(ANSWER_S)
        client = OpenAIServer(server.url, EmbedSettings(url=server.url))
        body = {"model": server.model, "input": ["It holds."]}
        await _cancel_most(lambda: client.post("/v1/embeddings", body, ["It holds."]), 10)
        await client.close()
