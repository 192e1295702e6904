"""Metadata of a call: its key and its namespace."""

from __future__ import annotations

from typing import Any

import grpc

from everword.rpc.authentication import INTERNAL_HEADER, NAMESPACE_HEADER
from everword.v1 import admin_service_pb2
from support.stack import Stack

Metadata = tuple[tuple[str, str], ...]


def within(namespace: str) -> Metadata:
    return ((NAMESPACE_HEADER, namespace),)


def bearer(secret: str) -> Metadata:
    return (("authorization", f"Bearer {secret}"),)


def internal(token: str) -> Metadata:
    return ((INTERNAL_HEADER, token),)


async def make_namespaces(stack: Stack, *names: str, metadata: Metadata = ()) -> None:
    for name in names:
        request = admin_service_pb2.CreateNamespaceRequest(
            namespace=admin_service_pb2.Namespace(name=name)
        )
        await stack.admin.CreateNamespace(request, metadata=metadata)


def raw_call(
    channel: grpc.aio.Channel, method: str, request: bytes, metadata: Metadata = ()
) -> grpc.aio.UnaryUnaryCall[bytes, bytes]:
    """Call a method with raw bytes, which may be invalid."""
    call: Any = channel.unary_unary(method)
    answer: grpc.aio.UnaryUnaryCall[bytes, bytes] = call(request, metadata=metadata)
    return answer
