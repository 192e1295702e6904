"""The context length of a model, as servers of several makes report it, and requests that fit their limits."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from everword.chat.client import ChatClient
from everword.chat.model import ChatRequest
from everword.chat.settings import ChatSettings
from everword.domain.settings import Environment
from support.scripted_chat import Body, Reply, ScriptedChat, answer, status, user_text

Connect = Callable[..., ChatClient]
LONG = {
    "type": "object",
    "properties": {"summary": {"type": "string", "maxLength": 28_000}},
    "required": ["summary"],
}


@pytest.fixture
def server() -> Iterator[ScriptedChat]:
    with ScriptedChat(context_tokens=None, tokenize=False, model="any").running() as server:
        yield server


@pytest.fixture
async def connect() -> AsyncIterator[Connect]:
    opened: list[ChatClient] = []

    def connect(server: ScriptedChat, **more: Any) -> ChatClient:
        opened.append(ChatClient(ChatSettings(server.url, server.model, **more)))
        return opened[-1]

    yield connect
    for client in opened:
        await client.close()


def models(**entry: Any) -> dict[str, Any]:
    return {"/v1/models": {"object": "list", "data": [{"id": "any", **entry}]}}


OLLAMA = models(owned_by="library")


@pytest.mark.parametrize(
    ("pages", "tokens"),
    [
        (models(owned_by="vllm", max_model_len=32_768), 32_768),
        (models(owned_by="x", context_window=131_072), 131_072),
        (models(id="other.gguf", owned_by="llamacpp", meta={"n_ctx": 16_384}), 16_384),
        (
            models(owned_by="llamacpp", meta={"n_ctx_train": 262_144})
            | {"/props": {"default_generation_settings": {"n_ctx": 24_576}}},
            24_576,
        ),
        (OLLAMA | {"/api/ps": {"models": [{"name": "any", "context_length": 32_768}]}}, 32_768),
        # The model is not loaded; Ollama may load it with its default.
        (OLLAMA | {"/api/ps": {"models": []}}, 4_096),
        (models(owned_by="x"), 8_192),
    ],
)
async def test_context_size_is_read_from_servers_of_each_make(
    server: ScriptedChat, connect: Connect, pages: dict[str, Any], tokens: int
) -> None:
    server.pages = pages
    assert await connect(server).context_tokens() == tokens


async def test_context_size_of_ollama_is_read_once_the_model_is_loaded(
    server: ScriptedChat, connect: Connect
) -> None:
    server.pages = OLLAMA | {"/api/ps": {"models": []}}
    client = connect(server)
    assert await client.context_tokens() == 4_096
    server.pages = OLLAMA | {"/api/ps": {"models": [{"model": "any", "context_length": 65_536}]}}
    assert await client.context_tokens() == 65_536
    server.pages = OLLAMA | {"/api/ps": {"models": []}}
    assert await client.context_tokens() == 65_536


@pytest.mark.parametrize(
    ("model", "tokens"),
    [
        ("gpt-4o-mini", 128_000),
        ("openai/gpt-4.1", 1_047_576),
        ("gpt-4-0613", 8_192),
        ("anthropic/claude-sonnet-4.5", 200_000),
        ("gpt-oss:20b", 8_192),
        ("qwen3:8b", 8_192),
    ],
)
async def test_context_size_of_hosted_model_is_known_by_its_name(
    connect: Connect, model: str, tokens: int
) -> None:
    with ScriptedChat(context_tokens=None, model=model).running() as server:
        assert await connect(server).context_tokens() == tokens


async def test_setting_limits_the_reported_size_and_replaces_a_guess(
    server: ScriptedChat, connect: Connect
) -> None:
    assert await connect(server, context_tokens=20_000).context_tokens() == 20_000
    server.pages = models(owned_by="vllm", max_model_len=131_072)
    assert await connect(server, context_tokens=20_000).context_tokens() == 20_000
    assert await connect(server, context_tokens=200_000).context_tokens() == 131_072
    given = {"EVERWORD_CHAT_URL": server.url, "EVERWORD_CHAT_MODEL": "any"}
    unset = ChatSettings.from_environment(Environment(given))
    assert unset
    assert unset.context_tokens is None
    chosen = Environment(given | {"EVERWORD_CHAT_CONTEXT_TOKENS": "20000"})
    settings = ChatSettings.from_environment(chosen)
    assert settings
    assert settings.context_tokens == 20_000


@pytest.mark.parametrize(
    "words",
    [
        "max_tokens is too large: 28192. This model supports at most 16384 completion tokens, "
        "whereas you provided 28192.",
        "max_tokens: 28192 > 16384, which is the maximum allowed number of output tokens",
        "`max_tokens` must be less than or equal to `16384`, the maximum value for `max_tokens` is "
        "less than the `context_window` for this model",
    ],
)
async def test_request_is_repeated_within_the_output_limit_of_the_server(
    server: ScriptedChat, connect: Connect, words: str
) -> None:
    def reply(request: Body) -> Reply:
        return status(400, words) if request["max_tokens"] > 16_384 else answer("Fine.")

    server.reply = reply
    client = connect(server)
    request = ChatRequest("root", "Be brief.", "What was it?", 28_192)
    for _ in range(2):
        assert (await client.complete(request)).text == "Fine."
    assert [each["max_tokens"] for each in server.requests] == [28_192, 16_384, 16_384]


async def test_schema_is_part_of_the_message_if_the_server_refuses_schemas(
    server: ScriptedChat, connect: Connect
) -> None:
    server.refuses = frozenset({"response_format"})
    server.reply = lambda request: answer('```json\n{"summary": "Tulips."}\n```')
    request = ChatRequest("leaf", "Be brief.", "What was it?", 100, schema=LONG)
    assert (await connect(server).complete(request)).value == {"summary": "Tulips."}
    assert '"required": ["summary"]' in user_text(server.requests[-1])
