"""Messages and appends as values, free of protobuf."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any
from uuid import UUID

from everword.domain.records import message_text
from everword.domain.tokens import ConsistencyToken
from everword_ingest.conversations.model import ConversationSpec


# Frozen, what there is of each message would take twice as long to make: a tenth of what an append computes.
@dataclass
class NewMessage:
    """A message to store, as it was sent. It does not change."""

    content: str
    #: Values equal proto `Role`.
    role: int
    author: str = ""
    instance: str = ""
    tags: list[str] = field(default_factory=list)
    #: Values equal proto `ImportanceClass`.
    importance_class: int = 0
    automated: bool = False
    tool_name: str = ""
    tool_args: str = ""
    tool_result: str = ""
    metadata: dict[str, Any] | None = None
    #: The time of the append if None.
    occurred_at: datetime | None = None
    token_count: int = 0
    external_id: str | None = None
    parent_id: UUID | None = None
    content_blocks: list[dict[str, str]] | None = None
    #: Size of the request's message, metadata included.
    wire_bytes: int = 0

    @cached_property
    def text(self) -> str:
        """Return the readable text of the message."""
        return message_text(
            self.content, self.content_blocks, self.tool_name, self.tool_args, self.tool_result
        )

    @property
    def needs_sentence(self) -> bool:
        """Return whether background work writes a sentence about the message: a tool call without words.

        Automated messages are not worth a model's time.
        """
        words = [self.content, *(block.get("text", "") for block in self.content_blocks or ())]
        return bool(self.tool_name) and not self.automated and not any(map(str.strip, words))

    @cached_property
    def size(self) -> int:
        """Bytes of the message's texts."""
        blocks = [text for b in self.content_blocks or () for text in (b["text"], b["json"])]
        texts = [self.content, self.tool_args, self.tool_result, *blocks]
        return sum(len(text.encode()) for text in texts)


@dataclass(frozen=True)
class AppendRequest:
    """Messages for one conversation."""

    #: An existing conversation, or one that is created if it does not exist.
    target: UUID | ConversationSpec
    messages: list[NewMessage]
    #: Empty where the call need not be repeatable.
    request_id: str
    #: SHA-256 of the request without its id: a repeated id must come with the same.
    body_hash: bytes
    #: True to accept external ids that were erased.
    allow_erased: bool = False


@dataclass
class AppendedMessage:
    """The place where a message was stored."""

    id: UUID
    seq: int
    existed: bool = False


@dataclass(frozen=True)
class AppendResult:
    """The result of an append."""

    conversation_id: UUID
    messages: list[AppendedMessage]
    consistency_token: ConsistencyToken
    replayed: bool = False


# Not frozen, as NewMessage is not.
@dataclass
class NumberedMessage:
    """A message with its id and its place in the conversation."""

    id: UUID
    seq: int
    message: NewMessage
    occurred_at: datetime
    instance: str
