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

_THOUGHT = re.compile(r"\s*<(think|thinking|thought)>(.*?)(</\1>|\Z)", re.DOTALL)
#: The end of a thought whose beginning the server's template has put into the prompt.
_END_OF_THOUGHT = re.compile(r"^(.*)</think>[ \t]*(?:\n|\Z)", re.DOTALL)
#: Places in an answer's text where JSON is tried to be read.
_MOST_STARTS = 50


def answer_of(request: ChatRequest, reply: Reply, model: str) -> ChatAnswer:
    """Return the answer to `request`. Raises BadAnswer, ModelDeclined, and ChatUnavailable where the server gave up."""
    _check_end(reply)
    content, thought = _split_thought(reply.content)
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


def _split_thought(content: str) -> tuple[str, str]:
    """Return the answer and the thought before it. Raises BadAnswer for a thought without an end."""
    if thought := _THOUGHT.match(content):
        if not thought[3]:
            raise BadAnswer("the answer was cut off in the model's thought", BadAnswer.CUT_OFF)
        return content[thought.end() :], thought[2]
    thought = _END_OF_THOUGHT.match(content)
    if thought and not content.lstrip().startswith(("{", "[")):
        return content[thought.end() :], thought[1]
    return content, ""


def _structured(text: str, schema: Mapping[str, Any]) -> tuple[str, Any]:
    """Return the last JSON in a text that obeys `schema`, as text and as a value. Raises BadAnswer.

    Models put code fences and sentences around JSON if the server does not enforce it.
    """
    validator = Draft202012Validator(schema)
    found = list(_json_in(text, "[" if schema.get("type") == "array" else "{"))
    if not found:
        raise BadAnswer("the answer is not JSON", "malformed")
    for written, value in reversed(found):
        if validator.is_valid(value):
            return written, value
    violation = next(validator.iter_errors(found[-1][1]))
    # The schema's own path: that of the answer can hold its content.
    where = "/".join(str(step) for step in violation.absolute_schema_path)
    raise BadAnswer(f"the answer violates its schema at {where}", "malformed")


def _parse_structured_reasoning(reasoning: str, schema: Mapping[str, Any]) -> tuple[str, Any]:
    try:
        return _structured(reasoning, schema)
    except BadAnswer:
        raise BadAnswer("the answer is empty", "empty") from None


def _json_in(text: str, start: str) -> Iterator[tuple[str, Any]]:
    """Yield the JSON values in a text that begin with `start` and are not part of each other."""
    position = text.find(start)
    for _ in range(_MOST_STARTS):
        if position < 0:
            return
        try:
            value, end = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            end = position + 1
        else:
            yield text[position:end], value
        position = text.find(start, end)


def _not_json(constant: str) -> NoReturn:
    raise ValueError(constant)


_DECODER = json.JSONDecoder(parse_constant=_not_json)


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
