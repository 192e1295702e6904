"""The requests that callers make for stored records, free of protobuf."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True)
class MemoryFilter:
    """The memories that are looked at; None lets every value through."""

    kinds: list[int] | None = None
    conversation_ids: list[UUID] | None = None
    agents: list[str] | None = None
    subjects: list[str] | None = None
    channels: list[str] | None = None
    instances: list[str] | None = None
    authors: list[str] | None = None
    roles: list[int] | None = None
    tags: list[str] | None = None
    #: Inclusive.
    since: datetime | None = None
    #: Exclusive.
    before: datetime | None = None
    #: When a memory must hold, and when it must have been believed; None for now, and for what is still to begin.
    valid_at: datetime | None = None
    known_at: datetime | None = None
    include_automated: bool = False

    @property
    def is_open(self) -> bool:
        """Tell whether nobody asked to leave out anything; what is automated may be left out all the same."""
        return replace(self, include_automated=False) == EVERYTHING


EVERYTHING = MemoryFilter()


@dataclass(frozen=True)
class PageRequest:
    """The page of a request that is asked for."""

    #: 0 for the default.
    size: int = 0
    token: str = ""
    #: SHA-256 in hex of the request without its size and token.
    request_hash: str = ""


FIRST_PAGE = PageRequest()


@dataclass(frozen=True)
class ConversationKey:
    """The key that a caller knows a conversation by."""

    session_key: str
    agent: str = ""
    channel: str = ""


@dataclass(frozen=True)
class ExternalMessageKey:
    """The key that a caller knows a message by."""

    conversation: UUID | ConversationKey
    external_id: str


@dataclass(frozen=True)
class ConversationFilter:
    """The conversations that are listed; None lets every value through."""

    agents: list[str] | None = None
    channels: list[str] | None = None
    subjects: list[str] | None = None
    active: bool | None = None
    client_session_ids: list[str] | None = None
