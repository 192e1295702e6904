"""The chat client against a real HTTP server: its requests, accepted answers, and telemetry."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from everword.chat.client import ChatClient
from everword.chat.errors import BadAnswer, ChatRefused, ModelDeclined
from everword.chat.model import ChatRequest, TokenUsage, UsageRecord, ignore
from everword.chat.settings import ChatSettings
from everword.domain.settings import Environment, Secret, SettingError
from everword.telemetry import names
from support.scripted_chat import Reply, ScriptedChat, answer, cut_off, drip, empty, hang, status
from support.waits import until

SCHEMA = {
    "type": "object",
    "properties": {"bullets": {"type": "array", "items": {"type": "string", "maxLength": 20}}},
    "required": ["bullets"],
}
PLAIN = ChatRequest(task="day", system="Be brief.", user="What was it?", max_tokens=100)
STRUCTURED = ChatRequest("leaf", "Be brief.", "What was it?", 100, schema=SCHEMA)
THINKING = ChatRequest("leaf", "Be brief.", "What was it?", 100, thinking=True)
BULLETS = {"bullets": ["Ana fixed the VPN."]}
Connect = Callable[..., ChatClient]


@pytest.fixture
def server() -> Iterator[ScriptedChat]:
    with ScriptedChat().running() as server:
        yield server


@pytest.fixture
async def connect() -> AsyncIterator[Connect]:
    opened: list[ChatClient] = []

    def connect(
        server: ScriptedChat, records: list[UsageRecord] | None = None, **more: Any
    ) -> ChatClient:
        settings = ChatSettings(server.url, server.model, read_timeout_s=2.0, **more)
        client = ChatClient(settings, ignore if records is None else records.append)
        opened.append(client)
        return client

    yield connect
    for client in opened:
        await client.close()


async def test_complete_returns_text_model_and_token_usage(
    server: ScriptedChat, connect: Connect
) -> None:
    server.script.append(answer(" The VPN. \u2028\x85 Ärger.\n", model="scripted-chat-2"))
    given = await connect(server).complete(PLAIN)
    assert given.text == "The VPN. \u2028\x85 Ärger."
    assert (given.value, given.reasoning, given.model) == (None, "", "scripted-chat-2")
    assert given.usage == TokenUsage(input_tokens=5, output_tokens=3)


async def test_request_body_has_schema_key_and_thinking_option(
    server: ScriptedChat, connect: Connect
) -> None:
    server.script.append(answer(BULLETS))
    given = await connect(server, api_key=Secret("k")).complete(STRUCTURED)
    assert given.value == BULLETS
    assert server.requests == [
        {
            "model": "scripted-chat",
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "What was it?"},
            ],
            "max_tokens": 100,
            "temperature": 0.3,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "leaf", "schema": SCHEMA},
            },
            "chat_template_kwargs": {"enable_thinking": False},
            "stream": True,
            "stream_options": {"include_usage": True},
        }
    ]
    assert server.headers["authorization"] == "Bearer k"
    await connect(server).complete(THINKING)
    assert server.requests[-1]["chat_template_kwargs"] == {"enable_thinking": True}
    assert "response_format" not in server.requests[-1]
    assert "authorization" not in server.headers


@pytest.mark.parametrize("streams", [True, False])
@pytest.mark.parametrize(
    ("reply", "text", "reasoning"),
    [
        (answer("The VPN.", reasoning="Hm."), "The VPN.", "Hm."),
        (answer("The VPN.", reasoning="Hm.", reasoning_field="reasoning"), "The VPN.", "Hm."),
        (answer("<think>Hm.</think>\n\nThe VPN."), "The VPN.", "Hm."),
        (answer("\n<think>\n\n</think>The VPN."), "The VPN.", ""),
        (answer("Hm.\n</think>\n\nThe VPN."), "The VPN.", "Hm."),
        (answer("The <think> tag."), "The <think> tag.", ""),
    ],
)
async def test_reasoning_is_separated_from_answer(
    server: ScriptedChat, connect: Connect, reply: Reply, text: str, reasoning: str, streams: bool
) -> None:
    server.streams = streams
    server.script.append(reply)
    given = await connect(server).complete(THINKING)
    assert (given.text, given.reasoning) == (text, reasoning)


@pytest.mark.parametrize(
    "reply",
    [
        answer(BULLETS),
        answer('```json\n{"bullets": ["Ana fixed the VPN."]}\n```'),
        answer('<think>{"bullets": []}</think>{"bullets": ["Ana fixed the VPN."]}'),
        answer(None, reasoning='{"bullets": ["Ana fixed the VPN."]}'),
    ],
)
async def test_json_answer_is_found_in_fences_text_or_reasoning(
    server: ScriptedChat, connect: Connect, reply: Reply
) -> None:
    server.script.append(reply)
    given = await connect(server).complete(STRUCTURED)
    assert given.value == BULLETS
    assert given.text.startswith('{"bullets"')


@pytest.mark.parametrize("streams", [True, False])
@pytest.mark.parametrize(
    ("request_", "reply", "outcome"),
    [
        (STRUCTURED, cut_off(), "cut_off"),
        (PLAIN, cut_off("A whole sentence."), "cut_off"),
        (STRUCTURED, answer(BULLETS, finish_reason="length"), "cut_off"),
        (PLAIN, empty(), "empty"),
        (PLAIN, answer(" \n"), "empty"),
        (PLAIN, answer(None, reasoning="The VPN."), "empty"),
        (PLAIN, answer("<think>The VPN."), "cut_off"),
        (STRUCTURED, answer('<think>{"bullets": []}'), "cut_off"),
        (STRUCTURED, empty(), "empty"),
        (STRUCTURED, answer(None, reasoning="No JSON."), "empty"),
        (STRUCTURED, answer('{"bullets": ["hunter2",'), "malformed"),
        (STRUCTURED, answer("The VPN, hunter2."), "malformed"),
        (replace(STRUCTURED, schema={"type": "object"}), answer('{"n": NaN}'), "malformed"),
        (STRUCTURED, answer("[" * 100_000), "malformed"),
        (STRUCTURED, answer({"hunter2": []}), "malformed"),
        (STRUCTURED, answer({"bullets": ["hunter2 " * 20]}), "malformed"),
        (STRUCTURED, answer('{"bullets": ["a\\u0000b"]}'), "malformed"),
        (STRUCTURED, answer('{"bullets": ["half \\ud83d"]}'), "malformed"),
        (PLAIN, answer("a\0b"), "malformed"),
    ],
)
async def test_unusable_answer_raises_bad_answer_and_records_usage(
    server: ScriptedChat,
    connect: Connect,
    request_: ChatRequest,
    reply: Reply,
    outcome: str,
    streams: bool,
) -> None:
    server.streams = streams
    server.script.append(reply)
    records: list[UsageRecord] = []
    with pytest.raises(BadAnswer) as caught:
        await connect(server, records).complete(request_)
    assert caught.value.outcome == outcome
    assert "hunter2" not in str(caught.value)
    [record] = records
    assert (record.outcome, record.input_tokens, record.task) == (outcome, 5, request_.task)
    assert len(server.requests) == 1


async def test_schema_violation_names_rule_without_answer_text(
    server: ScriptedChat, connect: Connect
) -> None:
    server.script.append(answer({"bullets": ["hunter2 " * 20]}))
    with pytest.raises(BadAnswer, match="at properties/bullets/items/maxLength"):
        await connect(server).complete(STRUCTURED)


async def test_declined_request_is_not_retried(server: ScriptedChat, connect: Connect) -> None:
    server.script.append(answer("I", finish_reason="content_filter"))
    with pytest.raises(ModelDeclined):
        await connect(server).complete(PLAIN)
    assert len(server.requests) == 1


async def test_slow_stream_does_not_time_out(server: ScriptedChat, connect: Connect) -> None:
    server.script.append(drip("It was the VPN that dropped.", seconds=3.0))
    assert (await connect(server).complete(PLAIN)).text == "It was the VPN that dropped."


@pytest.mark.parametrize(
    ("refused", "sent"),
    [
        ({"chat_template_kwargs"}, {"stream", "stream_options", "max_tokens", "temperature"}),
        ({"stream_options"}, {"chat_template_kwargs", "stream", "max_tokens", "temperature"}),
        (
            {"chat_template_kwargs", "max_tokens", "temperature"},
            {"stream", "stream_options", "max_completion_tokens"},
        ),
        ({"chat_template_kwargs", "stream_options", "stream"}, {"max_tokens", "temperature"}),
    ],
)
async def test_client_learns_unsupported_request_fields_once(
    connect: Connect, refused: set[str], sent: set[str]
) -> None:
    with ScriptedChat(refuses=frozenset(refused)).running() as server:
        client = connect(server)
        assert (await client.complete(PLAIN)).text == "Fine."
        asked = len(server.requests)
        await client.complete(PLAIN)
        assert len(server.requests) == asked + 1
        assert server.requests[-1].keys() == {"model", "messages", *sent}


async def test_request_refused_for_its_content_raises_chat_refused(
    server: ScriptedChat, connect: Connect
) -> None:
    client = connect(server)
    refusal = status(400, "The messages violate the usage policy")
    server.script += [refusal, answer("Hello."), answer("Hello."), refusal]
    for _ in range(2):
        with pytest.raises(ChatRefused, match="400: The messages violate"):
            await client.complete(STRUCTURED)
    # The second call does not query the server's capabilities again.
    assert len(server.requests) == 4


async def test_concurrent_requests_are_limited(server: ScriptedChat, connect: Connect) -> None:
    server.reply = lambda request: drip("The VPN.", seconds=0.2)
    client = connect(server, concurrency=3)
    await asyncio.gather(*(client.complete(PLAIN) for _ in range(9)))
    assert server.most_at_once == 3


async def test_cancelled_call_ends_at_once_and_frees_its_slot(
    server: ScriptedChat, connect: Connect
) -> None:
    server.script.append(hang())
    records: list[UsageRecord] = []
    client = connect(server, records, concurrency=1)
    call = asyncio.create_task(client.complete(PLAIN))
    await until(lambda: server.active == 1)
    started = time.monotonic()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert time.monotonic() - started < 60
    assert [record.outcome for record in records] == ["cancelled"]
    assert (await client.complete(PLAIN)).text == "Fine."


async def test_client_asks_server_for_token_count_and_context_size(
    server: ScriptedChat, connect: Connect
) -> None:
    client = connect(server)
    assert await client.count_tokens("It was the VPN.") == 4
    assert await client.count_tokens("") == 0
    assert await client.context_tokens() == 8192
    assert await client.context_tokens() == 8192
    assert server.looked_up == ["/tokenize", "/v1/models"]


async def test_token_count_and_context_size_fall_back_to_estimate_and_setting(
    connect: Connect,
) -> None:
    with ScriptedChat(tokenize=False, context_tokens=None).running() as server:
        client = connect(server, context_tokens=3000)
        assert await client.context_tokens() == 3000
        for text, words in (
            ("It was the VPN. " * 50, 200),
            ("e3b0c442 " * 20, 100),
            ("東京" * 9, 18),
        ):
            assert words <= await client.count_tokens(text) <= 3 * words
        assert server.looked_up == ["/v1/models", "/api/ps", "/tokenize"]


async def test_call_records_span_without_message_content(
    server: ScriptedChat, connect: Connect, spans: InMemorySpanExporter
) -> None:
    server.script += [answer(BULLETS, model="scripted-chat-2"), cut_off()]
    client = connect(server)
    await client.complete(STRUCTURED)
    with pytest.raises(BadAnswer):
        await client.complete(STRUCTURED)
    good, bad = spans.get_finished_spans()
    assert (good.name, good.kind) == ("chat scripted-chat", trace.SpanKind.CLIENT)
    assert dict(good.attributes or {}) == {
        names.GEN_AI_OPERATION: "chat",
        names.GEN_AI_PROVIDER: "openai",
        names.GEN_AI_MODEL: "scripted-chat",
        names.GEN_AI_RESPONSE_MODEL: "scripted-chat-2",
        names.GEN_AI_MAX_TOKENS: 100,
        names.GEN_AI_TEMPERATURE: 0.3,
        names.GEN_AI_OUTPUT_TYPE: "json",
        names.GEN_AI_FINISH_REASONS: ("stop",),
        names.GEN_AI_TOKENS: 5,
        names.GEN_AI_OUTPUT_TOKENS: 5,
        names.SERVER_ADDRESS: "127.0.0.1",
        names.SERVER_PORT: int(server.root.rpartition(":")[2]),
        names.CHAT_TASK: "leaf",
    }
    assert (bad.attributes or {})[names.ERROR_TYPE] == "BadAnswer"
    assert (bad.attributes or {})[names.GEN_AI_FINISH_REASONS] == ("length",)
    for span in (good, bad):
        told = span.to_json()
        assert "VPN" not in told
        assert "What was it?" not in told
    assert server.headers["traceparent"].split("-")[2] == f"{bad.context.span_id:016x}"


GIVEN = {"EVERWORD_CHAT_URL": "http://me:pw@h:1/v1", "EVERWORD_CHAT_MODEL": "m"}


def test_settings_come_from_the_environment() -> None:
    assert ChatSettings.from_environment(Environment({})) is None
    settings = ChatSettings.from_environment(
        Environment({**GIVEN, "EVERWORD_CHAT_API_KEY": "hunter2", "EVERWORD_CHAT_CONCURRENCY": "7"})
    )
    assert settings is not None
    assert (settings.model, settings.concurrency, settings.endpoint) == ("m", 7, "h:1")
    assert "hunter2" not in repr(settings)
    assert "pw" not in repr(settings)


def test_small_settings_choose_another_model_or_server() -> None:
    def small(**given: str) -> ChatSettings:
        asked = {**GIVEN, "EVERWORD_CHAT_API_KEY": "hunter2"}
        asked |= {f"EVERWORD_CHAT_{name}": value for name, value in given.items()}
        settings = ChatSettings.small_from_environment(Environment(asked))
        assert settings is not None
        return settings

    chat = ChatSettings.from_environment(Environment({**GIVEN, "EVERWORD_CHAT_API_KEY": "hunter2"}))
    assert chat is not None
    assert (small().model, small().root) == (chat.model, chat.root)
    beside = small(SMALL_MODEL="s")
    assert (beside.model, beside.root, beside.api_key.reveal()) == ("s", chat.root, "hunter2")
    other = small(SMALL_MODEL="s", SMALL_URL="http://o:2/v1")
    assert (other.model, other.endpoint, other.api_key.reveal()) == ("s", "o:2", "")
    alone = small(SMALL_MODEL="s", SMALL_URL="http://o:2", URL="")
    assert (alone.model, alone.endpoint) == ("s", "o:2")
    assert ChatSettings.small_from_environment(Environment({})) is None
    for wrong in (
        {"EVERWORD_CHAT_SMALL_MODEL": "s"},
        {"EVERWORD_CHAT_SMALL_URL": "http://o:2"},
        {"EVERWORD_CHAT_SMALL_URL": "o", "EVERWORD_CHAT_SMALL_MODEL": "s"},
    ):
        with pytest.raises(SettingError, match="EVERWORD_CHAT_SMALL_"):
            ChatSettings.small_from_environment(Environment(wrong))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("EVERWORD_CHAT_URL", "localhost:8000"),
        ("EVERWORD_CHAT_MODEL", ""),
        ("EVERWORD_CHAT_CONCURRENCY", "0"),
        ("EVERWORD_CHAT_CONCURRENCY", "many"),
        ("EVERWORD_CHAT_CONTEXT_TOKENS", "12"),
    ],
)
def test_invalid_chat_setting_is_refused_with_its_name(name: str, value: str) -> None:
    with pytest.raises(SettingError, match=name):
        ChatSettings.from_environment(Environment({**GIVEN, name: value}))
