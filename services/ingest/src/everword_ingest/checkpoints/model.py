"""Checkpoints as callers save and name them, free of protobuf."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

#: Of each name: versions, and their bytes together. The oldest go.
MAX_VERSIONS, MAX_NAME_BYTES = 100, 64 * 1024 * 1024
#: Of a conversation. Another is refused: what would have to go may be all there is of its name.
MAX_NAMES = 100


@dataclass(frozen=True)
class NamedState:
    """A name within a conversation."""

    conversation_id: UUID
    name: str


@dataclass(frozen=True)
class Saving:
    """State to save."""

    place: NamedState
    state: bytes
    media_type: str
    metadata: dict[str, Any] | None
    parent_id: UUID | None
    #: None where one is to be made.
    checkpoint_id: UUID | None
    #: The latest version of the name, 0 for none; None for whichever it is.
    expected_version: int | None
    max_versions: int
    request_id: str
    body_hash: bytes


@dataclass(frozen=True)
class Saved:
    """What became of it."""

    checkpoint_id: UUID
    version: int
    replayed: bool


@dataclass(frozen=True)
class Listing:
    """Which checkpoints to list."""

    conversation_id: UUID
    #: None for all.
    name: str | None
    all_versions: bool
    #: 0 for no limit.
    before_version: int
