"""Requests with ids of another namespace, generated from the descriptors for every field of every RPC."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from buf.validate import validate_pb2
from google.protobuf import json_format
from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor
from google.protobuf.message_factory import GetMessageClass

from everword import v1
from fuzz.kinds import kind_of
from scripts.recipes import Recipe
from support.databases import DatabaseUnderTest
from support.isolation import ISOLATED, VIEWS

#: Its caller is an operator, whose namespaces are all of them.
OPERATORS = "AdminService"
#: Ids that callers choose themselves: what they mean is looked up within the namespace alone.
OWN_IDS = {"request_id", "external_id", "client_session_id", "client_session_ids", "channel_id"}
OWN_IDS |= {"run_id", "run_ids"}
TOKENS = {"page_token", "resume_token", "consistency_token", "at_least_as_fresh"}
#: Kinds under which theirs are held by another name.
_AS = {"memory_id": "message_id", "topic_id": "node_id"}
#: An id that does not exist.
NOBODY = str(UUID(int=2**128 - 7))
#: File names end with the last part of an id.
_ID = re.compile(r"\b(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3})?[0-9a-f]{12}\b")
_TIME = re.compile(r"\w+ \{\s*(seconds: \d+\s*)?(nanos: \d+\s*)?\}")
_TOKEN = re.compile(r'(\w*token): "[^"]*"')
_FRACTION = re.compile(r"\d+\.\d+(e-\d+)?")
#: Numbers and bytes that identify nothing stored, by reason; a field in neither list fails a test.
NAMELESS = {
    "how much is returned, looked at or kept": frozenset(
        {
            *("page_size", "limit", "depth", "fan_out", "scan_depth", "keep_recent", "start_char"),
            *("max_tokens", "max_recent_turns", "max_memories", "max_content_chars", "max_chars"),
            *("max_facts", "max_answer_tokens", "max_edges", "max_children"),
            *("max_sources", "max_calls", "max_versions", "max_per_run", "token_budget"),
        }
    ),
    "how much there is at the caller's": frozenset(
        {
            *("context_size", "used_tokens", "token_count"),
            *("input_tokens", "output_tokens", "cached_tokens"),
        }
    ),
    "how much something counts, and for how long": frozenset(
        {
            *("importance", "min_importance", "keep_importance", "priority", "use_cap"),
            *("lifetime_days", "keep_days", "sticky_turns", "warn_percent"),
        }
    ),
    "what is stored as it is": frozenset({"state", "data"}),
}
#: Numbers that select a version or part of a resource, with the field that holds the resource's id. They are probed
#: together with ids; alone they name nothing.
WITHIN = {
    "ListMessagesRequest.start_seq": "conversation_id",
    "SaveCheckpointRequest.expected_version": "conversation_id",
    "ListCheckpointsRequest.before_version": "conversation_id",
    "UploadHeader.expected_version": "document",
    "WriteDocumentRequest.expected_version": "document",
    "DeleteDocumentRequest.expected_version": "document_id",
    "GetDocumentHistoryRequest.version": "document_id",
    "WriteWorkspaceFileRequest.expected_version": "name",
    "DeleteWorkspaceFileRequest.expected_version": "name",
    "WriteNoteRequest.expected_version": "note",
    "DeleteNoteRequest.expected_version": "note_id",
    "GetUserModelRequest.trajectory_version": "subject",
}
_INTEGERS = frozenset(
    {
        *(FieldDescriptor.CPPTYPE_INT32, FieldDescriptor.CPPTYPE_INT64),
        *(FieldDescriptor.CPPTYPE_UINT32, FieldDescriptor.CPPTYPE_UINT64),
    }
)


@dataclass(frozen=True)
class Path:
    """Path of field names to a string, number or bytes field in a request."""

    steps: tuple[FieldDescriptor, ...]

    def __str__(self) -> str:
        return ".".join(step.name for step in self.steps)

    @property
    def field(self) -> FieldDescriptor:
        return self.steps[-1]

    @property
    def within(self) -> str:
        """The field that holds the id to which this version or part belongs; empty if there is none."""
        holder = self.field.containing_type
        assert holder is not None
        named = WITHIN.get(f"{holder.name}.{self.field.name}", "")
        return named if named in holder.fields_by_name else ""

    @property
    def kind(self) -> str:
        return kind_of(self.field)

    @property
    def is_id(self) -> bool:
        rules = self.field.GetOptions().Extensions[validate_pb2.field]
        return bool(rules.string.uuid or rules.repeated.items.string.uuid)

    def put(self, request: Any, value: str | int) -> None:
        """Set the value at this path, creating messages on the way with their minimal content."""
        holder = request
        for step in self.steps[:-1]:
            holder = _inner(holder, step)
        if self.field.is_repeated:
            holder.ClearField(self.field.name)
            getattr(holder, self.field.name).append(value)
        else:
            setattr(holder, self.field.name, value)


def paths(method: MethodDescriptor) -> Iterator[Path]:
    """Yield the paths of all strings in a request, at any depth."""
    for path in _paths(method.input_type, ()):
        if path.field.type == FieldDescriptor.TYPE_STRING:
            yield path


def public_methods() -> Iterator[MethodDescriptor]:
    """Yield every public RPC that is not an operator's."""
    for entry in pkgutil.iter_modules(v1.__path__, "everword.v1."):
        if entry.name.endswith("_service_pb2"):
            module = importlib.import_module(entry.name)
            for service in module.DESCRIPTOR.services_by_name.values():
                if service.name != OPERATORS:
                    yield from service.methods


