"""HTTP to one chat server: time-outs, errors, and no waiting for a server that is gone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from opentelemetry import propagate

from everword.chat.errors import ChatError, ChatMisconfigured, ChatTimedOut, ChatUnavailable
from everword.chat.refusals import error_of
from everword.chat.reply import GarbledReply, Reply, read_json, read_reply
from everword.chat.settings import ChatSettings
from everword.model_server.breaker import CircuitBreaker

#: Whoever gives up sooner than this says nothing about a server that has said nothing: models take their time.
_MAX_WAIT_SECONDS = 30.0
#: How long a server may be silent that has only to look something up.
_LIMITS_REQUEST_TIMEOUT_S = 30.0


class ChatServer:
    """One server."""

    def __init__(self, settings: ChatSettings, clock: Callable[[], float]) -> None:
        key = settings.api_key.reveal()
        self._http = httpx2.AsyncClient(
            base_url=settings.root,
            headers={"authorization": f"Bearer {key}"} if key else None,
            # No time-out for the whole, nor for waiting in line: that is the caller's deadline.
            timeout=httpx2.Timeout(
                settings.read_timeout_s, connect=settings.connect_timeout_s, pool=None
            ),
            limits=httpx2.Limits(max_connections=settings.concurrency + 2),
        )
        self._look_up = httpx2.Timeout(
            min(settings.read_timeout_s, _LIMITS_REQUEST_TIMEOUT_S),
            connect=settings.connect_timeout_s,
            pool=None,
        )
        self._clock = clock
        self._breaker = CircuitBreaker(clock)

    def enter(self) -> None:
        """Let a request pass, or raise CircuitOpen. Each request is announced so."""
        self._breaker.enter()

    async def look_up(self, path: str, body: dict[str, Any] | None, texts: Sequence[str]) -> Any:
        """Return the JSON that answers a GET, or a POST of a body that holds `texts`. Raises ChatError."""
        request = self._http.build_request(
            "GET" if body is None else "POST", path, json=body, timeout=self._look_up
        )
        async with self._answer(request, texts) as answer:
            return await read_json(answer)

    async def chat(self, body: dict[str, Any], texts: Sequence[str], reply: Reply) -> None:
        """Send a body that holds `texts`, and fill `reply`. Raises ChatError."""
        request = self._http.build_request("POST", "/v1/chat/completions", json=body)
        async with self._answer(request, texts) as answer:
            await read_reply(answer, reply)

    async def close(self) -> None:
        await self._http.aclose()

    @asynccontextmanager
    async def _answer(
        self, request: httpx2.Request, texts: Sequence[str]
    ) -> AsyncIterator[httpx2.Response]:
        """Lend an answer of success whose body is still to be read; what becomes of it moves the breaker."""
        propagate.inject(request.headers)
        started = self._clock()
        answer: httpx2.Response | None = None
        try:
            answer = await self._http.send(request, stream=True)
            if answer.status_code != 200:
                await answer.aread()
                raise error_of(answer, texts)
            yield answer
        except httpx2.ReadTimeout:
            self._breaker.failed()
            seconds = request.extensions["timeout"]["read"]
            raise ChatTimedOut(
                f"the model server sent nothing for {seconds:g} s; if its model is slow, raise"
                " EVERWORD_CHAT_READ_TIMEOUT_S"
            ) from None
        except httpx2.RequestError as error:
            self._breaker.failed()
            # Hide the cause, which may contain the server's reply.
            text = f"the model server does not answer ({type(error).__name__})"
            raise ChatUnavailable(text) from None
        except ChatError as error:
            self._judge(error)
            raise
        except asyncio.CancelledError:
            # A server that hangs is met by callers that give up long before the read time-out.
            if answer is None and self._clock() - started >= _MAX_WAIT_SECONDS:
                self._breaker.failed()
            raise
        else:
            self._breaker.answered()
        finally:
            if answer is not None:
                await answer.aclose()

    def _judge(self, error: ChatError) -> None:
        down = type(error) in {ChatUnavailable, GarbledReply}
        if down:
            self._breaker.failed()
        else:
            self._breaker.answered()
        if isinstance(error, ChatUnavailable) and not isinstance(error, ChatMisconfigured):
            self._breaker.hold(error.retry_after_s or 0.0)
