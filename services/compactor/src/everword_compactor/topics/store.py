"""The statements about what changed as typed functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from everword.db.blocking import Connection, execute, fetch_all, fetch_value
from everword.db.statements import load_statements

SQL = load_statements("everword_compactor.topics")


@dataclass(frozen=True)
class Change:
    """What changed and was not looked at yet."""

    id: int
    fact_id: UUID | None


@dataclass(frozen=True)
class FactSubject:
    """Whom a fact is about."""

    id: UUID
    subject: str


@dataclass(frozen=True)
class _Namespace:
    namespace_id: int


def next_changes(conn: Connection, namespace_id: int, limit: int) -> list[Change]:
    parameters = {"namespace_id": namespace_id, "limit": limit}
    return fetch_all(conn, SQL["next_changes"], parameters, Change)


def has_changes(conn: Connection, namespace_id: int) -> bool:
    return bool(fetch_value(conn, SQL["has_changes"], {"namespace_id": namespace_id}))


def delete_changes(conn: Connection, namespace_id: int, ids: Sequence[int]) -> None:
    execute(conn, SQL["delete_changes"], {"namespace_id": namespace_id, "ids": list(ids)})


def changed_topics(conn: Connection, limit: int, parked_s: float) -> list[int]:
    """Return namespaces with changes that nobody is to look at."""
    parameters = {"limit": limit, "parked_s": parked_s}
    rows = fetch_all(conn, SQL["changed_topics"], parameters, _Namespace)
    return [row.namespace_id for row in rows]


def subjects_of(
    conn: Connection, namespace_id: int, fact_ids: Sequence[UUID]
) -> list[FactSubject]:
    """Return whom facts are about, in the order of the subjects."""
    parameters = {"namespace_id": namespace_id, "fact_ids": list(fact_ids)}
    return fetch_all(conn, SQL["subjects_of"], parameters, FactSubject)
