"""Rule on people and events, and end questions, in the caller's transaction: rulings outrank learned statements."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import TypeVar
from uuid import UUID

from everword.db.pool import Connection
from everword.db.statements import Statement, execute
from everword.domain.times import utc_now
from everword.facts.writer import ChangeReason
from everword.people.fold_events import EventState, fold_event
from everword.people.fold_people import PersonState, fold_person
from everword.people.model import PersonRuling, StatementEvidence, StrategyState
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

_View = TypeVar("_View", PersonView, EventView)


async def rule_person(
    conn: Connection, namespace_id: int, id_: UUID, ruling: PersonRuling | None, audit: ChangeReason
) -> PersonView | None:
    """Rule that a person does not exist or belongs to the past, or (None) withdraw the ruling; return the person."""
    return await _rule(
        *(conn, namespace_id, id_, ruling, audit), show_person, fold_person, SQL["rule_person"]
    )


async def rule_event(
    conn: Connection, namespace_id: int, id_: UUID, ruling: PersonRuling | None, audit: ChangeReason
) -> EventView | None:
    """Rule that an event never was or is over, None that neither is so; return it as it stands."""
    return await _rule(
        *(conn, namespace_id, id_, ruling, audit), show_event, fold_event, SQL["rule_event"]
    )


async def _rule(
    conn: Connection,
    namespace_id: int,
    id_: UUID,
    ruling: PersonRuling | None,
    audit: ChangeReason,
    show: Callable[[Connection, int, UUID], Awaitable[_View | None]],
    fold: Callable[[Sequence[StatementEvidence], datetime | None], PersonState | EventState],
    statement: Statement,
) -> _View | None:
    found = await show(conn, namespace_id, id_)
    if found is None:
        return None
    await lock_subject(conn, namespace_id, found.subject)
    found = await show(conn, namespace_id, id_)
    if found is None or found.ruling == ruling:
        return found
    now = utc_now()
    evidence = await read_learned_evidence(conn, namespace_id, id_)
    state = fold(evidence, now if ruling is PersonRuling.OVER else None)
    parameters = {
        "namespace_id": namespace_id,
        "id": id_,
        "ruling": ruling,
        "now": now,
        "status": state.status,
    }
    await execute(conn, statement, parameters)
    await _note(conn, namespace_id, id_, ruling, audit)
    return await show(conn, namespace_id, id_)


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


async def _note(
    conn: Connection, namespace_id: int, id_: UUID, ruling: PersonRuling | None, audit: ChangeReason
) -> None:
    action = f"ruled {ruling.name.lower() if ruling else 'right'}"
    await insert_learned_change(conn, namespace_id, id_, audit.actor, action, audit.reason)
