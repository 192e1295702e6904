"""The RPCs of everword.v1, and the service that has each of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import grpc
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from everword.admission.limits import RequestLimits, limits_table
from everword.client import Client
from everword.client.servers import public_services


@dataclass(frozen=True)
class Method:
    """One RPC."""

    path: str
    """Such as /everword.v1.SearchService/Search."""
    request: type[Message]
    limits: RequestLimits
    streams_requests: bool
    streams_responses: bool
    call: Any
    """The stub's multi-callable."""


def methods_of(client: Client) -> Mapping[str, Method]:
    """Return every RPC of which `client` has the stub, by its path."""
    services = public_services()
    limits = limits_table(services)
    found = (
        _method(client, limits, service, each) for service in services for each in service.methods
    )
    return {method.path: method for method in found}


def _method(
    client: Client,
    limits: Mapping[str, RequestLimits],
    service: ServiceDescriptor,
    method: MethodDescriptor,
) -> Method:
    stub = next(
        each for each in vars(client).values() if type(each).__name__ == f"{service.name}Stub"
    )
    path = f"/{service.full_name}/{method.name}"
    return Method(
        path=path,
        request=GetMessageClass(method.input_type),
        limits=limits[path],
        streams_requests=method.client_streaming,
        streams_responses=method.server_streaming,
        call=getattr(stub, method.name),
    )


#: The HTTP status and the word of each code, by the Connect protocol.
CODES: Mapping[grpc.StatusCode, tuple[int, str]] = {
    grpc.StatusCode.CANCELLED: (499, "canceled"),
    grpc.StatusCode.UNKNOWN: (500, "unknown"),
    grpc.StatusCode.INVALID_ARGUMENT: (400, "invalid_argument"),
    grpc.StatusCode.DEADLINE_EXCEEDED: (504, "deadline_exceeded"),
    grpc.StatusCode.NOT_FOUND: (404, "not_found"),
    grpc.StatusCode.ALREADY_EXISTS: (409, "already_exists"),
    grpc.StatusCode.PERMISSION_DENIED: (403, "permission_denied"),
    grpc.StatusCode.RESOURCE_EXHAUSTED: (429, "resource_exhausted"),
    grpc.StatusCode.FAILED_PRECONDITION: (400, "failed_precondition"),
    grpc.StatusCode.ABORTED: (409, "aborted"),
    grpc.StatusCode.OUT_OF_RANGE: (400, "out_of_range"),
    grpc.StatusCode.UNIMPLEMENTED: (501, "unimplemented"),
    grpc.StatusCode.INTERNAL: (500, "internal"),
    grpc.StatusCode.UNAVAILABLE: (503, "unavailable"),
    grpc.StatusCode.DATA_LOSS: (500, "data_loss"),
    grpc.StatusCode.UNAUTHENTICATED: (401, "unauthenticated"),
}
