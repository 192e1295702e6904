"""Review people, events and questions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from uuid import UUID

from everword.db.pool import Connection, Database
from everword.domain.caller import NamespaceScope
from everword.domain.errors import InvalidArgument, NotFound
from everword.domain.not_found import EventNotFound, PersonNotFound, StrategyNotFound
from everword.domain.tokens import ConsistencyToken
from everword.facts.writer import ChangeReason
from everword.people import review, views
from everword.people.model import PersonRuling, StrategyState
from everword.people.views import EventView, PersonView, StrategyView

_Show = Callable[[Connection, int, UUID], Awaitable[PersonView | EventView | StrategyView | None]]
_SHOW: dict[str, _Show] = {
    "person_id": views.show_person,
    "event_id": views.show_event,
    "strategy_id": views.show_strategy,
}
_MISSING: dict[str, Callable[..., NotFound]] = {
    "person_id": PersonNotFound,
    "event_id": EventNotFound,
    "strategy_id": StrategyNotFound,
}


async def review_learned(
    database: Database,
    namespace: NamespaceScope,
    kind: str,
    id_: UUID,
    verdict: PersonRuling | StrategyState | None,
    audit: ChangeReason,
) -> tuple[PersonView | EventView | StrategyView, ConsistencyToken]:
    """Store a ruling on a person or an event, or end a question.

    `kind` is person_id, event_id or strategy_id. A verdict of None removes an earlier ruling. Raises PersonNotFound,
    EventNotFound, StrategyNotFound, and InvalidArgument for a verdict of the wrong type.
    """
    found: PersonView | EventView | StrategyView | None
    async with database.write(namespace.id) as write:
        conn = write.conn
        if isinstance(verdict, StrategyState) != (kind == "strategy_id"):
            # Check that the item exists first, so that the error reveals nothing about other namespaces.
            if await _SHOW[kind](conn, namespace.id, id_):
                field = "state" if kind == "strategy_id" else "ruling"
                raise InvalidArgument(violations=((field, f"is needed for a {kind}"),))
            found = None
        elif isinstance(verdict, StrategyState):
            found = await review.end_strategy(conn, namespace.id, id_, verdict, audit)
        elif kind == "event_id":
            found = await review.rule_event(conn, namespace.id, id_, verdict, audit)
        else:
            found = await review.rule_person(conn, namespace.id, id_, verdict, audit)
        if found is None:
            raise _MISSING[kind](**{kind: id_})
    return found, ConsistencyToken(namespace.id, write.position, 0)
