"""Letta: agent files (`.af`), and what its API returns of an agent's messages and of its archive's passages.

Memory blocks and passages become notes, files documents. Ids in an agent file start at zero in each export, so its
messages are known by their time and words. The compiled system prompt and the agent's reasoning are left out.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import Any

from everword.formats.chat_records import chat_entries
from everword.formats.records import Record, conversation, day_of, digest, document, note
from everword.transcripts import Entry, Part, as_object
from everword.v1.note_service_pb2 import WriteNoteRequest

CHANNEL = "letta"
#: How agents answered before they could simply speak.
_ANSWER = "send_message"
#: What the framework tells an agent in a user's place.
_EVENTS = {"heartbeat", "login", "system_alert"}
_LEFT_OUT = "prompts, thoughts and events"


def reader(shape: frozenset[str]) -> object:
    """Return what reads a part of this shape, if it is one of Letta's."""
    if {"agents.item", "agents.item.system"} <= shape:
        return read_agent_file
    if {"core_memory", "messages"} <= shape:
        return read_old_agent_file
    if {"item.id", "item.message_type"} <= shape:
        return read_messages
    if {"item.id", "item.text"} <= shape and shape & {"item.archive_id", "item.embedding_config"}:
        return read_passages
    return None


def read_agent_file(part: Part) -> Iterator[Record]:
    """Yield memory blocks, messages and files of all agents. Raises TranscriptError."""
    blocks = {block.get("id"): block for block, _ in part.items("blocks.item", "block")}
    for agent, place in part.items("agents.item", "agent"):
        name = str(agent.get("name") or agent.get("id") or "agent")
        held = [blocks.get(own) for own in agent.get("block_ids") or []]
        yield from _blocks([*held, *(agent.get("memory_blocks") or [])], name, place)
        yield from _said(agent, name, place, part.meter.skipped)
    for file, place in part.items("files.item", "file"):
        if file.get("content"):
            yield document(str(file.get("file_name") or file.get("id")), file["content"], place)


def read_old_agent_file(part: Part) -> Iterator[Record]:
    """Yield memory blocks and messages of a file that is one agent, as those before version 0.6 are."""
    agent, place = part.value(), part.place
    name = str(agent.get("name") or "agent")
    yield from _blocks(agent.get("core_memory") or [], name, place)
    yield from _said(agent, name, place, part.meter.skipped)


def _blocks(
    blocks: Iterable[dict[str, Any] | None], name: str, place: str
) -> Iterator[WriteNoteRequest]:
    for block in blocks:
        if block and block.get("value"):
            key = f"letta/{name}/{block.get('label') or block.get('id')}"
            value = str(block["value"])
            yield note(key, value, place, kind="memory_block", scope={"agent": name})


def _said(agent: dict[str, Any], name: str, place: str, skipped: Counter[str]) -> Iterator[Entry]:
    given = [_told(as_object(each, place)) for each in agent.get("messages") or []]
    messages = _kept(given)
    skipped[_LEFT_OUT] += len(given) - len(messages)
    into = conversation(name, place, channel=CHANNEL, agent=name)
    yield from chat_entries(messages, into)


def read_passages(part: Part) -> Iterator[Record]:
    """Yield a note for each passage of an archive."""
    for passage, place in part.items("item", "passage"):
        if passage.get("text"):
            tags = [day_of(passage.get("created_at")), *map(str, passage.get("tags") or [])]
            key = f"letta/{passage['id']}"
            yield note(key, str(passage["text"]), place, kind="passage", tags=tags)


def read_messages(part: Part) -> Iterator[Record]:
    """Yield the messages that the API lists, as the conversation that the file is named after."""
    listed = [message for message, _ in part.items("item", "message")]
    # The API lists the latest first; a call and what came of it have the same time, and come in order.
    if listed and str(listed[0].get("date")) > str(listed[-1].get("date")):
        listed.reverse()
    into = conversation(PurePath(part.name or part.archive.name).stem, part.place, channel=CHANNEL)
    messages = _kept(map(_listed, listed))
    part.meter.skipped[_LEFT_OUT] += len(listed) - len(messages)
    yield from chat_entries(messages, into)


def _kept(given: Iterable[dict[str, Any] | None]) -> list[dict[str, Any]]:
    """Return the messages without what tools answered by which an agent spoke, which only says that it did."""
    kept = list[dict[str, Any]]()
    spoken = set[str]()
    for message in given:
        if message:
            spoken.update(message.pop("spoken", ()))
            if message["role"] != "tool" or message.get("tool_call_id") not in spoken:
                kept.append(message)
    return kept


def _listed(message: dict[str, Any]) -> dict[str, Any] | None:
    """Return a message of the API as a chat has it; None for reasoning and the like."""
    kind = message["message_type"]
    # Reasoning, call and words of one step share an id.
    shared = {"id": f"{message.get('id')}-{kind}", "created_at": message.get("date")}
    if kind in {"user_message", "assistant_message"}:
        role = kind.removesuffix("_message")
        return _answered({**shared, "role": role, "content": message.get("content")})
    if kind == "tool_call_message":
        calls = message.get("tool_calls") or [message.get("tool_call")]
        return _answered({**shared, "role": "assistant", "tool_calls": _calls(calls)})
    if kind == "tool_return_message":
        answer = {"tool_call_id": message.get("tool_call_id"), "name": message.get("name")}
        return {**shared, **answer, "role": "tool", "content": message.get("tool_return")}
    return None


def _calls(given: list[Any]) -> list[dict[str, Any]]:
    return [
        {
            "id": call.get("tool_call_id"),
            "function": {"name": call.get("name") or "tool", "arguments": call.get("arguments")},
        }
        for call in given
        if isinstance(call, dict)
    ]


def _told(message: dict[str, Any]) -> dict[str, Any] | None:
    """Return a message of an agent file as a chat has it; None for the prompt."""
    role, content = message.get("role"), message.get("content")
    if isinstance(content, list):
        content = [part for part in content if isinstance(part, dict) and _is_said(part)]
    if role == "system" or not (content or message.get("tool_calls") or role == "tool"):
        return None
    if role == "approval":
        role = "assistant" if message.get("tool_calls") else "user"
    kept = {
        "role": role,
        "content": content,
        "created_at": message.get("created_at"),
        "tool_calls": message.get("tool_calls") or [],
        "tool_call_id": message.get("tool_call_id"),
    }
    return _answered({**kept, "id": digest(json.dumps(kept, sort_keys=True))})


def _is_said(part: dict[str, Any]) -> bool:
    return part.get("type") not in {"reasoning", "redacted_reasoning", "omitted_reasoning"}


def _answered(message: dict[str, Any]) -> dict[str, Any] | None:
    """Unpack what was said: users' words were wrapped in JSON, and agents' were arguments of a tool."""
    content = message.get("content")
    if isinstance(content, list) and len(content) == 1:
        content = content[0].get("text", content)
    if message["role"] == "user" and isinstance(content, str):
        wrapped = _object(content)
        if wrapped.get("type") == "user_message" and isinstance(wrapped.get("message"), str):
            return {**message, "content": wrapped["message"]}
        return None if wrapped.get("type") in _EVENTS else message
    others, said, spoken = list[dict[str, Any]](), list[str](), list[str]()
    for call in message.get("tool_calls") or []:
        function = call.get("function") or {}
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
