"""Give jobs that were given up another chance."""

from __future__ import annotations

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope, Role
from everword.domain.errors import AccessDenied
from everword_compactor.maintenance import store


async def retry_jobs(
    database: Database,
    namespace: NamespaceScope,
    role: Role,
    task: str,
    error_contains: str,
    dry_run: bool,
    limit: int | None = None,
) -> int:
    """Make failed jobs pending again, as if they had never been tried, and return how many.

    `task` and `error_contains` narrow it down; empty ones do not. `limit` is the most to take. A dry run only counts.
    Raises AccessDenied where somebody asks for words of errors who is not shown them.
    """
    if error_contains and role is not Role.ADMIN:
        raise AccessDenied(
            "Only an operator sees the words of errors; leave error_contains out.",
            needed=Role.ADMIN.name.lower(),
            role=role.name.lower(),
        )
    async with database.transaction(namespace.id) as conn:
        if dry_run:
            return await store.count_failed_jobs(conn, namespace.id, task, error_contains, limit)
        return await store.retry_failed_jobs(conn, namespace.id, task, error_contains, limit)
