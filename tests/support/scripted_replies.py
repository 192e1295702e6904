"""Replies of a scripted chat server."""

from __future__ import annotations

import json
import socket
import struct
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from support.scripted_chat import ScriptedChat

Body = dict[str, Any]


class Exchange:
    """A request, and the means to answer it."""

    def __init__(self, server: ScriptedChat, handler: BaseHTTPRequestHandler, body: Body) -> None:
        self.server = server
        self.body = body
        self._handler = handler

    @property
    def streams(self) -> bool:
        return bool(self.body.get("stream")) and self.server.streams

    def json(self, code: int, body: Any, headers: dict[str, str] | None = None) -> None:
        self.raw(json.dumps(body).encode(), code, headers)

    def raw(self, content: bytes, code: int = 200, headers: dict[str, str] | None = None) -> None:
        self.begin(
            "application/json", code, {"content-length": str(len(content)), **(headers or {})}
        )
        self.write(content)

    def begin(self, kind: str, code: int = 200, headers: dict[str, str] | None = None) -> None:
        self._handler.send_response(code)
        for name, value in {"content-type": kind, **(headers or {})}.items():
            self._handler.send_header(name, value)
        self._handler.end_headers()

    def begin_stream(self) -> None:
        """Begin a stream of events that ends with the connection."""
        self._handler.close_connection = True
        self.begin("text/event-stream; charset=utf-8", headers={"connection": "close"})

    def event(self, body: Any) -> None:
        # Send characters unescaped, as vLLM does in streams.
        data = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
        self.write(f"data: {data}\n\n".encode("utf-8", "surrogatepass"))

    def write(self, content: bytes) -> None:
        self._handler.wfile.write(content)
        self._handler.wfile.flush()

    def reset(self) -> None:
        linger = struct.pack("ii", 1, 0)
        self._handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self._handler.close_connection = True
        self._handler.connection.close()

    def wait(self, seconds: float | None = None) -> None:
        """Wait `seconds`, or until the server closes if None."""
        self.server.closing.wait(seconds)


#: Answers one request.
Reply = Callable[[Exchange], None]


def answer(
    content: Any = "Fine.",
    *,
    reasoning: str | None = None,
    finish_reason: str | None = "stop",
    model: str | None = None,
    usage: Body | None = None,
    reasoning_field: str = "reasoning_content",
) -> Reply:
    """Answer with a text, or with JSON; None omits the content."""
    text = content if content is None or isinstance(content, str) else json.dumps(content)

    def reply(exchange: Exchange) -> None:
        message = {"content": text}
        if reasoning is not None:
            message[reasoning_field] = reasoning
        named = model or exchange.server.model
        counted = (
            usage if usage is not None else exchange.server.usage(exchange.body, text, reasoning)
        )
        if exchange.streams:
            _stream(exchange, message, finish_reason, named, counted)
        else:
            choice = {"index": 0, "message": {"role": "assistant", **message}}
            choice["finish_reason"] = finish_reason
            exchange.json(200, {"model": named, "choices": [choice], "usage": counted})

    return reply


def cut_off(content: str = '{"bullets": ["Ana fix') -> Reply:
    """Answer with truncated content that has reached its token limit."""
    return answer(content, finish_reason="length")


def empty() -> Reply:
    return answer("")


