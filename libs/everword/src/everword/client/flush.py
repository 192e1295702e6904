"""Summaries in place of the old messages of a conversation that fills a model's context."""

from __future__ import annotations

import grpc

from everword.client.client import Client
from everword.client.errors import CallError
from everword.v1 import maintenance_service_pb2

#: Share of a model's context from which on a conversation counts as full.
_FULL_RATIO = 0.8
#: Seconds to wait for missing summaries.
_FLUSH_TIMEOUT_S = 10.0
_NOT_IN_TIME = (grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.RESOURCE_EXHAUSTED)
_ENDLESS = 2**31 - 1


async def flush_conversation(
    client: Client, conversation_id: str, context_size: int, used_tokens: int
) -> maintenance_service_pb2.FlushConversationResponse:
    """Replace old messages of a full context; without summaries in time, return the last replacement."""
    service = client.maintenance_service
    request = maintenance_service_pb2.FlushConversationRequest(
        conversation_id=conversation_id,
        context_size=context_size,
        used_tokens=used_tokens,
        notes_saved=True,
        full_ratio=_FULL_RATIO,
    )
    try:
        return await service.FlushConversation(request, timeout=_FLUSH_TIMEOUT_S)
    except CallError as error:
        if error.code not in _NOT_IN_TIME:
            raise
    request.context_size, request.used_tokens = _ENDLESS, 1
    return await service.FlushConversation(request)
