"""Requests of every RPC, generated from its descriptors."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from buf.validate import validate_pb2
from google.protobuf import field_mask_pb2
from google.protobuf.descriptor import Descriptor, MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from everword import v1
from everword.client.servers import server_of
from fuzz.seeds import seed_requests
from fuzz.values import MARK, SURROGATE, Values
from scripts.recipes import Recipe

#: The namespace of the calls.
KEPT = "default"
#: Endless streams of events: the first response is enough.
WATCHES = {"WatchMemories", "Sleep"}
#: RPCs that make calls wait; a few calls are enough.
SELDOM = {
    *("WaitForIndexing", "FlushConversation", "DeleteNamespace", "RevokeApiKey", "ExportGraph"),
    *WATCHES,
}
#: Usual number of items in lists without a small limit.
USUAL_ITEMS = 3
#: Probabilities that the values of a request are valid: most calls should pass validation.
SANITY = (1.0, 1.0, 0.95, 0.95, 0.8, 0.3)


def methods() -> list[tuple[str, MethodDescriptor]]:
    """Return (service process, method) of every public RPC."""
    return [
        (server_of(service), method)
        for entry in pkgutil.iter_modules(v1.__path__, "everword.v1.")
        if entry.name.endswith("_service_pb2")
        for service in import_module(entry.name).DESCRIPTOR.services_by_name.values()
        for method in service.methods
    ]


def draw_requests(
    values: Values, method: MethodDescriptor, recipe: Recipe, *, as_is: bool = False
) -> list[Message]:
    """Return a request, or those of a stream: the recipe with a few changes, or random ones.

    With `as_is`, the recipe's own requests.
    """
    values.sane = 1.0 if as_is else values.rng.choice(SANITY)
    values.large_left = 1 if values.rng.random() < 0.03 else 0
    values.rpc = method.name
    if as_is or values.rng.random() < 0.5:
        requests = seed_requests(values, method, recipe)
        if not as_is:
            for _ in range(values.rng.choice([0, 1, 1, 2, 4])):
                _change(values, values.rng.choice(requests))
    else:
        count = values.rng.choice([0, 1, 1, 2]) if method.client_streaming else 1
        requests = [_message(values, method.input_type, 0) for _ in range(count)]
    for each in requests:
        _spare(each)
    return requests


def _spare(request: Any) -> None:
    """Do not delete or limit the calls' own namespace, since all later calls would be refused."""
    holders: list[Any] = [request, getattr(request, "namespace", None)]
    for holder in holders:
        if "Namespace" in request.DESCRIPTOR.name and getattr(holder, "name", None) == KEPT:
            holder.name = "gone"


def _change(values: Values, request: Message) -> None:
    """Change or clear one field of a request, or of a message in it."""
    places = list(_places(request))
    place = values.rng.choice(places)
    field = values.rng.choice(place.DESCRIPTOR.fields or request.DESCRIPTOR.fields or [None])
    if field is None or field.containing_type is not place.DESCRIPTOR:
        return
    place.ClearField(field.name)
    if values.rng.random() < 0.85:
        rules = field.GetOptions().Extensions[validate_pb2.field]
        _set(values, place, field, rules, 1)


def _places(message: Any) -> Iterator[Any]:
    """Yield a message and all set messages in it."""
    yield message
    for field, value in message.ListFields():
        kind = field.message_type
        if kind is not None and kind.file.package == "everword.v1" and not _is_map(field):
            for each in value if field.is_repeated else [value]:
                yield from _places(each)


def _is_map(field: Any) -> bool:
    return bool(field.message_type and field.message_type.GetOptions().map_entry)


def to_wire(values: Values, raw: bytes) -> bytes:
    """Return the bytes of a request to send, which are sometimes not valid protobuf."""
    marked = MARK.encode()
    if marked in raw:
        raw = raw.replace(marked, SURROGATE)
    dice = values.rng.random()
    if dice < 0.01:
        return raw[: values.rng.randrange(len(raw) + 1)]
    if dice < 0.02 and raw:
        at = values.rng.randrange(len(raw))
        return raw[:at] + bytes([values.rng.randrange(256)]) + raw[at + 1 :]
    if dice < 0.025:
        return values.rng.randbytes(values.rng.randrange(200))
    return raw


