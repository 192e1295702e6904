"""Conversations of requests as values."""

from __future__ import annotations

from typing import Any

from everword.rpc.translate import from_struct
from everword.v1 import conversation_pb2, ingest_service_pb2
from everword_ingest.conversations.model import ConversationSpec

#: The fields of a conversation that EnsureConversation can change, by their paths.
CHANGEABLE = {
    "active": "active",
    "details.title": "title",
    "details.settings": "settings",
    "details.client_session_id": "client_session_id",
    "details.task_id": "task_id",
}


def to_spec(
    key: conversation_pb2.ConversationKey,
    details: conversation_pb2.ConversationDetails,
    field: str = "",
) -> ConversationSpec:
    """Return a conversation; `field` is the path of the message with `key` and `details`, for errors."""
    return ConversationSpec(
        session_key=key.session_key,
        agent=key.agent,
        channel=key.channel,
        channel_id=details.channel_id,
        bot_identity=details.bot_identity,
        instance=details.instance,
        subject=details.subject,
        client_session_id=details.client_session_id,
        task_id=details.task_id,
        title=details.title,
        settings=(
            from_struct(details.settings, f"{field}details.settings")
            if details.HasField("settings")
            else None
        ),
    )


def changed_values(request: ingest_service_pb2.EnsureConversationRequest) -> dict[str, Any]:
    """Return the new values of all fields that can be changed."""
    details = request.details
    path = "details.settings"
    return {
        "active": request.active,
        "title": details.title,
        "settings": from_struct(details.settings, path) if details.HasField("settings") else None,
        "client_session_id": details.client_session_id,
        "task_id": details.task_id,
    }
