"""The statements that write people, events, user models, trajectories and strategies, as typed functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from everword.db.namespaces import get_namespace_settings
from everword.db.pool import Connection
from everword.db.statements import (
    execute,
    fetch_all,
    fetch_value,
    fetch_values,
    load_statements,
)
from everword.db.typed_statements import statement
from everword.domain.ids import new_id
from everword.facts.model import value_hash
from everword.people.fold_events import EventState
from everword.people.fold_people import PersonState
from everword.people.model import LearnedKind, MessageWords, PersonStatement, StatementEvidence
from everword.people.questions import FactOccasion, SuggestedQuestion
from everword.people.traits import CurrentTrait, Trait

SQL = load_statements("everword.people")
#: Pieces of evidence that a question keeps.
_MOST_EVIDENCE = 5


@dataclass(frozen=True)
class PersonRow:
    """A person in a subject's life: the relation to the subject, and a user's ruling (`PersonRuling`), if any."""

    id: UUID
    name: str
    aliases: list[str]
    relation: str
    ruling: int | None
    ruled_at: datetime | None


@dataclass(frozen=True)
class EventRow:
    """An event that is known."""

    id: UUID
    title: str
    category: str
    starts_at: datetime | None
    last_seen_at: datetime
    ruling: int | None
    ruled_at: datetime | None


@dataclass(frozen=True)
class TrajectoryRow:
    """The direction of a subject's life, as of a time."""

    id: UUID
    subject: str
    version: int
    phase: str
    direction: str
    stability: int
    anchors: list[str]
    volatile_areas: list[str]
    momentum: str
    predicted_shifts: list[str]
    summary: str
    #: Sessions of the subject that had been digested by then.
    sessions: int
    model: str
    prompt_version: int
    created_at: datetime


@statement(SQL)
async def lock_subject(conn: Connection, namespace_id: int, subject: str) -> None: ...


@statement(SQL)
async def find_people(conn: Connection, namespace_id: int, subject: str) -> list[PersonRow]: ...


@statement(SQL)
async def upsert_person(
    conn: Connection, namespace_id: int, id: UUID, subject: str, state: PersonState
) -> None: ...


@statement(SQL)
async def find_events(
    conn: Connection, namespace_id: int, subject: str, since: datetime, until: datetime
) -> list[EventRow]: ...


@statement(SQL)
async def upsert_event(
    conn: Connection, namespace_id: int, id: UUID, subject: str, category: str, state: EventState
) -> None: ...


async def insert_learned_evidence(
    conn: Connection, namespace_id: int, about_id: UUID, statements: Sequence[PersonStatement]
) -> int:
    """Add what statements say of something; return how much of it was not known yet."""
    parameters = {
        "namespace_id": namespace_id,
        "about_id": about_id,
        "ids": [new_id() for _ in statements],
        "aspects": [each.aspect for each in statements],
        "values": [each.value for each in statements],
        "value_hashes": [value_hash(each.value) for each in statements],
        "message_ids": [each.said.message_id for each in statements],
        "conversation_ids": [each.said.conversation_id for each in statements],
        "quotes": [each.said.quote for each in statements],
        "said_at": [each.said.said_at for each in statements],
    }
    return len(await fetch_values(conn, SQL["insert_learned_evidence"], parameters))


@dataclass(frozen=True)
class StatementEvidenceRow(StatementEvidence):
    """A statement about a person or an event, and the channel of its message."""

    channel: str


async def read_learned_evidence(
    conn: Connection, namespace_id: int, about_id: UUID
) -> Sequence[StatementEvidence]:
    """Return the trusted statements if there are any, else all of them."""
    parameters = {"namespace_id": namespace_id, "about_id": about_id}
    rows = await fetch_all(conn, SQL["read_learned_evidence"], parameters, StatementEvidenceRow)
    trust = (await get_namespace_settings(conn, namespace_id)).trust
    return [row for row in rows if not trust.is_open(row.channel)] or rows


async def insert_learned_change(
    conn: Connection, namespace_id: int, about_id: UUID, actor: str, action: str, reason: str
) -> None:
    parameters = {
        "namespace_id": namespace_id,
        "id": new_id(),
        "about_id": about_id,
        "actor": actor,
        "action": action,
        "reason": reason,
    }
    await execute(conn, SQL["insert_learned_change"], parameters)


