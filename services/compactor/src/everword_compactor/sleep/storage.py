"""Writes of Sleep other than facts, as statements of its one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import IntEnum
from uuid import UUID

from everword.db.pool import Connection
from everword.db.statements import execute, fetch_value
from everword.domain.ids import new_id
from everword_compactor.sleep.model import Observation, SleepSession
from everword_compactor.sleep.store import SQL


class SessionState(IntEnum):
    """How far a session came. Values equal the column `state`."""

    STORED = 1
    PROCESSED = 2
    SKIPPED = 3
    PARKED = 4
    READ_AGAIN = 5


@dataclass(frozen=True)
class NewFactLink:
    """A link from one fact to another, to store."""

    from_fact_id: UUID
    to_fact_id: UUID
    relation: int
    confidence: float
    reason: str
    valid_from: datetime


async def insert_session(
    conn: Connection,
    namespace_id: int,
    session: SleepSession,
    state: SessionState,
    *,
    subject: str = "",
    topics: Sequence[str] = (),
    model: str = "",
    error: str | None = None,
) -> bool:
    """Store a session; False if it is stored already."""
    parameters = {
        "namespace_id": namespace_id,
        "id": session.id,
        "conversation_id": session.conversation.id,
        "first_seq": session.first_seq,
        "last_seq": session.last_seq,
        "subject": subject,
        "state": state,
        "topics": list(topics),
        "started_at": session.started_at,
        "ended_at": session.ended_at,
        "model": model,
        "error": error,
    }
    return await fetch_value(conn, SQL["insert_session"], parameters) is not None


async def insert_observation(
    conn: Connection, namespace_id: int, session_id: UUID, observation: Observation
) -> None:
    parameters = {
        "namespace_id": namespace_id,
        "id": observation.id,
        "session_id": session_id,
        "subject": observation.subject,
        "about": observation.about,
        "attribute": observation.attribute,
        "value": observation.value,
        "hypothesis": observation.hypothesis,
        "message_ids": [quote.message_id for quote in observation.quotes],
        "seqs": [quote.seq for quote in observation.quotes],
        "quotes": [quote.text for quote in observation.quotes],
        "said_at": [quote.said_at for quote in observation.quotes],
    }
    await execute(conn, SQL["insert_observations"], parameters)


async def delete_observations(conn: Connection, namespace_id: int, session_id: UUID) -> None:
    parameters = {"namespace_id": namespace_id, "session_id": session_id}
    await execute(conn, SQL["delete_observations"], parameters)


async def advance_sleep_progress(
    conn: Connection, namespace_id: int, conversation_id: UUID, after: int, through: int
) -> bool:
    """Move the progress from one position to another; False if another worker moved it."""
    parameters = {
        "namespace_id": namespace_id,
        "conversation_id": conversation_id,
        "after": after,
        "through": through,
    }
    return await fetch_value(conn, SQL["advance_sleep_progress"], parameters) is not None


async def finish_sessions(
    conn: Connection,
    namespace_id: int,
    session_ids: Sequence[UUID],
    now: datetime,
    error: str | None = None,
) -> None:
    """Mark sessions as processed; `error` names closing steps that failed."""
    parameters = {
        "namespace_id": namespace_id,
        "session_ids": list(session_ids),
        "now": now,
        "error": error,
    }
    await execute(conn, SQL["finish_sessions"], parameters)


async def insert_edge(
    conn: Connection, namespace_id: int, edge: NewFactLink, now: datetime
) -> None:
    """Link two facts, if both are still current."""
    parameters = {
        "namespace_id": namespace_id,
        "id": new_id(),
        "from_fact_id": edge.from_fact_id,
        "to_fact_id": edge.to_fact_id,
        "relation": edge.relation,
        "confidence": edge.confidence,
        "reason": edge.reason,
        "valid_from": edge.valid_from,
        "now": now,
    }
    await execute(conn, SQL["insert_edge"], parameters)


async def read_moment(conn: Connection) -> datetime:
    """Return the database's current time, for a transaction that locks no facts; `lock_key` returns it for others."""
    now: datetime = await fetch_value(conn, SQL["moment"])
    return now


async def lock_vector_jobs(conn: Connection, namespace_id: int) -> None:
    await execute(conn, SQL["lock_vector_jobs"], {"namespace_id": namespace_id})


async def record_night(conn: Connection, namespace_id: int, night: date) -> None:
    await execute(conn, SQL["record_night"], {"namespace_id": namespace_id, "night": night})
