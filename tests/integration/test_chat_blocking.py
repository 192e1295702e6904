"""The chat client for synchronous code."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from everword.chat.blocking import BlockingChat
from everword.chat.errors import BadAnswer
from everword.chat.model import ChatRequest
from everword.chat.settings import ChatSettings
from support.scripted_chat import ScriptedChat, cut_off, drip, hang, status

PLAIN = ChatRequest(task="day", system="Be brief.", user="What was it?", max_tokens=100)


@pytest.fixture
def server() -> Iterator[ScriptedChat]:
    with ScriptedChat().running() as server:
        yield server


@pytest.fixture
def records() -> list[tuple[str, str]]:
    """Outcome of each request, and the thread in which it was reported."""
    return []


@pytest.fixture
def chat(server: ScriptedChat, records: list[tuple[str, str]]) -> Iterator[BlockingChat]:
    chat = BlockingChat(
        ChatSettings(server.url, server.model, read_timeout_s=10.0),
        lambda one: records.append((one.outcome, threading.current_thread().name)),
        beat_s=0.1,
    )
    yield chat
    chat.close()


def test_blocking_chat_answers_counts_tokens_and_records_usage(
    server: ScriptedChat, chat: BlockingChat, records: list[tuple[str, str]]
) -> None:
    assert chat.complete(PLAIN).text == "Fine."
    assert chat.model == "scripted-chat"
    assert (chat.count_tokens("It was the VPN."), chat.context_tokens()) == (4, 8192)
    assert records == [("ok", threading.current_thread().name)]


def test_blocking_call_sends_heartbeats_while_waiting(
    server: ScriptedChat, chat: BlockingChat
) -> None:
    server.script.append(drip("The VPN.", seconds=1.0))
    beats: list[float] = []
    assert chat.complete(PLAIN, lambda: beats.append(time.monotonic())).text == "The VPN."
    assert 2 <= len(beats) <= 11


def test_error_of_heartbeat_cancels_call(
    server: ScriptedChat, chat: BlockingChat, records: list[tuple[str, str]]
) -> None:
    server.script.append(hang())

    def lost() -> None:
        raise RuntimeError("lease lost")

    with pytest.raises(RuntimeError, match="lease lost"):
        chat.complete(PLAIN, lost)
    assert [outcome for outcome, _ in records] == ["cancelled"]
    assert chat.complete(PLAIN).text == "Fine."


def test_blocking_call_raises_error_and_records_usage(
    server: ScriptedChat, chat: BlockingChat, records: list[tuple[str, str]]
) -> None:
    server.script.append(cut_off())
    with pytest.raises(BadAnswer):
        chat.complete(PLAIN)
    assert [outcome for outcome, _ in records] == ["cut_off"]


def test_span_of_blocking_call_is_child_of_callers_span(
    server: ScriptedChat, chat: BlockingChat, spans: InMemorySpanExporter
) -> None:
    with trace.get_tracer("test").start_as_current_span("job"):
        chat.complete(PLAIN)
    call, job = spans.get_finished_spans()
    assert call.parent is not None
    assert job.context is not None
    assert call.parent.span_id == job.context.span_id


def test_blocking_chat_is_shared_by_threads(server: ScriptedChat, chat: BlockingChat) -> None:
    texts: list[str] = []
    threads = [
        threading.Thread(target=lambda: texts.append(chat.complete(PLAIN).text)) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert texts == ["Fine."] * 8


def test_blocking_call_sends_heartbeats_during_retry_pauses(server: ScriptedChat) -> None:
    settings = ChatSettings(server.url, server.model, pauses_s=(0.5,))
    chat = BlockingChat(settings, beat_s=0.1)
    server.script.append(status(500))
    beats: list[None] = []
    try:
        assert chat.complete(PLAIN, lambda: beats.append(None)).text == "Fine."
    finally:
        chat.close()
    assert len(beats) >= 2


def test_keyboard_interrupt_ends_blocking_call(server: ScriptedChat, chat: BlockingChat) -> None:
    server.script.append(hang())

    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        chat.complete(PLAIN, interrupt)
    assert chat.complete(PLAIN).text == "Fine."


def test_close_cancels_running_calls(server: ScriptedChat) -> None:
    server.always = hang()
    chat = BlockingChat(ChatSettings(server.url, server.model), beat_s=0.1)
    ended: list[BaseException] = []

    def ask() -> None:
        try:
            chat.complete(PLAIN)
        except CancelledError as error:
            ended.append(error)

    asking = threading.Thread(target=ask)
    asking.start()
    while server.active == 0:
        time.sleep(0.01)
    chat.close()
    asking.join(timeout=60.0)
    assert len(ended) == 1