async def find_user_model(
    conn: Connection, namespace_id: int, subject: str
) -> dict[str, CurrentTrait]:
    parameters = {"namespace_id": namespace_id, "subject": subject}
    rows = await fetch_all(conn, SQL["find_user_model"], parameters, CurrentTrait)
    return {row.dimension: row for row in rows}


async def insert_trait(
    conn: Connection, namespace_id: int, id_: UUID, subject: str, trait: Trait
) -> None:
    parameters = {
        "namespace_id": namespace_id,
        "id": id_,
        "subject": subject,
        "dimension": trait.dimension,
        "value": trait.value,
        "held_from": trait.first_seen_at,
        "last_seen_at": trait.last_seen_at,
        "supporting": len({each.message_id for each in trait.said}),
    }
    await execute(conn, SQL["insert_trait"], parameters)


async def support_trait(conn: Connection, namespace_id: int, id_: UUID, trait: Trait) -> None:
    parameters = {
        "namespace_id": namespace_id,
        "id": id_,
        "held_from": trait.first_seen_at,
        "last_seen_at": trait.last_seen_at,
    }
    await execute(conn, SQL["support_trait"], parameters)


@statement(SQL)
async def end_trait(
    conn: Connection, namespace_id: int, id: UUID, held_until: datetime
) -> None: ...


@statement(SQL)
async def find_trajectory(
    conn: Connection, namespace_id: int, subject: str
) -> TrajectoryRow | None: ...


@statement(SQL)
async def insert_trajectory(conn: Connection, namespace_id: int, row: TrajectoryRow) -> None: ...


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


@statement(SQL)
async def find_expired(
    conn: Connection, namespace_id: int, subject: str, now: datetime, limit: int
) -> list[FactOccasion]: ...


@statement(SQL)
async def find_inferred(
    conn: Connection, namespace_id: int, subject: str, least: int, limit: int
) -> list[FactOccasion]: ...


@statement(SQL)
async def find_changed(
    conn: Connection, namespace_id: int, subject: str, since: datetime, now: datetime, limit: int
) -> list[FactOccasion]: ...


@statement(SQL)
async def find_unknown_people(
    conn: Connection, namespace_id: int, subject: str, least: int, limit: int
) -> list[PersonOccasion]: ...


@statement(SQL)
async def find_unsupported_events(
    conn: Connection,
    namespace_id: int,
    subject: str,
    important: float,
    now: datetime,
    limit: int,
) -> list[EventOccasion]: ...


async def insert_strategy(
    conn: Connection, namespace_id: int, subject: str, question: SuggestedQuestion, now: datetime
) -> bool:
    """Store a question with its evidence; False if the same occasion caused one before."""
    strategy_id = new_id()
    parameters = {
        "namespace_id": namespace_id,
        "id": strategy_id,
        "subject": subject,
        "kind": question.kind,
        "about_kind": question.about,
        "about_id": question.about_id,
        "occasion": question.occasion,
        "topic": question.topic,
        "question": question.text,
        "reason": question.reason,
        "now": now,
    }
    if await fetch_value(conn, SQL["insert_strategy"], parameters) is None:
        return False
    is_of_fact = question.about is LearnedKind.FACT
    find = find_fact_quotes if is_of_fact else find_learned_quotes
    quotes = await find(conn, namespace_id, question.about_id, _MOST_EVIDENCE)
    reasons = [PersonStatement("reason", "", each) for each in quotes]
    await insert_learned_evidence(conn, namespace_id, strategy_id, reasons)
    return True


@statement(SQL)
async def find_fact_quotes(
    conn: Connection, namespace_id: int, about_id: UUID, limit: int
) -> list[MessageWords]: ...


@statement(SQL)
async def find_learned_quotes(
    conn: Connection, namespace_id: int, about_id: UUID, limit: int
) -> list[MessageWords]: ...


async def answer_strategies(
    conn: Connection, namespace_id: int, subject: str, now: datetime
) -> None:
    """Mark a subject's open questions as answered if later messages or a person's ruling settled them."""
    parameters = {"namespace_id": namespace_id, "subject": subject, "now": now}
    await execute(conn, SQL["answer_strategies"], parameters)
    await execute(conn, SQL["answer_deepening"], parameters)
