"""Chats as OpenAI's API has them: a list of `messages` with roles, text or parts, tool calls and their answers.

A call and the answer that comes under its `tool_call_id` become one message, which holds name, arguments and result.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from everword.transcripts.errors import TranscriptError
from everword.transcripts.times import time_of

_ROLES = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
#: What tells a message of a chat from one of Everword's own, on a line by itself.
_CHAT_FIELDS = {
    *("role", "content", "name", "tool_calls", "tool_call_id", "function_call", "refusal", "audio", "annotations"),
    *("reasoning_content", "id", "created", "created_at", "timestamp"),
}  # fmt: skip
_TEXT_PARTS = {"text", "input_text", "output_text", "refusal"}
_TIMES = ("create_time", "created_at", "created", "timestamp")
#: Of a part that is data, such as a picture in a `data:` URL.
_DATA_CHARS = 200


def is_chat(value: object) -> bool:
    """Tell whether a JSON object holds the messages of a chat."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("messages"), list)
        and "format" not in value
    )


def is_chat_message(value: object) -> bool:
    """Tell whether a JSON object is a message of a chat, and none that says which conversation it belongs to."""
    if not isinstance(value, dict) or value.get("role") not in _ROLES:
        return False
    return value.keys() <= _CHAT_FIELDS and "external_id" not in value


def chat_messages(
    messages: Sequence[object], places: Sequence[str], created: object = None
) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield the fields of each message as Everword has them, and its place. Raises TranscriptError, which names that.

    `created` is when the chat was, for messages that do not say. They are known by their own ids or by what they say at
    their place, so that reading a chat in again, or more of it, stores nothing twice.
    """
    given = [_object(each, place) for each, place in zip(messages, places, strict=True)]
    answers, joined = _answers(given, places)
    for number, message in enumerate(given, start=1):
        if number in joined:
            continue
        where = places[number - 1]
        # One that does not say when it was, was not before the one above it.
        created = _time(message, created, where) or created
        shared = {"create_time": created, "author": message.get("name") or ""}
        shared = {name: value for name, value in shared.items() if value}
        yield from _told(message, number, shared, answers, where)


def _told(
    message: Mapping[str, Any],
    number: int,
    shared: Mapping[str, Any],
    answers: Mapping[tuple[int, int], str],
    where: str,
) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield what a message says, and then each tool that it calls."""
    role = message.get("role")
    if role not in _ROLES:
        raise TranscriptError(f"{where}: role is {role!r}; it must be one of {', '.join(_ROLES)}")
    said = {**_content(message, where), **shared, "role": _ROLES[role]}
    calls = _calls(message, where)
    if role in {"tool", "function"}:
        # Whose call is not in the file.
        said["tool_name"] = said.pop("author", "")
    if said.get("content") or said.get("content_blocks") or not calls:
        yield {**said, "id": _id(message, number, said)}, where
    for place, (name, arguments, call_id) in enumerate(calls):
        result = answers.get((number, place), "")
        call = {
            **shared,
            "role": "assistant",
            "tool_name": name,
            "tool_args": arguments,
            "tool_result": result,
        }
        # One that is not answered yet is another message than the same one with its answer.
        named = {"id": call_id} if call_id and (number, place) in answers else {}
        yield {**call, "id": _id(named, number, {**call, "place": place})}, where


def _answers(
    messages: Sequence[Mapping[str, Any]], places: Sequence[str]
) -> tuple[dict[tuple[int, int], str], set[int]]:
    """Return the answers by message and place of their calls, and the messages that they stand in."""
    answers: dict[tuple[int, int], str] = {}
    joined: set[int] = set()
    waiting: dict[str, tuple[int, int]] = {}
    for number, message in enumerate(messages, start=1):
        role = message.get("role")
        if role == "assistant":
            for place, (name, _, call_id) in enumerate(_calls(message, places[number - 1])):
                # Before there were ids, a function was answered under its name.
                waiting[call_id or name] = (number, place)
        elif role in {"tool", "function"}:
            call = waiting.pop(str(message.get("tool_call_id") or message.get("name") or ""), None)
            if call is not None:
                answers[call] = _plain(message.get("content"))
                joined.add(number)
    return answers, joined


def _calls(message: Mapping[str, Any], where: str) -> list[tuple[str, str, str]]:
    """Return name, arguments and id of each tool that a message calls."""
    given = message.get("tool_calls") or []
    if legacy := message.get("function_call"):
        given = [*given, {"function": legacy}]
    if not isinstance(given, list):
        raise TranscriptError(f"{where}: tool_calls must be a list")
    calls = []
    for call in given:
        called = call.get("function") or call.get("custom") if isinstance(call, dict) else None
        if not isinstance(called, dict) or not isinstance(called.get("name"), str):
            raise TranscriptError(f"{where}: a tool call has no function with a name")
        arguments = called.get("arguments", called.get("input", ""))
        calls.append((called["name"], _plain(arguments), str(call.get("id") or "")))
    return calls


def _content(message: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return the content: text as it is, parts that are text as their lines, and others as blocks beside these."""
    content = message.get("content")
    if content is None:
        content = message.get("refusal") or ""
    if isinstance(content, str):
        return {"content": content}
    if not isinstance(content, list) or not all(isinstance(part, dict | str) for part in content):
        raise TranscriptError(f"{where}: content must be text or a list of parts")
    parts = [{"type": "text", "text": part} if isinstance(part, str) else part for part in content]
    texts = [str(part.get("text", part.get("refusal", ""))) for part in parts if _is_text(part)]
    if len(texts) == len(parts):
        return {"content": "\n".join(texts)}
    return {"content": "", "content_blocks": [_block(part) for part in parts]}


def _block(part: Mapping[str, Any]) -> dict[str, str]:
    kind = str(part.get("type") or "part")
    if _is_text(part):
        return {"type": kind, "text": str(part.get("text", ""))}
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
    return part.get("type") in _TEXT_PARTS


def _plain(value: object) -> str:
    """Return the text of arguments or of an answer, which may come as parts or as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(part, dict) and _is_text(part) for part in value):
        return "\n".join(str(part.get("text", "")) for part in value)
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def _time(message: Mapping[str, Any], created: object, where: str) -> str:
    """Return when a message was, as RFC 3339; empty where nobody says."""
    return time_of(next((message[name] for name in _TIMES if message.get(name)), created), where)


def _id(message: Mapping[str, Any], number: int, said: Mapping[str, Any]) -> str:
    if message.get("id"):
        return str(message["id"])
    told = json.dumps({**said, "create_time": ""}, sort_keys=True, ensure_ascii=False)
    return f"message-{number}-{hashlib.sha256(told.encode('utf-8', 'replace')).hexdigest()[:16]}"


def _object(value: object, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise TranscriptError(f"{where}: a JSON object is expected")
    return value
