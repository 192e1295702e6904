"""Edges of the graph that are derived from facts: they are valid in the intervals of their facts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from uuid import UUID

from everword.db.pool import Connection
from everword.domain.ids import new_ids
from everword.facts.model import Interval
from everword.facts.rows import FactEdgeRow, Times, is_empty
from everword.facts.store import copy_edges, end_edges, lock_edges, lock_sources


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
        added += [
            (rows[-1], each)
            for each in wanted
            if not any(row.is_as(each) for row in kept) and not (kept and is_empty(each))
        ]
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