def reaching(kind: Descriptor, prefix: str = "") -> Iterator[str]:
    """Yield the paths of fields that name something stored."""
    field: FieldDescriptor
    if "id" in kind.fields_by_name:
        # Of a resource that is to be changed, all that names it is its id.
        yield f"{prefix}id"
        return
    for field in kind.fields:
        path = f"{prefix}{field.name}"
        inner = field.message_type
        if inner is not None and inner.file.package == "everword.v1":
            yield from reaching(inner, f"{path}.")
        elif field.name in TOKENS or (
            field.name.removesuffix("s").endswith("_id") and field.name not in OWN_IDS
        ):
            yield path


def reaching_paths() -> Iterator[tuple[str, MethodDescriptor, Path]]:
    """Yield each field that names something stored: its case, its RPC and its place."""
    for method in public_methods():
        by_name = {str(path): path for path in paths(method)}
        for name in reaching(method.input_type):
            yield f"{method.name} {name}", method, by_name[name]


def numbers(method: MethodDescriptor) -> Iterator[Path]:
    """Yield the paths of all numbers and bytes in a request, at any depth."""
    for path in _paths(method.input_type, ()):
        field = path.field
        if field.type == FieldDescriptor.TYPE_BYTES or field.cpp_type in _INTEGERS:
            yield path


def _paths(kind: Any, before: tuple[FieldDescriptor, ...]) -> Iterator[Path]:
    # A changed resource is named by its id, so its other fields are not probed.
    id_ = kind.fields_by_name.get("id")
    for field in [id_] if id_ and before else kind.fields:
        inner = field.message_type
        if inner is None:
            yield Path((*before, field))
        elif inner.file.package == "everword.v1" and not inner.GetOptions().map_entry:
            yield from _paths(inner, (*before, field))


def _inner(holder: Any, step: FieldDescriptor) -> Any:
    held = getattr(holder, step.name)
    if step.is_repeated:
        return held[0] if held else least(held.add())
    return held if holder.HasField(step.name) else least(held)


def least(message: Any) -> Any:
    """Give a message what its rules ask for."""
    message.SetInParent()
    for field in message.DESCRIPTOR.fields:
        rules = field.GetOptions().Extensions[validate_pb2.field]
        if field.is_repeated:
            if rules.repeated.min_items and field.message_type:
                least(getattr(message, field.name).add())
        elif field.containing_oneof is None and (rules.required or rules.string.min_len):
            if field.message_type:
                least(getattr(message, field.name))
            elif field.type == field.TYPE_STRING:
                setattr(message, field.name, "a/b" if "/" in rules.string.pattern else "7")
        elif field.enum_type is not None and rules.enum.not_in:
            setattr(message, field.name, field.enum_type.values[1].number)
    return message


