"""Reads of Sleep other than facts, as typed functions: one for each statement in queries.sql."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from everword.db.blocking import Connection, fetch_all, fetch_value
from everword.db.statements import load_statements
from everword.db.typed_statements import statement
from everword.people.model import MessageWords
from everword.people.store import TrajectoryRow

SQL = load_statements("everword_compactor.sleep.people")


@dataclass(frozen=True)
class EventName:
    """An event that is known."""

    title: str
    category: str


@dataclass(frozen=True)
class Turn:
    """A message of a user."""

    id: UUID
    conversation_id: UUID
    #: The conversation's subject; empty without one.
    subject: str
    author: str
    content: str
    occurred_at: datetime


@dataclass(frozen=True)
class Words:
    """Words that a fact rests on."""

    fact_id: UUID
    message_id: UUID
    conversation_id: UUID
    quote: str
    said_at: datetime


@statement(SQL)
def read_events(
    conn: Connection, namespace_id: int, subjects: Sequence[str], limit: int
) -> list[EventName]: ...


@statement(SQL)
def read_turns(
    conn: Connection, namespace_id: int, subject: str, sessions: int, limit: int
) -> list[Turn]:
    """Return the last turns of a subject's users, in its last sessions, the earliest first."""


def count_sessions(conn: Connection, namespace_id: int, subject: str) -> int:
    parameters = {"namespace_id": namespace_id, "subject": subject}
    return int(fetch_value(conn, SQL["count_sessions"], parameters))


@statement(SQL)
def read_trajectory(conn: Connection, namespace_id: int, subject: str) -> TrajectoryRow | None: ...


def has_changed(
    conn: Connection,
    namespace_id: int,
    subject: str,
    since: datetime,
    categories: Sequence[str],
    actions: Sequence[str],
) -> bool:
    parameters = {
        "namespace_id": namespace_id,
        "subject": subject,
        "since": since,
        "categories": list(categories),
        "actions": list(actions),
    }
    return bool(fetch_value(conn, SQL["has_changed"], parameters))


def read_words(
    conn: Connection, namespace_id: int, fact_ids: Sequence[UUID], limit: int
) -> dict[UUID, list[MessageWords]]:
    """Return, by fact, the latest words that each rests on."""
    parameters = {"namespace_id": namespace_id, "fact_ids": list(fact_ids), "limit": limit}
    found: dict[UUID, list[MessageWords]] = defaultdict(list)
    for row in fetch_all(conn, SQL["read_words"], parameters, Words):
        said = MessageWords(row.message_id, row.conversation_id, row.quote, row.said_at)
        found[row.fact_id].append(said)
    return found
