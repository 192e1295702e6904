"""The statements that read what Sleep learned beside facts, as typed functions: one for each in queries.sql."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from everword.db.pool import Connection
from everword.db.statements import execute, fetch_all, fetch_optional, load_statements
from everword.people.store import TrajectoryRow

SQL = load_statements("everword_search.people")


@dataclass(frozen=True)
class LearnedEvidenceRow:
    """What a message says of something."""

    about_id: UUID
    aspect: str
    value: str
    message_id: UUID
    conversation_id: UUID
    quote: str
    said_at: datetime


@dataclass(frozen=True)
class LearnedChangeRow:
    """An entry of the audit trail."""

    changed_at: datetime
    actor: str
    action: str
    reason: str


@dataclass(frozen=True)
class TraitRow:
    """How a subject communicates, in one dimension."""

    id: UUID
    dimension: str
    value: str
    held_from: datetime
    held_until: datetime | None
    supporting: int


@dataclass(frozen=True)
class OfferRow:
    """A question that may be offered."""

    id: UUID
    kind: int
    topic: str
    question: str
    reason: str
    created_at: datetime


async def list_learned_evidence(
    conn: Connection, namespace_id: int, about_ids: Sequence[UUID], limit: int
) -> list[LearnedEvidenceRow]:
    """Return up to `limit` statements of each of several things."""
    parameters = {"namespace_id": namespace_id, "about_ids": list(about_ids), "limit": limit}
    return await fetch_all(conn, SQL["list_learned_evidence"], parameters, LearnedEvidenceRow)


async def list_learned_changes(
    conn: Connection, namespace_id: int, about_id: UUID, limit: int
) -> list[LearnedChangeRow]:
    parameters = {"namespace_id": namespace_id, "about_id": about_id, "limit": limit}
    return await fetch_all(conn, SQL["list_learned_changes"], parameters, LearnedChangeRow)


async def read_user_model(
    conn: Connection, namespace_id: int, subject: str, include_past: bool, limit: int
) -> list[TraitRow]:
    parameters = {
        "namespace_id": namespace_id,
        "subject": subject,
        "include_past": include_past,
        "limit": limit,
    }
    return await fetch_all(conn, SQL["read_user_model"], parameters, TraitRow)


async def read_trajectory(
    conn: Connection, namespace_id: int, subject: str, version: int
) -> TrajectoryRow | None:
    parameters = {"namespace_id": namespace_id, "subject": subject, "version": version}
    return await fetch_optional(conn, SQL["read_trajectory"], parameters, TrajectoryRow)


async def find_offers(
    conn: Connection,
    namespace_id: int,
    subjects: Sequence[str],
    most_offers: int,
    offered_before: datetime,
    limit: int,
) -> list[OfferRow]:
    parameters = {
        "namespace_id": namespace_id,
        "subjects": list(subjects),
        "most_offers": most_offers,
        "offered_before": offered_before,
        "limit": limit,
    }
    return await fetch_all(conn, SQL["find_offers"], parameters, OfferRow)


async def count_offers(conn: Connection, namespace_id: int, strategy_ids: Sequence[UUID]) -> None:
    parameters = {"namespace_id": namespace_id, "strategy_ids": list(strategy_ids)}
    await execute(conn, SQL["count_offers"], parameters)
