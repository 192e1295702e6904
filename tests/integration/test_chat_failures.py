"""All failures of a chat server, their classification, and how long the client waits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from everword.chat.client import ChatClient
from everword.chat.errors import (
    ChatBusy,
    ChatError,
    ChatMisconfigured,
    ChatRefused,
    ChatTimedOut,
    ChatUnavailable,
    InputTooLong,
)
from everword.chat.model import ChatRequest, UsageRecord
from everword.chat.settings import ChatSettings
from everword.model_server.breaker import PAUSE_S
from support.scripted_chat import (
    Reply,
    ScriptedChat,
    after,
    answer,
    cut_off,
    end_after,
    fail_after,
    garbage,
    hang,
    hang_after,
    not_http,
    reset,
    reset_after,
    status,
    too_long,
    unknown_route,
)

SECRET = "my password is hunter2"
ASKED = ChatRequest(task="leaf", system="Be brief.", user=SECRET, max_tokens=100)
#: Pauses before the first, second and third retry.
PAUSES = [5.0, 10.0, 15.0]


class Time:
    """A clock that advances only during pauses."""

    def __init__(self) -> None:
        self.now = 100.0
        self.pauses: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


class World:
    """A server, its client, the client's clock, and its ledger."""

    def __init__(self, server: ScriptedChat, settings: ChatSettings) -> None:
        self.server = server
        self.time = Time()
        self.records: list[UsageRecord] = []
        self.client = ChatClient(
            settings, self.records.append, clock=self.time, sleep=self.time.sleep
        )

    @property
    def outcomes(self) -> list[str]:
        return [record.outcome for record in self.records]


@pytest.fixture
def server() -> Iterator[ScriptedChat]:
    with ScriptedChat().running() as server:
        yield server


@pytest.fixture
async def make(server: ScriptedChat) -> AsyncIterator[Callable[..., World]]:
    made: list[World] = []

    def make(**more: object) -> World:
        settings = ChatSettings(server.url, server.model, read_timeout_s=0.3, connect_timeout_s=1.0)
        made.append(World(server, replace(settings, **more)))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for world in made:
        await world.client.close()


@pytest.fixture
def world(make: Callable[..., World]) -> World:
    return make()


AWAY: list[tuple[Reply, str]] = [
    (reset(), "does not answer (ReadError)"),
    (reset_after("Half"), "does not answer (Re"),
    (end_after("Half"), "ended its answer in the middle"),
    (fail_after("Half"), "broke off with 500"),
    (not_http(), "does not answer (RemoteProtocolError)"),
    (garbage(), "does not follow OpenAI's API"),
    (garbage(b'"text"'), "does not follow OpenAI's API"),
    (garbage(b'{"choices": "none"}'), "does not follow OpenAI's API"),
    (garbage(b'{"choices": [7]}'), "does not follow OpenAI's API"),
    (garbage(b"[" * 100_000), "does not follow OpenAI's API"),
    (answer("Half", finish_reason="abort"), "cancelled the answer"),
    (status(408), "answers 408: no"),
    (status(429), "answers 429: no"),
    (status(500), "answers 500: no"),
    (status(503, SECRET), "answers 503"),
]


@pytest.mark.parametrize(("trouble", "said"), AWAY, ids=[said for _, said in AWAY])
async def test_single_server_failure_is_retried(world: World, trouble: Reply, said: str) -> None:
    world.server.script.append(trouble)
    assert (await world.client.complete(ASKED)).text == "Fine."
    assert world.time.pauses == PAUSES[:1]
    assert world.outcomes == ["unavailable", "ok"]


@pytest.mark.parametrize(("trouble", "said"), AWAY, ids=[said for _, said in AWAY])
async def test_persistent_server_failure_raises_chat_unavailable(
    world: World, trouble: Reply, said: str
) -> None:
    world.server.always = trouble
    with pytest.raises(ChatUnavailable) as caught:
        await world.client.complete(ASKED)
    assert said in str(caught.value)
    assert "hunter2" not in str(caught.value)
    assert world.time.pauses == PAUSES
    assert world.outcomes == ["unavailable"] * 4


@pytest.mark.parametrize(
    ("refusal", "error", "said"),
    [
        (hang(), ChatTimedOut, "sent nothing for 0.3 s; if its model is slow, raise"),
        (hang_after("Half"), ChatTimedOut, "sent nothing for 0.3 s"),
        (after(2, answer()), ChatTimedOut, "sent nothing for 0.3 s"),
        (status(401), ChatMisconfigured, "answers 401: no; check EVERWORD_CHAT_API_KEY"),
        (status(402), ChatMisconfigured, "answers 402: no; the account"),
        (status(429, "You exceeded your current quota"), ChatMisconfigured, "needs credit"),
        (status(403), ChatMisconfigured, "answers 403: no; the key"),
        (status(404, "The model `x` does not exist."), ChatMisconfigured, "The model `x` does"),
        (unknown_route(), ChatMisconfigured, "answers 404: Not Found"),
        (status(302), ChatMisconfigured, "answers 302: no"),
        (fail_after("Half", 400), ChatRefused, "broke off with 400"),
        (status(400), ChatRefused, "answers 400: no"),
        (status(422, SECRET), ChatRefused, "answers 422"),
        (status(413), InputTooLong, "answers 413: no"),
        (too_long(4096, 5000), InputTooLong, "maximum context length is 4096"),
    ],
)
async def test_refusal_is_not_retried_and_raises_matching_error(
    world: World, refusal: Reply, error: type[ChatError], said: str
) -> None:
    world.server.script.append(refusal)
    with pytest.raises(ChatError) as caught:
        await world.client.complete(ASKED)
    assert type(caught.value) is error
    assert said in str(caught.value)
    assert "hunter2" not in str(caught.value)
    assert world.time.pauses == []


