"""Read people, events, user models, trajectories and questions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar
from uuid import UUID

from everword.db.pool import Connection, Database
from everword.domain.caller import NamespaceScope
from everword.domain.errors import NotFound
from everword.domain.not_found import EventNotFound, PersonNotFound, StrategyNotFound
from everword.people import views
from everword.people.store import TrajectoryRow
from everword.people.views import EventView, ListScope, PersonView, StrategyView
from everword.rpc.pages import PageRequest, open_cursor
from everword_search.people import store
from everword_search.people.store import LearnedChangeRow, LearnedEvidenceRow, TraitRow
from everword_search.records.freshness import fresh_transaction

#: Maximum evidence and changes of one item, and maximum traits of a subject.
MOST = 1_000
#: Maximum evidence per trait if several are read.
MOST_OF_EACH = 100


class _ShownRow(Protocol):
    @property
    def id(self) -> UUID: ...


_View = TypeVar("_View", bound=_ShownRow)
_List = Callable[[Connection, int, ListScope, UUID | None, int], Awaitable[list[_View]]]


_Show = Callable[[Connection, int, UUID], Awaitable[PersonView | EventView | StrategyView | None]]
_KINDS: dict[str, tuple[_Show, Callable[..., NotFound]]] = {
    "person_id": (views.show_person, PersonNotFound),
    "event_id": (views.show_event, EventNotFound),
    "strategy_id": (views.show_strategy, StrategyNotFound),
}


@dataclass(frozen=True)
class LearnedExplanation(Generic[_View]):
    """A learned person, event or question, with its evidence and audit trail."""

    view: _View
    evidence: Sequence[LearnedEvidenceRow]
    changes: Sequence[LearnedChangeRow]


@dataclass(frozen=True)
class UserModel:
    """How a subject communicates (traits), and their trajectory."""

    traits: Sequence[TraitRow]
    #: None if none was written.
    trajectory: TrajectoryRow | None
    #: Evidence of the traits and the trajectory.
    evidence: Sequence[LearnedEvidenceRow]


async def list_people(
    database: Database,
    namespace: NamespaceScope,
    listed: ListScope,
    page: PageRequest,
    at_least_as_fresh: str = "",
) -> tuple[Sequence[PersonView], str]:
    """Return a page of people and the token of the next page. Raises InvalidPageToken."""
    return await _page(
        database, namespace, "ListPeople", views.list_people, listed, page, at_least_as_fresh
    )


async def list_events(
    database: Database,
    namespace: NamespaceScope,
    listed: ListScope,
    page: PageRequest,
    at_least_as_fresh: str = "",
) -> tuple[Sequence[EventView], str]:
    """Return a page of events and the token of the next page. Raises InvalidPageToken."""
    return await _page(
        database, namespace, "ListEvents", views.list_events, listed, page, at_least_as_fresh
    )


async def list_strategies(
    database: Database,
    namespace: NamespaceScope,
    listed: ListScope,
    page: PageRequest,
    at_least_as_fresh: str = "",
) -> tuple[Sequence[StrategyView], str]:
    """Return a page of questions and the token of the next page. Raises InvalidPageToken."""
    return await _page(
        database,
        namespace,
        "ListStrategies",
        views.list_strategies,
        listed,
        page,
        at_least_as_fresh,
    )


async def explain_learned(
    database: Database,
    namespace: NamespaceScope,
    kind: str,
    id_: UUID,
    at_least_as_fresh: str = "",
) -> LearnedExplanation[PersonView | EventView | StrategyView]:
    """Return a person, an event or a question with its evidence and audit trail.

    `kind` is person_id, event_id or strategy_id. Raises PersonNotFound, EventNotFound and StrategyNotFound.
    """
    show, missing = _KINDS[kind]
    async with fresh_transaction(database, namespace, at_least_as_fresh) as conn:
        found = await show(conn, namespace.id, id_)
        if found is None:
            raise missing(**{kind: id_})
        evidence = await store.list_learned_evidence(conn, namespace.id, [found.id], MOST)
        changes = await store.list_learned_changes(conn, namespace.id, found.id, MOST)
    return LearnedExplanation(found, evidence, changes)


async def get_user_model(
    database: Database,
    namespace: NamespaceScope,
    subject: str,
    trajectory_version: int,
    at_least_as_fresh: str = "",
    *,
    include_past: bool,
    include_evidence: bool,
) -> UserModel:
    """Return the traits and the trajectory of a subject.

    `trajectory_version` 0 is the latest. Without `include_evidence`, the evidence is empty.
    """
    async with fresh_transaction(database, namespace, at_least_as_fresh) as conn:
        traits = await store.read_user_model(conn, namespace.id, subject, include_past, MOST)
        trajectory = await store.read_trajectory(conn, namespace.id, subject, trajectory_version)
        evidence = list[LearnedEvidenceRow]()
        if traits and include_evidence:
            ids = [trait.id for trait in traits]
            evidence += await store.list_learned_evidence(conn, namespace.id, ids, MOST_OF_EACH)
        if trajectory and include_evidence:
            ids = [trajectory.id]
            evidence += await store.list_learned_evidence(conn, namespace.id, ids, MOST)
    return UserModel(traits, trajectory, evidence)


async def _page(
    database: Database,
    namespace: NamespaceScope,
    rpc: str,
    list_: _List[_View],
    listed: ListScope,
    page: PageRequest,
    at_least_as_fresh: str,
) -> tuple[Sequence[_View], str]:
    cursor = await open_cursor(database, namespace, rpc, page)
    async with fresh_transaction(database, namespace, at_least_as_fresh) as conn:
        found = await list_(conn, namespace.id, listed, cursor.after_id, cursor.limit)
    return cursor.cut(found, lambda last: [str(last.id)])
