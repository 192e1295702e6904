"""Conversations as values, free of protobuf."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from everword.domain.records import ConversationRecord


@dataclass(frozen=True)
class ConversationSpec:
    """A conversation's key and details; the details count only when it is made."""

    session_key: str
    agent: str = ""
    channel: str = ""
    channel_id: str = ""
    bot_identity: str = ""
    instance: str = ""
    subject: str = ""
    client_session_id: str = ""
    task_id: str = ""
    title: str = ""
    settings: dict[str, Any] | None = None


@dataclass(frozen=True)
class LockedConversation(ConversationRecord):
    """A conversation that this transaction holds."""

    #: Up to which place it is summed up; 0 for nowhere.
    summarised_seq: int
