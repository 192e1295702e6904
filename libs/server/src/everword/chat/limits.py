"""The context length of a model, and the token count of a text: asked of its server, and cached."""

from __future__ import annotations

import asyncio
from typing import Any

from everword.chat.errors import ChatMisconfigured, ChatRefused, InputTooLong
from everword.chat.reply import GarbledReply
from everword.chat.server import ChatServer
from everword.chat.settings import ChatSettings
from everword.chat.tokens import estimated_tokens

#: Errors of servers that do not support such requests, or not with this key.
_NO_STATEMENT = (ChatMisconfigured, ChatRefused, InputTooLong, GarbledReply)
#: How servers call the tokens that a model reads: vLLM first, then gateways.
_LIMITS = ("max_model_len", "context_length", "context_window")


class ModelLimits:
    """The model's limits, as its server states them."""

    def __init__(self, server: ChatServer, settings: ChatSettings) -> None:
        self._server = server
        self._model = settings.model
        self._default = settings.context_tokens
        self._learning = asyncio.Lock()
        self._context: int | None = None
        self._counts = True

    async def context_tokens(self) -> int:
        """Return how many tokens the model reads, its answer included. Raises ChatUnavailable, CircuitOpen."""
        async with self._learning:
            if self._context is None:
                self._context = await self._listed() or self._default
            return self._context

    async def count_tokens(self, text: str) -> int:
        """Return how many tokens a text has; an estimate where the server does not count.

        Raises ChatUnavailable, CircuitOpen.
        """
        if self._counts and text:
            body = {"model": self._model, "prompt": text}
            answer = await self._request_json("/tokenize", body, text)
            count = answer.get("count")
            if isinstance(count, int):
                return count
            self._counts = False
        return estimated_tokens(text)

    def correct(self, tokens: int) -> None:
        """Correct the context length after a server's refusal of a longer input."""
        self._context = tokens

    def forget(self) -> None:
        """Ask again: another server may answer by now."""
        self._context = None
        self._counts = True

    async def _listed(self) -> int | None:
        entries = (await self._request_json("/v1/models", None, "")).get("data")
        for entry in entries if isinstance(entries, list) else []:
            if isinstance(entry, dict) and entry.get("id") == self._model:
                limits = [entry.get(name) for name in _LIMITS]
                return next((one for one in limits if isinstance(one, int) and one > 0), None)
        return None

    async def _request_json(
        self, path: str, body: dict[str, Any] | None, text: str
    ) -> dict[str, Any]:
        """Return the server's answer; empty if it has none."""
        self._server.enter()
        try:
            answer = await self._server.look_up(path, body, [text])
        except _NO_STATEMENT:
            return {}
        return answer if isinstance(answer, dict) else {}
