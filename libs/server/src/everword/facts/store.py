"""The statements of facts, as typed functions: one for each in queries.sql."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from everword.db.pool import Connection
from everword.db.statements import (
    execute,
    fetch_all,
    fetch_optional,
    fetch_value,
    load_statements,
)
from everword.domain.ids import new_id
from everword.facts.model import Interval, Key

SQL = load_statements("everword.facts")


@dataclass(frozen=True)
class FactRow:
    """A fact, as it is stored."""

    id: UUID
    subject: str
    category: str
    attribute: str
    value: str
    several: bool
    source: int
    hypothesis: bool
    state: int
    confidence: float
    lifetime_days: int
    first_seen_at: datetime
    last_seen_at: datetime
    supporting: int
    contradicting: int
    agent: str
    ruling: int | None
    ruled_at: datetime | None
    value_hash: bytes
    verdict: int | None = None
    #: Up to when what was said went into the verdict.
    verdict_at: datetime | None = None
    is_anchor: bool = False

    @property
    def key(self) -> Key:
        return Key(self.subject, self.attribute)


@dataclass(frozen=True)
class FactView:
    """A fact in one of the intervals in which it was believed to hold."""

    id: UUID
    subject: str
    category: str
    attribute: str
    value: str
    source: int
    hypothesis: bool
    state: int
    confidence: float
    lifetime_days: int
    last_seen_at: datetime
    supporting: int
    contradicting: int
    #: The interval, as a memory of its own; None for what was never believed to hold, as a guess beside what is known.
    memory_id: UUID | None
    valid_from: datetime | None
    valid_until: datetime | None
    known_from: datetime | None
    known_until: datetime | None
    successor_id: UUID | None


@dataclass(frozen=True)
class EvidenceRow:
    """A piece of evidence, as it counts."""

    fact_id: UUID
    conversation_id: UUID | None
    contradicts: bool
    source: int
    hypothesis: bool
    said_at: datetime


@dataclass(frozen=True)
class SaidRow:
    """A message that is given as evidence."""

    id: UUID
    conversation_id: UUID
    content: str
    tool_result: str
    said_at: datetime


@dataclass(frozen=True)
class NewEvidence:
    """A piece of evidence to store."""

    id: UUID
    message_id: UUID | None
    conversation_id: UUID | None
    contradicts: bool
    quote: str
    reason: str
    said_at: datetime


@dataclass(frozen=True)
class NewChange:
    """An entry of the audit trail to store."""

    id: UUID
    fact_id: UUID
    action: str
    other_fact_id: UUID | None = None


async def lock_key(conn: Connection, namespace_id: int, key: Key) -> datetime:
    """Hold what is said of a subject's attribute; return the time that this write is believed from."""
    await execute(conn, SQL["lock_key"], {"namespace_id": namespace_id, **asdict(key)})
    now: datetime = await fetch_value(conn, SQL["believed_since"], None)
    return now


async def find_facts(
    conn: Connection, namespace_id: int, key: Key, value_hash: bytes | None
) -> list[FactRow]:
    parameters = {"namespace_id": namespace_id, **asdict(key), "value_hash": value_hash}
    return await fetch_all(conn, SQL["find_facts"], parameters, FactRow)


async def get_fact(conn: Connection, namespace_id: int, fact_id: UUID) -> FactRow | None:
    parameters = {"namespace_id": namespace_id, "fact_id": fact_id}
    return await fetch_optional(conn, SQL["get_fact"], parameters, FactRow)


async def find_believed(
    conn: Connection, namespace_id: int, fact_ids: Sequence[UUID]
) -> list[Interval]:
    parameters = {"namespace_id": namespace_id, "fact_ids": list(fact_ids)}
    return await fetch_all(conn, SQL["find_believed"], parameters, Interval)


async def insert_fact(conn: Connection, namespace_id: int, row: FactRow) -> None:
    values = {**asdict(row), "seen_at": row.first_seen_at}
    await execute(conn, SQL["insert_fact"], {"namespace_id": namespace_id, **values})


async def update_fact(conn: Connection, namespace_id: int, row: FactRow) -> None:
    await execute(conn, SQL["update_fact"], {"namespace_id": namespace_id, **asdict(row)})


