"""Fields of messages and conversations, checked against the protos so that an error can name its place."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import protovalidate
from google.protobuf import json_format
from google.protobuf.message import Message as ProtoMessage

from everword.transcripts.errors import RecordError
from everword.transcripts.times import time_of
from everword.v1 import conversation_pb2, ingest_service_pb2, memory_pb2

ENUMS = {
    "role": ("ROLE_", memory_pb2.Role),
    "importance_class": ("IMPORTANCE_CLASS_", memory_pb2.ImportanceClass),
}
_TIMES = {"create_time", "createTime"}
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
    #: The place in its file, for errors.
    place: str = field(default="", compare=False)


def parse_json(text: bytes, place: str) -> object:
    """Parse JSON. Raises RecordError, which names `place`."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        line = f":{error.lineno}" if error.lineno > 1 else ""
        raise RecordError(f"{place}{line}", f"it is not JSON: {error.msg}") from None
    except UnicodeDecodeError:
        raise RecordError(place, "it is not UTF-8") from None
    except RecursionError:
        raise RecordError(place, "its JSON is nested too deeply") from None
    except ValueError as error:
        # Python refuses numbers of thousands of digits.
        raise RecordError(place, f"it is not JSON: {error}") from None


def as_object(value: object, place: str) -> dict[str, Any]:
    """Return a copy of a JSON object. Raises RecordError if `value` is something else."""
    if not isinstance(value, dict):
        raise RecordError(place, f"a JSON object is expected, not {_kind(value)}")
    return dict(value)


def object_in(record: Mapping[str, Any], name: str, place: str) -> dict[str, Any]:
    """Return the object in a field; an empty one if the field is missing or null. Raises RecordError."""
    value = record.get(name)
    if value is not None and not isinstance(value, dict):
        raise RecordError(place, f"{name} must be a JSON object, not {_kind(value)}")
    return value or {}


def list_in(record: Mapping[str, Any], name: str, place: str) -> list[Any]:
    """Return the list in a field; an empty one if the field is missing or null. Raises RecordError."""
    value = record.get(name)
    if value is not None and not isinstance(value, list):
        raise RecordError(place, f"{name} must be a list, not {_kind(value)}")
    return value or []


def texts_in(record: Mapping[str, Any], name: str, place: str) -> list[str]:
    """Return the list of texts in a field; an empty one if the field is missing or null. Raises RecordError."""
    values = list_in(record, name, place)
    for value in values:
        if not isinstance(value, str):
            raise RecordError(place, f"{name} must contain texts, not {_kind(value)}")
    return values


def text_in(record: Mapping[str, Any], name: str, place: str) -> str:
    """Return the text in a field; an empty one if the field is missing or null. Raises RecordError."""
    value = record.get(name)
    if value is not None and not isinstance(value, str):
        raise RecordError(place, f"{name} must be text, not {_kind(value)}")
    return value or ""


def name_in(record: Mapping[str, Any], name: str, place: str) -> str:
    """Return the id or the name in a field, which may be a number; empty if there is none. Raises RecordError."""
    value = record.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return text_in(record, name, place)


def _kind(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    kinds = {dict: "an object", list: "a list", str: "text", int: "a number", float: "a number"}
    return kinds.get(type(value), type(value).__name__)


def to_target(
    key: dict[str, Any], details: dict[str, Any], place: str
) -> ingest_service_pb2.ConversationTarget:
    """Return the conversation that `key` and `details` describe. Raises RecordError, which names `place`."""
    target = ingest_service_pb2.ConversationTarget()
    fill(target.key, key, place)
    fill(target.details, details, place)
    return target


def to_message(fields: dict[str, Any], place: str) -> memory_pb2.NewMessage:
    """Return the message that `fields` describe, whose `role` and such are words. Raises RecordError."""
    settle_id(fields)
    for name in _TIMES & fields.keys():
        fields[name] = _time(name, fields[name], place)
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


def settle_id(fields: dict[str, Any]) -> bool:
    """Set `external_id` from the field `id` if the file uses that name; return whether the message has an id.

    Null and an empty string count as no id.
    """
    for name in ("external_id", "id"):
        if fields.get(name) in (None, ""):
            fields.pop(name, None)
    if "id" in fields:
        fields.setdefault("external_id", fields["id"])
        del fields["id"]
    return "external_id" in fields


def _time(name: str, value: object, place: str) -> str | None:
    """Return a time as the protos have it; None for no time. Raises RecordError."""
    try:
        return time_of(value, place) or None
    except RecordError as error:
        raise RecordError(place, f"{name}: {error.reason}") from None


def _enum_value(field: str, value: object, place: str) -> int:
    prefix, enum = ENUMS[field]
    known = {name.removeprefix(prefix).lower(): number for name, number in enum.items()}
    known.pop("unspecified")
    if isinstance(value, str) and value in known:
        return known[value]
    raise RecordError(
        place, f"{field} is {_printable_value(value)}; it must be one of {', '.join(known)}"
    )


def fill(message: ProtoMessage, fields: dict[str, Any], place: str) -> None:
    """Set the fields of `message`, which its proto must allow: here an error can still name its place."""
    try:
        json_format.ParseDict(fields, message)
    except (json_format.ParseError, UnicodeError) as error:
        problem = str(error).splitlines()[0]
        raise RecordError(place, problem) from None
    for violation in protovalidate.collect_violations(message):
        broken = violation.proto.field
        path = ".".join(element.field_name for element in broken.elements) if broken else "message"
        raise RecordError(place, f"{path}: {violation.proto.message}")
    if _has_nul(fields):
        raise RecordError(place, "NUL characters cannot be stored")


def _printable_value(value: object) -> str:
    return repr(value) if isinstance(value, str) and len(value) <= 100 else _kind(value)


def _has_nul(value: object) -> bool:
    if isinstance(value, dict):
        return any(_has_nul(key) or _has_nul(item) for key, item in value.items())
    if isinstance(value, list):
        return any(map(_has_nul, value))
    return isinstance(value, str) and "\0" in value
