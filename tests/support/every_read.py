"""Every read RPC, called with all values of a memory that fit its request, generated from the descriptors."""

from __future__ import annotations

import asyncio
import importlib
import pkgutil
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import product
from typing import Any
from uuid import UUID

import grpc
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.protobuf.timestamp_pb2 import Timestamp

from everword import v1
from everword.client.channel import open_channel
from everword.v1 import access_pb2, document_pb2, lore_pb2, note_pb2
from everword.v1 import document_service_pb2 as workspace
from everword.v1 import note_service_pb2 as handoffs
from everword.v1 import search_service_pb2 as search
from everword.v1 import watch_pb2 as watch
from support.stack import Stack

_HOSTS = ("search", "ingest", "compactor")
#: Status codes of a read that has nothing to return.
_NOTHING = {
    grpc.StatusCode.NOT_FOUND,
    grpc.StatusCode.FAILED_PRECONDITION,  # Without a language model.
}
MODES = [mode for mode in search.SearchMode.values() if mode]
#: Seconds without an event after which a watcher has received all events.
SILENCE_S = 0.5
#: An id that does not exist.
NOBODY = str(UUID(int=7))
#: Request fields with ids of memories or of their owners.
_IDS = (
    *("memory_id", "message_id", "summary_id", "note_id", "document_id", "book_id", "entry_id"),
    *("checkpoint_id", "fact_id", "node_id", "person_id", "event_id", "strategy_id", "pattern_id"),
    *("grant_id", "budget_id", "id"),
)
#: Id fields of ExplainLearned, which takes exactly one.
_LEARNED = ("person_id", "event_id", "strategy_id")
_LISTS = ("memory_ids", "node_ids", "fact_ids")


@cache
def read_methods() -> list[MethodDescriptor]:
    """Return every public RPC that a key with the role read may call, except RPCs that only wait."""
    methods: list[MethodDescriptor] = []
    for entry in pkgutil.iter_modules(v1.__path__, "everword.v1."):
        if entry.name.endswith("_service_pb2"):
            services = importlib.import_module(entry.name).DESCRIPTOR.services_by_name.values()
            methods += [
                method
                for service in services
                for method in service.methods
                if method.GetOptions().Extensions[access_pb2.access] == access_pb2.ACCESS_READ
                and method.name != "WaitForIndexing"
            ]
    return methods


def known_values(query: str, id_: str, conversation_id: str, **more: object) -> dict[str, object]:
    """Return the values that `answers` fills into requests: one id for all id fields, except those in `more`."""
    earlier = Timestamp()
    earlier.FromDatetime(datetime.now(UTC) - timedelta(hours=1))
    ids = dict.fromkeys(_IDS, id_) | {name: [id_] for name in _LISTS}
    named = str(more.pop("named", query))
    return {
        "query": query,
        "text": query,
        "modes": MODES,
        **ids,
        "workspace_file": workspace.WORKSPACE_FILE_NAME_MEMORY,
        "key": (
            note_pb2.NoteKey(key=named),
            document_pb2.DocumentKey(title=named),
            lore_pb2.LoreBookKey(name=named),
            handoffs.HandoffKey(repo="a/b", issue="1"),
        ),
        "conversation_id": conversation_id,
        "addresses": [f"viking://default/memories/{id_}"],
        "folders": [
            f"viking://default/{folder}"
            for folder in (
                *("", "conversations", f"conversations/{conversation_id}"),
                *(f"conversations/{conversation_id}/messages", "summaries", "notes", "facts"),
                "graph/nodes",
            )
        ],
        "subject": "emi",
        "attribute": "like",
        "token_budget": 4000,
        "earlier": earlier,
        **more,
    }


async def watch_token(stack: Stack) -> str:
    """Return a resume token with which a watcher receives all later events."""
    call = stack.search.WatchMemories(watch.WatchMemoriesRequest())
    first: Any = await call.read()
    call.cancel()
    return str(first.resume_token)


async def answers(stack: Stack, known: Mapping[str, object]) -> dict[str, str]:
    """Return the replies as text."""
    found = await replies(stack, known)
    return {name: "\n".join(map(str, parts)) for name, parts in found.items()}


async def replies(stack: Stack, known: Mapping[str, object]) -> dict[str, list[Any]]:
    """Return the answers of each read RPC: messages, or the error's text.

    `known` holds values by field name. Search is called in each of its modes, and every RPC with a filter also with
    `as_of` now and with earlier moments.
    """
    async with AsyncExitStack() as resources:
        channels = [
            await resources.enter_async_context(open_channel(stack.addresses[host]))
            for host in _HOSTS
        ]
        return await _replies(channels, known)