@pytest.mark.parametrize(
    ("words", "limit"),
    [
        ("This model's maximum context length is 4096 tokens. However, you requested 5000.", 4096),
        ("'max_tokens' is too large: 5000. This model's maximum context length is 4096.", 4096),
        ("However, the model's context length is only 4096 tokens, resulting in", 4096),
        ("The prompt (length 5012) is longer than the maximum model length of 4096.", 4096),
        ("request (5000 tokens) exceeds the available context size (4096 tokens)", 4096),
        ("max_tokens must be at least 1, got -186.", None),
        ("prompt is too long", None),
    ],
)
async def test_context_length_error_is_recognised_by_its_text(
    world: World, words: str, limit: int | None
) -> None:
    world.server.script.append(status(400, words))
    with pytest.raises(InputTooLong) as caught:
        await world.client.complete(ASKED)
    assert caught.value.limit == limit
    # From then on the server's reported limit is used.
    assert await world.client.context_tokens() == (limit or 8192)


async def test_closed_port_raises_chat_unavailable() -> None:
    with ScriptedChat().running() as gone:
        world = World(gone, ChatSettings(gone.url, gone.model))
    with pytest.raises(ChatUnavailable, match="ConnectError"):
        await world.client.complete(ASKED)
    assert world.time.pauses == PAUSES
    await world.client.close()


async def test_server_that_refuses_everything_raises_chat_misconfigured(world: World) -> None:
    world.server.always = status(400, "not a chat model")
    with pytest.raises(ChatMisconfigured, match="not a chat model"):
        await world.client.complete(ASKED)


@pytest.mark.parametrize("code", [429, 503])
async def test_retry_after_of_server_is_honoured(world: World, code: int) -> None:
    at = format_datetime(datetime.now(UTC) + timedelta(seconds=40), usegmt=True)
    world.server.script += [status(code, retry_after="2"), status(code, retry_after=at)]
    assert (await world.client.complete(ASKED)).text == "Fine."
    assert world.time.pauses == [2.0, pytest.approx(40, abs=2)]


async def test_long_retry_after_raises_chat_busy_with_seconds(world: World) -> None:
    world.server.script.append(status(429, retry_after="600"))
    with pytest.raises(ChatBusy) as caught:
        await world.client.complete(ASKED)
    assert caught.value.retry_after_s == 600
    asked = len(world.server.requests)
    with pytest.raises(ChatUnavailable, match="left alone") as again:
        await world.client.complete(ASKED)
    assert again.value.retry_after_s == 600
    assert len(world.server.requests) == asked


@pytest.mark.parametrize("trouble", [status(500), reset(), garbage()])
async def test_open_circuit_breaker_fails_calls_at_once_until_it_closes(
    world: World, trouble: Reply
) -> None:
    world.server.always = trouble
    with pytest.raises(
        ChatUnavailable, match=r"the model server|does not follow OpenAI's API|an answer of"
    ):
        await world.client.complete(ASKED)
    asked = len(world.server.requests)
    with pytest.raises(ChatUnavailable, match="left alone"):
        await world.client.complete(ASKED)
    assert (len(world.server.requests), world.time.pauses) == (asked, PAUSES)
    assert len(world.records) == asked, "a call that was not made costs nothing"
    world.server.always = None
    world.time.now += PAUSE_S
    assert (await world.client.complete(ASKED)).text == "Fine."
    assert (await world.client.complete(ASKED)).text == "Fine."


async def test_running_calls_retry_during_outage_seen_by_other_calls(world: World) -> None:
    world.server.script += [status(500)] * 3
    answers = await asyncio.gather(*(world.client.complete(ASKED) for _ in range(3)))
    assert [one.text for one in answers] == ["Fine."] * 3


async def test_without_retry_pauses_failure_is_raised_at_once(make: Callable[..., World]) -> None:
    world = make(pauses_s=())
    world.server.script.append(status(503))
    with pytest.raises(ChatUnavailable):
        await world.client.complete(ASKED)
    assert len(world.server.requests) == 1


async def test_context_size_is_queried_again_after_outage(world: World) -> None:
    assert await world.client.context_tokens() == 8192
    world.server.context_tokens = 4096
    assert await world.client.context_tokens() == 8192
    world.server.script.append(reset())
    await world.client.complete(ASKED)
    assert await world.client.context_tokens() == 4096


async def test_supported_fields_are_probed_again_after_outage(world: World) -> None:
    world.server.refuses = frozenset({"chat_template_kwargs"})
    await world.client.complete(ASKED)
    assert "chat_template_kwargs" not in world.server.requests[-1]
    world.server.refuses = frozenset()
    world.server.script.append(reset())
    await world.client.complete(ASKED)
    assert "chat_template_kwargs" in world.server.requests[-1]


async def test_usage_of_failed_call_is_recorded(world: World) -> None:
    world.server.script.append(cut_off("one two three"))
    with pytest.raises(ChatError):
        await world.client.complete(ASKED)
    [record] = world.records
    assert record.endpoint == world.server.root.removeprefix("http://")
    assert (record.task, record.model) == ("leaf", "scripted-chat")
    assert (record.input_tokens, record.output_tokens, record.outcome) == (6, 3, "cut_off")
    assert record.seconds > 0
