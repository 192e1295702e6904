"""Requests of IngestService to the model."""

from __future__ import annotations

import hashlib
from copy import deepcopy
from typing import Any
from uuid import UUID

from everword.domain.errors import InvalidArgument
from everword.rpc.long_work import LONG_BYTES, beside_loop
from everword.rpc.translate import from_struct, from_timestamp
from everword.v1 import (
    checkpoint_service_pb2,
    conversation_pb2,
    cost_service_pb2,
    document_service_pb2,
    erase_service_pb2,
    fact_service_pb2,
    graph_service_pb2,
    handoff_service_pb2,
    ingest_service_pb2,
    lore_service_pb2,
    memory_pb2,
    note_service_pb2,
    pattern_service_pb2,
    workspace_service_pb2,
)
from everword_ingest.messages.record_significant import Significant
from everword_ingest.model import AppendRequest, ConversationSpec, NewMessage

#: What the content blocks of one message may hold.
MAX_BLOCKS_BYTES = 1024 * 1024
#: The fields of a conversation that UpdateConversation changes, by their paths.
CHANGEABLE = {
    "active": "active",
    "details.title": "title",
    "details.settings": "settings",
    "details.client_session_id": "client_session_id",
}


def to_spec(
    key: conversation_pb2.ConversationKey,
    details: conversation_pb2.ConversationDetails,
    field: str = "",
) -> ConversationSpec:
    """Return a conversation; `field` is the path of what holds `key` and `details`, for errors."""
    return ConversationSpec(
        session_key=key.session_key,
        agent=key.agent,
        channel=key.channel,
        channel_id=details.channel_id,
        bot_identity=details.bot_identity,
        instance=details.instance,
        subject=details.subject,
        client_session_id=details.client_session_id,
        title=details.title,
        settings=(
            from_struct(details.settings, f"{field}details.settings")
            if details.HasField("settings")
            else None
        ),
    )


def changed_values(conversation: conversation_pb2.Conversation) -> dict[str, Any]:
    """Return the values of all fields that can be changed."""
    details = conversation.details
    path = "conversation.details.settings"
    return {
        "active": conversation.active,
        "title": details.title,
        "settings": from_struct(details.settings, path) if details.HasField("settings") else None,
        "client_session_id": details.client_session_id,
    }


async def to_append_request(
    request: ingest_service_pb2.AppendMessagesRequest, field: str = ""
) -> AppendRequest:
    """Return an append; see `_to_append_request`. A large one is translated beside the event loop."""
    if request.ByteSize() <= LONG_BYTES:
        return _to_append_request(request, field)
    return await beside_loop(_to_large_append_request, request, field)


def _to_large_append_request(
    request: ingest_service_pb2.AppendMessagesRequest, field: str
) -> AppendRequest:
    """Return an append with what is computed of its messages, each of which may be long."""
    append = _to_append_request(request, field)
    for message in append.messages:
        _ = message.text, message.size
    return append


def _to_append_request(
    request: ingest_service_pb2.AppendMessagesRequest, field: str
) -> AppendRequest:
    """Return an append; `field` is the path of `request` in what the caller sent, for errors."""
    target: UUID | ConversationSpec
    if request.HasField("conversation"):
        target = to_spec(
            request.conversation.key, request.conversation.details, f"{field}conversation."
        )
    else:
        target = UUID(request.conversation_id)
    return AppendRequest(
        target=target,
        messages=[
            to_message(message, f"{field}messages[{index}]")
            for index, message in enumerate(request.messages)
        ],
        request_id=request.request_id,
        body_hash=hash_body(request),
        allow_erased=request.allow_erased,
    )


def to_message(message: memory_pb2.NewMessage, field: str) -> NewMessage:
    blocks = [{"type": b.type, "text": b.text, "json": b.json} for b in message.content_blocks]
    if sum(block.ByteSize() for block in message.content_blocks) > MAX_BLOCKS_BYTES:
        text = f"are over {MAX_BLOCKS_BYTES} bytes in all"
        raise InvalidArgument(violations=((f"{field}.content_blocks", text),))
    sent = message.create_time if message.HasField("create_time") else None
    return NewMessage(
        content=message.content,
        role=message.role,
        author=message.author,
        instance=message.instance,
        tags=list(message.tags),
        importance_class=message.importance_class,
        automated=message.automated,
        tool_name=message.tool_name,
        tool_args=message.tool_args,
        tool_result=message.tool_result,
        metadata=(
            from_struct(message.metadata, f"{field}.metadata")
            if message.HasField("metadata")
            else None
        ),
        occurred_at=from_timestamp(sent, f"{field}.create_time") if sent else None,
        token_count=message.token_count,
        external_id=message.external_id or None,
        parent_id=UUID(message.parent_id) if message.parent_id else None,
        content_blocks=blocks or None,
        wire_bytes=message.ByteSize(),
    )


def to_significant(request: ingest_service_pb2.RecordSignificantRequest) -> Significant:
    return Significant(
        content=request.content,
        title=request.title,
        instance=request.instance,
        agent=request.agent,
        subject=request.subject,
        occurred_at=(
            from_timestamp(request.occur_time, "occur_time")
            if request.HasField("occur_time")
            else None
        ),
    )


def hash_body(
    request: (
        ingest_service_pb2.AppendMessagesRequest
        | ingest_service_pb2.MarkUsedRequest
        | ingest_service_pb2.RecordSignificantRequest
        | fact_service_pb2.RememberRequest
        | pattern_service_pb2.RecordPatternRequest
        | pattern_service_pb2.RecordOutcomeRequest
        | graph_service_pb2.CreateNodeRequest
        | graph_service_pb2.CreateEdgeRequest
        | graph_service_pb2.WriteGraphRequest
        | cost_service_pb2.RecordUsageRequest
        | note_service_pb2.WriteNoteRequest
        | note_service_pb2.DeleteNoteRequest
        | note_service_pb2.AppendDailyLogRequest
        | erase_service_pb2.EraseRequest
        | handoff_service_pb2.WriteHandoffRequest
        | handoff_service_pb2.SaveAdvisorNoteRequest
        | lore_service_pb2.WriteLoreBookRequest
        | lore_service_pb2.DeleteLoreBookRequest
        | lore_service_pb2.ImportLoreBookRequest
        | lore_service_pb2.WriteLoreEntryRequest
        | lore_service_pb2.DeleteLoreEntryRequest
        | checkpoint_service_pb2.SaveCheckpointRequest
        | document_service_pb2.UploadHeader
        | document_service_pb2.WriteDocumentRequest
        | document_service_pb2.AppendDocumentRequest
        | document_service_pb2.DeleteDocumentRequest
        | workspace_service_pb2.WriteWorkspaceFileRequest
        | workspace_service_pb2.DeleteWorkspaceFileRequest
    ),
) -> bytes:
    """Return what a repeated request id must come with again: the hash of all but the id itself."""
    body = deepcopy(request)
    body.ClearField("request_id")
    name = request.DESCRIPTOR.full_name.encode()
    return hashlib.sha256(name + b"\0" + body.SerializeToString(deterministic=True)).digest()
