"""Statements of the RPC that asks for Sleep, as typed functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from everword.db.pool import Connection
from everword.db.statements import execute, fetch_all, fetch_optional, fetch_value, fetch_values
from everword.jobs.enqueue import SLEEP, DueJob, enqueue
from everword_compactor.sleep.store import SQL, SleepBacklog


@dataclass(frozen=True)
class JobCounts:
    """How jobs stand."""

    pending: int
    failed: int
    postponed: int


@dataclass(frozen=True)
class SessionCounts:
    """Number of sessions by result."""

    stored: int
    processed: int
    skipped: int
    parked: int
    to_read_again: int


@dataclass(frozen=True)
class SleepScope:
    """The conversations that Sleep is asked for."""

    #: None selects all conversations.
    conversation_id: UUID | None = None
    #: An empty one selects all.
    subject: str = ""
    #: Read sessions again that another model has read, or none, if they ended at this time or later.
    again: bool = False
    since: datetime | None = None


@dataclass(frozen=True)
class UnreadCounts:
    """Sessions that a model has not read, with their messages and tokens."""

    sessions: int
    #: The sessions among them that no model has read.
    without_model: int
    messages: int
    tokens: int


@dataclass(frozen=True)
class CallCost:
    """The cost of a model call."""

    cost: Decimal
    currency: str


async def conversation_exists(conn: Connection, namespace_id: int, conversation_id: UUID) -> bool:
    parameters = {"namespace_id": namespace_id, "conversation_id": conversation_id}
    return await fetch_value(conn, SQL["find_conversation"], parameters) is not None


async def page_conversations(
    conn: Connection, namespace_id: int, subject: str, after: UUID, limit: int
) -> list[SleepBacklog]:
    """Return the next conversations about a subject, or about anything; slept or not."""
    parameters = {
        "namespace_id": namespace_id,
        "subject": subject or None,
        "after": after,
        "limit": limit,
    }
    return await fetch_all(conn, SQL["sleep_backlog"], parameters, SleepBacklog)


async def request_sleep(
    conn: Connection, namespace_id: int, conversation_ids: Sequence[UUID]
) -> None:
    """Let sessions of conversations count as finished as far as there are messages now, and make their jobs due."""
    ids = sorted(conversation_ids)
    await execute(
        conn, SQL["request_sleep"], {"namespace_id": namespace_id, "conversation_ids": ids}
    )
    await wake(conn, namespace_id, [str(id_) for id_ in ids])


async def wake(conn: Connection, namespace_id: int, subjects: Sequence[str]) -> None:
    """Make jobs due, at once."""
    await enqueue(conn, [DueJob(namespace_id, SLEEP, subject) for subject in subjects])


async def count_jobs(
    conn: Connection, namespace_id: int, subjects: Sequence[str] | None
) -> JobCounts:
    """Count the jobs of conversations and of the namespace; all of them where `subjects` is None."""
    parameters = {
        "namespace_id": namespace_id,
        "subjects": None if subjects is None else list(subjects),
    }
    found = await fetch_optional(conn, SQL["count_jobs"], parameters, JobCounts)
    assert found is not None
    return found


async def count_since(conn: Connection, namespace_id: int, since: datetime) -> SessionCounts:
    parameters = {"namespace_id": namespace_id, "since": since}
    found = await fetch_optional(conn, SQL["count_since"], parameters, SessionCounts)
    assert found is not None
    return found


async def count_unread(
    conn: Connection, namespace_id: int, scope: SleepScope, model: str
) -> UnreadCounts:
    parameters = _unread_parameters(namespace_id, scope, model)
    found = await fetch_optional(conn, SQL["estimate_rereading"], parameters, UnreadCounts)
    assert found is not None
    return found


async def request_rereading(
    conn: Connection, namespace_id: int, scope: SleepScope, model: str, limit: int
) -> int:
    """Mark sessions as to be read again; return how many."""
    parameters = {**_unread_parameters(namespace_id, scope, model), "limit": limit}
    return len(await fetch_values(conn, SQL["request_rereading"], parameters))


async def price_rereading(
    conn: Connection, model: str, input_tokens: int, output_tokens: int
) -> CallCost | None:
    """Return the cost of tokens at today's price; None if the model has no price."""
    parameters = {"model": model, "input_tokens": input_tokens, "output_tokens": output_tokens}
    return await fetch_optional(conn, SQL["price_rereading"], parameters, CallCost)


def _unread_parameters(namespace_id: int, scope: SleepScope, model: str) -> dict[str, Any]:
    return {
        "namespace_id": namespace_id,
        "conversation_id": scope.conversation_id,
        "subject": scope.subject or None,
        "since": scope.since,
        "model": model,
    }
