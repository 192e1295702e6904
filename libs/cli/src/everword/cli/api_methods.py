"""Public services and methods with their comments, read from the protoset."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import click
from google.protobuf import descriptor_pb2 as pb

from everword.cli.suggestions import did_you_mean

PACKAGE = "everword.v1"
#: Field numbers in descriptor.proto, of which the paths of comments consist.
_MESSAGES, _SERVICES, _MEMBERS, _NESTED = 4, 6, 2, 3
#: Examples of types that have a JSON form of their own.
_WELL_KNOWN = {
    ".google.protobuf.Timestamp": '"2026-01-31T12:00:00Z"',
    ".google.protobuf.Duration": '"30s"',
    ".google.protobuf.FieldMask": '"field,otherField"',
    ".google.protobuf.Struct": "{}",
    ".google.protobuf.Value": "null",
}
_TEXT = {pb.FieldDescriptorProto.TYPE_STRING, pb.FieldDescriptorProto.TYPE_BYTES}
#: Nested messages are shown to this depth.
_DEPTH = 4


class Method(NamedTuple):
    """An RPC of a public service."""

    service: str
    name: str
    comment: str
    #: Full name of the request's type, with a leading dot.
    request_type: str
    streams_requests: bool
    streams_responses: bool

    @property
    def path(self) -> str:
        return f"{self.service}/{self.name}"

    @property
    def summary(self) -> str:
        """The first sentence of the comment."""
        return first_sentence(self.comment)


def first_sentence(text: str) -> str:
    head, end, _ = text.partition(". ")
    return f"{head}." if end else head


def _without_name(comment: str, name: str) -> str:
    """Return a comment without the name that it begins with."""
    rest = comment.removeprefix(f"{name} ")
    return rest[:1].upper() + rest[1:]


class _Described(NamedTuple):
    proto: pb.DescriptorProto
    comment: str
    #: Comments of fields by their position.
    fields: Mapping[int, str]


class _Api(NamedTuple):
    methods: dict[str, Method]
    services: dict[str, str]
    messages: dict[str, _Described]
    enums: dict[str, list[str]]


@cache
def read_api() -> _Api:
    """Return the public API. Internal services are left out."""
    content = (files("everword") / "everword.protoset").read_bytes()
    api = _Api({}, {}, {}, {})
    for file in pb.FileDescriptorSet.FromString(content).file:
        if file.package == PACKAGE:
            _add_file(api, file)
    return api


def _add_file(api: _Api, file: pb.FileDescriptorProto) -> None:
    comments = {
        tuple(place.path): " ".join(place.leading_comments.split())
        for place in file.source_code_info.location
        if place.leading_comments
    }
    for index, service in enumerate(file.service):
        comment = comments.get((_SERVICES, index), "")
        api.services[service.name] = _without_name(comment, service.name)
        for place, method in enumerate(service.method):
            comment = comments.get((_SERVICES, index, _MEMBERS, place), "")
            found = Method(
                service.name,
                method.name,
                _without_name(comment, method.name),
                method.input_type,
                method.client_streaming,
                method.server_streaming,
            )
            api.methods[found.path] = found
    for name, path, proto in _messages(file):
        fields = {
            place: comments.get((*path, _MEMBERS, place), "") for place in range(len(proto.field))
        }
        api.messages[name] = _Described(proto, comments.get(path, ""), fields)
        for enum in proto.enum_type:
            api.enums[f"{name}.{enum.name}"] = [value.name for value in enum.value]
    for enum in file.enum_type:
        api.enums[f".{file.package}.{enum.name}"] = [value.name for value in enum.value]


def _messages(
    file: pb.FileDescriptorProto,
) -> Iterator[tuple[str, tuple[int, ...], pb.DescriptorProto]]:
    waiting: list[tuple[str, tuple[int, ...], pb.DescriptorProto]] = [
        (f".{file.package}.{proto.name}", (_MESSAGES, index), proto)
        for index, proto in enumerate(file.message_type)
    ]
    while waiting:
        name, path, proto = waiting.pop()
        yield name, path, proto
        waiting += [
            (f"{name}.{nested.name}", (*path, _NESTED, index), nested)
            for index, nested in enumerate(proto.nested_type)
        ]


def find_methods(name: str) -> list[Method]:
    """Return the method `Service/Method`, or all methods of `Service`; the suffix `Service` may be left out.

    Raises click.UsageError, which suggests similar names.
    """
    methods = read_api().methods
    service, separator, method = (
        name.lstrip("/").removeprefix(f"{PACKAGE}.").replace(".", "/").partition("/")
    )
    folded = service.casefold().removesuffix("service")
    of_service = [
        each
        for each in methods.values()
        if each.service.casefold().removesuffix("service") == folded
    ]
    found = [
        each for each in of_service if not separator or method.casefold() == each.name.casefold()
    ]
    if not found:
        # A method of another service is a likelier mistake than a misspelled name.
        moved = [each.path for each in methods.values() if method and each.name == method]
        known = [each.path for each in of_service] or [*methods, *read_api().services]
        similar = f" Did you mean {moved[0]!r}?" if moved else did_you_mean(name, known)
        raise click.UsageError(
            f"There is no method {name!r}.{similar} `everword call` lists all methods."
        )
    return found


def request_skeleton(method: Method) -> str:
    """Return an example request that shows every field and its comment, as JSON with comment lines.

    In a oneof, only the first member is active; the others are commented out.
    """
    head = [f"// {method.path}: {method.comment}"]
    head.append("// Delete the fields that you do not set.")
    if method.streams_requests:
        head.append("// A stream of requests: several such objects, one after the other.")
    return "\n".join([*head, *_object(method.request_type, "", "", ())])


def _object(type_name: str, before: str, after: str, outer: tuple[str, ...]) -> list[str]:
    """Return the lines of a message; `before` and `after` surround its braces."""
    described = read_api().messages[type_name]
    indent = "  " * len(outer)
    within = (*outer, type_name)
    lines = [f"{indent}{before}{{"]
    active = [
        place for place, field in enumerate(described.proto.field) if _is_active(described, field)
    ]
    for place, field in enumerate(described.proto.field):
        comma = "," if active and place < active[-1] else ""
        lines += _field(described, place, field, comma, within)
    return [*lines, f"{indent}}}{after}"]


def _is_active(described: _Described, field: pb.FieldDescriptorProto) -> bool:
    """Return whether a field is the first of its oneof, or in none."""
    if not field.HasField("oneof_index") or field.proto3_optional:
        return True
    members = [each for each in described.proto.field if each.HasField("oneof_index")]
    return next(each for each in members if each.oneof_index == field.oneof_index) is field


def _field(
    described: _Described,
    place: int,
    field: pb.FieldDescriptorProto,
    comma: str,
    outer: tuple[str, ...],
) -> list[str]:
    indent = "  " * len(outer)
    comment = described.fields[place]
    if values := read_api().enums.get(field.type_name):
        comment = f"{comment} One of {', '.join(values[1:])}.".lstrip()
    lines = [f"{indent}// {comment}"] if comment else []
    if not _is_active(described, field):
        oneof = described.proto.oneof_decl[field.oneof_index].name
        return [
            *lines,
            f"{indent}// Instead of the others of {oneof}:",
            f'{indent}// "{field.name}": …',
        ]
    opening, closing = ("[", "]") if field.label == field.LABEL_REPEATED else ("", "")
    nested = read_api().messages.get(field.type_name)
    if nested is not None and nested.proto.options.map_entry:
        key, entry = nested.proto.field
        return [*lines, f'{indent}"{field.name}": {{"{key.name}": {_example(entry)}}}{comma}']
    if nested is None or field.type_name in outer or len(outer) >= _DEPTH:
        value = f"{opening}{_example(field)}{closing}"
        return [*lines, f'{indent}"{field.name}": {value}{comma}']
    return [
        *lines,
        *_object(field.type_name, f'"{field.name}": {opening}', f"{closing}{comma}", outer),
    ]


def _example(field: pb.FieldDescriptorProto) -> str:
    """Return the empty value of a field that is no nested message, or an example of its form."""
    if values := read_api().enums.get(field.type_name):
        return json.dumps(values[0])
    if field.type == field.TYPE_MESSAGE:
        return _WELL_KNOWN.get(field.type_name, "{}")
    if field.type in _TEXT:
        return '""'
    return "false" if field.type == field.TYPE_BOOL else "0"
