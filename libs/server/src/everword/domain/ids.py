"""Public ids: UUIDv7, so that they sort by when they were made."""

from __future__ import annotations

from uuid import UUID

import uuid_utils.compat


def new_id() -> UUID:
    return uuid_utils.compat.uuid7()


def new_ids(count: int) -> list[UUID]:
    """Return `count` ids in ascending order."""
    return sorted(new_id() for _ in range(count))
