"""The statements of patterns, as typed functions: one for each in queries.sql."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from everword.db.pool import Connection
from everword.db.statements import (
    execute,
    fetch_all,
    load_statements,
)
from everword.db.typed_statements import statement

SQL = load_statements("everword_ingest.patterns")


@dataclass(frozen=True)
class PatternRow:
    """A pattern, as it is stored."""

    id: UUID
    entity: str
    entity_key: str
    type: str
    category: str
    data: dict[str, Any]
    data_hash: bytes
    agent: str
    occurrences: int
    disagreements: int
    confidence: float
    created_at: datetime
    last_seen_at: datetime


@dataclass(frozen=True)
class NewOutcome:
    """An outcome to store."""

    id: UUID
    pattern_id: UUID
    agreed: bool
    other_pattern_id: UUID | None = None


@dataclass(frozen=True)
class OutcomeRow:
    """A stored outcome of a pattern."""

    agreed: bool
    recorded: bool
    reason: str
    other_pattern_id: UUID | None
    outcome_at: datetime


@dataclass(frozen=True)
class DecisionRow:
    """A decision."""

    id: UUID
    pattern_id: UUID
    approved: bool
    confidence: float
    threshold: float
    threshold_source: int
    occurrences: int
    disagreements: int
    decided_at: datetime


async def lock_patterns(
    conn: Connection, namespace_id: int, entity_key: str, type_: str
) -> datetime:
    """Hold the patterns of an entity and a type; return the time of this write."""
    parameters = {"namespace_id": namespace_id, "entity_key": entity_key, "type": type_}
    await execute(conn, SQL["lock_patterns"], parameters)
    return await moment(conn)


@statement(SQL)
async def moment(conn: Connection) -> datetime: ...


@statement(SQL)
async def find_patterns(
    conn: Connection, namespace_id: int, entity_key: str, type: str, limit: int
) -> list[PatternRow]: ...


@statement(SQL)
async def get_pattern(
    conn: Connection, namespace_id: int, pattern_id: UUID
) -> PatternRow | None: ...


async def list_patterns(
    conn: Connection,
    namespace_id: int,
    wanted: dict[str, str | None],
    after: tuple[float, UUID] | None,
    limit: int,
) -> list[PatternRow]:
    after_confidence, after_id = after or (None, None)
    parameters = {
        "namespace_id": namespace_id,
        **wanted,
        "after_confidence": after_confidence,
        "after_id": after_id,
        "limit": limit,
    }
    return await fetch_all(conn, SQL["list_patterns"], parameters, PatternRow)


async def insert_pattern(conn: Connection, namespace_id: int, row: PatternRow) -> None:
    values = {**asdict(row), "data": Jsonb(row.data)}
    await execute(conn, SQL["insert_pattern"], {"namespace_id": namespace_id, **values})


async def update_patterns(conn: Connection, namespace_id: int, rows: Sequence[PatternRow]) -> None:
    parameters = {
        "namespace_id": namespace_id,
        "ids": [row.id for row in rows],
        "occurrences": [row.occurrences for row in rows],
        "disagreements": [row.disagreements for row in rows],
        "confidences": [row.confidence for row in rows],
        "categories": [row.category for row in rows],
        "last_seen_at": [row.last_seen_at for row in rows],
    }
    await execute(conn, SQL["update_patterns"], parameters)


async def insert_outcomes(
    conn: Connection,
    namespace_id: int,
    now: datetime,
    outcomes: Sequence[NewOutcome],
    reason: str,
    *,
    recorded: bool,
) -> None:
    parameters = {
        "namespace_id": namespace_id,
        "now": now,
        "recorded": recorded,
        "reason": reason,
        "ids": [each.id for each in outcomes],
        "pattern_ids": [each.pattern_id for each in outcomes],
        "agreed": [each.agreed for each in outcomes],
        "other_pattern_ids": [each.other_pattern_id for each in outcomes],
    }
    await execute(conn, SQL["insert_outcomes"], parameters)


@statement(SQL)
async def list_outcomes(
    conn: Connection, namespace_id: int, pattern_id: UUID, limit: int
) -> list[OutcomeRow]: ...


@statement(SQL)
async def insert_decision(conn: Connection, namespace_id: int, decision: DecisionRow) -> None: ...


@statement(SQL)
async def list_decisions(
    conn: Connection, namespace_id: int, pattern_id: UUID, limit: int
) -> list[DecisionRow]: ...


@statement(SQL)
async def get_threshold(conn: Connection, namespace_id: int, type: str) -> float | None: ...


@statement(SQL)
async def set_threshold(
    conn: Connection, namespace_id: int, type: str, threshold: float
) -> None: ...
