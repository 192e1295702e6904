"""Reads files of conversations, whatever their form, and writes messages as lines."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import protovalidate
from google.protobuf import json_format
from google.protobuf.message import Message as ProtoMessage

from everword.transcripts.chats import chat_messages, is_chat, is_chat_message
from everword.transcripts.errors import TranscriptError
from everword.v1 import conversation_pb2, ingest_service_pb2, memory_pb2

BENCH_FORMAT = "everword-bench/1"
_ENUMS = {
    "role": ("ROLE_", memory_pb2.Role),
    "importance_class": ("IMPORTANCE_CLASS_", memory_pb2.ImportanceClass),
}
_KEY_FIELDS = frozenset(conversation_pb2.ConversationKey.DESCRIPTOR.fields_by_name)
# `instance` is a field of both; here it is the message's.
_DETAIL_FIELDS = frozenset(conversation_pb2.ConversationDetails.DESCRIPTOR.fields_by_name) - {
    "instance"
}


@dataclass(frozen=True)
class Entry:
    """One message of a file, and the conversation it belongs to."""

    target: ingest_service_pb2.ConversationTarget
    message: memory_pb2.NewMessage


def read_transcript(path: Path) -> Iterator[Entry]:
    """Iterate over the messages of a file: a `.json` document, or else JSONL; both may hold chats as OpenAI has them.

    Every message has an external id, so that reading a file in again stores nothing twice. Raises TranscriptError when
    it comes to something that it cannot read.
    """
    return _read_document(path) if path.suffix == ".json" else _read_lines(path)


def count_messages(path: Path) -> int:
    """Return about how many messages a file holds, for a progress bar."""
    if path.suffix == ".json":
        document = parse_json(path.read_bytes(), str(path))
        chats = _chats(document)
        found = _conversations(document, str(path)) if chats is None else chats
        return sum(len(each.get("messages", ())) for each in found)
    with path.open("rb") as file:
        return sum(max(1, line.count(b'"role"')) for line in file if line.strip())


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
    for name, (prefix, _) in _ENUMS.items():
        if name in fields:
            fields[name] = fields[name].removeprefix(prefix).lower()
    return fields


def _read_lines(path: Path) -> Iterator[Entry]:
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            place = f"{path}:{number}"
            fields = as_object(parse_json(line.strip(), place), place)
            if is_chat(fields):
                yield from _read_chat(fields, place, f"{path.stem}-{number}")
                continue
            if is_chat_message(fields):
                yield from _read_chat_lines(path)
                return
            if "id" not in fields and "external_id" not in fields:
                # The same line at the same place is the same message, also when the file has grown.
                fields["external_id"] = f"line-{number}-{hashlib.sha256(line).hexdigest()[:16]}"
            key = {name: fields.pop(name) for name in _KEY_FIELDS & fields.keys()}
            details = {name: fields.pop(name) for name in _DETAIL_FIELDS & fields.keys()}
            yield Entry(_target(key, details, place), _message(fields, place))


def read_conversation(conversation: dict[str, Any], place: str) -> Iterator[Entry]:
    """Iterate over the messages of one conversation of a document, which `place` names in errors."""
    fields = dict(conversation)
    name = fields.pop("conversation", "")
    messages = fields.pop("messages", [])
    fields.pop("queries", None)
    fields = {"session_key": name, **fields}
    place = f"{place}: conversation {name!r}"
    key = {each: fields.pop(each) for each in _KEY_FIELDS & fields.keys()}
    target = _target(key, fields, place)
    for index, message in enumerate(messages, start=1):
        where = f"{place}, message {index}"
        message_fields = as_object(message, where)
        if "id" not in message_fields and "external_id" not in message_fields:
            raise TranscriptError(f"{where}: it has no id")
        yield Entry(target, _message(message_fields, f"{where} ({message_fields.get('id')})"))


def _read_document(path: Path) -> Iterator[Entry]:
    document = parse_json(path.read_bytes(), str(path))
    chats = _chats(document)
    if chats is None:
        for conversation in _conversations(document, str(path)):
            yield from read_conversation(conversation, str(path))
        return
    for number, chat in enumerate(chats, start=1):
        several = len(chats) > 1
        place = f"{path}: chat {number}" if several else str(path)
        yield from _read_chat(chat, place, f"{path.stem}-{number}" if several else path.stem)


def _conversations(document: object, place: str) -> list[dict[str, Any]]:
    fields = as_object(document, place)
    if fields.get("format") != BENCH_FORMAT:
        raise TranscriptError(
            f"{place}: its format is not {BENCH_FORMAT}, and it holds no `messages`; "
            "a file with a message a line is named .jsonl"
        )
    return [as_object(each, place) for each in fields.get("conversations", [])]


def _chats(document: object) -> list[dict[str, Any]] | None:
    """Return the chats that a document is: one, a list of some, or the messages of one; None where it is none."""
    if is_chat(document):
        return [as_object(document, "")]
    if isinstance(document, list) and document:
        if all(map(is_chat, document)):
            return [as_object(each, "") for each in document]
        return [{"messages": document}]
    return None


def _read_chat(chat: dict[str, Any], place: str, name: str) -> Iterator[Entry]:
    """Iterate over the messages of a chat, which is called `name` where it has no id of its own."""
    fields = {each: chat[each] for each in (_KEY_FIELDS | _DETAIL_FIELDS) & chat.keys()}
    own = chat.get("conversation_id") or chat.get("session_id") or chat.get("id")
    fields.setdefault("session_key", str(own or name))
    key = {each: fields.pop(each) for each in _KEY_FIELDS & fields.keys()}
    target = _target(key, fields, place)
    created = chat.get("create_time") or chat.get("created_at") or chat.get("created")
    places = [f"{place}, message {number}" for number, _ in enumerate(chat["messages"], start=1)]
    for message, where in chat_messages(chat["messages"], places, created):
        yield Entry(target, _message(message, where))


def _read_chat_lines(path: Path) -> Iterator[Entry]:
    """Iterate over the messages of a chat that stand on a line each."""
    target = _target({"session_key": path.stem}, {}, str(path))
    messages, places = list[dict[str, Any]](), list[str]()
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                places.append(f"{path}:{number}")
                messages.append(as_object(parse_json(line.strip(), places[-1]), places[-1]))
                if not is_chat_message(messages[-1]):
                    raise TranscriptError(
                        f"{places[-1]}: the lines before are messages of a chat, and this is none"
                    )
    for message, where in chat_messages(messages, places):
        yield Entry(target, _message(message, where))


def parse_json(text: bytes, place: str) -> object:
    """Return what JSON text holds. Raises TranscriptError, which names `place`."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        line = f":{error.lineno}" if error.lineno > 1 else ""
        raise TranscriptError(f"{place}{line}: it is not JSON: {error.msg}") from None
    except UnicodeDecodeError:
        raise TranscriptError(f"{place}: it is not UTF-8") from None
    except RecursionError:
        raise TranscriptError(f"{place}: its JSON is nested too deeply") from None


