"""The statements of facts, as typed functions: one for each in queries.sql."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any
from uuid import UUID

from everword.db.pool import Connection
from everword.db.statements import (
    execute,
    fetch_all,
    fetch_value,
    load_statements,
)
from everword.db.typed_statements import statement
from everword.domain.ids import new_id, new_ids
from everword.facts.model import Interval, Key
from everword.facts.rows import FactEvidenceRow as FactEvidenceRow
from everword.facts.rows import FactRow as FactRow
from everword.facts.rows import FactView as FactView
from everword.facts.rows import NewChange as NewChange
from everword.facts.rows import NewEvidence as NewEvidence
from everword.facts.rows import OpenDispute as OpenDispute
from everword.facts.rows import QuotedMessage as QuotedMessage
from everword.facts.voices import VoiceRow

SQL = load_statements("everword.facts")


async def lock_keys(conn: Connection, namespace_id: int, keys: Sequence[Key]) -> datetime:
    """Lock attributes of subjects, in one order; return the time from which this write is believed.

    An attribute with an opposite, such as `like`, is locked together with it.
    """
    every = {*keys, *(key.opposite for key in keys if key.opposite)}
    ordered = sorted(every, key=lambda key: (key.subject, key.attribute))
    parameters = {"namespace_id": namespace_id, **_columns(ordered, Key)}
    await execute(conn, SQL["lock_keys"], parameters)
    now: datetime = await fetch_value(conn, SQL["believed_since"], None)
    return now


async def lock_key(conn: Connection, namespace_id: int, key: Key) -> datetime:
    """Lock an attribute of a subject; return the time from which this write is believed."""
    return await lock_keys(conn, namespace_id, [key])


async def find_facts(
    conn: Connection, namespace_id: int, keys: Sequence[Key], value_hash: bytes | None = None
) -> list[FactRow]:
    """Return the facts of subjects' attributes; with `value_hash`, only those of one value."""
    columns = _columns(list(dict.fromkeys(keys)), Key)
    parameters = {"namespace_id": namespace_id, **columns, "value_hash": value_hash}
    return await fetch_all(conn, SQL["find_facts"], parameters, FactRow)


@statement(SQL)
async def get_fact(conn: Connection, namespace_id: int, fact_id: UUID) -> FactRow | None: ...


@statement(SQL)
async def find_believed_intervals(
    conn: Connection, namespace_id: int, fact_ids: Sequence[UUID]
) -> list[Interval]: ...


async def insert_facts(conn: Connection, namespace_id: int, rows: Sequence[FactRow]) -> None:
    parameters = {"namespace_id": namespace_id, **_columns(rows, FactRow)}
    await execute(conn, SQL["insert_facts"], parameters)


async def update_facts(conn: Connection, namespace_id: int, rows: Sequence[FactRow]) -> None:
    """Update the computed columns of facts, sorted by id so that concurrent writers lock rows in the same order."""
    ordered = sorted(rows, key=lambda row: row.id)
    parameters = {"namespace_id": namespace_id, **_columns(ordered, FactRow)}
    await execute(conn, SQL["update_facts"], parameters)


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


@statement(SQL)
async def disbelieve_intervals(
    conn: Connection, namespace_id: int, now: datetime, ids: Sequence[UUID]
) -> None: ...


@statement(SQL)
async def lock_sources(
    conn: Connection, namespace_id: int, message_ids: Sequence[UUID | None], *, may_be_gone: bool
) -> None:
    """Lock the messages from which rows are derived. Raises SerializationFailure if one is being erased.

    With `may_be_gone`, messages may be missing.
    """


async def insert_evidence(
    conn: Connection,
    namespace_id: int,
    now: datetime,
    pieces: Sequence[tuple[FactRow, NewEvidence]],
) -> None:
    """Store pieces of evidence; each gets the `source` and `hypothesis` of its fact."""
    parameters: dict[str, Any] = {
        "namespace_id": namespace_id,
        "now": now,
        "fact_ids": [fact.id for fact, _ in pieces],
        "sources": [int(fact.source) for fact, _ in pieces],
        "hypotheses": [fact.hypothesis for fact, _ in pieces],
        "ids": [each.id for _, each in pieces],
        "message_ids": [each.message_id for _, each in pieces],
        "conversation_ids": [each.conversation_id for _, each in pieces],
        "contradicts": [each.contradicts for _, each in pieces],
        "quotes": [each.quote for _, each in pieces],
        "reasons": [each.reason for _, each in pieces],
        "said_at": [each.said_at for _, each in pieces],
    }
    await lock_sources(conn, namespace_id, parameters["message_ids"], may_be_gone=False)
    await execute(conn, SQL["insert_evidence"], parameters)


@statement(SQL)
async def weigh_evidence(
    conn: Connection, namespace_id: int, fact_ids: Sequence[UUID]
) -> list[FactEvidenceRow]: ...


@statement(SQL)
async def find_voices(
    conn: Connection, namespace_id: int, fact_ids: Sequence[UUID]
) -> list[VoiceRow]: ...


async def find_evidence_messages(
    conn: Connection, namespace_id: int, message_ids: Sequence[UUID]
) -> dict[UUID, QuotedMessage]:
    parameters = {"namespace_id": namespace_id, "message_ids": list(message_ids)}
    return {
        row.id: row
        for row in await fetch_all(conn, SQL["find_evidence_messages"], parameters, QuotedMessage)
    }


async def insert_changes(
    conn: Connection,
    namespace_id: int,
    now: datetime,
    actor: str,
    reason: str,
    changes: Sequence[NewChange],
) -> None:
    """Add changes to the audit trail, and enqueue their facts for topic pages."""
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
    fact_ids = sorted({each.fact_id for each in changes})
    parameters = {
        "namespace_id": namespace_id,
        "ids": new_ids(len(fact_ids)),
        "fact_ids": fact_ids,
    }
    await execute(conn, SQL["enqueue_facts"], parameters)


async def open_disputes(
    conn: Connection, namespace_id: int, now: datetime, pairs: Sequence[tuple[UUID, UUID]]
) -> None:
    """Mark pairs of facts, an old one and a new one, as contradicting each other, unless they are."""
    parameters = {
        "namespace_id": namespace_id,
        "ids": [new_id() for _ in pairs],
        "old_fact_ids": [old_id for old_id, _ in pairs],
        "new_fact_ids": [new_id_ for _, new_id_ in pairs],
        "now": now,
    }
    await execute(conn, SQL["open_disputes"], parameters)


async def settle_dispute(
    conn: Connection,
    namespace_id: int,
    now: datetime,
    dispute_id: UUID,
    outcome: int,
    decided_by: str,
    reason: str,
) -> bool:
    """Settle a dispute; False if it is settled already."""
    parameters = {
        "namespace_id": namespace_id,
        "now": now,
        "dispute_id": dispute_id,
        "outcome": outcome,
        "decided_by": decided_by,
        "reason": reason,
    }
    return await fetch_value(conn, SQL["settle_dispute"], parameters) is not None


@statement(SQL)
async def find_open_disputes(
    conn: Connection, namespace_id: int, fact_id: UUID
) -> list[OpenDispute]: ...


@statement(SQL)
async def end_disputes(
    conn: Connection,
    namespace_id: int,
    now: datetime,
    old_fact_id: UUID,
    successor_id: UUID | None,
    reason: str,
) -> None: ...


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


def _columns(rows: Sequence[Any], kind: Any) -> dict[str, list[Any]]:
    """Return rows as a list for each of their fields, by its name."""
    return {each.name: [getattr(row, each.name) for row in rows] for each in fields(kind)}
