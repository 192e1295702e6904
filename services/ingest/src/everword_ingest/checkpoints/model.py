"""Checkpoints as callers save and name them, free of protobuf."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

#: Limits of each name: versions, and their total bytes. The oldest are deleted.
MAX_VERSIONS, MAX_NAME_BYTES = 100, 64 * 1024 * 1024
#: Limit of a conversation. Further names are refused, because deleting the oldest would delete another name's only
#: state.
MAX_NAMES = 100


@dataclass(frozen=True)
class NamedCheckpoint:
    """A name within a conversation."""

    conversation_id: UUID
    name: str


@dataclass(frozen=True)
class NewCheckpoint:
    """State to save."""

    place: NamedCheckpoint
    state: bytes
    media_type: str
    metadata: dict[str, Any] | None
    parent_id: UUID | None
    #: None to generate an id.
    checkpoint_id: UUID | None
    #: The latest version of the name, 0 if it must be new; None to accept any.
    expected_version: int | None
    max_versions: int
    request_id: str
    body_hash: bytes


@dataclass(frozen=True)
class SavedCheckpoint:
    """The saved checkpoint."""

    checkpoint_id: UUID
    version: int
    replayed: bool


@dataclass(frozen=True)
class Listing:
    """Which checkpoints to list."""

    conversation_id: UUID
    #: All names if None.
    name: str | None
    all_versions: bool
    #: Only versions before this one; 0 for no limit.
    before_version: int