async def insert_intervals(
    conn: Connection, namespace_id: int, now: datetime, intervals: Sequence[Interval]
) -> None:
    parameters = {
        "namespace_id": namespace_id,
        "now": now,
        "ids": [each.id for each in intervals],
        "fact_ids": [each.fact_id for each in intervals],
        "valid_from": [each.since for each in intervals],
        "valid_until": [each.until for each in intervals],
        "successor_ids": [each.successor_id for each in intervals],
    }
    await execute(conn, SQL["insert_intervals"], parameters)


async def disbelieve_intervals(
    conn: Connection, namespace_id: int, now: datetime, ids: Sequence[UUID]
) -> None:
    parameters = {"namespace_id": namespace_id, "now": now, "ids": list(ids)}
    await execute(conn, SQL["disbelieve_intervals"], parameters)


async def insert_evidence(
    conn: Connection,
    namespace_id: int,
    now: datetime,
    fact: FactRow,
    pieces: Sequence[NewEvidence],
) -> None:
    parameters: dict[str, Any] = {
        "namespace_id": namespace_id,
        "now": now,
        "fact_id": fact.id,
        "source": fact.source,
        "hypothesis": fact.hypothesis,
        "ids": [each.id for each in pieces],
        "message_ids": [each.message_id for each in pieces],
        "conversation_ids": [each.conversation_id for each in pieces],
        "contradicts": [each.contradicts for each in pieces],
        "quotes": [each.quote for each in pieces],
        "reasons": [each.reason for each in pieces],
        "said_at": [each.said_at for each in pieces],
    }
    await execute(conn, SQL["insert_evidence"], parameters)


async def weigh_evidence(
    conn: Connection, namespace_id: int, fact_ids: Sequence[UUID]
) -> list[EvidenceRow]:
    parameters = {"namespace_id": namespace_id, "fact_ids": list(fact_ids)}
    return await fetch_all(conn, SQL["weigh_evidence"], parameters, EvidenceRow)


async def find_said(
    conn: Connection, namespace_id: int, message_ids: Sequence[UUID]
) -> dict[UUID, SaidRow]:
    parameters = {"namespace_id": namespace_id, "message_ids": list(message_ids)}
    return {row.id: row for row in await fetch_all(conn, SQL["find_said"], parameters, SaidRow)}


async def insert_changes(
    conn: Connection,
    namespace_id: int,
    now: datetime,
    actor: str,
    reason: str,
    changes: Sequence[NewChange],
) -> None:
    parameters = {
        "namespace_id": namespace_id,
        "now": now,
        "actor": actor,
        "reason": reason,
        "ids": [each.id for each in changes],
        "fact_ids": [each.fact_id for each in changes],
        "actions": [each.action for each in changes],
        "other_fact_ids": [each.other_fact_id for each in changes],
    }
    await execute(conn, SQL["insert_changes"], parameters)


async def open_dispute(
    conn: Connection, namespace_id: int, now: datetime, old_id: UUID, new_id_: UUID
) -> None:
    """Mark two facts as contradicting each other, unless they are."""
    parameters = {
        "namespace_id": namespace_id,
        "id": new_id(),
        "old_fact_id": old_id,
        "new_fact_id": new_id_,
        "now": now,
    }
    await execute(conn, SQL["open_dispute"], parameters)


async def settle_dispute(
    conn: Connection,
    namespace_id: int,
    now: datetime,
    dispute_id: UUID,
    outcome: int,
    decided_by: str,
    reason: str,
) -> bool:
    """Settle a dispute; False where it is settled already."""
    parameters = {
        "namespace_id": namespace_id,
        "now": now,
        "dispute_id": dispute_id,
        "outcome": outcome,
        "decided_by": decided_by,
        "reason": reason,
    }
    return await fetch_value(conn, SQL["settle_dispute"], parameters) is not None


async def close_edges(
    conn: Connection, namespace_id: int, now: datetime, ended: Mapping[UUID, datetime]
) -> None:
    """Close the edges of facts, each with the moment at which it ended."""
    parameters = {
        "namespace_id": namespace_id,
        "now": now,
        "fact_ids": list(ended),
        "until": list(ended.values()),
    }
    await execute(conn, SQL["close_edges"], parameters)


async def show_facts(
    conn: Connection, namespace_id: int, fact_ids: Sequence[UUID]
) -> dict[UUID, FactView]:
    parameters = {"namespace_id": namespace_id, "fact_ids": list(fact_ids)}
    return {row.id: row for row in await fetch_all(conn, SQL["show_facts"], parameters, FactView)}
