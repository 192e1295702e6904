"""Background calls of a language model wait for answers to people, and share a limit."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from everword.chat.blocking import BlockingChat
from everword.chat.model import ChatRequest
from everword.chat.priority import MARK_S, BackgroundTurn
from everword.chat.settings import ChatSettings
from everword.v1.search_service_pb2 import AnswerRequest
from support.calls import append
from support.databases import DatabaseUnderTest
from support.scripted_chat import Body, Reply, ScriptedChat, answer, drip, user_text
from support.stack import running_stack
from support.waits import until

ASKED = ChatRequest("sleep-classify", "Be brief.", "What was it?", 100)


@pytest.fixture
def server() -> Iterator[ScriptedChat]:
    with ScriptedChat().running() as server:
        yield server


async def test_background_call_waits_for_answer_in_flight(
    database: DatabaseUnderTest, server: ScriptedChat, valkey_url: str
) -> None:
    order: list[str] = []

    def reply(request: Body) -> Reply:
        if "What was it?" in user_text(request):
            order.append("background")
            return answer("Fine.")
        order.append("answer")
        return drip("Commit 4f0c9ab mended the pump [1].", seconds=1.5)

    server.reply = reply
    settings = ChatSettings(server.url, server.model)
    async with running_stack(
        database, chat=settings, embedder=False, redis_url=valkey_url
    ) as stack:
        await append(stack, "Commit 4f0c9ab mended the irrigation pump in May.")
        question = AnswerRequest(query="Which commit mended the irrigation pump?")
        answers = asyncio.ensure_future(stack.search.Answer(question))
        await until(lambda: server.active == 1)
        beats: list[int] = []
        with (
            closing(BackgroundTurn(valkey_url, settings.endpoint)) as turn,
            closing(BlockingChat(settings, wait_turn=turn.wait)) as chat,
        ):
            await asyncio.to_thread(chat.complete, ASKED, lambda: beats.append(1))
            assert order == ["answer", "background"]
            assert (await answers).answer
            assert server.most_at_once == 1
            # The lease of the job is extended meanwhile.
            assert len(beats) >= 4
            await asyncio.sleep(MARK_S)
            beats.clear()
            await asyncio.to_thread(chat.complete, ASKED, lambda: beats.append(1))
            assert beats == []


def test_background_call_does_not_wait_for_redis_that_is_away(server: ScriptedChat) -> None:
    settings = ChatSettings(server.url, server.model)
    with (
        closing(BackgroundTurn("redis://127.0.0.1:1", settings.endpoint)) as turn,
        closing(BlockingChat(settings, wait_turn=turn.wait)) as chat,
    ):
        assert chat.complete(ASKED).text == "Fine."


def test_tasks_of_one_process_share_the_limit_of_concurrent_calls(server: ScriptedChat) -> None:
    server.reply = lambda request: drip("Fine.", seconds=0.2)
    settings = ChatSettings(server.url, server.model, concurrency=1)
    beats = threading.Event()
    with (
        closing(BlockingChat(settings, beat_s=0.05)) as first,
        closing(BlockingChat(settings, beat_s=0.05)) as second,
        ThreadPoolExecutor(4) as threads,
    ):
        calls = [threads.submit(chat.complete, ASKED, beats.set) for chat in (first, second) * 2]
        assert [call.result().text for call in calls] == ["Fine."] * 4
    assert server.most_at_once == 1
    assert beats.is_set()