def _message(values: Values, descriptor: Descriptor, depth: int) -> Message:
    message = GetMessageClass(descriptor)()
    chosen = {
        oneof.name: values.rng.choice(oneof.fields).name
        for oneof in descriptor.oneofs
        if len(oneof.fields) > 1
    }
    for field in descriptor.fields:
        oneof = field.containing_oneof
        if oneof and chosen.get(oneof.name, field.name) != field.name:
            continue
        rules = field.GetOptions().Extensions[validate_pb2.field]
        needed = (
            rules.required
            or rules.repeated.min_items
            or rules.string.min_len
            or bool(rules.enum.not_in)
        )
        # An optional id refers to a resource, which rarely exists before the first appends.
        optional = rules.ignore == validate_pb2.IGNORE_IF_ZERO_VALUE
        referring = rules.string.uuid and not optional
        likely = needed or referring or bool(oneof and oneof.name in chosen)
        if values.rng.random() < (0.97 if likely else 0.2):
            _set(values, message, field, rules, depth)
    return message


def _set(values: Values, message: Message, field: Any, rules: Any, depth: int) -> None:
    if _is_map(field):
        _fill_map(values, getattr(message, field.name), field, rules.map)
    elif field.is_repeated:
        items = [
            _value(values, field, rules.repeated.items, depth)
            for _ in range(_count(values, field, rules.repeated))
        ]
        getattr(message, field.name).extend(items)
    elif field.message_type:
        getattr(message, field.name).CopyFrom(_value(values, field, rules, depth))
    else:
        setattr(message, field.name, _value(values, field, rules, depth))


def _value(values: Values, field: Any, rules: Any, depth: int) -> Any:
    if not field.message_type:
        return values.scalar(field, rules)
    name = field.message_type.full_name
    if name == "google.protobuf.Timestamp":
        return values.timestamp()
    if name == "google.protobuf.Struct":
        return values.struct()
    if name == "google.protobuf.FieldMask":
        return _field_mask(values, field)
    return _message(values, field.message_type, depth + 1)


def _count(values: Values, field: Any, rules: Any) -> int:
    """Return the number of items in a list: rarely the maximum, or one more."""
    limit = rules.max_items or 10
    if values.is_sane() or (field.message_type and not values.large_left):
        return values.rng.randint(max(0, min(1, rules.min_items)), min(limit, USUAL_ITEMS))
    return int(limit + values.rng.choice([0, 1]))


def _fill_map(values: Values, target: Any, field: Any, rules: Any) -> None:
    key = field.message_type.fields_by_name["key"]
    value = field.message_type.fields_by_name["value"]
    limit = rules.max_pairs or 10
    count = values.rng.randint(0, 3) if values.is_sane() else limit + values.rng.choice([0, 1])
    for number in range(count):
        name = f"{values.scalar(key, rules.keys)}{number if count > 3 else ''}"
        if value.message_type:
            target[name].CopyFrom(_message(values, value.message_type, 1))
        else:
            target[name] = values.scalar(value, rules.values)


def _field_mask(values: Values, field: Any) -> field_mask_pb2.FieldMask:
    if not values.is_sane():
        return field_mask_pb2.FieldMask(
            paths=[values.string("path", validate_pb2.StringRules())] * 3
        )
    if values.rng.random() < 0.5:
        return field_mask_pb2.FieldMask(paths=["*"])
    others = [each for each in field.containing_type.fields if each.name != field.name]
    # Paths start at the resource; a request without a single resource has them from its own fields on.
    paths = list(_paths(others[0].message_type if len(others) == 1 else field.containing_type))
    return field_mask_pb2.FieldMask(paths=values.rng.sample(paths, k=min(2, len(paths))))


def _paths(resource: Descriptor) -> Iterator[str]:
    """Yield the paths of a resource's fields, and of nested messages' fields."""
    for field in resource.fields:
        yield field.name
        if field.message_type and not field.is_repeated:
            yield from (f"{field.name}.{inner.name}" for inner in field.message_type.fields)
