"""What a message and its conversation are made of, checked against the protos where an error can name its place."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import protovalidate
from google.protobuf import json_format
from google.protobuf.message import Message as ProtoMessage

from everword.transcripts.errors import TranscriptError
from everword.v1 import conversation_pb2, ingest_service_pb2, memory_pb2

ENUMS = {
    "role": ("ROLE_", memory_pb2.Role),
    "importance_class": ("IMPORTANCE_CLASS_", memory_pb2.ImportanceClass),
}
KEY_FIELDS = frozenset(conversation_pb2.ConversationKey.DESCRIPTOR.fields_by_name)
# `instance` is a field of both; here it is the message's.
DETAIL_FIELDS = frozenset(conversation_pb2.ConversationDetails.DESCRIPTOR.fields_by_name) - {
    "instance"
}


@dataclass(frozen=True)
class Entry:
    """One message of a file, and the conversation it belongs to."""

    target: ingest_service_pb2.ConversationTarget
    message: memory_pb2.NewMessage


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


def to_target(
    key: dict[str, Any], details: dict[str, Any], place: str
) -> ingest_service_pb2.ConversationTarget:
    """Return the conversation that `key` and `details` describe. Raises TranscriptError, which names `place`."""
    target = ingest_service_pb2.ConversationTarget()
    fill(target.key, key, place)
    fill(target.details, details, place)
    return target


def to_message(fields: dict[str, Any], place: str) -> memory_pb2.NewMessage:
    """Return the message that `fields` describe, whose `role` and such are words. Raises TranscriptError."""
    if "id" in fields:
        fields.setdefault("external_id", fields["id"])
        del fields["id"]
    metadata = fields.get("metadata", {})
    if "session" in fields and isinstance(metadata, dict):
        fields["metadata"] = {"session": fields.pop("session"), **metadata}
    fields.setdefault("role", "")
    for name in ENUMS.keys() & fields.keys():
        fields[name] = _enum_value(name, fields[name], place)
    for name in ("tool_args", "tool_result"):
        if isinstance(fields.get(name), dict | list):
            fields[name] = json.dumps(fields[name], ensure_ascii=False)
    message = memory_pb2.NewMessage()
    fill(message, fields, place)
    return message


def _enum_value(field: str, value: object, place: str) -> int:
    prefix, enum = ENUMS[field]
    known = {name.removeprefix(prefix).lower(): number for name, number in enum.items()}
    known.pop("unspecified")
    if isinstance(value, str) and value in known:
        return known[value]
    raise TranscriptError(f"{place}: {field} is {value!r}; it must be one of {', '.join(known)}")


def fill(message: ProtoMessage, fields: dict[str, Any], place: str) -> None:
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
