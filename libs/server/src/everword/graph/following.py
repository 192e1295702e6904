"""Edges that hold with facts: they go when their facts close, and are back when these hold again."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from uuid import UUID

from everword.db.pool import Connection
from everword.facts.model import Interval
from everword.graph import store


async def follow_facts(
    conn: Connection,
    namespace_id: int,
    now: datetime,
    fact_ids: Collection[UUID],
    believed: Iterable[Interval],
) -> None:
    """Give the edges of facts the times in which these are believed to hold. The caller holds the facts."""
    wanted = set(fact_ids)
    times = [(each.fact_id, each.since, each.until) for each in believed if each.fact_id in wanted]
    if wanted:
        await store.follow_facts(conn, namespace_id, now, sorted(wanted), times)
