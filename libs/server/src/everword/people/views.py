"""People, events and questions, as read for display."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar
from uuid import UUID

from everword.db.pool import Connection
from everword.db.statements import fetch_all, fetch_optional
from everword.people.store import SQL

_Row = TypeVar("_Row")


@dataclass(frozen=True)
class PersonView:
    """Somebody, as they are known."""

    id: UUID
    subject: str
    name: str
    aliases: list[str]
    relation: str
    status: int
    mention_count: int
    first_seen_at: datetime
    last_seen_at: datetime
    ruling: int | None
    ruled_at: datetime | None


@dataclass(frozen=True)
class EventView:
    """An event, as it is known."""

    id: UUID
    subject: str
    title: str
    category: str
    starts_at: datetime | None
    ends_at: datetime | None
    importance: float
    decay_days: int
    expires_at: datetime
    status: int
    mention_count: int
    first_seen_at: datetime
    last_seen_at: datetime
    ruling: int | None
    ruled_at: datetime | None
    is_expired: bool


@dataclass(frozen=True)
class StrategyView:
    """A question, with how often it was offered."""

    id: UUID
    subject: str
    kind: int
    about_kind: int
    about_id: UUID
    topic: str
    question: str
    reason: str
    state: int
    created_at: datetime
    ended_at: datetime | None
    offer_count: int
    last_offered_at: datetime | None


@dataclass(frozen=True)
class ListScope:
    """Which of them are listed."""

    #: All subjects if None.
    subjects: Sequence[str] | None
    #: True to include items that are left out by default.
    everything: bool


async def show_person(conn: Connection, namespace_id: int, id_: UUID) -> PersonView | None:
    return await _show(conn, namespace_id, "show_person", id_, PersonView)


async def show_event(conn: Connection, namespace_id: int, id_: UUID) -> EventView | None:
    return await _show(conn, namespace_id, "show_event", id_, EventView)


async def show_strategy(conn: Connection, namespace_id: int, id_: UUID) -> StrategyView | None:
    return await _show(conn, namespace_id, "show_strategy", id_, StrategyView)


async def list_people(
    conn: Connection, namespace_id: int, listed: ListScope, after: UUID | None, limit: int
) -> list[PersonView]:
    return await _list(conn, namespace_id, "list_people", listed, after, limit, PersonView)


async def list_events(
    conn: Connection, namespace_id: int, listed: ListScope, after: UUID | None, limit: int
) -> list[EventView]:
    return await _list(conn, namespace_id, "list_events", listed, after, limit, EventView)


async def list_strategies(
    conn: Connection, namespace_id: int, listed: ListScope, after: UUID | None, limit: int
) -> list[StrategyView]:
    return await _list(conn, namespace_id, "list_strategies", listed, after, limit, StrategyView)


async def _show(
    conn: Connection, namespace_id: int, statement: str, id_: UUID, row: type[_Row]
) -> _Row | None:
    parameters = {"namespace_id": namespace_id, "id": id_}
    return await fetch_optional(conn, SQL[statement], parameters, row)


async def _list(
    conn: Connection,
    namespace_id: int,
    statement: str,
    listed: ListScope,
    after: UUID | None,
    limit: int,
    row: type[_Row],
) -> list[_Row]:
    parameters = {
        "namespace_id": namespace_id,
        "subjects": list(listed.subjects) if listed.subjects else None,
        "everything": listed.everything,
        "after_id": after,
        "limit": limit,
    }
    return await fetch_all(conn, SQL[statement], parameters, row)
