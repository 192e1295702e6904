"""Optional fields of chat requests: some servers refuse a field that others need."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from everword.chat.model import ChatRequest


class AnswerForm(StrEnum):
    """Ways to request JSON from a server, from the strictest to the plainest."""

    JSON_SCHEMA = "json_schema"
    """`response_format` holds the schema, which the server enforces."""
    JSON_OBJECT = "json_object"
    """`response_format` asks for JSON; the message to the model holds the schema."""
    TEXT = "text"
    """The message to the model holds the schema, and JSON is looked for in the answer's text."""


_FORMS = tuple(AnswerForm)


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
    answer_form: AnswerForm = AnswerForm.JSON_SCHEMA

    def with_plainer_forms(self) -> list[ChatDialect]:
        """Return this dialect with each plainer form of answers, the strictest first."""
        plainer = _FORMS[_FORMS.index(self.answer_form) + 1 :]
        return [replace(self, answer_form=form) for form in plainer]


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

#: The longest `maxLength` that is sent: the grammars of llama.cpp and Ollama refuse 2,000 repetitions.
MAX_LENGTH = 1_999
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
        schema = _without_long(request.schema)
        if dialect.answer_form is AnswerForm.JSON_SCHEMA:
            name = _NOT_IN_NAMES.sub("_", request.task)[:64] or "answer"
            json_schema = {"name": name, "schema": schema}
            body["response_format"] = {"type": "json_schema", "json_schema": json_schema}
        else:
            if dialect.answer_form is AnswerForm.JSON_OBJECT:
                body["response_format"] = {"type": "json_object"}
            body["messages"][1]["content"] += (
                f"\n\nAnswer only with JSON of this schema:\n{json.dumps(schema)}"
            )
    if dialect.thinking:
        body["chat_template_kwargs"] = {"enable_thinking": request.thinking}
    if dialect.stream:
        body["stream"] = True
        if dialect.stream_usage:
            body["stream_options"] = {"include_usage": True}
    return body


def _without_long(schema: Any) -> Any:
    """Return a schema without limits on long strings; the answer is checked against the whole schema."""
    if isinstance(schema, list):
        return [_without_long(each) for each in schema]
    if not isinstance(schema, Mapping):
        return schema
    return {
        name: _without_long(value)
        for name, value in schema.items()
        if not (name == "maxLength" and isinstance(value, int) and value > MAX_LENGTH)
    }
