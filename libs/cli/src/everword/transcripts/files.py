"""Reads files of conversations, whatever their form, and writes messages as lines."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from google.protobuf import json_format
from google.protobuf.message import Message as ProtoMessage

from everword.transcripts.chats import chat_messages, is_chat, is_chat_message
from everword.transcripts.errors import TranscriptError
from everword.transcripts.fields import (
    DETAIL_FIELDS,
    ENUMS,
    KEY_FIELDS,
    Entry,
    as_object,
    parse_json,
    to_message,
    to_target,
)
from everword.transcripts.parts import EMPTY, Meter, Part
from everword.v1 import conversation_pb2, memory_pb2

BENCH_FORMAT = "everword-bench/1"


def read_transcript(path: Path, meter: Meter | None = None) -> Iterator[Entry]:
    """Iterate over the messages of a file: a `.json` document, or else JSONL; both may hold chats as OpenAI has them.

    Every message has an external id, so that reading a file in again stores nothing twice. `meter` is told what was
    read. One conversation is in memory at a time. Raises TranscriptError when it comes to what it cannot read.
    """
    meter = meter or Meter()
    meter.total = path.stat().st_size
    if path.suffix == ".json":
        return _read_document(Part(path, "", meter.total, meter))
    return _read_lines(path, meter)


def to_line(
    conversation: conversation_pb2.Conversation, message: memory_pb2.Message
) -> dict[str, Any]:
    """Return a stored message as a line of JSONL that can be imported again."""
    details = conversation_pb2.ConversationDetails()
    details.CopyFrom(conversation.details)
    # What the conversation's messages inherit is already in each of them.
    details.instance = ""
    fields = _to_dict(conversation.key) | _to_dict(details) | _to_dict(message.body)
    fields.setdefault("external_id", message.id)
    fields.setdefault("content", "")
    for name, (prefix, _) in ENUMS.items():
        if name in fields:
            fields[name] = fields[name].removeprefix(prefix).lower()
    return fields


def _read_lines(path: Path, meter: Meter) -> Iterator[Entry]:
    for number, line in _lines(path, meter):
        place = f"{path}:{number}"
        fields = as_object(parse_json(line.strip(), place), place)
        if is_chat(fields):
            yield from _read_chat(fields, place, f"{path.stem}-{number}")
            continue
        if is_chat_message(fields):
            yield from _read_chat_lines(path, meter)
            return
        if "id" not in fields and "external_id" not in fields:
            # The same line at the same place is the same message, also when the file has grown.
            fields["external_id"] = f"line-{number}-{hashlib.sha256(line).hexdigest()[:16]}"
        key = {name: fields.pop(name) for name in KEY_FIELDS & fields.keys()}
        details = {name: fields.pop(name) for name in DETAIL_FIELDS & fields.keys()}
        yield Entry(to_target(key, details, place), to_message(fields, place))


def _lines(path: Path, meter: Meter) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are not empty, with their numbers from 1."""
    meter.done = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            meter.done += len(line)
            meter.at = f"{path}:{number}"
            if line.strip():
                yield number, line


def read_conversation(conversation: dict[str, Any], place: str) -> Iterator[Entry]:
    """Iterate over the messages of one conversation of a document, which `place` names in errors."""
    fields = dict(conversation)
    name = fields.pop("conversation", "")
    messages = fields.pop("messages", [])
    fields.pop("queries", None)
    fields = {"session_key": name, **fields}
    place = f"{place}: conversation {name!r}"
    key = {each: fields.pop(each) for each in KEY_FIELDS & fields.keys()}
    target = to_target(key, fields, place)
    for index, message in enumerate(messages, start=1):
        where = f"{place}, message {index}"
        message_fields = as_object(message, where)
        if "id" not in message_fields and "external_id" not in message_fields:
            raise TranscriptError(f"{where}: it has no id")
        yield Entry(target, to_message(message_fields, f"{where} ({message_fields.get('id')})"))


def _read_document(part: Part) -> Iterator[Entry]:
    shape = part.shape()
    stem = part.archive.stem
    if "item.messages" in shape:
        for number, (chat, place) in enumerate(part.items("item", "chat"), start=1):
            if not is_chat(chat):
                raise TranscriptError(f"{place}: it holds no `messages`, as those before it do")
            yield from _read_chat(chat, place, f"{stem}-{number}")
    elif "item" in shape:
        messages = [message for message, _ in part.items("item", "message")]
        yield from _read_chat({"messages": messages}, part.place, stem)
    elif "messages" in shape and part.first("format") is None:
        chat = part.value()
        if not is_chat(chat):
            raise TranscriptError(f"{part.place}: messages must be a list")
        yield from _read_chat(chat, part.place, stem)
    elif part.first("format") == BENCH_FORMAT:
        for conversation, _ in part.items("conversations.item", "conversation"):
            yield from read_conversation(conversation, part.place)
    elif shape == EMPTY and part.first("") in ([], {}):
        raise TranscriptError(f"{part.place}: it is empty")
    else:
        raise TranscriptError(
            f"{part.place}: its format is not {BENCH_FORMAT}, and it holds no `messages`; "
            "a file with a message a line is named .jsonl"
        )


def _read_chat(chat: dict[str, Any], place: str, name: str) -> Iterator[Entry]:
    """Iterate over the messages of a chat, which is called `name` where it has no id of its own."""
    fields = {each: chat[each] for each in (KEY_FIELDS | DETAIL_FIELDS) & chat.keys()}
    own = chat.get("conversation_id") or chat.get("session_id") or chat.get("id")
    fields.setdefault("session_key", str(own or name))
    key = {each: fields.pop(each) for each in KEY_FIELDS & fields.keys()}
    target = to_target(key, fields, place)
    created = chat.get("create_time") or chat.get("created_at") or chat.get("created")
    places = [f"{place}, message {number}" for number, _ in enumerate(chat["messages"], start=1)]
    for message, where in chat_messages(chat["messages"], places, created):
        yield Entry(target, to_message(message, where))


def _read_chat_lines(path: Path, meter: Meter) -> Iterator[Entry]:
    """Iterate over the messages of a chat that stand on a line each."""
    target = to_target({"session_key": path.stem}, {}, str(path))
    messages, places = list[dict[str, Any]](), list[str]()
    for number, line in _lines(path, meter):
        places.append(f"{path}:{number}")
        messages.append(as_object(parse_json(line.strip(), places[-1]), places[-1]))
        if not is_chat_message(messages[-1]):
            raise TranscriptError(
                f"{places[-1]}: the lines before are messages of a chat, and this is none"
            )
    for message, where in chat_messages(messages, places):
        yield Entry(target, to_message(message, where))


def _to_dict(message: ProtoMessage) -> dict[str, Any]:
    return json_format.MessageToDict(message, preserving_proto_field_name=True)
