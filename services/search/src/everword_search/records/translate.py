"""Filters, pages and keys from protos."""

from __future__ import annotations

from uuid import UUID

from everword.domain.documents import document_tag
from everword.rpc.translate import optional_time, time_range
from everword.v1 import (
    conversation_pb2,
    memory_pb2,
)
from everword.v1 import search_service_pb2 as pb
from everword_search.records.model import (
    ConversationFilter,
    ConversationKey,
    ExternalMessageKey,
    MemoryFilter,
)


def to_filter(message: memory_pb2.MemoryFilter) -> MemoryFilter:
    since, before = time_range(message)
    return MemoryFilter(
        kinds=list(message.kinds) or None,
        conversation_ids=[UUID(id_) for id_ in message.conversation_ids] or None,
        agents=list(message.agents) or None,
        subjects=list(message.subjects) or None,
        channels=list(message.channels) or None,
        instances=list(message.instances) or None,
        authors=list(message.authors) or None,
        roles=list(message.roles) or None,
        tags=list(message.tags) or None,
        document_tags=[document_tag(UUID(id_)) for id_ in message.document_ids] or None,
        since=since,
        before=before,
        period=message.period.strip(),
        task_ids=list(message.task_ids) or None,
        address_prefix=message.address_prefix.strip(),
        include_automated=message.include_automated,
        include_superseded=message.include_superseded,
        valid_at=optional_time(message, "valid_at_time"),
        known_at=optional_time(message, "known_at_time"),
        excluded_memory_ids=[UUID(id_) for id_ in message.excluded_memory_ids] or None,
        excluded_conversation_ids=[UUID(id_) for id_ in message.excluded_conversation_ids] or None,
        excluded_authors=list(message.excluded_authors) or None,
        excluded_kinds=list(message.excluded_kinds) or None,
        as_of_message_id=UUID(message.as_of_message_id) if message.as_of_message_id else None,
    )


def to_conversation_filter(message: conversation_pb2.ConversationFilter) -> ConversationFilter:
    return ConversationFilter(
        agents=list(message.agents) or None,
        channels=list(message.channels) or None,
        subjects=list(message.subjects) or None,
        active=message.active if message.HasField("active") else None,
        client_session_ids=list(message.client_session_ids) or None,
        task_ids=list(message.task_ids) or None,
    )


def to_conversation(
    request: pb.GetConversationRequest | pb.ExternalMessageKey,
) -> UUID | ConversationKey:
    """Return the id or key by which a request names a conversation."""
    if not request.HasField("key"):
        return UUID(request.conversation_id)
    return ConversationKey(request.key.session_key, request.key.agent, request.key.channel)


def to_memory_key(request: pb.GetMemoryRequest) -> UUID | str | ExternalMessageKey:
    """Return the id, summary name or external key by which a request names a memory."""
    if request.HasField("external"):
        return ExternalMessageKey(to_conversation(request.external), request.external.external_id)
    return UUID(request.memory_id) if request.memory_id else request.name


def is_newest_first(order: memory_pb2.Order.ValueType) -> bool:
    return order != memory_pb2.ORDER_OLDEST_FIRST
