"""Rule on people and events, and end questions, in the caller's transaction: a ruling outranks what is learned."""

from __future__ import annotations

from uuid import UUID

from everword.db.pool import Connection
from everword.db.statements import execute
from everword.domain.times import utc_now
from everword.facts.writer import ChangeReason
from everword.people.fold_events import fold_event
from everword.people.fold_people import fold_person
from everword.people.model import PersonRuling, StrategyState
from everword.people.store import (
    SQL,
    insert_learned_change,
    lock_subject,
    read_learned_evidence,
)
from everword.people.views import (
    EventView,
    PersonView,
    StrategyView,
    show_event,
    show_person,
    show_strategy,
)


async def rule_person(
    conn: Connection, namespace_id: int, id_: UUID, ruling: PersonRuling | None, audit: ChangeReason
) -> PersonView | None:
    """Rule that somebody does not exist or is part of the past, None that neither is so; return them as they stand."""
    person = await show_person(conn, namespace_id, id_)
    if person is None:
        return None
    await lock_subject(conn, namespace_id, person.subject)
    person = await show_person(conn, namespace_id, id_)
    if person is None or person.ruling == ruling:
        return person
    now = utc_now()
    evidence = await read_learned_evidence(conn, namespace_id, id_)
    state = fold_person(evidence, now if ruling is PersonRuling.OVER else None)
    parameters = _parameters(namespace_id, id_, ruling) | {"now": now, "status": state.status}
    await execute(conn, SQL["rule_person"], parameters)
    await _note(conn, namespace_id, id_, ruling, audit)
    return await show_person(conn, namespace_id, id_)


async def rule_event(
    conn: Connection, namespace_id: int, id_: UUID, ruling: PersonRuling | None, audit: ChangeReason
) -> EventView | None:
    """Rule that an event never was or is over, None that neither is so; return it as it stands."""
    event = await show_event(conn, namespace_id, id_)
    if event is None:
        return None
    await lock_subject(conn, namespace_id, event.subject)
    event = await show_event(conn, namespace_id, id_)
    if event is None or event.ruling == ruling:
        return event
    now = utc_now()
    evidence = await read_learned_evidence(conn, namespace_id, id_)
    state = fold_event(evidence, now if ruling is PersonRuling.OVER else None)
    parameters = _parameters(namespace_id, id_, ruling) | {"now": now, "status": state.status}
    await execute(conn, SQL["rule_event"], parameters)
    await _note(conn, namespace_id, id_, ruling, audit)
    return await show_event(conn, namespace_id, id_)


async def end_strategy(
    conn: Connection, namespace_id: int, id_: UUID, state: StrategyState, audit: ChangeReason
) -> StrategyView | None:
    """End a question as answered or dropped; one that has ended stays as it is."""
    question = await show_strategy(conn, namespace_id, id_)
    if question is None or question.ended_at is not None:
        return question
    parameters = {"namespace_id": namespace_id, "id": id_, "state": state}
    await execute(conn, SQL["end_strategy"], parameters)
    action = state.name.lower()
    await insert_learned_change(conn, namespace_id, id_, audit.actor, action, audit.reason)
    return await show_strategy(conn, namespace_id, id_)


def _parameters(namespace_id: int, id_: UUID, ruling: PersonRuling | None) -> dict[str, object]:
    return {"namespace_id": namespace_id, "id": id_, "ruling": ruling}


async def _note(
    conn: Connection, namespace_id: int, id_: UUID, ruling: PersonRuling | None, audit: ChangeReason
) -> None:
    action = f"ruled {ruling.name.lower() if ruling else 'right'}"
    await insert_learned_change(conn, namespace_id, id_, audit.actor, action, audit.reason)
