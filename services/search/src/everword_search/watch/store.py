"""WatchMemories' statements as typed functions: one for each in queries.sql."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from everword.db.pool import Connection
from everword.db.statements import fetch_all, fetch_optional, load_statements
from everword.domain.tokens import ResumeToken
from everword_search.records.store import namespaced

SQL = load_statements("everword_search.watch")


@dataclass(frozen=True)
class SnapshotRow:
    """A snapshot of the database, and when it was taken."""

    snapshot: str
    taken_at: float


@dataclass(frozen=True)
class ChangeRow:
    """What a statement did to memories."""

    xid: int
    id: int
    memory_ids: list[UUID]


@dataclass(frozen=True)
class _State:
    id: UUID
    ended: bool


async def take_snapshot(conn: Connection) -> SnapshotRow:
    found = await fetch_optional(conn, SQL["take_snapshot"], {}, SnapshotRow)
    assert found is not None
    return found


async def list_changes(
    conn: Connection, namespace_id: int, place: ResumeToken, limit: int
) -> list[ChangeRow]:
    """Return changes between the snapshots of a place, after it."""
    parameters = {
        **namespaced(namespace_id),
        "since": place.since,
        "until": place.until,
        "xid": str(place.xid),
        "change_id": place.change_id,
        "limit": limit,
    }
    return await fetch_all(conn, SQL["list_changes"], parameters, ChangeRow)


async def list_ended(conn: Connection, namespace_id: int, memory_ids: Sequence[UUID]) -> set[UUID]:
    """Return those of some memories that do not hold any more."""
    parameters = {**namespaced(namespace_id), "memory_ids": list(memory_ids)}
    rows = await fetch_all(conn, SQL["list_states"], parameters, _State)
    return {row.id for row in rows if row.ended}
