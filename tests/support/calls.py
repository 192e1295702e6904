"""Helpers for the most frequent calls of tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import grpc
from google.rpc import error_details_pb2, status_pb2

from everword.v1 import conversation_pb2, ingest_service_pb2, memory_pb2
from support.stack import Stack

USER = memory_pb2.ROLE_USER
ASSISTANT = memory_pb2.ROLE_ASSISTANT
TOOL = memory_pb2.ROLE_TOOL


def message(content: str = "hello", **fields: Any) -> memory_pb2.NewMessage:
    return memory_pb2.NewMessage(**{"content": content, "role": USER, **fields})


def target(session_key: str = "s", **fields: Any) -> ingest_service_pb2.ConversationTarget:
    """Return a conversation by its key; `agent` and `channel` go to the key, the rest to the details."""
    key = {name: fields.pop(name) for name in ("agent", "channel") if name in fields}
    return ingest_service_pb2.ConversationTarget(
        key=conversation_pb2.ConversationKey(session_key=session_key, **key),
        details=conversation_pb2.ConversationDetails(**fields),
    )


def append_request(
    *messages: memory_pb2.NewMessage | str, session_key: str = "s", request_id: str = ""
) -> ingest_service_pb2.AppendMessagesRequest:
    return ingest_service_pb2.AppendMessagesRequest(
        conversation=target(session_key),
        messages=[message(entry) if isinstance(entry, str) else entry for entry in messages],
        request_id=request_id,
    )


async def append(
    stack: Stack,
    *messages: memory_pb2.NewMessage | str,
    session_key: str = "s",
    metadata: Sequence[tuple[str, str]] = (),
) -> ingest_service_pb2.AppendMessagesResponse:
    request = append_request(*messages, session_key=session_key)
    return await stack.ingest.AppendMessages(request, metadata=tuple(metadata))


def rich_status(error: grpc.aio.AioRpcError) -> status_pb2.Status:
    trailers = dict(error.trailing_metadata() or ())
    return status_pb2.Status.FromString(bytes(trailers["grpc-status-details-bin"]))


def reason(error: grpc.aio.AioRpcError) -> str:
    """Return the reason of an error. Asserts exactly one ErrorInfo, with Everword's domain."""
    found = []
    for detail in rich_status(error).details:
        info = error_details_pb2.ErrorInfo()
        if detail.Unpack(info):
            assert info.domain == "everword.dev"
            found.append(info.reason)
    assert len(found) == 1
    return str(found[0])


def violated_fields(error: grpc.aio.AioRpcError) -> list[str]:
    for detail in rich_status(error).details:
        bad = error_details_pb2.BadRequest()
        if detail.Unpack(bad):
            return [violation.field for violation in bad.field_violations]
    return []
