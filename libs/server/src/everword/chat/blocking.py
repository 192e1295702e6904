"""Asks a chat model from sync code, whose lease is extended meanwhile."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import wait
from typing import Any, TypeVar

from everword.chat.client import ChatClient
from everword.chat.model import ChatAnswer, ChatRequest, UsageRecord, ignore
from everword.chat.settings import ChatSettings

_Result = TypeVar("_Result")
_Call = Callable[[], Coroutine[Any, Any, _Result]]
#: The concurrent calls of this process, by server and their limit: tasks with a client each share the limit.
_SLOTS: dict[tuple[str, int], threading.BoundedSemaphore] = {}
_MAKING_SLOTS = threading.Lock()


def _slots_of(settings: ChatSettings) -> threading.BoundedSemaphore:
    with _MAKING_SLOTS:
        key = (settings.endpoint, settings.concurrency)
        return _SLOTS.setdefault(key, threading.BoundedSemaphore(settings.concurrency))


def no_beat() -> None:
    """Nothing has to be done while a call waits."""


class BlockingChat:
    """Asks one model, by a client on an event loop in a thread of its own. Threads may share it."""

    def __init__(
        self,
        settings: ChatSettings,
        record: Callable[[UsageRecord], None] = ignore,
        *,
        admit: Callable[[str], None] = lambda model: None,
        wait_turn: Callable[[Callable[[], None]], None] = lambda beat: None,
        beat_s: float = 3.0,
    ) -> None:
        """`record` is called in the calling thread, after its call, for each request to the server.

        `wait_turn` is called before each call, with its `beat`, and returns when the model may be asked. `admit` is
        called then, with the model; if it raises, the model is not asked. `beat_s` is the pause between two beats of a
        waiting call, in seconds.
        """
        self.model = settings.model
        self._record = record
        self._admit = admit
        self._wait_turn = wait_turn
        self._slots = _slots_of(settings)
        self._beat_s = beat_s
        self._loop = asyncio.new_event_loop()
        self._client = ChatClient(settings)
        # A process that must end does not wait for a model.
        self._thread = threading.Thread(target=self._loop.run_forever, name="chat", daemon=True)
        self._thread.start()

    def complete(self, request: ChatRequest, beat: Callable[[], None] = no_beat) -> ChatAnswer:
        """Return the model's answer, and call `beat` every few seconds while waiting.

        An exception of `beat` cancels the call. Raises ChatError, and the exceptions of `admit`.
        """
        while not self._slots.acquire(timeout=self._beat_s):
            beat()
        spent: list[UsageRecord] = []
        try:
            self._wait_turn(beat)
            self._admit(self.model)
            return self._run(lambda: self._client.complete(request, spent.append), beat)
        finally:
            self._slots.release()
            for record in spent:
                self._record(record)

    def count_tokens(self, text: str, beat: Callable[[], None] = no_beat) -> int:
        """Return how many tokens a text has. Raises ChatUnavailable."""
        return self._run(lambda: self._client.count_tokens(text), beat)

    def context_tokens(self, beat: Callable[[], None] = no_beat) -> int:
        """Return how many tokens the model reads, its answer included. Raises ChatUnavailable."""
        return self._run(self._client.context_tokens, beat)

    def close(self) -> None:
        """End what still runs, and the thread."""
        self._run(self._close, no_beat)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _close(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await self._client.close()

    def _run(self, call: _Call[_Result], beat: Callable[[], None]) -> _Result:
        ended = threading.Event()
        future = asyncio.run_coroutine_threadsafe(_until_ended(call, ended), self._loop)
        try:
            while not wait([future], timeout=self._beat_s).done:
                beat()
        except BaseException:
            # Whatever ends the wait ends the call as well: a lost lease, a signal, the end of the process.
            future.cancel()
            ended.wait(timeout=self._beat_s)
            raise
        return future.result()


async def _until_ended(call: _Call[_Result], ended: threading.Event) -> _Result:
    """Run a call, and set `ended` when it has ended: a cancelled future is done before its call is."""
    try:
        return await call()
    finally:
        ended.set()
