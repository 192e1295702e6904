"""Report the status of a namespace's background work, and retry failed jobs."""

from __future__ import annotations

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope, Role
from everword.domain.errors import AccessDenied
from everword_compactor.maintenance import store
from everword_compactor.maintenance.model import QueueStatus
from everword_compactor.tool_sentences import requests

#: Enough to see what goes wrong; RetryJobs and Backfill take them all.
SHOWN = 20
#: The task that passages wait for.
EMBED = "embed"
#: The task that tool calls without words wait for.
TOOL_SENTENCES = "tool-sentences"


async def get_queue_status(database: Database, namespace: NamespaceScope, task: str) -> QueueStatus:
    """Return how each task stands, or only `task` where one is named, and what was given up."""
    async with database.transaction(namespace.id) as conn:
        tasks = await store.count_jobs(conn, namespace.id, task)
        failed = await store.list_failed_jobs(conn, namespace.id, task, SHOWN)
        parked, parked_calls = [], []
        if task in ("", EMBED):
            parked = await store.list_parked_passages(conn, namespace.id, SHOWN)
        if task in ("", TOOL_SENTENCES):
            parked_calls = await requests.list_parked_calls(conn, namespace.id, SHOWN)
    return QueueStatus(tasks, failed, parked, parked_calls)


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
