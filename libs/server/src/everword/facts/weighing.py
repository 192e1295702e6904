"""Bring facts up to date whose evidence has become less."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from everword.db.namespaces import NamespaceSettings
from everword.db.pool import Connection
from everword.domain.ids import new_id
from everword.facts import store
from everword.facts.store import NewChange
from everword.facts.timeline import NOTHING
from everword.facts.writer import Audit, apply, hold

ACTION = "evidence erased"


async def weigh_facts(
    conn: Connection, settings: NamespaceSettings, namespace_id: int, fact_ids: Sequence[UUID]
) -> None:
    """Store what follows from the evidence that facts have now; those that are not there any more are left out."""
    facts = [await store.get_fact(conn, namespace_id, fact_id) for fact_id in fact_ids]
    # Of several attributes, each is held in one order.
    keys = sorted(
        {fact.key for fact in facts if fact}, key=lambda key: (key.subject, key.attribute)
    )
    for key in keys:
        standing = await hold(conn, namespace_id, key)
        changes = [
            NewChange(new_id(), fact_id, ACTION)
            for fact_id in sorted(standing.facts)
            if fact_id in fact_ids
        ]
        await apply(conn, settings, standing, NOTHING, changes, Audit("machine"))