async def _replies(
    channels: Sequence[grpc.aio.Channel], known: Mapping[str, object]
) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for method in read_methods():
        requests = [_request(method, known)]
        if method.name == "Search":
            requests = [_in_mode(requests[0], mode) for mode in _listed(known, "modes")]
        elif method.name == "GetMemory":
            requests.append(_unindexed(requests[0]))
        elif method.name == "ExplainLearned":
            requests = [type(requests[0])(**{name: known[name]}) for name in _LEARNED]
        elif method.name == "ReadAddress":
            requests = [_at(requests[0], each) for each in _listed(known, "addresses")]
        elif method.name == "ListAddress":
            requests = [_at(requests[0], each) for each in _listed(known, "folders")]
        for number, (request, past) in enumerate(product(requests, (False, True))):
            asked = _as_of(request, known) if past else request
            if asked is not None:
                found[f"{method.name} {number}"] = await _ask_host(channels, method, asked)
    return found


def _request(method: MethodDescriptor, known: Mapping[str, object]) -> Message:
    request: Message = GetMessageClass(method.input_type)()
    _fill(request, known)
    return request


def _fill(message: Message, known: Mapping[str, object]) -> None:
    field: Any
    for field in message.DESCRIPTOR.fields:
        if field.message_type is not None and field.message_type.name.endswith("Request"):
            _fill(getattr(message, field.name), known)
            getattr(message, field.name).SetInParent()
        if field.enum_type is not None and field.enum_type.name == "WorkspaceFileName":
            setattr(message, field.name, known.get("workspace_file", 6))
            continue
        if field.name not in known or (
            field.containing_oneof and message.WhichOneof(field.containing_oneof.name)
        ):
            continue
        value = known[field.name]
        if isinstance(value, list):
            getattr(message, field.name).extend(value)
        elif isinstance(value, tuple):
            # One field name may have several message types.
            for each in value:
                if field.message_type is each.DESCRIPTOR:
                    getattr(message, field.name).CopyFrom(each)
        elif field.message_type is None:
            setattr(message, field.name, value)
    if message.DESCRIPTOR.name == "GetMemoryRequest":
        message.ClearField("name")


def _unindexed(request: Message) -> Message:
    """Return a request for a message or a summary, indexed or not."""
    assert isinstance(request, search.GetMemoryRequest)
    asked = search.GetMemoryRequest()
    asked.CopyFrom(request)
    asked.include_unindexed = True
    return asked


def _in_mode(request: Message, mode: int) -> Message:
    assert isinstance(request, search.SearchRequest)
    asked = search.SearchRequest()
    asked.CopyFrom(request)
    asked.mode = search.SearchMode.ValueType(mode)
    return asked


def _listed(known: Mapping[str, object], name: str) -> list[Any]:
    values = known[name]
    assert isinstance(values, list)
    return values


def _at(request: Message, address: str) -> Message:
    asked: Any = type(request)()
    asked.CopyFrom(request)
    asked.address = address
    return asked  # type: ignore[no-any-return]


def _as_of(request: Message, known: Mapping[str, object]) -> Message | None:
    """Return the request with an earlier `as_of` moment; None if the RPC has no such field."""
    if isinstance(request, watch.WatchMemoriesRequest):
        return None  # Events have no earlier moment.
    asked = type(request)()
    asked.CopyFrom(request)
    holder: Any = asked.filter if "filter" in asked.DESCRIPTOR.fields_by_name else asked  # type: ignore[attr-defined]
    if "valid_at_time" not in holder.DESCRIPTOR.fields_by_name:
        return None
    holder.valid_at_time.CopyFrom(known["earlier"])
    return asked


async def _ask_host(
    channels: Sequence[grpc.aio.Channel], method: MethodDescriptor, request: Message
) -> list[Any]:
    """Call the service that has the RPC."""
    for channel in channels:
        try:
            return await _ask(channel, method, request)
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.UNIMPLEMENTED:
                error.add_note(f"{method.full_name} was given {request}")
                raise
    raise LookupError(method.full_name)


async def _ask(channel: Any, method: MethodDescriptor, request: Message) -> list[Any]:
    path = f"/{method.containing_service.full_name}/{method.name}"
    form = {
        "request_serializer": type(request).SerializeToString,
        "response_deserializer": GetMessageClass(method.output_type).FromString,
    }
    try:
        if method.server_streaming:
            call = channel.unary_stream(path, **form)(request)
            if method.name == "WatchMemories":
                return await _watched(call)
            return [part async for part in call]
        return [await channel.unary_unary(path, **form)(request)]
    except grpc.aio.AioRpcError as error:
        if error.code() not in _NOTHING:
            raise
        return [f"{error.code().name} {error.details()}"]


async def _watched(call: Any) -> list[Any]:
    """Return the responses of a watch call until no event arrives for `SILENCE_S` seconds."""
    told = list[Any]()
    with suppress(TimeoutError):
        while True:
            part = await asyncio.wait_for(call.read(), SILENCE_S if told else 30.0)
            if part is grpc.aio.EOF:
                break
            told.append(part)
    call.cancel()
    return told
