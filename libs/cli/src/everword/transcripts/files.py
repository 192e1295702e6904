"""Reads files of conversations, whatever their form, and writes messages as lines."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from google.protobuf import json_format
from google.protobuf.message import Message as ProtoMessage

from everword.transcripts.chats import chat_messages, is_chat, is_chat_message
from everword.transcripts.errors import RecordError, TranscriptError
from everword.transcripts.fields import (
    DETAIL_FIELDS,
    ENUMS,
    KEY_FIELDS,
    Entry,
    as_object,
    list_in,
    parse_json,
    settle_id,
    to_message,
    to_target,
)
from everword.transcripts.meter import Meter
from everword.transcripts.parts import EMPTY, Part
from everword.v1 import conversation_pb2, ingest_service_pb2, memory_pb2

BENCH_FORMAT = "everword-bench/1"
#: Lines at the beginning of a file from which its format is detected.
_PEEK_LINES = 100


def read_transcript(path: Path, meter: Meter | None = None) -> Iterator[Entry]:
    """Iterate over the messages of a file: a `.json` document, or else JSONL; both may hold chats as OpenAI has them.

    Every message has an external id, so that importing a file again stores nothing twice. `meter` records the progress
    and the skipped malformed records; without it, the first malformed record raises RecordError. One conversation
    is in memory at a time. Raises TranscriptError if the file is damaged or of an unknown format.
    """
    meter = meter or Meter(strict=True)
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
    # Each message already contains the instance that it inherits from the conversation.
    details.instance = ""
    fields = _to_dict(conversation.key) | _to_dict(details) | _to_dict(message.body)
    fields.setdefault("external_id", message.id)
    fields.setdefault("content", "")
    for name, (prefix, _) in ENUMS.items():
        if name in fields:
            fields[name] = fields[name].removeprefix(prefix).lower()
    return fields


def _read_lines(path: Path, meter: Meter) -> Iterator[Entry]:
    if _is_chat_of_lines(path):
        yield from _read_chat_lines(path, meter)
        return
    for number, line in _lines(path, meter):
        place = f"{path}:{number}"
        with meter.skipping(place):
            fields = as_object(parse_json(line.strip(), place), place)
            if is_chat(fields):
                yield from _read_chat(fields, place, f"{path.stem}-{number}", meter)
                continue
            if "session_key" not in fields:
                raise RecordError(place, "it names no conversation: session_key is missing")
            if not settle_id(fields):
                # The same line at the same place is the same message, also when the file has grown.
                fields["external_id"] = f"line-{number}-{hashlib.sha256(line).hexdigest()[:16]}"
            key = {name: fields.pop(name) for name in KEY_FIELDS & fields.keys()}
            details = {name: fields.pop(name) for name in DETAIL_FIELDS & fields.keys()}
            yield Entry(to_target(key, details, place), to_message(fields, place), place)


def _is_chat_of_lines(path: Path) -> bool:
    """Return whether the lines are the messages of one chat: some are, and none names a conversation."""
    found = False
    for number, line in _lines(path, Meter()):
        if number > _PEEK_LINES:
            break
        try:
            fields = parse_json(line.strip(), "")
        except RecordError:
            continue
        if isinstance(fields, dict) and ("session_key" in fields or is_chat(fields)):
            return False
        found = found or is_chat_message(fields)
    return found


def _lines(path: Path, meter: Meter) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are not empty, with their numbers from 1."""
    meter.done = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            meter.done += len(line)
            meter.at = f"{path}:{number}"
            if line.strip():
                yield number, line


