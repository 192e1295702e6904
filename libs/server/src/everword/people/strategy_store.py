"""The statements that write strategies, as typed functions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from everword.db.pool import Connection
from everword.db.statements import execute, fetch_all, fetch_value
from everword.domain.ids import new_id
from everword.facts.model import value_hash
from everword.people.model import About
from everword.people.questions import FactOccasion, Question
from everword.people.store import SQL

#: Pieces of evidence that a question keeps.
_MOST_EVIDENCE = 5


@dataclass(frozen=True)
class PersonOccasion:
    """Somebody who gives rise to a question."""

    id: UUID
    subject: str
    name: str
    mention_count: int
    occasion: datetime


@dataclass(frozen=True)
class EventOccasion:
    """An event that gives rise to a question."""

    id: UUID
    title: str
    category: str
    occasion: datetime


async def find_expired(
    conn: Connection, namespace_id: int, subject: str, now: datetime, limit: int
) -> list[FactOccasion]:
    parameters = {"namespace_id": namespace_id, "subject": subject, "now": now, "limit": limit}
    return await fetch_all(conn, SQL["find_expired"], parameters, FactOccasion)


async def find_inferred(
    conn: Connection, namespace_id: int, subject: str, least: int, limit: int
) -> list[FactOccasion]:
    parameters = {"namespace_id": namespace_id, "subject": subject, "least": least, "limit": limit}
    return await fetch_all(conn, SQL["find_inferred"], parameters, FactOccasion)


async def find_changed(
    conn: Connection, namespace_id: int, subject: str, since: datetime, now: datetime, limit: int
) -> list[FactOccasion]:
    parameters = {
        "namespace_id": namespace_id,
        "subject": subject,
        "since": since,
        "now": now,
        "limit": limit,
    }
    return await fetch_all(conn, SQL["find_changed"], parameters, FactOccasion)


async def find_unknown_people(
    conn: Connection, namespace_id: int, subject: str, least: int, limit: int
) -> list[PersonOccasion]:
    parameters = {"namespace_id": namespace_id, "subject": subject, "least": least, "limit": limit}
    return await fetch_all(conn, SQL["find_unknown_people"], parameters, PersonOccasion)


async def find_untold_events(
    conn: Connection,
    namespace_id: int,
    subject: str,
    important: float,
    now: datetime,
    limit: int,
) -> list[EventOccasion]:
    parameters = {
        "namespace_id": namespace_id,
        "subject": subject,
        "important": important,
        "now": now,
        "limit": limit,
    }
    return await fetch_all(conn, SQL["find_untold_events"], parameters, EventOccasion)


async def insert_strategy(
    conn: Connection, namespace_id: int, subject: str, question: Question, now: datetime
) -> bool:
    """Store a question with what it rests on; False where the same occasion gave rise to it before."""
    parameters = {
        "namespace_id": namespace_id,
        "id": new_id(),
        "subject": subject,
        "kind": question.kind,
        "about_kind": question.about,
        "about_id": question.about_id,
        "occasion": question.occasion,
        "topic": question.topic,
        "question": question.text,
        "reason": question.reason,
        "now": now,
        "value_hash": value_hash(""),
        "limit": _MOST_EVIDENCE,
    }
    if await fetch_value(conn, SQL["insert_strategy"], parameters) is None:
        return False
    of_fact = question.about is About.FACT
    await execute(
        conn, SQL["copy_fact_evidence" if of_fact else "copy_learned_evidence"], parameters
    )
    return True


async def answer_strategies(
    conn: Connection, namespace_id: int, subject: str, now: datetime
) -> None:
    """End the questions that what was said since has answered."""
    parameters = {"namespace_id": namespace_id, "subject": subject, "now": now}
    await execute(conn, SQL["answer_strategies"], parameters)
    await execute(conn, SQL["answer_deepening"], parameters)
