"""Write what docs/reference holds of the code. `--check` compares instead of writing.

RPCs and errors come from the contracts' comments, recipes from examples/grpcurl, commands from their own help.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from google.protobuf import descriptor_pb2

from everword.v1 import access_pb2
from scripts import commands, recipes

ROOT = Path(__file__).resolve().parent.parent
PROTOSET = ROOT / "libs/everword/src/everword/everword.protoset"
FOLDER = ROOT / "docs/reference"
#: Numbers of fields in descriptor.proto, of which the paths of comments are made.
_MESSAGES, _ENUMS, _SERVICES, _MEMBERS, _NESTED, _NESTED_ENUMS = 4, 5, 6, 2, 3, 4
_SCALARS = {
    value: name.removeprefix("TYPE_").lower()
    for name, value in descriptor_pb2.FieldDescriptorProto.Type.items()
}
_HEAD = "<!-- Written by `make reference` from the comments in protos/. -->\n"


@dataclass(frozen=True)
class File:
    """A proto file and its comments by their paths."""

    proto: descriptor_pb2.FileDescriptorProto
    comments: dict[tuple[int, ...], str]


def read_files() -> list[File]:
    descriptors = descriptor_pb2.FileDescriptorSet.FromString(PROTOSET.read_bytes())
    return [
        File(
            proto,
            {
                tuple(place.path): " ".join(place.leading_comments.split())
                for place in proto.source_code_info.location
                if place.leading_comments
            },
        )
        for proto in descriptors.file
        if proto.package.startswith("everword.")
    ]


def rpcs(files: list[File]) -> Iterator[str]:
    """Yield the lines of the page of RPCs: services first, then what their messages hold."""
    yield from ("# RPCs", "", _HEAD)
    yield "Access is the least role that a key must have. Internal calls carry the token that services share."
    for file in files:
        for index, service in enumerate(file.proto.service):
            yield from _service(file, (_SERVICES, index), service)
    for file in files:
        for index, message in enumerate(file.proto.message_type):
            yield from _message(file, (_MESSAGES, index), message)
        for index, enum in enumerate(file.proto.enum_type):
            if enum.name != "ErrorReason":
                yield from _enum(file, (_ENUMS, index), enum)


def _service(
    file: File, path: tuple[int, ...], service: descriptor_pb2.ServiceDescriptorProto
) -> Iterator[str]:
    yield from ("", f"## {service.name}", "", file.comments.get(path, ""), "")
    yield from ("| RPC | request | response | access | what it does |", "|---|---|---|---|---|")
    for index, method in enumerate(service.method):
        access = access_pb2.Access.Name(method.options.Extensions[access_pb2.access])
        role = access.removeprefix("ACCESS_").lower()
        internal = file.proto.package.startswith("everword.internal")
        stream = "stream of " if method.client_streaming else ""
        yield _row(
            f"`{method.name}`",
            stream + _link(method.input_type),
            _link(method.output_type),
            "internal" if internal else role,
            file.comments.get((*path, _MEMBERS, index), ""),
        )


def _message(
    file: File, path: tuple[int, ...], message: descriptor_pb2.DescriptorProto, outer: str = ""
) -> Iterator[str]:
    if message.options.map_entry:
        return
    name = f"{outer}{message.name}"
    yield from ("", f"### {name}", "", file.comments.get(path, ""))
    if message.field:
        yield from ("", "| field | type | meaning |", "|---|---|---|")
    for index, field in enumerate(message.field):
        # In descriptors the number 2 means members of services and of enums, and fields of messages.
        comment = file.comments.get((*path, _MEMBERS, index), "")
        yield _row(f"`{field.name}`", _type(field), comment)
    for index, nested in enumerate(message.nested_type):
        yield from _message(file, (*path, _NESTED, index), nested, f"{name}.")
    for index, enum in enumerate(message.enum_type):
        yield from _enum(file, (*path, _NESTED_ENUMS, index), enum)


def _enum(
    file: File, path: tuple[int, ...], enum: descriptor_pb2.EnumDescriptorProto
) -> Iterator[str]:
    yield from ("", f"### {enum.name}", "", file.comments.get(path, ""), "")
    yield from ("| value | meaning |", "|---|---|")
    for index, value in enumerate(enum.value):
        yield _row(f"`{value.name}`", file.comments.get((*path, _MEMBERS, index), ""))


def errors(files: list[File]) -> Iterator[str]:
    """Yield the lines of the page of errors: reason, status and meaning."""
    yield from ("# Errors", "", _HEAD)
    for file in files:
        for index, enum in enumerate(file.proto.enum_type):
            if enum.name != "ErrorReason":
                continue
            path = (_ENUMS, index)
            yield from (file.comments[path], "", "| reason | status | meaning |", "|---|---|---|")
            for place, value in enumerate(enum.value):
                comment = file.comments[(*path, _MEMBERS, place)]
                if told := re.fullmatch(r"\w+ \((\w+)\): (.*)", comment):
                    reason = value.name.removeprefix("ERROR_REASON_")
                    yield _row(f"`{reason}`", told[1], told[2])


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _type(field: descriptor_pb2.FieldDescriptorProto) -> str:
    kind = _link(field.type_name) if field.type_name else _SCALARS[field.type]
    return f"repeated {kind}" if field.label == field.LABEL_REPEATED else kind


def _link(type_name: str) -> str:
    name = type_name.rpartition(".")[2]
    own = type_name.startswith(".everword.") and not name.endswith("Entry")
    return f"[{name}](#{name.lower()})" if own else type_name.removeprefix(".")


def main() -> None:
    files = read_files()
    stale = []
    for name, lines in (
        ("rpcs.md", rpcs(files)),
        ("errors.md", errors(files)),
        ("recipes.md", recipes.page()),
        ("commands.md", commands.page()),
    ):
        page, text = FOLDER / name, "\n".join(lines) + "\n"
        if "--check" in sys.argv:
            stale += [] if page.exists() and page.read_text(encoding="utf-8") == text else [name]
        else:
            page.write_text(text, encoding="utf-8")
    if stale:
        sys.exit(f"{', '.join(stale)} in docs/reference/ is out of date: run make reference")


if __name__ == "__main__":
    main()
