"""The statements of WatchMemories as typed functions, one for each in queries.sql."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from everword.db.pool import Connection
from everword.db.statements import fetch_all, fetch_optional, load_statements
from everword.domain.tokens import ResumeToken
from everword_search.records.store import namespaced
from everword_search.watch.filters import FilterableMemory

SQL = load_statements("everword_search.watch")


@dataclass(frozen=True)
class SnapshotRow:
    """A database snapshot, and when it was taken in seconds since 1970."""

    snapshot: str
    taken_at: float


@dataclass(frozen=True)
class MemoryChangeRow:
    """A change: the memories that one statement wrote or deleted."""

    xid: int
    id: int
    memory_ids: list[UUID]


@dataclass(frozen=True)
class MemoryStateRow(FilterableMemory):
    """A memory that exists, with its validity."""

    #: True if it was superseded or rejected.
    ended: bool
    #: Moment of expiry, in seconds since 1970; None if it does not expire. It is known in advance unless the memory has
    #: `ended`.
    expires_at: float | None
    #: True if `expires_at` has passed.
    expired: bool


async def take_snapshot(conn: Connection) -> SnapshotRow:
    found = await fetch_optional(conn, SQL["take_snapshot"], {}, SnapshotRow)
    assert found is not None
    return found


async def list_changes(
    conn: Connection, namespace_id: int, place: ResumeToken, limit: int
) -> list[MemoryChangeRow]:
    """Return changes visible in the position's later snapshot but not in its earlier one, after the position."""
    parameters = {
        **namespaced(namespace_id),
        "since": place.since,
        "until": place.until,
        "xid": str(place.xid),
        "change_id": place.change_id,
        "limit": limit,
    }
    return await fetch_all(conn, SQL["list_changes"], parameters, MemoryChangeRow)


async def list_states(
    conn: Connection, namespace_id: int, memory_ids: Sequence[UUID]
) -> list[MemoryStateRow]:
    """Return the states of the memories that exist."""
    parameters = {**namespaced(namespace_id), "memory_ids": list(memory_ids)}
    return await fetch_all(conn, SQL["list_states"], parameters, MemoryStateRow)


async def list_expired(
    conn: Connection, namespace_id: int, place: ResumeToken, limit: int
) -> list[MemoryStateRow]:
    """Return memories that expired between the position and its `until_at`, in order of time."""
    parameters = {
        **namespaced(namespace_id),
        "expired_at": place.expired_at,
        "expired_id": place.last_expired,
        "until_at": place.until_at,
        "limit": limit,
    }
    return await fetch_all(conn, SQL["list_expired"], parameters, MemoryStateRow)
