"""Review people, events and questions."""

from __future__ import annotations

from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.not_found import EventNotFound, PersonNotFound, StrategyNotFound
from everword.domain.tokens import ConsistencyToken
from everword.facts.writer import Audit
from everword.people import review
from everword.people.model import Ruling, StrategyState
from everword.people.views import EventView, PersonView, StrategyView

_MISSING = {
    "person_id": PersonNotFound,
    "event_id": EventNotFound,
    "strategy_id": StrategyNotFound,
}


async def review_learned(
    database: Database,
    namespace: NamespaceScope,
    kind: str,
    id_: UUID,
    verdict: Ruling | StrategyState | None,
    audit: Audit,
) -> tuple[PersonView | EventView | StrategyView, ConsistencyToken]:
    """Store a ruling on a person or an event, or end a question.

    `kind` is person_id, event_id or strategy_id. A verdict of None removes an earlier ruling. Raises PersonNotFound,
    EventNotFound and StrategyNotFound.
    """
    found: PersonView | EventView | StrategyView | None
    async with database.write(namespace.id) as write:
        conn = write.conn
        if isinstance(verdict, StrategyState):
            found = await review.end_strategy(conn, namespace.id, id_, verdict, audit)
        elif kind == "event_id":
            found = await review.rule_event(conn, namespace.id, id_, verdict, audit)
        else:
            found = await review.rule_person(conn, namespace.id, id_, verdict, audit)
        if found is None:
            raise _MISSING[kind](**{kind: id_})
    return found, ConsistencyToken(namespace.id, write.position, 0)
