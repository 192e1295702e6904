"""WatchMemories' statements as typed functions: one for each in queries.sql."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from everword.db.pool import Connection
from everword.db.statements import fetch_all, fetch_optional, load_statements
from everword.domain.tokens import ResumeToken
from everword_search.records.store import namespaced
from everword_search.watch.matching import Filtered

SQL = load_statements("everword_search.watch")


@dataclass(frozen=True)
class SnapshotRow:
    """A snapshot of the database, and when it was taken."""

    snapshot: str
    taken_at: float


@dataclass(frozen=True)
class MemoryChangeRow:
    """What a statement did to memories."""

    xid: int
    id: int
    memory_ids: list[UUID]


@dataclass(frozen=True)
class MemoryStateRow(Filtered):
    """A memory that is there: what filters look at, and whether it holds."""

    #: Whether it was superseded, or is not believed.
    ended: bool
    #: When it ends or ended, in seconds since 1970; of what has not `ended`, that was known before.
    expires_at: float | None
    #: Whether it has come to that.
    expired: bool


async def take_snapshot(conn: Connection) -> SnapshotRow:
    found = await fetch_optional(conn, SQL["take_snapshot"], {}, SnapshotRow)
    assert found is not None
    return found


async def list_changes(
    conn: Connection, namespace_id: int, place: ResumeToken, limit: int
) -> list[MemoryChangeRow]:
    """Return changes between the snapshots of a place, after it."""
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
    """Return those of some memories that are there."""
    parameters = {**namespaced(namespace_id), "memory_ids": list(memory_ids)}
    return await fetch_all(conn, SQL["list_states"], parameters, MemoryStateRow)


async def list_expired(
    conn: Connection, namespace_id: int, place: ResumeToken, limit: int
) -> list[MemoryStateRow]:
    """Return what expired between the moments of a place, after it, in the order of time."""
    parameters = {
        **namespaced(namespace_id),
        "expired_at": place.expired_at,
        "expired_id": place.last_expired,
        "until_at": place.until_at,
        "limit": limit,
    }
    return await fetch_all(conn, SQL["list_expired"], parameters, MemoryStateRow)
