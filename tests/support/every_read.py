"""Every read RPC, called with whatever its request can be given of one memory: from the descriptors alone."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from itertools import product
from typing import Any

import grpc
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from everword import v1
from everword.client.channel import open_channel
from everword.v1 import access_pb2
from everword.v1 import search_service_pb2 as search
from support.stack import Stack

_HOSTS = ("search", "ingest", "compactor")
#: What an answer may be where there is nothing to return.
_NOTHING = {
    grpc.StatusCode.NOT_FOUND,
    grpc.StatusCode.FAILED_PRECONDITION,  # without a language model
}
MODES = [mode for mode in search.SearchMode.values() if mode]


def read_methods() -> list[MethodDescriptor]:
    """Return every public RPC that a key with the role read may call, but for those that only wait."""
    methods: list[MethodDescriptor] = []
    for entry in pkgutil.iter_modules(v1.__path__, "everword.v1."):
        if entry.name.endswith("_service_pb2"):
            services = importlib.import_module(entry.name).DESCRIPTOR.services_by_name.values()
            methods += [
                method
                for service in services
                for method in service.methods
                if method.GetOptions().Extensions[access_pb2.access] == access_pb2.ACCESS_READ
                and method.name not in {"WaitForIndexing", "WatchBudget"}
            ]
    return methods


async def answers(stack: Stack, known: Mapping[str, object]) -> dict[str, str]:
    """Return what each read RPC answers, as text; `known` holds values by the names of fields that take them.

    Search is asked in every mode, and each RPC with a filter as of now, and as of moments when something still held.
    """
    found: dict[str, str] = {}
    for method in read_methods():
        requests = [_request(method, known)]
        if method.name == "Search":
            requests = [_in_mode(requests[0], mode) for mode in MODES]
        for number, (request, past) in enumerate(product(requests, (False, True))):
            asked = _as_of(request, known) if past else request
            if asked is not None:
                found[f"{method.name} {number}"] = await _ask_host(stack, method, asked)
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
            # One name may stand for several kinds of messages.
            for each in value:
                if field.message_type is each.DESCRIPTOR:
                    getattr(message, field.name).CopyFrom(each)
        elif field.message_type is None:
            setattr(message, field.name, value)
    if message.DESCRIPTOR.name == "GetMemoryRequest":
        message.ClearField("name")


def _in_mode(request: Message, mode: int) -> Message:
    assert isinstance(request, search.SearchRequest)
    asked = search.SearchRequest()
    asked.CopyFrom(request)
    asked.mode = search.SearchMode.ValueType(mode)
    return asked


def _as_of(request: Message, known: Mapping[str, object]) -> Message | None:
    """Return a request as of an earlier moment; None where it has none."""
    asked = type(request)()
    asked.CopyFrom(request)
    holder: Any = asked.filter if "filter" in asked.DESCRIPTOR.fields_by_name else asked  # type: ignore[attr-defined]
    if "valid_at_time" not in holder.DESCRIPTOR.fields_by_name:
        return None
    holder.valid_at_time.CopyFrom(known["earlier"])
    return asked


async def _ask_host(stack: Stack, method: MethodDescriptor, request: Message) -> str:
    """Ask the service that has the RPC."""
    for host in _HOSTS:
        async with open_channel(stack.addresses[host]) as channel:
            try:
                return await _ask(channel, method, request)
            except grpc.aio.AioRpcError as error:
                if error.code() is not grpc.StatusCode.UNIMPLEMENTED:
                    error.add_note(f"{method.full_name} was given {request}")
                    raise
    raise LookupError(method.full_name)


async def _ask(channel: Any, method: MethodDescriptor, request: Message) -> str:
    path = f"/{method.containing_service.full_name}/{method.name}"
    form = {
        "request_serializer": type(request).SerializeToString,
        "response_deserializer": GetMessageClass(method.output_type).FromString,
    }
    try:
        if method.server_streaming:
            return "\n".join(
                [str(part) async for part in channel.unary_stream(path, **form)(request)]
            )
        return str(await channel.unary_unary(path, **form)(request))
    except grpc.aio.AioRpcError as error:
        if error.code() not in _NOTHING:
            raise
        return f"{error.code().name} {error.details()}"
