"""Set and read retention policies, and preview a run."""

from __future__ import annotations

from collections.abc import Sequence

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.times import utc_now
from everword_ingest.retention import store
from everword_ingest.retention.model import Count, Policy

#: Ids that a preview returns of each kind.
SAMPLES = 5


async def list_retention_policies(database: Database, namespace: NamespaceScope) -> list[Policy]:
    """Return the policies by kind; a kind without one is kept for ever."""
    async with database.transaction(namespace.id) as conn:
        return await store.list_policies(conn, namespace.id)


async def set_retention_policy(
    database: Database, namespace: NamespaceScope, policy: Policy
) -> None:
    """Put a policy in the place of the one of its kind; with no days, there is none any more."""
    async with database.transaction(namespace.id) as conn:
        if policy.keep_days:
            await store.set_policy(conn, namespace.id, policy)
        else:
            await store.delete_policy(conn, namespace.id, policy.kind)


async def preview_retention(
    database: Database, namespace: NamespaceScope, policies: Sequence[Policy]
) -> list[Count]:
    """Count the memories that a run would remove now, by these policies or else by the stored ones."""
    now = utc_now()
    counts = []
    async with database.transaction(namespace.id) as conn:
        held = await store.list_held(conn, namespace.id)
        for policy in policies or await store.list_policies(conn, namespace.id):
            if not policy.keep_days:
                continue
            until = policy.until(now)
            found = await store.preview_retained(conn, namespace.id, policy, until, held, SAMPLES)
            count = policy.left(found.count)
            samples = found.samples[:count]
            counts.append(Count(policy.kind, count, samples, found.pinned, found.on_hold))
    return counts
