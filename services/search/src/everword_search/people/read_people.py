"""Read people, events, the model of a user, their trajectory, and questions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar
from uuid import UUID

from everword.db.pool import Connection, Database
from everword.domain.caller import NamespaceScope
from everword.domain.not_found import EventNotFound, PersonNotFound, StrategyNotFound
from everword.people import views
from everword.people.store import TrajectoryRow
from everword.people.views import EventView, Listed, PersonView, StrategyView
from everword.rpc.pages import PageRequest, open_cursor
from everword_search.people import store
from everword_search.people.store import LearnedChangeRow, LearnedEvidenceRow, TraitRow
from everword_search.records.freshness import fresh_transaction

#: Pieces of evidence and changes of one thing, and traits of a subject.
MOST = 1_000
#: Pieces of evidence of each of several traits.
MOST_OF_EACH = 100


class _Shown(Protocol):
    @property
    def id(self) -> UUID: ...


_View = TypeVar("_View", bound=_Shown)
_List = Callable[[Connection, int, Listed, UUID | None, int], Awaitable[list[_View]]]


@dataclass(frozen=True)
class Explained(Generic[_View]):
    """Something that was learned, with what it rests on."""

    view: _View
    evidence: Sequence[LearnedEvidenceRow]
    changes: Sequence[LearnedChangeRow]


async def list_people(
    database: Database,
    namespace: NamespaceScope,
    listed: Listed,
    page: PageRequest,
    at_least_as_fresh: str = "",
) -> tuple[Sequence[PersonView], str]:
    """Return a page of people, and the token of the next one. Raises InvalidPageToken."""
    return await _page(
        database, namespace, "ListPeople", views.list_people, listed, page, at_least_as_fresh
    )


async def list_events(
    database: Database,
    namespace: NamespaceScope,
    listed: Listed,
    page: PageRequest,
    at_least_as_fresh: str = "",
) -> tuple[Sequence[EventView], str]:
    """Return a page of events, and the token of the next one. Raises InvalidPageToken."""
    return await _page(
        database, namespace, "ListEvents", views.list_events, listed, page, at_least_as_fresh
    )


async def list_strategies(
    database: Database,
    namespace: NamespaceScope,
    listed: Listed,
    page: PageRequest,
    at_least_as_fresh: str = "",
) -> tuple[Sequence[StrategyView], str]:
    """Return a page of questions, and the token of the next one. Raises InvalidPageToken."""
    return await _page(
        database,
        namespace,
        "ListStrategies",
        views.list_strategies,
        listed,
        page,
        at_least_as_fresh,
    )


async def get_person(
    database: Database,
    namespace: NamespaceScope,
    person_id: UUID,
    at_least_as_fresh: str = "",
) -> Explained[PersonView]:
    """Return somebody with everything that was said of them. Raises PersonNotFound."""
    async with fresh_transaction(database, namespace, at_least_as_fresh) as conn:
        person = await views.show_person(conn, namespace.id, person_id)
        if person is None:
            raise PersonNotFound(person_id=person_id)
        return await _explain(conn, namespace.id, person)


async def get_event(
    database: Database,
    namespace: NamespaceScope,
    event_id: UUID,
    at_least_as_fresh: str = "",
) -> Explained[EventView]:
    """Return an event with everything that was said of it. Raises EventNotFound."""
    async with fresh_transaction(database, namespace, at_least_as_fresh) as conn:
        event = await views.show_event(conn, namespace.id, event_id)
        if event is None:
            raise EventNotFound(event_id=event_id)
        return await _explain(conn, namespace.id, event)


async def get_strategy(
    database: Database,
    namespace: NamespaceScope,
    strategy_id: UUID,
    at_least_as_fresh: str = "",
) -> Explained[StrategyView]:
    """Return a question with what it rests on. Raises StrategyNotFound."""
    async with fresh_transaction(database, namespace, at_least_as_fresh) as conn:
        question = await views.show_strategy(conn, namespace.id, strategy_id)
        if question is None:
            raise StrategyNotFound(strategy_id=strategy_id)
        return await _explain(conn, namespace.id, question)


async def get_user_model(
    database: Database,
    namespace: NamespaceScope,
    subject: str,
    at_least_as_fresh: str = "",
    *,
    include_past: bool,
    include_evidence: bool,
) -> tuple[Sequence[TraitRow], Sequence[LearnedEvidenceRow]]:
    """Return how a subject communicates, and the words that show it where they are asked for."""
    async with fresh_transaction(database, namespace, at_least_as_fresh) as conn:
        traits = await store.read_user_model(conn, namespace.id, subject, include_past, MOST)
        ids = [trait.id for trait in traits] if include_evidence else []
        evidence = (
            await store.list_learned_evidence(conn, namespace.id, ids, MOST_OF_EACH) if ids else []
        )
    return traits, evidence


async def get_trajectory(
    database: Database,
    namespace: NamespaceScope,
    subject: str,
    version: int,
    at_least_as_fresh: str = "",
) -> tuple[TrajectoryRow | None, Sequence[LearnedEvidenceRow]]:
    """Return where a subject is heading, with the words that it rests on; None where nothing is known."""
    async with fresh_transaction(database, namespace, at_least_as_fresh) as conn:
        found = await store.read_trajectory(conn, namespace.id, subject, version)
        if found is None:
            return None, []
        return found, await store.list_learned_evidence(conn, namespace.id, [found.id], MOST)


async def _explain(conn: Connection, namespace_id: int, view: _View) -> Explained[_View]:
    evidence = await store.list_learned_evidence(conn, namespace_id, [view.id], MOST)
    changes = await store.list_learned_changes(conn, namespace_id, view.id, MOST)
    return Explained(view, evidence, changes)


async def _page(
    database: Database,
    namespace: NamespaceScope,
    rpc: str,
    list_: _List[_View],
    listed: Listed,
    page: PageRequest,
    at_least_as_fresh: str,
) -> tuple[Sequence[_View], str]:
    cursor = await open_cursor(database, namespace, rpc, page)
    async with fresh_transaction(database, namespace, at_least_as_fresh) as conn:
        found = await list_(conn, namespace.id, listed, cursor.after_id, cursor.limit)
    return cursor.cut(found, lambda last: [str(last.id)])
