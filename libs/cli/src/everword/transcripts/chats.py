"""Chats as OpenAI's API has them: a list of `messages` with roles, text or parts, tool calls and their answers.

A call and the answer that comes under its `tool_call_id` become one message, which holds name, arguments and result.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from everword.transcripts.errors import RecordError
from everword.transcripts.fields import as_object, list_in, name_in, text_in
from everword.transcripts.meter import Meter
from everword.transcripts.times import time_of

_ROLES = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
#: Fields of a message in a chat line; a line with other fields is one of Everword's own messages.
_CHAT_FIELDS = {
    *("role", "content", "name", "tool_calls", "tool_call_id", "function_call", "refusal", "audio", "annotations"),
    *("reasoning_content", "id", "created", "created_at", "timestamp"),
}  # fmt: skip
_TEXT_PARTS = {"text", "input_text", "output_text", "refusal"}
_TIMES = ("create_time", "created_at", "created", "timestamp")
#: Maximum characters shown of embedded data, such as a picture in a `data:` URL.
_DATA_CHARS = 200


def is_chat(value: object) -> bool:
    """Return whether a JSON object contains the messages of a chat."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("messages"), list)
        and "format" not in value
    )


def is_chat_message(value: object) -> bool:
    """Return whether a JSON object is a chat message without a conversation of its own."""
    if not isinstance(value, dict) or value.get("role") not in _ROLES:
        return False
    return value.keys() <= _CHAT_FIELDS and "external_id" not in value


def chat_messages(
    messages: Iterable[tuple[int, object, str]],
    created: object = None,
    meter: Meter | None = None,
) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield the fields of each message in Everword's form, and its place.

    `messages` are numbers from 1, values and places. `created` is the chat's time, for messages without a time.
    Messages are identified by their ids, or by their text and position, so that importing a chat again, or a longer
    one, stores nothing twice. Malformed messages are skipped and, like empty ones, counted in `meter`; without it, the
    first malformed message raises RecordError.
    """
    meter = meter or Meter(strict=True)
    given = dict[int, _Message]()
    for number, value, where in messages:
        with meter.skipping(where):
            given[number] = _read(value, where)
    answers, joined = _answers(given)
    for number, message in given.items():
        if number in joined:
            continue
        with meter.skipping(message.place):
            # A message without a time is not older than the one before it.
            created = _time(message, created) or created
            shared = {
                "create_time": created,
                "author": name_in(message.fields, "name", message.place),
            }
            shared = {name: value for name, value in shared.items() if value}
            told = list(_message_texts(message, number, shared, answers))
            meter.skipped["empty"] += not told
            yield from told


@dataclass(frozen=True)
class _Message:
    """A message whose role and tool calls have been checked."""

    fields: Mapping[str, Any]
    place: str
    role: str
    #: Name, arguments and id of each tool that it calls.
    calls: Sequence[tuple[str, str, str]]

    @property
    def is_answer(self) -> bool:
        return self.role in {"tool", "function"}


def _read(value: object, where: str) -> _Message:
    fields = as_object(value, where)
    role = text_in(fields, "role", where)
    if role not in _ROLES:
        shown = repr(role[:100]) if role else "missing"
        raise RecordError(where, f"role is {shown}; it must be one of {', '.join(_ROLES)}")
    return _Message(fields, where, role, _calls(fields, where))


def _message_texts(
    message: _Message,
    number: int,
    shared: Mapping[str, Any],
    answers: Mapping[tuple[int, int], str],
) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield the text of a message, then each of its tool calls. Raises RecordError."""
    where = message.place
    content = _content(message)
    said = {**content, **shared, "role": _ROLES[message.role]}
    if message.is_answer:
        # Whose call is not in the file.
        said["tool_name"] = said.pop("author", "")
    if said.get("content") or said.get("content_blocks") or message.is_answer:
        yield {**said, "id": _id(name_in(message.fields, "id", where), number, said)}, where
    for place, (name, arguments, call_id) in enumerate(message.calls):
        result = answers.get((number, place), "")
        call = {
            **shared,
            "role": "assistant",
            "tool_name": name,
            "tool_args": arguments,
            "tool_result": result,
        }
        # One that is not answered yet is another message than the same one with its answer.
        own = call_id if (number, place) in answers else ""
        yield {**call, "id": _id(own, number, {**call, "place": place})}, where


