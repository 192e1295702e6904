"""Asks a chat model from async code: waits while its server is unavailable, and adapts to the fields that
it accepts.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from everword.chat.answers import answer_of
from everword.chat.dialect import HELLO, LADDER, ChatDialect, body_of
from everword.chat.errors import (
    BadAnswer,
    ChatBusy,
    ChatMisconfigured,
    ChatRefused,
    ChatTimedOut,
    ChatUnavailable,
    FormatRefused,
    InputTooLong,
    ModelDeclined,
    OutputTooLong,
)
from everword.chat.limits import ModelLimits
from everword.chat.model import ChatAnswer, ChatRequest, UsageRecord, ignore
from everword.chat.server import ChatServer
from everword.chat.settings import ChatSettings
from everword.chat.telemetry import observed
from everword.model_server.breaker import CircuitOpen

#: Longest pause that a call waits for; a longer Retry-After is passed to the caller.
MAX_WAIT_S = 60.0
#: Seconds for which the learned fields of a server are kept after a refusal.
RELEARN_S = 10.0

_Result = TypeVar("_Result")
Record = Callable[[UsageRecord], None]


class ChatClient:
    """Asks one model. There is no time-out for the whole of a call: cancel it to give up."""

    def __init__(
        self,
        settings: ChatSettings,
        record: Record = ignore,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`record` is called once for each request to the server, on the event loop: it must neither wait nor raise."""
        self.model = settings.model
        self._settings = settings
        self._record = record
        self._clock = clock
        self._sleep = sleep
        self._server = ChatServer(settings, clock)
        self._limits = ModelLimits(self._server, settings)
        self._slots = asyncio.Semaphore(settings.concurrency)
        self._dialect = ChatDialect()
        self._learned_at = float("-inf")
        self._learning = asyncio.Lock()

    async def complete(self, request: ChatRequest, record: Record | None = None) -> ChatAnswer:
        """Return the model's answer. `record` takes what this call costs, instead of the client's own.

        Repeated after the settings' pauses where the server is away, busy or broken, or after the pause it asks for,
        but not after a read time-out. Raises ChatError.
        """
        return await self._retry_while_unavailable(
            lambda: self._parsed(request, record or self._record)
        )

    async def count_tokens(self, text: str) -> int:
        """Return how many tokens a text has, by the server's `/tokenize`; by an estimate on the high side without it.

        Raises ChatUnavailable.
        """
        return await self._retry_while_unavailable(lambda: self._limits.count_tokens(text))

    async def context_tokens(self) -> int:
        """Return how many tokens the model reads, its answer included. Raises ChatUnavailable."""
        return await self._retry_while_unavailable(self._limits.context_tokens)

    @property
    def dialect(self) -> ChatDialect:
        """The fields that the server takes, as far as its refusals have shown."""
        return self._dialect

    async def close(self) -> None:
        await self._server.close()

    async def _retry_while_unavailable(self, call: Callable[[], Awaitable[_Result]]) -> _Result:
        """Repeat a call while the server cannot answer. A server that is left alone already is not waited for."""
        for tried, pause in enumerate((*self._settings.pauses_s, None)):
            try:
                return await call()
            except CircuitOpen as circuit:
                error = ChatUnavailable(str(circuit), circuit.retry_after_s)
                wait = max(pause or 0.0, circuit.retry_after_s)
                last = pause is None or tried == 0
            except (ChatMisconfigured, ChatTimedOut):
                # A person must act first; and a slow model would be asked for the same thing again.
                raise
            except ChatUnavailable as unavailable:
                error = unavailable
                asked = unavailable.retry_after_s
                wait = (pause or 0.0) if asked is None else asked
                last = pause is None
                if not isinstance(unavailable, ChatBusy):
                    self._forget()
            try:
                if last or wait > MAX_WAIT_S:
                    raise error
            finally:
                # Its traceback refers to this frame: a cycle, which would stay until a garbage collection.
                del error
            await self._sleep(wait)
        raise AssertionError("the last try returns or raises")

    def _forget(self) -> None:
        """Another release of the server, or another model, may answer next."""
        self._limits.forget()
        self._dialect = ChatDialect()
        self._learned_at = float("-inf")

    async def _parsed(self, request: ChatRequest, record: Record) -> ChatAnswer:
        """Ask in the dialect of the server; learn it, and the longest answer, if the server refuses."""
        spoken = self._dialect
        try:
            return await self._ask(request, spoken, record)
        except ModelDeclined:
            raise
        except OutputTooLong as refusal:
            if refusal.limit >= (self._limits.output_tokens or request.max_tokens):
                raise
            self._limits.output_tokens = refusal.limit
            dialect = spoken
        except ChatRefused as refusal:
            dialect = await self._learned(request, spoken, refusal, record)
            if dialect == spoken:
                raise
        return await self._ask(request, dialect, record)

    async def _learned(
        self, request: ChatRequest, spoken: ChatDialect, refusal: ChatRefused, record: Record
    ) -> ChatDialect:
        """Return the richest dialect that the server accepts. Raises ChatMisconfigured if it refuses all."""
        async with self._learning:
            if self._dialect != spoken:
                return self._dialect  # another call has learned it meanwhile
            if isinstance(refusal, FormatRefused):
                dialect, forms = None, spoken.with_plainer_forms()
            else:
                if self._clock() - self._learned_at < RELEARN_S:
                    return spoken
                dialect = await self._first_accepted(HELLO, LADDER, record)
                forms = [dialect, *dialect.with_plainer_forms()] if dialect else []
            if request.schema is not None:
                probe = replace(HELLO, schema=request.schema)
                dialect = await self._first_accepted(probe, forms, record) or dialect
            if dialect:
                self._dialect, self._learned_at = dialect, self._clock()
                return dialect
        raise ChatMisconfigured(str(refusal)) from refusal

    async def _first_accepted(
        self, probe: ChatRequest, dialects: Sequence[ChatDialect], record: Record
    ) -> ChatDialect | None:
        for dialect in dialects:
            try:
                await self._ask(probe, dialect, record)
            except (BadAnswer, ModelDeclined):
                return dialect
            except (ChatRefused, InputTooLong):
                continue
            return dialect
        return None

    async def _ask(self, request: ChatRequest, dialect: ChatDialect, record: Record) -> ChatAnswer:
        """Send one request. Raises ChatError, CircuitOpen."""
        longest = min(request.max_tokens, self._limits.output_tokens or request.max_tokens)
        body = body_of(replace(request, max_tokens=longest), self.model, dialect)
        async with self._slots:
            self._server.enter()
            with observed(request, self._settings, record) as reply:
                try:
                    await self._server.chat(body, [request.system, request.user], reply)
                except InputTooLong as refusal:
                    if refusal.limit:
                        self._limits.correct(refusal.limit)
                    raise
                return answer_of(request, reply, self.model)
