"""Write people and events, in the caller's transaction: identity, evidence, and the computed state.

A write locks its subject. Two writes of one subject never see half of each other, and a statement that is learned twice
from the same message is stored once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from everword.db.pool import Connection
from everword.domain.ids import new_id
from everword.people import store
from everword.people.fold_events import EventState, KnownEvent, find_event, fold_event, span_of
from everword.people.fold_people import PersonState, fold_person, over_since
from everword.people.mentions import event_statements, person_statements
from everword.people.model import EventMention, PersonMention, StatementEvidence
from everword.people.names import KnownPerson, find_person
from everword.people.store import EventRow, PersonRow

ACTOR = "machine"


@dataclass(frozen=True)
class PeopleState:
    """The people whom one write is about, as they are known so far."""

    rows: dict[UUID, PersonRow] = field(default_factory=dict)
    states: dict[UUID, PersonState] = field(default_factory=dict)

    def known(self) -> list[KnownPerson]:
        return [
            KnownPerson(row.id, (row.name, *row.aliases), row.relation)
            for row in self.rows.values()
        ]


async def meet_people(
    conn: Connection, namespace_id: int, subject: str, mentions: Sequence[PersonMention]
) -> dict[UUID, PersonState]:
    """Store mentions of people; return the new states of these people."""
    if not mentions:
        return {}
    await store.lock_subject(conn, namespace_id, subject)
    people_state = PeopleState(
        {row.id: row for row in await store.find_people(conn, namespace_id, subject)}
    )
    for mention in sorted(mentions, key=lambda each: each.said.said_at):
        await _meet(conn, namespace_id, subject, people_state, mention)
    return people_state.states


async def _meet(
    conn: Connection,
    namespace_id: int,
    subject: str,
    people_state: PeopleState,
    mention: PersonMention,
) -> None:
    found = find_person(mention.name, mention.relation, people_state.known())
    row = (
        people_state.rows[found] if found else PersonRow(new_id(), mention.name, [], "", None, None)
    )
    statements = person_statements(mention)
    added = await store.insert_learned_evidence(conn, namespace_id, row.id, statements)
    if not added:
        return
    evidence: Sequence[StatementEvidence]
    if found is None:
        # All evidence of a new person is that of this mention.
        evidence = [
            StatementEvidence(each.aspect, each.value, each.said.message_id, each.said.said_at)
            for each in statements
        ]
    else:
        evidence = await store.read_learned_evidence(conn, namespace_id, row.id)
    state = fold_person(evidence, over_since(row.ruling, row.ruled_at))
    await store.upsert_person(conn, namespace_id, row.id, subject, state)
    if found is None:
        await _note(conn, namespace_id, row.id, "met")
    elif state.relation != row.relation and row.relation:
        await _note(
            conn, namespace_id, row.id, "relation changed", f"{row.relation} → {state.relation}"
        )
    people_state.states[row.id] = state
    people_state.rows[row.id] = PersonRow(
        row.id, state.name, state.aliases, state.relation, row.ruling, row.ruled_at
    )


async def take_events(
    conn: Connection, namespace_id: int, subject: str, mentions: Sequence[EventMention]
) -> dict[UUID, EventState]:
    """Store mentions of events; return the new states of these events."""
    if not mentions:
        return {}
    await store.lock_subject(conn, namespace_id, subject)
    found_rows = await store.find_events(conn, namespace_id, subject, *span_of(mentions))
    rows = {row.id: row for row in found_rows}
    states: dict[UUID, EventState] = {}
    for mention in sorted(mentions, key=lambda each: each.said.said_at):
        found = find_event(mention, [_known_event(row) for row in rows.values()])
        row = rows[found] if found else _new_event(mention)
        statements = event_statements(mention)
        if not await store.insert_learned_evidence(conn, namespace_id, row.id, statements):
            continue
        evidence = await store.read_learned_evidence(conn, namespace_id, row.id)
        state = fold_event(evidence, over_since(row.ruling, row.ruled_at))
        await store.upsert_event(conn, namespace_id, row.id, subject, row.category, state)
        if found is None:
            await _note(conn, namespace_id, row.id, "learned")
        elif state.starts_at != row.starts_at and row.starts_at:
            await _note(conn, namespace_id, row.id, "moved", _moved(row.starts_at, state.starts_at))
        states[row.id] = state
        rows[row.id] = EventRow(
            row.id,
            state.title,
            row.category,
            state.starts_at,
            state.last_seen_at,
            row.ruling,
            row.ruled_at,
        )
    return states


def _known_event(row: EventRow) -> KnownEvent:
    return KnownEvent(row.id, row.title, row.category, row.starts_at, row.last_seen_at)


def _new_event(mention: EventMention) -> EventRow:
    said_at = mention.said.said_at
    return EventRow(
        new_id(), mention.title, mention.category, mention.starts_at, said_at, None, None
    )


def _moved(earlier: datetime, later: datetime | None) -> str:
    return f"{earlier:%Y-%m-%d} → {later:%Y-%m-%d}" if later else f"{earlier:%Y-%m-%d} →"


async def _note(
    conn: Connection, namespace_id: int, id_: UUID, action: str, reason: str = ""
) -> None:
    await store.insert_learned_change(conn, namespace_id, id_, ACTOR, action, reason)
