"""Letta: agent files (`.af`), and what its API returns of an agent's messages and of its archive's passages.

Memory blocks and passages become notes, files documents. Ids in an agent file start at zero in each export, so its
messages are known by their time and words. The compiled system prompt and the agent's reasoning are left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import Any

from everword.formats.records import (
    Record,
    chat_entries,
    conversation,
    day_of,
    digest,
    document,
    note,
)
from everword.transcripts import (
    Entry,
    Meter,
    Part,
    RecordError,
    as_object,
    list_in,
    name_in,
    object_in,
    text_in,
    texts_in,
)
from everword.v1.note_service_pb2 import WriteNoteRequest

CHANNEL = "letta"
#: How agents answered before they could simply speak.
_ANSWER = "send_message"
#: Types of events that the framework sends to an agent in the role of the user.
_EVENTS = {"heartbeat", "login", "system_alert"}
_LEFT_OUT = "prompts, thoughts and events"
_THOUGHTS = {"reasoning", "redacted_reasoning", "omitted_reasoning"}
_ROLES = {"system", "user", "assistant", "tool", "approval"}
_KINDS = {
    *("system_message", "user_message", "assistant_message", "reasoning_message"),
    *("hidden_reasoning_message", "tool_call_message", "tool_return_message"),
    *("approval_request_message", "approval_response_message", "summary_message", "event_message"),
}


def reader(shape: frozenset[str]) -> object:
    """Return the function that reads a part of this shape; None if it is not Letta's."""
    if "agents.item" in shape and shape & {"agents.item.system", "agents.item.messages"}:
        return read_agent_file
    if {"core_memory", "messages"} <= shape:
        return read_old_agent_file
    if "item.message_type" in shape:
        return read_messages
    if {"item.id", "item.text"} <= shape and shape & {"item.archive_id", "item.embedding_config"}:
        return read_passages
    return None


def read_agent_file(part: Part) -> Iterator[Record]:
    """Yield memory blocks, messages and files of all agents. Raises TranscriptError if the file is damaged."""
    meter = part.meter
    blocks = dict[str, dict[str, Any]]()
    for block, place in part.items("blocks.item", "block"):
        with meter.skipping(place):
            blocks[name_in(block, "id", place)] = block
    for agent, place in part.items("agents.item", "agent"):
        with meter.skipping(place):
            name = text_in(agent, "name", place) or name_in(agent, "id", place)
            if not name:
                raise RecordError(place, "it has no name")
            # A missing block is reported like a malformed one.
            held = [blocks.get(own, own) for own in texts_in(agent, "block_ids", place)]
            yield from _blocks([*held, *list_in(agent, "memory_blocks", place)], name, place, meter)
            yield from _message_entries(agent, name, place, meter)
    for file, place in part.items("files.item", "file"):
        with meter.skipping(place):
            title = text_in(file, "file_name", place) or name_in(file, "id", place)
            if content := text_in(file, "content", place):
                yield document(title, content, place)


def read_old_agent_file(part: Part) -> Iterator[Record]:
    """Yield memory blocks and messages of a file that is one agent, as those before version 0.6 are."""
    place, meter = part.place, part.meter
    with meter.skipping(place):
        agent = part.value()
        name = text_in(agent, "name", place) or "agent"
        yield from _blocks(list_in(agent, "core_memory", place), name, place, meter)
        yield from _message_entries(agent, name, place, meter)


def _blocks(
    blocks: Iterable[object], name: str, place: str, meter: Meter
) -> Iterator[WriteNoteRequest]:
    for number, each in enumerate(blocks, start=1):
        where = f"{place}, block {number}"
        with meter.skipping(where):
            block = as_object(each, where)
            label = text_in(block, "label", where) or name_in(block, "id", where)
            if not label:
                raise RecordError(where, "it has no label")
            if block.get("value") is None:
                raise RecordError(where, "it has no value")
            if value := text_in(block, "value", where):
                key = f"letta/{name}/{label}"
                yield note(key, value, where, kind="memory_block", scope={"agent": name})


def _message_entries(agent: dict[str, Any], name: str, place: str, meter: Meter) -> Iterator[Entry]:
    given = list_in(agent, "messages", place)
    if agent.get("messages") is None:
        raise RecordError(place, "it has no messages")
    told = list[dict[str, Any] | None]()
    for number, each in enumerate(given, start=1):
        where = f"{place}, message {number}"
        with meter.skipping(where):
            told.append(_chat_message(as_object(each, where), where))
    messages = _without_send_results(told)
    meter.skipped[_LEFT_OUT] += len(told) - len(messages)
    into = conversation(name, place, channel=CHANNEL, agent=name)
    yield from chat_entries(messages, into, meter)


def read_passages(part: Part) -> Iterator[Record]:
    """Yield a note for each passage of an archive."""
    for passage, place in part.items("item", "passage"):
        with part.meter.skipping(place):
            own, text = name_in(passage, "id", place), text_in(passage, "text", place)
            for name, value in (("id", own), ("text", text)):
                if not value:
                    raise RecordError(place, f"it has no {name}")
            tags = [day_of(passage.get("created_at"), place), *texts_in(passage, "tags", place)]
            yield note(f"letta/{own}", text, place, kind="passage", tags=tags)


