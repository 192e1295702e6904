"""The statements that read people, events, traits and questions, as typed functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from everword.db.pool import Connection
from everword.db.statements import load_statements
from everword.db.typed_statements import statement
from everword.people.store import TrajectoryRow

SQL = load_statements("everword_search.people")


@dataclass(frozen=True)
class LearnedEvidenceRow:
    """Evidence from a message about a learned item."""

    about_id: UUID
    aspect: str
    value: str
    message_id: UUID
    conversation_id: UUID
    quote: str
    said_at: datetime


@dataclass(frozen=True)
class LearnedChangeRow:
    """An entry of a learned item's audit trail."""

    changed_at: datetime
    actor: str
    action: str
    reason: str


@dataclass(frozen=True)
class TraitRow:
    """A trait of how a subject communicates."""

    id: UUID
    dimension: str
    value: str
    held_from: datetime
    held_until: datetime | None
    supporting: int


@dataclass(frozen=True)
class OfferRow:
    """A question that may be offered to an agent."""

    id: UUID
    kind: int
    topic: str
    question: str
    reason: str
    created_at: datetime


@dataclass(frozen=True)
class SleepSessionRow:
    """A session."""

    id: UUID
    conversation_id: UUID
    first_seq: int
    last_seq: int
    subject: str
    state: int
    error: str
    topics: list[str]
    started_at: datetime
    ended_at: datetime


@dataclass(frozen=True)
class SleepObservationRow:
    """An observation of a session."""

    session_id: UUID
    subject: str
    about: str
    attribute: str
    value: str
    hypothesis: bool
    message_ids: list[UUID]
    quotes: list[str]


@dataclass(frozen=True)
class SessionFilter:
    """Filter of a list of sessions; None admits every value."""

    subjects: list[str] | None
    conversation_id: UUID | None


@statement(SQL)
async def list_learned_evidence(
    conn: Connection, namespace_id: int, about_ids: Sequence[UUID], limit: int
) -> list[LearnedEvidenceRow]:
    """Return up to `limit` pieces of evidence for each of the items."""


@statement(SQL)
async def list_learned_changes(
    conn: Connection, namespace_id: int, about_id: UUID, limit: int
) -> list[LearnedChangeRow]: ...


@statement(SQL)
async def read_user_model(
    conn: Connection, namespace_id: int, subject: str, include_past: bool, limit: int
) -> list[TraitRow]: ...


@statement(SQL)
async def read_trajectory(
    conn: Connection, namespace_id: int, subject: str, version: int
) -> TrajectoryRow | None: ...


@statement(SQL)
async def find_offers(
    conn: Connection,
    namespace_id: int,
    subjects: Sequence[str],
    max_offers: int,
    offered_before: datetime,
    limit: int,
) -> list[OfferRow]: ...


@statement(SQL)
async def count_offers(
    conn: Connection, namespace_id: int, strategy_ids: Sequence[UUID]
) -> None: ...


@statement(SQL)
async def list_sessions(
    conn: Connection,
    namespace_id: int,
    session_filter: SessionFilter,
    after_id: UUID | None,
    limit: int,
) -> list[SleepSessionRow]: ...


@statement(SQL)
async def read_session_observations(
    conn: Connection, namespace_id: int, session_ids: Sequence[UUID], limit: int
) -> list[SleepObservationRow]: ...
