"""The requests that callers make for stored records, free of protobuf."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from uuid import UUID

#: The times that a filter can name.
_EARLIEST = datetime(1, 1, 1, tzinfo=UTC)
_LATEST = datetime(9999, 12, 31, tzinfo=UTC)
_FIRST, _LAST = _EARLIEST.timestamp(), _LATEST.timestamp()


@dataclass(frozen=True)
class MemoryFilter:
    """The memories that are looked at; None lets every value through."""

    kinds: list[int] | None = None
    conversation_ids: list[UUID] | None = None
    agents: list[str] | None = None
    subjects: list[str] | None = None
    #: Memories that count as if they had one of the subjects.
    of_subjects_ids: list[UUID] | None = None
    channels: list[str] | None = None
    instances: list[str] | None = None
    authors: list[str] | None = None
    roles: list[int] | None = None
    tags: list[str] | None = None
    #: The tags of documents whose chunks are looked at.
    document_tags: list[str] | None = None
    #: Of documents that belong to a conversation, those of these ones alone.
    document_conversation_ids: list[UUID] | None = None
    #: Inclusive.
    since: datetime | None = None
    #: Exclusive.
    before: datetime | None = None
    #: When a memory must hold, and when it must have been believed; None for now, and for what is still to begin.
    valid_at: datetime | None = None
    known_at: datetime | None = None
    include_automated: bool = False
    #: Also facts that held and do not any more.
    include_superseded: bool = False
    #: What is left out; None leaves out nothing.
    excluded_memory_ids: list[UUID] | None = None
    excluded_conversation_ids: list[UUID] | None = None
    excluded_authors: list[str] | None = None
    excluded_kinds: list[int] | None = None
    #: The message after which nothing is looked at, and where it stands, once that is known.
    as_of_message_id: UUID | None = None
    as_of_time: datetime | None = None
    as_of_conversation_id: UUID | None = None
    as_of_seq: int | None = None

    @property
    def is_open(self) -> bool:
        """Tell whether nobody asked to leave out anything; what is automated may be left out all the same."""
        return replace(self, include_automated=False) == EVERYTHING

    def allows_kind(self, kind: int) -> bool:
        """Return whether memories of a kind may pass the filter."""
        is_wanted = self.kinds is None or kind in self.kinds
        return is_wanted and kind not in (self.excluded_kinds or ())

    def within(self, start: float, end: float) -> MemoryFilter:
        """Return the filter of what it lets through and happened from one moment to before another, in s since 1970."""
        since, before = self.since, self.before
        if start > _FIRST:
            since = max(since or _EARLIEST, datetime.fromtimestamp(start, UTC))
        if end < _LAST:
            before = min(before or _LATEST, datetime.fromtimestamp(end, UTC))
        return replace(self, since=since, before=before)


EVERYTHING = MemoryFilter()


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


def max_parts(chars: int) -> int:
    """Return how many passages of a text surely hold its first `chars` characters.

    Two passages in a row have at least 80 words together, and a word has at least one character.
    """
    return chars // 40 + 2


def end_of_time(newest_first: bool) -> tuple[str, str]:
    """Return the place before the first memory in the order asked for."""
    if newest_first:
        return "infinity", str(UUID(int=2**128 - 1))
    return "-infinity", str(UUID(int=0))
