"""Edges of the graph that are derived from facts: they are valid in the intervals of their facts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from everword.db.pool import Connection
from everword.db.typed_statements import statement
from everword.domain.ids import new_ids
from everword.facts.model import Interval
from everword.facts.store import SQL, lock_sources

Times = tuple[datetime | None, datetime | None]


@dataclass(frozen=True)
class FactEdgeRow:
    """An edge in one of its validity intervals."""

    id: UUID
    edge_id: UUID
    fact_id: UUID
    message_id: UUID | None
    valid_from: datetime | None
    #: Exclusive; None without a known end.
    valid_until: datetime | None

    @property
    def times(self) -> Times:
        return self.valid_from, self.valid_until

    def is_as(self, wanted: Times) -> bool:
        """Return whether the interval equals another one. All empty intervals are equal."""
        return self.times == wanted or (_is_empty(self.times) and _is_empty(wanted))


@statement(SQL)
async def lock_edges(
    conn: Connection, namespace_id: int, fact_ids: Sequence[UUID]
) -> list[FactEdgeRow]: ...


@statement(SQL)
async def end_edges(
    conn: Connection, namespace_id: int, ids: Sequence[UUID], now: datetime
) -> None: ...


@statement(SQL)
async def copy_edges(
    conn: Connection,
    namespace_id: int,
    ids: Sequence[UUID],
    copied_ids: Sequence[UUID],
    valid_from: Sequence[datetime | None],
    valid_until: Sequence[datetime | None],
    now: datetime,
) -> None:
    """Store an interval for each of `copied_ids`, which are rows of the same edges."""


async def follow_facts(
    conn: Connection,
    namespace_id: int,
    now: datetime,
    fact_ids: Collection[UUID],
    believed: Iterable[Interval],
) -> None:
    """Set the validity of the edges of facts to the facts' current intervals (`believed`).

    An edge whose fact has no interval gets an empty one. The caller has locked the facts.
    """
    locked = await lock_edges(conn, namespace_id, sorted(fact_ids)) if fact_ids else []
    if not locked:
        return
    times: dict[UUID, list[Times]] = {}
    for each in believed:
        times.setdefault(each.fact_id, []).append((each.since, each.until))
    ended, added = list[UUID](), list[tuple[FactEdgeRow, Times]]()
    for rows in _by_edge(locked):
        wanted = times.get(rows[-1].fact_id) or [(now, now)]
        kept = [row for row in rows if any(row.is_as(each) for each in wanted)]
        ended += [row.id for row in rows if row not in kept]
        for each in wanted:
            if not any(row.is_as(each) for row in kept) and not (kept and _is_empty(each)):
                added.append((rows[-1], each))
    if ended:
        await end_edges(conn, namespace_id, ended, now)
    if added:
        message_ids = [row.message_id for row, _ in added]
        await lock_sources(conn, namespace_id, message_ids, may_be_gone=True)
        await copy_edges(
            conn,
            namespace_id,
            new_ids(len(added)),
            [row.id for row, _ in added],
            [since for _, (since, _) in added],
            [until for _, (_, until) in added],
            now,
        )


def _by_edge(rows: Iterable[FactEdgeRow]) -> Iterator[list[FactEdgeRow]]:
    """Yield the rows of each edge, in their order."""
    by_edge: dict[UUID, list[FactEdgeRow]] = {}
    for row in rows:
        by_edge.setdefault(row.edge_id, []).append(row)
    yield from by_edge.values()


def _is_empty(times: Times) -> bool:
    return times[0] is not None and times[0] == times[1]
