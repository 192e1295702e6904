"""Say what a run would remove."""

from __future__ import annotations

from collections.abc import Sequence

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.times import utc_now
from everword_ingest.retention import store
from everword_ingest.retention.model import Count, Policy

SAMPLES = 5


async def preview_retention(
    database: Database, namespace: NamespaceScope, policies: Sequence[Policy]
) -> list[Count]:
    """Count what would go now by these policies, or by those that are set where there are none."""
    now = utc_now()
    counts = []
    async with database.transaction(namespace.id) as conn:
        for policy in policies or await store.list_policies(conn, namespace.id):
            if not policy.keep_days:
                continue
            until = policy.until(now)
            found = await store.count_retained(conn, namespace.id, policy, until)
            count = policy.left(sum(row.count for row in found))
            limit = min(SAMPLES, count)
            samples = await store.sample_retained(conn, namespace.id, policy, until, limit)
            counts.append(Count(policy.kind, count, samples))
    return counts