def status(code: int, message: str = "no", **headers: str) -> Reply:
    """Answer with an error; headers are keywords such as `retry_after="1"`."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda exchange: exchange.json(code, _error(code, message), named)


def unknown_route() -> Reply:
    """Answer as vLLM does for an unknown path."""
    return lambda exchange: exchange.json(404, {"detail": "Not Found"})


def too_long(limit: int, requested: int) -> Reply:
    """Refuse a too long input as vLLM does."""
    return status(
        400,
        f"This model's maximum context length is {limit} tokens. However, you requested {requested} "
        "tokens. Please reduce the length of the input prompt.",
    )


def hang() -> Reply:
    """Send nothing until the server closes."""

    def reply(exchange: Exchange) -> None:
        exchange.wait()
        exchange.reset()

    return reply


def hang_after(content: str) -> Reply:
    """Send a part of an answer, and then nothing."""

    def reply(exchange: Exchange) -> None:
        exchange.begin_stream()
        exchange.event(_chunk(exchange.server.model, {"content": content}))
        exchange.wait()

    return reply


def reset() -> Reply:
    return lambda exchange: exchange.reset()


def reset_after(content: str) -> Reply:
    """Send a part of an answer, and reset the connection."""

    def reply(exchange: Exchange) -> None:
        exchange.begin_stream()
        exchange.event(_chunk(exchange.server.model, {"content": content}))
        time.sleep(0.05)  # A reset discards data that the client has not read yet.
        exchange.reset()

    return reply


def end_after(content: str) -> Reply:
    """Send a part of an answer, and end the stream without a finish reason."""

    def reply(exchange: Exchange) -> None:
        exchange.begin_stream()
        exchange.event(_chunk(exchange.server.model, {"content": content}))

    return reply


def fail_after(content: str, code: int = 500, message: str = "the engine died") -> Reply:
    """Send a part of an answer, and then an error in the stream."""

    def reply(exchange: Exchange) -> None:
        exchange.begin_stream()
        exchange.event(_chunk(exchange.server.model, {"content": content}))
        exchange.event(_error(code, message))
        exchange.event("[DONE]")

    return reply


def drip(content: Any, seconds: float) -> Reply:
    """Send an answer in pieces over `seconds`."""
    text = content if isinstance(content, str) else json.dumps(content)

    def reply(exchange: Exchange) -> None:
        exchange.begin_stream()
        size = max(1, len(text) // 10)
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        for piece in pieces:
            exchange.event(_chunk(exchange.server.model, {"content": piece}))
            exchange.wait(seconds / len(pieces))
        exchange.event(_chunk(exchange.server.model, {}, "stop"))
        exchange.event("[DONE]")

    return reply


def garbage(content: bytes = b"\x00\xff<html>not what was asked for") -> Reply:
    """Answer with status 200 and a body that is not JSON."""
    return lambda exchange: exchange.raw(content)


def not_http() -> Reply:
    """Send bytes that are not HTTP."""

    def reply(exchange: Exchange) -> None:
        exchange.write(b"\x16\x03\x01 garbage\r\n\r\n")
        exchange.reset()

    return reply


def after(seconds: float, reply: Reply) -> Reply:
    """Wait `seconds`, then reply."""

    def late(exchange: Exchange) -> None:
        exchange.wait(seconds)
        reply(exchange)

    return late


def user_text(request: Body) -> str:
    """Return the text of the user messages in a request."""
    return "".join(one["content"] for one in request["messages"] if one["role"] == "user")


def schema_of(request: Body) -> Body | None:
    """Return the requested JSON schema; None if there is none."""
    asked = request.get("response_format")
    return asked["json_schema"]["schema"] if asked else None


def _stream(
    exchange: Exchange, message: Body, finish_reason: str | None, model: str, usage: Body
) -> None:
    """Stream an answer as vLLM does: role, pieces, finish reason, and usage if requested."""
    exchange.begin_stream()
    exchange.event(_chunk(model, {"role": "assistant", "content": ""}))
    for name in sorted(message, reverse=True):  # Reasoning comes first.
        text = message[name] or ""
        for at in range(0, len(text), 7):
            exchange.event(_chunk(model, {name: text[at : at + 7]}))
    exchange.event(_chunk(model, {}, finish_reason))
    if exchange.body.get("stream_options", {}).get("include_usage"):
        exchange.event({"model": model, "choices": [], "usage": usage})
    exchange.event("[DONE]")


def _chunk(model: str, delta: Body, finish_reason: str | None = None) -> Body:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return {"object": "chat.completion.chunk", "model": model, "choices": [choice]}


def _error(code: int, message: str) -> Body:
    return {"error": {"message": message, "type": "Error", "param": None, "code": code}}