def read_messages(part: Part) -> Iterator[Record]:
    """Yield the messages that the API lists, as the conversation that the file is named after."""
    found, damage = part.all_numbered("item", "message")
    listed = [(message, place) for _, message, place in found]
    # The API lists the latest message first, but a call and its result, which share one time, in their order.
    dates = [str(message["date"]) for message, _ in listed if message.get("date")]
    if dates and dates[0] > dates[-1]:
        listed.reverse()
    into = conversation(PurePath(part.name or part.archive.name).stem, part.place, channel=CHANNEL)
    told = list[dict[str, Any] | None]()
    for message, place in listed:
        with part.meter.skipping(place):
            told.append(_listed(message, place))
    messages = _without_send_results(told)
    part.meter.skipped[_LEFT_OUT] += len(told) - len(messages)
    yield from chat_entries(messages, into, part.meter)
    if damage:
        raise damage


def _without_send_results(given: Iterable[dict[str, Any] | None]) -> list[dict[str, Any]]:
    """Return the messages without the results of an agent's `send_message` calls, which only confirm the sending."""
    retained = list[dict[str, Any]]()
    spoken = set[str]()
    for message in given:
        if message:
            spoken.update(message.pop("spoken", ()))
            if message["role"] != "tool" or message.get("tool_call_id") not in spoken:
                retained.append(message)
    return retained


def _listed(message: dict[str, Any], place: str) -> dict[str, Any] | None:
    """Return a message of the API in the form of a chat; None for reasoning and the like. Raises RecordError."""
    kind = text_in(message, "message_type", place)
    own = name_in(message, "id", place)
    for name, value in (("message_type", kind), ("id", own)):
        if not value:
            raise RecordError(place, f"it has no {name}")
    if kind not in _KINDS:
        raise RecordError(place, f"message_type {kind[:100]!r} is unknown")
    # Reasoning, call and words of one step share an id.
    shared = {"id": f"{own}-{kind}", "created_at": message.get("date")}
    if kind in {"user_message", "assistant_message"}:
        role = kind.removesuffix("_message")
        if message.get("content") is None:
            raise RecordError(place, "it has no content")
        return _answered({**shared, "role": role, "content": message.get("content")}, place)
    if kind == "tool_call_message":
        calls = list_in(message, "tool_calls", place) or [message.get("tool_call")]
        given = [_call(as_object(each, f"{place}, tool call"), place) for each in calls]
        return _answered({**shared, "role": "assistant", "tool_calls": given}, place)
    if kind == "tool_return_message":
        call_id = name_in(message, "tool_call_id", place)
        answer = {"tool_call_id": call_id, "name": text_in(message, "name", place)}
        return {**shared, **answer, "role": "tool", "content": message.get("tool_return")}
    return None


def _call(call: dict[str, Any], place: str) -> dict[str, Any]:
    name = text_in(call, "name", place) or "tool"
    return {
        "id": call.get("tool_call_id"),
        "function": {"name": name, "arguments": call.get("arguments")},
    }


def _chat_message(message: dict[str, Any], place: str) -> dict[str, Any] | None:
    """Return a message of an agent file in the form of a chat; None for the prompt. Raises RecordError."""
    role, content = text_in(message, "role", place), message.get("content")
    if role not in _ROLES:
        shown = repr(role[:100]) if role else "missing"
        raise RecordError(place, f"role is {shown}; it must be one of {', '.join(sorted(_ROLES))}")
    if content is not None and not isinstance(content, str | list):
        raise RecordError(place, "content must be text or a list of parts")
    if isinstance(content, list):
        parts = [as_object(each, f"{place}, content") for each in content]
        content = [part for part in parts if text_in(part, "type", place) not in _THOUGHTS]
    calls = list_in(message, "tool_calls", place)
    if content is None and not calls and role in {"user", "assistant"}:
        raise RecordError(place, "it has no content")
    if role == "system" or not (content or calls or role == "tool"):
        return None
    if role == "approval":
        role = "assistant" if calls else "user"
    retained = {
        "role": role,
        "content": content,
        "created_at": message.get("created_at"),
        "tool_calls": calls,
        "tool_call_id": name_in(message, "tool_call_id", place) or None,
    }
    return _answered({**retained, "id": digest(json.dumps(retained, sort_keys=True))}, place)


def _answered(message: dict[str, Any], place: str) -> dict[str, Any] | None:
    """Unpack the message text: users' text was wrapped in JSON, agents' text was the argument of a tool.

    Raises RecordError.
    """
    content = message.get("content")
    if isinstance(content, list) and len(content) == 1:
        content = as_object(content[0], f"{place}, content").get("text", content)
    if message["role"] == "user" and isinstance(content, str):
        wrapped = _object(content)
        if wrapped.get("type") == "user_message" and isinstance(wrapped.get("message"), str):
            return {**message, "content": wrapped["message"]}
        return None if wrapped.get("type") in _EVENTS else message
    others, said, spoken = list[dict[str, Any]](), list[str](), list[str]()
    for each in message.get("tool_calls") or []:
        call = as_object(each, f"{place}, tool call")
        function = object_in(call, "function", place)
        words = _object(function.get("arguments")).get("message")
        if function.get("name") == _ANSWER and isinstance(words, str):
            said.append(words)
            spoken.append(str(call.get("id")))
        else:
            others.append(call)
    if not said:
        return message
    return {**message, "content": "\n".join(said), "tool_calls": others, "spoken": spoken}


def _object(text: object) -> dict[str, Any]:
    try:
        value = json.loads(text) if isinstance(text, str) and text.startswith("{") else {}
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
