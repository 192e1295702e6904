"""Calls of any RPC, by its descriptor."""

from __future__ import annotations

from typing import Any

import grpc
from google.protobuf.descriptor import MethodDescriptor


def caller_of(channel: grpc.aio.Channel, method: MethodDescriptor, *forms: Any) -> Any:
    """Return a callable for an RPC, unary or streaming.

    `forms` are a request serializer and a response deserializer. Without them, requests and answers are bytes.
    """
    kind = f"{_stream(method.client_streaming)}_{_stream(method.server_streaming)}"
    path = f"/{method.containing_service.full_name}/{method.name}"
    return getattr(channel, kind)(path, *forms)


def _stream(streams: bool) -> str:
    return "stream" if streams else "unary"
