"""The statements that a context's block on people uses, as typed functions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from everword.db.pool import Connection
from everword.db.statements import fetch_all
from everword_search.people.store import SQL


@dataclass(frozen=True)
class MentionedPerson:
    """A person mentioned by a subject."""

    id: UUID
    subject: str
    name: str
    aliases: list[str]
    relation: str
    status: int
    last_seen_at: datetime


@dataclass(frozen=True)
class PersonDetail:
    """A statement about a person."""

    about_id: UUID
    value: str
    said_at: datetime


@dataclass(frozen=True)
class CurrentEvent:
    """An upcoming or recent event."""

    id: UUID
    subject: str
    title: str
    category: str
    starts_at: datetime | None
    importance: float


@dataclass(frozen=True)
class Style:
    """A trait of how a subject communicates."""

    subject: str
    dimension: str
    value: str


async def find_mentioned_people(
    conn: Connection, namespace_id: int, subjects: Sequence[str], limit: int
) -> list[MentionedPerson]:
    parameters = {"namespace_id": namespace_id, "subjects": list(subjects), "limit": limit}
    return await fetch_all(conn, SQL["find_mentioned_people"], parameters, MentionedPerson)


async def read_details(
    conn: Connection, namespace_id: int, about_ids: Sequence[UUID], limit: int
) -> dict[UUID, list[PersonDetail]]:
    """Return the latest details of each person by person id, earliest first."""
    parameters = {"namespace_id": namespace_id, "about_ids": list(about_ids), "limit": limit}
    found: dict[UUID, list[PersonDetail]] = defaultdict(list)
    for row in await fetch_all(conn, SQL["read_details"], parameters, PersonDetail):
        found[row.about_id].append(row)
    return found


async def find_current_events(
    conn: Connection, namespace_id: int, subjects: Sequence[str], limit: int
) -> list[CurrentEvent]:
    parameters = {"namespace_id": namespace_id, "subjects": list(subjects), "limit": limit}
    return await fetch_all(conn, SQL["find_current_events"], parameters, CurrentEvent)


async def find_style(conn: Connection, namespace_id: int, subjects: Sequence[str]) -> list[Style]:
    parameters = {"namespace_id": namespace_id, "subjects": list(subjects)}
    return await fetch_all(conn, SQL["find_style"], parameters, Style)
