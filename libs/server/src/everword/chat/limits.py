"""The context length of a model, and the token count of a text: asked of its server, and cached."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from everword.chat.errors import ChatMisconfigured, ChatRefused, InputTooLong
from everword.chat.known_models import known_context
from everword.chat.reply import GarbledReply
from everword.chat.server import ChatServer
from everword.chat.settings import ChatSettings
from everword.chat.tokens import estimated_tokens

#: Errors of servers that do not support such requests, or not with this key.
_NO_STATEMENT = (ChatMisconfigured, ChatRefused, InputTooLong, GarbledReply)
#: Names of the context length in `/v1/models`: vLLM's first, then those of hosted APIs.
_LIMITS = (
    "max_model_len",
    "context_length",
    "context_window",
    "max_context_length",
    "max_input_tokens",
)
#: Size of a context if neither server, setting nor name gives it.
_DEFAULT_CONTEXT_TOKENS = 8_192
#: Ollama's own default, for a model that it has not loaded. Ollama cuts longer inputs without an error.
_OLLAMA_CONTEXT_TOKENS = 4_096


class ModelLimits:
    """The model's limits, as its server states them."""

    def __init__(self, server: ChatServer, settings: ChatSettings) -> None:
        self._server = server
        self._model = settings.model
        self._setting = settings.context_tokens
        self._learning = asyncio.Lock()
        self._context: int | None = None
        self._counts = True
        #: Maximum tokens of an answer; None until the server has refused more.
        self.output_tokens: int | None = None

    async def context_tokens(self) -> int:
        """Return how many tokens the model reads, its answer included. Raises ChatUnavailable, CircuitOpen.

        That is the size reported by the server, at most that of the setting. If the server reports none, it is the
        setting, the size of a well-known model, or a default.
        """
        async with self._learning:
            if self._context is None:
                self._context = await self._reported()
                if self._context and self._setting:
                    self._context = min(self._context, self._setting)
            if self._context is None:
                known = self._setting or known_context(self._model)
                if known is None and await self._running_in_ollama() is not None:
                    # Ask again next time: Ollama reports the size once a request has loaded the model.
                    return _OLLAMA_CONTEXT_TOKENS
                self._context = known or _DEFAULT_CONTEXT_TOKENS
            return self._context

    async def count_tokens(self, text: str) -> int:
        """Return how many tokens a text has; an estimate if the server does not count.

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
        self.output_tokens = None

    async def _reported(self) -> int | None:
        """Return the context length that the server reports; None if it reports none."""
        entry = await self._listed()
        stated = _first_size([entry.get(name) for name in _LIMITS])
        if stated is None and entry.get("owned_by") == "llamacpp":
            stated = _first_size([_part(entry, "meta").get("n_ctx")])
            if stated is None:
                properties = await self._request_json("/props", None, "")
                stated = _first_size(
                    [_part(properties, "default_generation_settings").get("n_ctx")]
                )
        if stated is None and known_context(self._model) is None:
            models = await self._running_in_ollama() or []
            stated = _first_size(
                each.get("context_length")
                for each in models
                if self._model in {each.get("name"), each.get("model")}
            )
        return stated

    async def _listed(self) -> dict[str, Any]:
        """Return the server's entry of the model, or its only entry; an empty one if there is none."""
        entries = _objects((await self._request_json("/v1/models", None, "")).get("data"))
        named = [entry for entry in entries if entry.get("id") == self._model]
        # llama.cpp answers for its only model under any name.
        return next(iter(named), entries[0] if len(entries) == 1 else {})

    async def _running_in_ollama(self) -> list[dict[str, Any]] | None:
        """Return the models that Ollama has loaded; None if the server is not Ollama."""
        models = (await self._request_json("/api/ps", None, "")).get("models")
        return _objects(models) if isinstance(models, list) else None

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


def _first_size(values: Iterable[Any]) -> int | None:
    return next((value for value in values if isinstance(value, int) and value > 0), None)


def _part(value: dict[str, Any], name: str) -> dict[str, Any]:
    part = value.get(name)
    return part if isinstance(part, dict) else {}


def _objects(values: Any) -> list[dict[str, Any]]:
    found = values if isinstance(values, list) else []
    return [value for value in found if isinstance(value, dict)]
