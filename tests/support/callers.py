"""Who calls: metadata of a call, and a first message to have something in a namespace."""

from __future__ import annotations

from everword.rpc.authentication import INTERNAL_HEADER, NAMESPACE_HEADER
from everword.v1 import admin_service_pb2, conversation_pb2, ingest_service_pb2, memory_pb2
from everword.v1.ingest_service_pb2_grpc import IngestServiceStub

from support.stack import Stack

Metadata = tuple[tuple[str, str], ...]


def within(namespace: str) -> Metadata:
    """Name a namespace by the header."""
    return ((NAMESPACE_HEADER, namespace),)


def bearer(secret: str) -> Metadata:
    """Show an API key."""
    return (("authorization", f"Bearer {secret}"),)


def internal(token: str) -> Metadata:
    """Show the token between services."""
    return ((INTERNAL_HEADER, token),)


async def make_namespaces(stack: Stack, *names: str) -> None:
    for name in names:
        await stack.admin.CreateNamespace(admin_service_pb2.CreateNamespaceRequest(name=name))


def append_request(*contents: str, session_key: str = "s") -> ingest_service_pb2.AppendMessagesRequest:
    """Ask to append user messages to a conversation that is made where it does not exist."""
    return ingest_service_pb2.AppendMessagesRequest(
        conversation=ingest_service_pb2.ConversationTarget(
            key=conversation_pb2.ConversationKey(session_key=session_key)
        ),
        messages=[
            memory_pb2.NewMessage(content=content, role=memory_pb2.ROLE_USER)
            for content in contents
        ],
    )


async def append(
    ingest: IngestServiceStub, *contents: str, metadata: Metadata = (), session_key: str = "s"
) -> ingest_service_pb2.AppendMessagesResponse:
    request = append_request(*contents, session_key=session_key)
    return await ingest.AppendMessages(request, metadata=metadata)
