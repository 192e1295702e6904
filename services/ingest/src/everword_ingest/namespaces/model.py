"""Namespaces as an operator sees them, free of protobuf."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True)
class NamespaceLimits:
    """Limits of a namespace; 0 is no limit."""

    requests_per_minute: int = 0
    messages_per_minute: int = 0
    stored_bytes: int = 0


@dataclass(frozen=True)
class NamespaceUsage:
    """Usage of a namespace: in this minute, and of its storage."""

    requests: int = 0
    messages: int = 0
    stored_bytes: int = 0
    #: When `stored_bytes` was measured; None before the first time.
    measured_at: datetime | None = None


@dataclass(frozen=True)
class NamespaceVoice:
    """Whose memories the calendar summaries of a namespace are."""

    identity: str = ""
    user_name: str = ""
    pronouns: str = ""
    #: Facts about channels, by their names.
    channel_instructions: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class NamespaceRecord:
    """A row of `namespaces`."""

    id: int
    name: str
    time_zone: str
    day_cutoff_minutes: int
    text_search_config: str
    #: Values equal proto `UseCounting`.
    use_counting: int
    #: By channel: as NamespaceSettings.
    channel_policies: dict[str, dict[str, bool]]
    #: Values equal proto `CredentialPolicy`.
    credentials: int
    #: Values equal proto `SleepAtomicity`.
    sleep_atomicity: int
    requests_per_minute: int
    messages_per_minute: int
    stored_bytes: int
    quarantine: bool
    ranking_profile: str
    created_at: datetime


@dataclass(frozen=True)
class NamespaceDeletionRow:
    """The record of the deletion of a namespace."""

    id: UUID
    name_hash: bytes
    #: Rows that are gone, by table.
    counts: dict[str, int]
    #: The API key of the first call; None if it used none of the database's keys.
    api_key_id: UUID | None
    requested_by: str
    requested_at: datetime
    #: None while rows are left.
    finished_at: datetime | None
