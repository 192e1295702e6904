"""Set right what was learned of people and events, and end questions."""

from __future__ import annotations

from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.not_found import EventNotFound, PersonNotFound, StrategyNotFound
from everword.domain.tokens import ConsistencyToken
from everword.facts.writer import ChangeReason
from everword.people import review
from everword.people.model import PersonRuling, StrategyState
from everword.people.views import EventView, PersonView, StrategyView


async def review_person(
    database: Database,
    namespace: NamespaceScope,
    person_id: UUID,
    ruling: PersonRuling | None,
    audit: ChangeReason,
) -> tuple[PersonView, ConsistencyToken]:
    """Rule on somebody; None takes an earlier ruling back. Raises PersonNotFound."""
    async with database.write(namespace.id) as write:
        found = await review.rule_person(write.conn, namespace.id, person_id, ruling, audit)
        if found is None:
            raise PersonNotFound(person_id=person_id)
    return found, ConsistencyToken(namespace.id, write.position, 0)


async def review_event(
    database: Database,
    namespace: NamespaceScope,
    event_id: UUID,
    ruling: PersonRuling | None,
    audit: ChangeReason,
) -> tuple[EventView, ConsistencyToken]:
    """Rule on an event; None takes an earlier ruling back. Raises EventNotFound."""
    async with database.write(namespace.id) as write:
        found = await review.rule_event(write.conn, namespace.id, event_id, ruling, audit)
        if found is None:
            raise EventNotFound(event_id=event_id)
    return found, ConsistencyToken(namespace.id, write.position, 0)


async def end_strategy(
    database: Database,
    namespace: NamespaceScope,
    strategy_id: UUID,
    state: StrategyState,
    audit: ChangeReason,
) -> tuple[StrategyView, ConsistencyToken]:
    """Say that a question was answered, or is not to be asked. Raises StrategyNotFound."""
    async with database.write(namespace.id) as write:
        found = await review.end_strategy(write.conn, namespace.id, strategy_id, state, audit)
        if found is None:
            raise StrategyNotFound(strategy_id=strategy_id)
    return found, ConsistencyToken(namespace.id, write.position, 0)
