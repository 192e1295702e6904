"""Appends of requests as values."""

from __future__ import annotations

from uuid import UUID

from everword.domain.errors import InvalidArgument
from everword.rpc.long_work import LONG_BYTES, run_in_thread
from everword.rpc.translate import from_struct, from_timestamp
from everword.v1 import ingest_service_pb2, memory_pb2
from everword_ingest.conversations.model import ConversationSpec
from everword_ingest.conversations.translate import to_spec
from everword_ingest.messages.model import AppendRequest, NewMessage
from everword_ingest.request_ids.claims import hash_body

#: Limit of the content blocks of one message.
MAX_BLOCKS_BYTES = 1024 * 1024


async def to_append_request(
    request: ingest_service_pb2.AppendMessagesRequest, field: str = ""
) -> AppendRequest:
    """Return an append; see `_to_append_request`. A large one is translated in a thread."""
    if request.ByteSize() <= LONG_BYTES:
        return _to_append_request(request, field)
    return await run_in_thread(_to_large_append_request, request, field)


def _to_large_append_request(
    request: ingest_service_pb2.AppendMessagesRequest, field: str
) -> AppendRequest:
    """Return an append with the properties of its long messages computed."""
    append = _to_append_request(request, field)
    for message in append.messages:
        _ = message.text, message.size
    return append


def _to_append_request(
    request: ingest_service_pb2.AppendMessagesRequest, field: str
) -> AppendRequest:
    """Return an append; `field` is the path of `request` in the caller's message, for errors."""
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
