"""Reads the reply of a chat server, streamed or whole."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import httpx2

from everword.chat.errors import ChatError, ChatUnavailable
from everword.chat.model import TokenUsage
from everword.chat.refusals import error_for
from everword.model_server.refusals import message_of

#: More than any answer; a server that goes on and on is broken.
_MAX_BYTES = 32 * 1024 * 1024


class GarbledReply(ChatUnavailable):
    """The reply does not follow OpenAI's API."""


@dataclass
class Reply:
    """The reply received so far; after a broken connection it keeps the received part."""

    model: str = ""
    finish_reason: str = ""
    usage: TokenUsage = field(default_factory=lambda: TokenUsage(0, 0))
    refused: bool = False
    """The model says that it will not answer."""
    _content: list[str] = field(default_factory=list, repr=False)
    _reasoning: list[str] = field(default_factory=list, repr=False)

    @property
    def content(self) -> str:
        return "".join(self._content)

    @property
    def reasoning(self) -> str:
        return "".join(self._reasoning)

    def take(self, part: Any) -> None:
        """Add a whole reply, or the next part of one. Raises ChatError if it is an error."""
        if not isinstance(part, dict):
            raise GarbledReply
        if part.get("error"):
            raise _stream_error(part)
        self.model = _text(part.get("model")) or self.model
        self._take_usage(part.get("usage"))
        choices = part.get("choices")
        if not isinstance(choices, list):
            raise GarbledReply
        for choice in choices[:1]:
            if not isinstance(choice, dict):
                raise GarbledReply
            self._take_choice(choice)

    def _take_choice(self, choice: dict[str, Any]) -> None:
        self.finish_reason = _text(choice.get("finish_reason")) or self.finish_reason
        message = choice.get("delta") or choice.get("message")
        if isinstance(message, dict):
            self._content.append(_text(message.get("content")))
            thought = message.get("reasoning_content") or message.get("reasoning")
            self._reasoning.append(_text(thought))
            self.refused = self.refused or bool(message.get("refusal"))

    def _take_usage(self, usage: Any) -> None:
        if isinstance(usage, dict):
            details = usage.get("prompt_tokens_details")
            cached = details.get("cached_tokens") if isinstance(details, dict) else 0
            counts = [usage.get("prompt_tokens"), usage.get("completion_tokens"), cached]
            self.usage = TokenUsage(
                *(one if isinstance(one, int) and one > 0 else 0 for one in counts)
            )


async def read_reply(answer: httpx2.Response, reply: Reply) -> None:
    """Fill `reply` from a body that is still to be read. Raises ChatError, and httpx2.RequestError."""
    if "text/event-stream" not in answer.headers.get("content-type", ""):
        reply.take(await read_json(answer))
        return
    async for line in _lines(answer):
        # Comments keep a connection alive; no other field of an event matters.
        if not line.startswith(b"data:"):
            continue
        data = line.removeprefix(b"data:").strip()
        if data == b"[DONE]":
            return
        reply.take(_parsed(data))
    if not reply.finish_reason:
        raise GarbledReply("the model server ended its answer in the middle")


async def read_json(answer: httpx2.Response) -> Any:
    """Return a body as JSON. Raises GarbledReply, and httpx2.RequestError."""
    body = bytearray()
    async for part in answer.aiter_bytes():
        body += part
        _refuse_endless(len(body))
    return _parsed(bytes(body))


async def _lines(answer: httpx2.Response) -> AsyncIterator[bytes]:
    """Yield lines as servers of events end them; text may hold other characters that end lines elsewhere."""
    rest = b""
    size = 0
    async for part in answer.aiter_bytes():
        size += len(part)
        _refuse_endless(size)
        *lines, rest = (rest + part).split(b"\n")
        for line in lines:
            yield line.strip()
    yield rest.strip()


def _refuse_endless(size: int) -> None:
    if size > _MAX_BYTES:
        raise GarbledReply("the model server's answer does not end")


def _parsed(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        # Nothing of it may be seen: it can be a piece of an answer.
        raise GarbledReply from None


def _stream_error(part: dict[str, Any]) -> ChatError:
    """Return the error that a server sends in place of an answer that it has begun."""
    error = part["error"]
    code = error.get("code") if isinstance(error, dict) else None
    status = code if isinstance(code, int) and 400 <= code <= 599 else 500
    return error_for(status, f"the model server broke off with {status}", message_of(part))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