def as_object(value: object, place: str) -> dict[str, Any]:
    """Return a copy of a JSON object. Raises TranscriptError where `value` is something else."""
    if not isinstance(value, dict):
        raise TranscriptError(f"{place}: a JSON object is expected")
    return dict(value)


def _target(
    key: dict[str, Any], details: dict[str, Any], place: str
) -> ingest_service_pb2.ConversationTarget:
    target = ingest_service_pb2.ConversationTarget()
    _fill(target.key, key, place)
    _fill(target.details, details, place)
    return target


def _message(fields: dict[str, Any], place: str) -> memory_pb2.NewMessage:
    """Return the message that `fields` describe."""
    if "id" in fields:
        fields.setdefault("external_id", fields["id"])
        del fields["id"]
    metadata = fields.get("metadata", {})
    if "session" in fields and isinstance(metadata, dict):
        fields["metadata"] = {"session": fields.pop("session"), **metadata}
    fields.setdefault("role", "")
    for name in _ENUMS.keys() & fields.keys():
        fields[name] = _enum_value(name, fields[name], place)
    for name in ("tool_args", "tool_result"):
        if isinstance(fields.get(name), dict | list):
            fields[name] = json.dumps(fields[name], ensure_ascii=False)
    message = memory_pb2.NewMessage()
    _fill(message, fields, place)
    return message


def _enum_value(field: str, value: object, place: str) -> int:
    prefix, enum = _ENUMS[field]
    known = {name.removeprefix(prefix).lower(): number for name, number in enum.items()}
    known.pop("unspecified")
    if isinstance(value, str) and value in known:
        return known[value]
    raise TranscriptError(f"{place}: {field} is {value!r}; it must be one of {', '.join(known)}")


def _fill(message: ProtoMessage, fields: dict[str, Any], place: str) -> None:
    """Set the fields of `message`, which its proto must allow: here an error can still name its place."""
    try:
        json_format.ParseDict(fields, message)
    except (json_format.ParseError, UnicodeError) as error:
        problem = str(error).splitlines()[0]
        raise TranscriptError(f"{place}: {problem}") from None
    for violation in protovalidate.collect_violations(message):
        broken = violation.proto.field
        path = ".".join(element.field_name for element in broken.elements) if broken else "message"
        raise TranscriptError(f"{place}: {path}: {violation.proto.message}")
    if _has_nul(fields):
        raise TranscriptError(f"{place}: NUL characters cannot be stored")


def _has_nul(value: object) -> bool:
    if isinstance(value, dict):
        return any(_has_nul(key) or _has_nul(item) for key, item in value.items())
    if isinstance(value, list):
        return any(map(_has_nul, value))
    return isinstance(value, str) and "\0" in value


def _to_dict(message: ProtoMessage) -> dict[str, Any]:
    return json_format.MessageToDict(message, preserving_proto_field_name=True)