def requests_of(method: MethodDescriptor, recipe: Recipe, kept: Mapping[str, str]) -> list[Any]:
    """Return a recipe's requests, filled with values from earlier answers."""
    kind = GetMessageClass(method.input_type)
    return [json_format.ParseDict(_filled(each, kept), kind()) for each in recipe.requests]


def _filled(value: Any, kept: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {name: _filled(each, kept) for name, each in value.items()}
    if isinstance(value, list):
        return [_filled(each, kept) for each in value]
    return re.sub(r"\$([A-Z_]+)", lambda m: kept[m[1]], value) if isinstance(value, str) else value


def keep(recipe: Recipe, answers: Sequence[Any], kept: dict[str, str]) -> None:
    """Keep the values of an answer that later recipes need."""
    for name, path in recipe.keep.items():
        answer: Any = json_format.MessageToDict(answers[0])
        for key, number in re.findall(r"\.(\w+)|\[(\d+)\]", path):
            answer = answer[key] if key else answer[int(number)]
        kept[name] = answer


def values_for(
    method: MethodDescriptor, path: Path, theirs: Any, texts: Mapping[str, str]
) -> tuple[str, str] | None:
    """Return a value of the other namespace for a field, and a similar value that never existed.

    None if the other namespace has no value for this field. Raises LookupError if none is known for an id or a token.
    """
    if path.kind.endswith("_token"):
        tokens = theirs.page_tokens | theirs.learned.page_tokens
        found = theirs.consistency_token if "cons" in path.kind else tokens.get(method.name)
        unlike = damaged(found) if found else ""
    elif path.is_id:
        held = {**vars(theirs), **vars(theirs.learned), **theirs.written}
        found = held.get(_AS.get(path.kind, path.kind))
        unlike = NOBODY
    else:
        # Uploads are parsed in a separate process, which is slow.
        found = texts.get(path.kind) if method.name != "UploadDocument" else None
        return (found, another(found)) if found else None
    if not found:
        raise LookupError(f"{method.name} {path}: add one of theirs to fill_other_namespace")
    return found, unlike


def bad_tokens(token: str, of_another_rpc: str) -> list[tuple[str, str]]:
    """Return pairs of invalid tokens: truncated, of another RPC, doubled, not base64."""
    return [(token[:-3], of_another_rpc), (token + token, f"{token}!")]


def rows_of(database: DatabaseUnderTest, namespace: str) -> dict[str, list[str]]:
    """Return all rows of a namespace, by table."""
    with database.connect() as conn:
        # Housekeeping numbers changes at any time.
        conn.execute("SELECT number_changes(id) FROM namespaces WHERE name = %s", [namespace])
        return {
            table: [
                row
                for (row,) in conn.execute(
                    f"SELECT t::text FROM {table} t JOIN namespaces n ON n.id = t.namespace_id "
                    "WHERE n.name = %s ORDER BY 1".encode(),
                    [namespace],
                )
            ]
            for table in sorted(ISOLATED - VIEWS)
        }


def set_request_id(request: Any, request_id: str) -> None:
    """Set the request id of a request that has one: a repeated id would get the earlier answer."""
    holders: list[Any] = [request, *(getattr(request, name, None) for name in ("batch", "header"))]
    for holder in holders:
        if getattr(holder, "request_id", ""):
            holder.request_id = request_id


def another(text: str) -> str:
    """Return a text of the same shape that occurs nowhere."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    turned = letters[7:] + letters[:7]
    return text.translate(str.maketrans(letters + letters.upper(), turned + turned.upper()))


def damaged(token: str) -> str:
    """Return the token with one character changed, so that it was never issued."""
    place = len(token) // 2
    return token[:place] + ("A" if token[place] != "A" else "B") + token[place + 1 :]


def plain(answer: object, sent: Sequence[str]) -> str:
    """Return an answer without the parts that differ between calls: sent values, ids, times, tokens, fractions."""
    text = str(answer)
    for each in sorted(set(sent), key=len, reverse=True):
        # Only whole words that are not field names.
        text = re.sub(rf"(?<!\w){re.escape(each)}(?!\w| \{{)", "<sent>", text)
    text = _TIME.sub("<time>", _ID.sub("<id>", text))
    return _FRACTION.sub("<fraction>", _TOKEN.sub(r"\1", text))
