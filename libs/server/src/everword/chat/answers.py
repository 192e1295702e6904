"""Decides whether a model's reply is a usable answer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from jsonschema import Draft202012Validator

from everword.chat.errors import BadAnswer, ChatUnavailable, ModelDeclined
from everword.chat.model import ChatAnswer, ChatRequest
from everword.chat.reply import Reply

_THOUGHT = re.compile(r"\s*<think>(.*?)(?:</think>|\Z)", re.DOTALL)
#: The end of a thought whose beginning the server's template has put into the prompt.
_END_OF_THOUGHT = "</think>"
_FENCED = re.compile(r"\s*```(?:json)?\s*\n(.*)\n\s*```\s*", re.DOTALL)


def answer_of(request: ChatRequest, reply: Reply, model: str) -> ChatAnswer:
    """Return the answer to `request`. Raises BadAnswer, ModelDeclined, and ChatUnavailable where the server gave up."""
    _check_end(reply)
    content, thought = _split_thought(reply.content, request)
    reasoning = reply.reasoning or thought
    value = None
    if request.schema is None:
        text = content.strip()
        if not text:
            raise BadAnswer("the answer is empty", "empty")
    elif content.strip():
        text, value = _structured(content, request.schema)
    else:
        # Some servers take the whole of a structured answer for a thought.
        text, value = _parse_structured_reasoning(reasoning, request.schema)
        reasoning = ""
    _check_storable([text, reasoning, value])
    return ChatAnswer(text, value, reasoning.strip(), reply.model or model, reply.usage)


def _check_end(reply: Reply) -> None:
    if reply.refused or reply.finish_reason == "content_filter":
        raise ModelDeclined
    if reply.finish_reason == "length":
        raise BadAnswer("the answer was cut off at its limit of tokens", BadAnswer.CUT_OFF)
    if reply.finish_reason in {"abort", "error"}:
        raise ChatUnavailable("the model server cancelled the answer")


def _split_thought(content: str, request: ChatRequest) -> tuple[str, str]:
    """Return the answer and the thought before it."""
    if thought := _THOUGHT.match(content):
        return content[thought.end() :], thought[1]
    if request.thinking and _END_OF_THOUGHT in content:
        before, _, after = content.partition(_END_OF_THOUGHT)
        if not before.lstrip().startswith(("{", "[")):
            return after, before
    return content, ""


def _structured(text: str, schema: Mapping[str, Any]) -> tuple[str, Any]:
    """Return JSON as text and as a value that obeys `schema`. Raises BadAnswer."""
    if fenced := _FENCED.fullmatch(text):
        text = fenced[1]
    value = _json(text)
    violation = next(Draft202012Validator(schema).iter_errors(value), None)
    if violation:
        # The schema's own path: that of the answer can hold its content.
        where = "/".join(str(step) for step in violation.absolute_schema_path)
        raise BadAnswer(f"the answer violates its schema at {where}", "malformed")
    return text.strip(), value


def _parse_structured_reasoning(reasoning: str, schema: Mapping[str, Any]) -> tuple[str, Any]:
    try:
        return _structured(reasoning, schema)
    except BadAnswer:
        raise BadAnswer("the answer is empty", "empty") from None


def _json(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_not_json)
    except (ValueError, RecursionError):
        # The cause holds the text.
        raise BadAnswer("the answer is not JSON", "malformed") from None


def _not_json(constant: str) -> NoReturn:
    raise ValueError(constant)


def _check_storable(parts: list[Any]) -> None:
    """Raise BadAnswer for characters that no text may hold: NUL, and halves of others."""
    for text in _texts(parts):
        if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
            raise BadAnswer("the answer contains invalid characters", "malformed")


def _texts(parts: list[Any]) -> Iterator[str]:
    """Yield every text in JSON, keys included, however deep it lies."""
    waiting = list(parts)
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            waiting += [*value.keys(), *value.values()]
        elif isinstance(value, list):
            waiting += value
