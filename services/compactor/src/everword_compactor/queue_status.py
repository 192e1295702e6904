"""Say how the background work of a namespace stands."""

from __future__ import annotations

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword_compactor import store
from everword_compactor.model import FailedJob, TaskStatus

#: Enough to see what goes wrong; RetryJobs takes them all.
FAILED_JOBS = 20


async def queue_status(
    database: Database, namespace: NamespaceScope, task: str
) -> tuple[list[TaskStatus], list[FailedJob]]:
    """Return how each task stands, or only `task` where one is named, and the latest jobs that were given up."""
    async with database.transaction(namespace.id) as conn:
        tasks = await store.count_jobs(conn, namespace.id, task)
        failed = await store.list_failed_jobs(conn, namespace.id, task, FAILED_JOBS)
    return tasks, failed
