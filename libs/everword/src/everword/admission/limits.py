"""Limits of requests from the protos: bytes and fields by RPC, and how often each field may be there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache

from buf.validate import validate_pb2
from google.protobuf.descriptor import Descriptor, FieldDescriptor, ServiceDescriptor

from everword.v1 import access_pb2

#: Defaults of an RPC, as in access.proto.
MAX_REQUEST_BYTES = 1024 * 1024
MAX_REQUEST_FIELDS = 20_000
#: The most that any RPC takes. A test holds it against the protos.
MOST_REQUEST_BYTES = 16 * 1024 * 1024

STRUCT, FIELD_MASK = "google.protobuf.Struct", "google.protobuf.FieldMask"
#: Limits in bytes for fields of types that carry no rules of their own.
TYPE_BYTES = {STRUCT: 64 * 1024, FIELD_MASK: 4 * 1024}
#: How many paths a FieldMask may have.
MAX_PATHS = 32
#: How deep a Struct may be: what objects and lists are in one another.
MAX_LEVELS = 30
_LEVELS = frozenset({STRUCT, "google.protobuf.ListValue"})
#: Within a Struct there are values alone: its own limits bound how many.
_OF_STRUCT = frozenset({STRUCT, "google.protobuf.ListValue", "google.protobuf.Value"})
#: Bytes of numbers that always have as many.
_WIDTHS = {
    FieldDescriptor.TYPE_DOUBLE: 8,
    FieldDescriptor.TYPE_FIXED64: 8,
    FieldDescriptor.TYPE_SFIXED64: 8,
    FieldDescriptor.TYPE_FLOAT: 4,
    FieldDescriptor.TYPE_FIXED32: 4,
    FieldDescriptor.TYPE_SFIXED32: 4,
}
_NO_NUMBERS = {
    FieldDescriptor.TYPE_STRING,
    FieldDescriptor.TYPE_BYTES,
    FieldDescriptor.TYPE_MESSAGE,
}


@dataclass(frozen=True, eq=False)
class FieldPlan:
    """The checks of a field, on the wire."""

    name: str
    repeated: bool = False
    #: Largest number of elements of a list, or pairs of a map; None without a limit.
    most: int | None = None
    #: Largest size of a message; None if its fields bound it.
    most_bytes: int | None = None
    #: True for a string.
    text: bool = False
    map: bool = False
    #: For numbers in a list: the bytes of each, 0 if that varies.
    width: int | None = None
    message: MessagePlan | None = None


@dataclass(frozen=True, eq=False)
class MessagePlan:
    """The fields of a message by their numbers."""

    #: 1 where the message is a level of a Struct.
    level: int = 0
    fields: dict[int, FieldPlan] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class RequestLimits:
    """The limits of an RPC's requests."""

    max_bytes: int
    max_fields: int
    plan: MessagePlan


def limits_table(services: Iterable[ServiceDescriptor]) -> dict[str, RequestLimits]:
    """Return the limits of each RPC of `services`, by path: `/everword.v1.SearchService/Search`."""
    table: dict[str, RequestLimits] = {}
    for service in services:
        for method in service.methods:
            said = method.GetOptions().Extensions
            table[f"/{service.full_name}/{method.name}"] = RequestLimits(
                said[access_pb2.max_request_bytes] or MAX_REQUEST_BYTES,
                said[access_pb2.max_request_fields] or MAX_REQUEST_FIELDS,
                message_plan(method.input_type),
            )
    return table


@cache
def message_plan(descriptor: Descriptor) -> MessagePlan:
    """Return what to look for in messages of a type."""
    return _message_plan(descriptor, {})


def _message_plan(descriptor: Descriptor, known: dict[str, MessagePlan]) -> MessagePlan:
    """Return the plan of a type, which may contain itself: `known` has the plans begun so far."""
    plan = known.get(descriptor.full_name)
    if plan is None:
        plan = MessagePlan(level=int(descriptor.full_name in _LEVELS))
        known[descriptor.full_name] = plan
        for each in descriptor.fields:
            plan.fields[each.number] = _field_plan(each, known)
    return plan


def _field_plan(each: FieldDescriptor, known: dict[str, MessagePlan]) -> FieldPlan:
    within = each.message_type
    is_map = within is not None and within.GetOptions().map_entry
    inside_struct = _name(each.containing_type) in _OF_STRUCT
    return FieldPlan(
        name=each.name,
        repeated=each.is_repeated,
        most=most_elements(each),
        most_bytes=TYPE_BYTES.get(within.full_name) if within and not inside_struct else None,
        text=each.type == FieldDescriptor.TYPE_STRING,
        map=is_map,
        width=None if each.type in _NO_NUMBERS else _WIDTHS.get(each.type, 0),
        message=_message_plan(within, known) if within else None,
    )


def most_elements(each: FieldDescriptor) -> int | None:
    """Return the largest number of elements of a list, or pairs of a map; None without a limit, as within a Struct."""
    if _name(each.containing_type) == FIELD_MASK:
        return MAX_PATHS
    rules = each.GetOptions().Extensions[validate_pb2.field]
    if rules.HasField("repeated") and rules.repeated.HasField("max_items"):
        return int(rules.repeated.max_items)
    if rules.HasField("map") and rules.map.HasField("max_pairs"):
        return int(rules.map.max_pairs)
    return None


def _name(descriptor: Descriptor | None) -> str:
    return descriptor.full_name if descriptor else ""