def read_conversation(
    conversation: dict[str, Any], place: str, meter: Meter | None = None
) -> Iterator[Entry]:
    """Iterate over the messages of one conversation of a document, which `place` names in errors.

    Malformed messages are skipped and counted in `meter`; without it, the first one raises RecordError.
    """
    meter = meter or Meter(strict=True)
    fields = dict(conversation)
    name = fields.pop("conversation", "")
    place = f"{place}: conversation {name!r}"
    messages = list_in(fields, "messages", place)
    if fields.pop("messages", None) is None:
        raise RecordError(place, "it contains no `messages`")
    fields.pop("queries", None)
    fields = {"session_key": name, **fields}
    key = {each: fields.pop(each) for each in KEY_FIELDS & fields.keys()}
    target = to_target(key, fields, place)
    for index, message in enumerate(messages, start=1):
        where = f"{place}, message {index}"
        with meter.skipping(where):
            message_fields = as_object(message, where)
            if not settle_id(message_fields):
                raise RecordError(where, "it has no id")
            where = f"{where} ({message_fields['external_id']})"
            yield Entry(target, to_message(message_fields, where), where)


def _read_document(part: Part) -> Iterator[Entry]:
    (shapes, _), meter, stem = part.shapes(), part.meter, part.archive.stem
    shape = frozenset[str]().union(*shapes)
    if "item.messages" in shape:
        for number, (chat, place) in enumerate(part.items("item", "chat"), start=1):
            with meter.skipping(place):
                yield from _read_chat(chat, place, f"{stem}-{number}", meter)
    elif "item" in shape:
        listed, damage = part.all_numbered("item", "message")
        target = to_target({"session_key": stem}, {}, part.place)
        yield from _entries(target, listed, meter)
        if damage:
            raise damage
    elif "messages" in shape and part.first("format") is None:
        with meter.skipping(part.place):
            yield from _read_chat(part.value(), part.place, stem, meter)
    elif part.first("format") == BENCH_FORMAT:
        for conversation, place in part.items("conversations.item", "conversation"):
            with meter.skipping(place):
                yield from read_conversation(conversation, part.place, meter)
    elif shapes == [EMPTY] and part.first("") in ([], {}):
        raise TranscriptError(f"{part.place}: it is empty")
    else:
        raise TranscriptError(
            f"{part.place}: its format is not {BENCH_FORMAT}, and it contains no `messages`; "
            "a file with a message a line is named .jsonl"
        )


def _read_chat(chat: dict[str, Any], place: str, name: str, meter: Meter) -> Iterator[Entry]:
    """Iterate over the messages of a chat; `name` is its session key if it has no id of its own."""
    if chat.get("messages") is None:
        raise RecordError(place, "it contains no `messages`")
    messages = list_in(chat, "messages", place)
    fields = {each: chat[each] for each in (KEY_FIELDS | DETAIL_FIELDS) & chat.keys()}
    own = chat.get("conversation_id") or chat.get("session_id") or chat.get("id")
    fields.setdefault("session_key", str(own or name))
    key = {each: fields.pop(each) for each in KEY_FIELDS & fields.keys()}
    target = to_target(key, fields, place)
    created = chat.get("create_time") or chat.get("created_at") or chat.get("created")
    numbered = [
        (number, message, f"{place}, message {number}")
        for number, message in enumerate(messages, start=1)
    ]
    yield from _entries(target, numbered, meter, created)


def _read_chat_lines(path: Path, meter: Meter) -> Iterator[Entry]:
    """Iterate over the messages of a chat, one per line."""
    target = to_target({"session_key": path.stem}, {}, str(path))
    messages = list[tuple[int, object, str]]()
    for number, line in _lines(path, meter):
        place = f"{path}:{number}"
        with meter.skipping(place):
            messages.append((number, parse_json(line.strip(), place), place))
    yield from _entries(target, messages, meter)


def _entries(
    target: ingest_service_pb2.ConversationTarget,
    messages: Sequence[tuple[int, object, str]],
    meter: Meter,
    created: object = None,
) -> Iterator[Entry]:
    for message, where in chat_messages(messages, created, meter):
        with meter.skipping(where):
            yield Entry(target, to_message(message, where), where)


def _to_dict(message: ProtoMessage) -> dict[str, Any]:
    return json_format.MessageToDict(message, preserving_proto_field_name=True)
