"""Say how long kinds are kept, and read it."""

from __future__ import annotations

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword_ingest.retention import store
from everword_ingest.retention.model import Policy


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
