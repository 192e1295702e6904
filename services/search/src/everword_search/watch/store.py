"""The statements of WatchMemories as typed functions, one for each in queries.sql."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from everword.db.pool import Connection
from everword.db.statements import fetch_all, fetch_value, load_statements
from everword.domain.tokens import ResumeToken
from everword_search.records.store import namespaced
from everword_search.watch.filters import FilterableMemory

SQL = load_statements("everword_search.watch")


@dataclass(frozen=True)
class MemoryChangeRow:
    """A change: the memories that one statement wrote or deleted."""

    number: int
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


async def read_clock(conn: Connection) -> float:
    """Return when the transaction began, in seconds since 1970."""
    return float(await fetch_value(conn, SQL["read_clock"]))


async def number_changes(conn: Connection, namespace_id: int) -> int:
    """Number the changes that were committed before, and return the last number."""
    return int(await fetch_value(conn, SQL["number_changes"], namespaced(namespace_id)))


async def list_changes(
    conn: Connection, namespace_id: int, after: int, limit: int
) -> list[MemoryChangeRow]:
    """Return changes after a number, in order."""
    parameters = {**namespaced(namespace_id), "after": after, "limit": limit}
    return await fetch_all(conn, SQL["list_changes"], parameters, MemoryChangeRow)


async def list_states(
    conn: Connection, namespace_id: int, memory_ids: Sequence[UUID]
) -> list[MemoryStateRow]:
    """Return the states of the memories that exist."""
    parameters = {**namespaced(namespace_id), "memory_ids": list(memory_ids)}
    return await fetch_all(conn, SQL["list_states"], parameters, MemoryStateRow)


async def list_expired(
    conn: Connection, namespace_id: int, place: ResumeToken, until_at: float, limit: int
) -> list[MemoryStateRow]:
    """Return memories that expired between the position and a moment, in order of time."""
    parameters = {
        **namespaced(namespace_id),
        "expired_at": place.expired_at,
        "expired_id": place.last_expired,
        "until_at": until_at,
        "limit": limit,
    }
    return await fetch_all(conn, SQL["list_expired"], parameters, MemoryStateRow)
