"""FlushConversation's request as a value, and its result as a proto."""

from __future__ import annotations

from uuid import UUID

from everword.rpc.translate import summary_to_proto
from everword.v1 import maintenance_service_pb2 as pb
from everword_compactor.conversations.flush_conversation import (
    FULL_AT,
    RECENT_TURNS_KEPT,
    FlushRequest,
    FlushResult,
)


def flush_request(request: pb.FlushConversationRequest) -> FlushRequest:
    return FlushRequest(
        conversation_id=UUID(request.conversation_id),
        context_size=request.context_size,
        used_tokens=request.used_tokens,
        notes_saved=request.notes_saved,
        keep_recent=request.keep_recent if request.HasField("keep_recent") else RECENT_TURNS_KEPT,
        protected_ids=[UUID(id_) for id_ in request.protected_message_ids],
        full_at=request.full_ratio or FULL_AT,
    )


def flushed_to_proto(flushed: FlushResult) -> pb.FlushConversationResponse:
    return pb.FlushConversationResponse(
        action=pb.FlushAction.ValueType(flushed.action),
        instruction=flushed.instruction,
        summaries=[summary_to_proto(summary) for summary in flushed.summaries],
        replaced_through_seq=flushed.replaced_through_seq,
        kept_message_ids=[str(id_) for id_ in flushed.verbatim_ids],
        in_doubt_message_ids=[str(id_) for id_ in flushed.unconfirmed_ids],
        used_tokens=flushed.used_tokens,
        freed_tokens=flushed.freed_tokens,
    )
