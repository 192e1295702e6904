"""Requests for stored records, free of protobuf."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from uuid import UUID

#: Bounds of the times that a filter can contain.
_EARLIEST = datetime(1, 1, 1, tzinfo=UTC)
_LATEST = datetime(9999, 12, 31, tzinfo=UTC)
_FIRST, _LAST = _EARLIEST.timestamp(), _LATEST.timestamp()


@dataclass(frozen=True)
class MemoryFilter:
    """Filter of memories; None admits every value."""

    kinds: list[int] | None = None
    conversation_ids: list[UUID] | None = None
    #: True for memories of conversations only, False for all others.
    in_conversation: bool | None = None
    included_memory_ids: list[UUID] | None = None
    agents: list[str] | None = None
    subjects: list[str] | None = None
    #: Memories that pass the `subjects` filter whatever their subject.
    of_subjects_ids: list[UUID] | None = None
    channels: list[str] | None = None
    instances: list[str] | None = None
    authors: list[str] | None = None
    roles: list[int] | None = None
    tags: list[str] | None = None
    #: Tags of the documents whose chunks are admitted.
    document_tags: list[str] | None = None
    #: Conversations whose attached documents are admitted; documents without a conversation always are.
    document_conversation_ids: list[UUID] | None = None
    #: Inclusive, by time of occurrence.
    since: datetime | None = None
    #: Exclusive, by time of occurrence.
    before: datetime | None = None
    #: Name of a period that is not resolved yet, such as `last_month`; empty if there is none.
    period: str = ""
    #: Tasks and an address that are not resolved yet to `conversation_ids`, `included_memory_ids` and kinds.
    task_ids: list[str] | None = None
    address_prefix: str = ""
    #: Moments at which a memory must be valid and known. None is now; without `valid_at`, memories that become valid
    #: later are admitted, too.
    valid_at: datetime | None = None
    known_at: datetime | None = None
    include_automated: bool = False
    #: True to include facts that are no longer valid.
    include_superseded: bool = False
    #: Exclusions; None excludes nothing.
    excluded_memory_ids: list[UUID] | None = None
    excluded_conversation_ids: list[UUID] | None = None
    excluded_authors: list[str] | None = None
    excluded_kinds: list[int] | None = None
    #: The message after which memories are ignored, and its position once it is resolved.
    as_of_message_id: UUID | None = None
    as_of_time: datetime | None = None
    as_of_conversation_id: UUID | None = None
    as_of_seq: int | None = None

    @property
    def is_open(self) -> bool:
        """True if the filter excludes nothing; `include_automated` is disregarded."""
        return replace(self, include_automated=False) == EVERYTHING

    @property
    def names_places(self) -> bool:
        """True if the filter names tasks or an address, which have to be resolved."""
        return self.task_ids is not None or self.address_prefix != ""

    def allows_kind(self, kind: int) -> bool:
        is_wanted = self.kinds is None or kind in self.kinds
        return is_wanted and kind not in (self.excluded_kinds or ())

    def within(self, start: float, end: float) -> MemoryFilter:
        """Return the filter restricted to the interval from `start` to before `end`, in seconds since 1970."""
        since, before = self.since, self.before
        if start > _FIRST:
            since = max(since or _EARLIEST, datetime.fromtimestamp(start, UTC))
        if end < _LAST:
            before = min(before or _LATEST, datetime.fromtimestamp(end, UTC))
        return replace(self, since=since, before=before)


EVERYTHING = MemoryFilter()


@dataclass(frozen=True)
class ConversationKey:
    """A caller's own key of a conversation."""

    session_key: str
    agent: str = ""
    channel: str = ""


@dataclass(frozen=True)
class ExternalMessageKey:
    """A caller's own key of a message."""

    conversation: UUID | ConversationKey
    external_id: str


@dataclass(frozen=True)
class ConversationFilter:
    """Filter of a list of conversations; None admits every value."""

    agents: list[str] | None = None
    channels: list[str] | None = None
    subjects: list[str] | None = None
    active: bool | None = None
    client_session_ids: list[str] | None = None
    task_ids: list[str] | None = None


def max_parts(chars: int) -> int:
    """Return how many passages of a text are certain to contain its first `chars` characters.

    Two consecutive passages have at least 80 words together, and a word has at least one character.
    """
    return chars // 40 + 2


def end_of_time(newest_first: bool) -> tuple[str, str]:
    """Return the position (time, id) before the first memory in the requested order."""
    if newest_first:
        return "infinity", str(UUID(int=2**128 - 1))
    return "-infinity", str(UUID(int=0))