def _answers(
    messages: Mapping[int, _Message],
) -> tuple[dict[tuple[int, int], str], set[int]]:
    """Return the results of tool calls by message number and position of the call, and the numbers of their
    messages.
    """
    answers: dict[tuple[int, int], str] = {}
    joined: set[int] = set()
    waiting: dict[str, tuple[int, int]] = {}
    for number, message in messages.items():
        if message.role == "assistant":
            for place, (name, _, call_id) in enumerate(message.calls):
                # Before there were ids, a function was answered under its name.
                waiting[call_id or name] = (number, place)
        elif message.is_answer:
            fields = message.fields
            call = waiting.pop(str(fields.get("tool_call_id") or fields.get("name") or ""), None)
            if call is not None:
                answers[call] = _plain(fields.get("content"))
                joined.add(number)
    return answers, joined


def _calls(message: Mapping[str, Any], where: str) -> list[tuple[str, str, str]]:
    """Return name, arguments and id of each tool that a message calls."""
    given = list_in(message, "tool_calls", where)
    if legacy := message.get("function_call"):
        given = [*given, {"function": legacy}]
    calls = []
    for call in given:
        called = call.get("function") or call.get("custom") if isinstance(call, dict) else None
        if not isinstance(called, dict) or not isinstance(called.get("name"), str):
            raise RecordError(where, "a tool call has no function with a name")
        arguments = called.get("arguments", called.get("input", ""))
        calls.append((called["name"], _plain(arguments), str(call.get("id") or "")))
    return calls


def _content(message: _Message) -> dict[str, Any]:
    """Return the content: text unchanged, text parts joined as lines, and other parts as blocks.

    Only messages of agents and tools may be empty; another role without content raises RecordError.
    """
    where, content = message.place, message.fields.get("content")
    if content is None:
        content = text_in(message.fields, "refusal", where)
        if (
            not content
            and not message.calls
            and message.role != "assistant"
            and not message.is_answer
        ):
            raise RecordError(where, "it has no content")
    if isinstance(content, str):
        return {"content": content}
    if not isinstance(content, list) or not all(isinstance(part, dict | str) for part in content):
        raise RecordError(where, "content must be text or a list of parts")
    parts = [{"type": "text", "text": part} if isinstance(part, str) else part for part in content]
    for part in parts:
        text_in(part, "type", where)
    texts = [_text_of(part, where) for part in parts if _is_text(part)]
    if len(texts) == len(parts):
        return {"content": "\n".join(texts)}
    return {"content": "", "content_blocks": [_block(part, where) for part in parts]}


def _text_of(part: Mapping[str, Any], where: str) -> str:
    """Return the text of a part; the Assistants API wraps it in an object. Raises RecordError."""
    text = part.get("text", part.get("refusal"))
    if isinstance(text, dict):
        text = text.get("value")
    if not isinstance(text, str):
        raise RecordError(where, "a part of its content has no text")
    return text


def _block(part: Mapping[str, Any], where: str) -> dict[str, str]:
    kind = str(part.get("type") or "part")
    if _is_text(part):
        return {"type": kind, "text": _text_of(part, where)}
    return {"type": kind, "json": json.dumps(without_data(part), ensure_ascii=False)}


def without_data(value: Any) -> Any:
    """Return a part without the data in it: pictures and sounds are no words, and as long as a book."""
    if isinstance(value, dict):
        return {key: without_data(each) for key, each in value.items()}
    if isinstance(value, list):
        return [without_data(each) for each in value]
    if isinstance(value, str) and len(value) > _DATA_CHARS and " " not in value:
        return f"{value[:40]}… ({len(value)} characters)"
    return value


def _is_text(part: Mapping[str, Any]) -> bool:
    return str(part.get("type")) in _TEXT_PARTS


def _plain(value: object) -> str:
    """Return the text of arguments or of an answer, which may come as parts or as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(part, dict) and _is_text(part) for part in value):
        return "\n".join(str(part.get("text") or "") for part in value)
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def _time(message: _Message, created: object) -> str:
    """Return the time of a message as RFC 3339; empty if unknown. Raises RecordError."""
    fields = message.fields
    return time_of(
        next((fields[name] for name in _TIMES if fields.get(name)), created), message.place
    )


def _id(own: str, number: int, said: Mapping[str, Any]) -> str:
    if own:
        return own
    told = json.dumps({**said, "create_time": ""}, sort_keys=True, ensure_ascii=False)
    return f"message-{number}-{hashlib.sha256(told.encode('utf-8', 'replace')).hexdigest()[:16]}"
