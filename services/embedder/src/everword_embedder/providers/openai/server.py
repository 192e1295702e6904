"""HTTP client for one server with OpenAI's API, with timeouts and a circuit breaker for an unavailable server."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

import httpx2
from opentelemetry import propagate

from everword.model_server.breaker import CircuitBreaker, CircuitOpen
from everword.model_server.endpoint import root_of
from everword_embedder.providers.errors import ProviderUnavailable
from everword_embedder.providers.openai.answers import json_of, raise_refusal
from everword_embedder.providers.settings import EmbedSettings

#: Seconds. If a caller cancels a request that took at least this long, the server counts as unavailable.
_MIN_HANG_S = 0.2


class OpenAIServer:
    """Sends requests to one server."""

    def __init__(
        self,
        endpoint: str,
        settings: EmbedSettings,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        root = root_of(endpoint, "the embedding endpoint")
        # The key goes to the server that it was set for, and to no other that a generation names.
        ours = not settings.url or urlsplit(root).netloc == urlsplit(settings.url).netloc
        key = settings.api_key.reveal() if ours else ""
        self._http = httpx2.AsyncClient(
            base_url=root,
            headers={"authorization": f"Bearer {key}"} if key else None,
            # No timeout for the whole request or for a free connection: the caller's deadline limits both.
            timeout=httpx2.Timeout(
                connect=settings.connect_timeout_s,
                read=settings.read_timeout_s,
                write=settings.read_timeout_s,
                pool=None,
            ),
            limits=httpx2.Limits(max_connections=settings.concurrency + 3),
        )
        self._clock = clock
        self._breaker = CircuitBreaker(clock)

    async def get(self, path: str) -> dict[str, Any]:
        return json_of(await self._send("GET", path, None, ()))

    async def post(self, path: str, body: dict[str, Any], texts: Sequence[str]) -> dict[str, Any]:
        """Send a body that holds `texts`. Raises ProviderError."""
        return json_of(await self._send("POST", path, body, texts))

    async def close(self) -> None:
        await self._http.aclose()

    async def _send(
        self, method: str, path: str, body: dict[str, Any] | None, texts: Sequence[str]
    ) -> httpx2.Response:
        try:
            self._breaker.enter()
        except CircuitOpen as circuit:
            raise ProviderUnavailable(str(circuit), circuit.retry_after_s) from None
        headers: dict[str, str] = {}
        propagate.inject(headers)
        started = self._clock()
        try:
            answer = await self._http.request(method, path, json=body, headers=headers)
        except httpx2.RequestError as error:
            self._breaker.failed()
            raise ProviderUnavailable(_words(error)) from error
        except asyncio.CancelledError:
            # Callers of a hanging server cancel long before the read timeout.
            if self._clock() - started >= _MIN_HANG_S:
                self._breaker.failed()
            raise
        self._breaker.answered()
        try:
            raise_refusal(answer, texts)
        except ProviderUnavailable as refusal:
            if refusal.retry_after_s:
                self._breaker.hold(refusal.retry_after_s)
            raise
        return answer


def _words(error: httpx2.RequestError) -> str:
    return f"the model server does not answer ({type(error).__name__})"
