"""Optional fields of chat requests: some servers refuse a field that others need."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from everword.chat.model import ChatRequest


@dataclass(frozen=True)
class ChatDialect:
    """The fields that a server takes."""

    thinking: bool = True
    """`chat_template_kwargs`, which tells vLLM and its like whether to think."""
    stream: bool = True
    stream_usage: bool = True
    """`stream_options`, without which no usage comes with a stream."""
    reasoning_model: bool = False
    """`max_completion_tokens` instead of `max_tokens`, and no `temperature`: OpenAI's own reasoning models."""


#: Dialects to try on a server that refuses a request, from the richest to the plainest.
LADDER = (
    ChatDialect(),
    ChatDialect(thinking=False),
    ChatDialect(thinking=False, reasoning_model=True),
    ChatDialect(stream_usage=False),
    ChatDialect(thinking=False, stream_usage=False),
    ChatDialect(thinking=False, stream=False),
)

#: A request that every model can answer: if it is refused, its fields are the reason.
HELLO = ChatRequest(task="probe", system="Answer briefly.", user="Hello.", max_tokens=16)

_NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9_-]")


def body_of(request: ChatRequest, model: str, dialect: ChatDialect) -> dict[str, Any]:
    """Return a request as it is sent."""
    body: dict[str, Any] = {
        "model": model,
        "messages": [
            {"role": "system", "content": request.system},
            {"role": "user", "content": request.user},
        ],
    }
    if dialect.reasoning_model:
        body["max_completion_tokens"] = request.max_tokens
    else:
        body |= {"max_tokens": request.max_tokens, "temperature": request.temperature}
    if request.schema is not None:
        name = _NOT_IN_NAMES.sub("_", request.task)[:64] or "answer"
        json_schema = {"name": name, "schema": dict(request.schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": json_schema}
    if dialect.thinking:
        body["chat_template_kwargs"] = {"enable_thinking": request.thinking}
    if dialect.stream:
        body["stream"] = True
        if dialect.stream_usage:
            body["stream_options"] = {"include_usage": True}
    return body
