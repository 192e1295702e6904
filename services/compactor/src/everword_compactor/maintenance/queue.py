"""Report the status of a namespace's background work, and retry failed jobs."""

from __future__ import annotations

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope, Role
from everword.domain.errors import AccessDenied
from everword_compactor.maintenance import store
from everword_compactor.maintenance.model import QueueStatus
from everword_compactor.tool_sentences import requests

#: Number of failures listed; RetryJobs and Backfill handle all of them.
SHOWN = 20
#: The task that passages wait for.
EMBED = "embed"
#: The task that tool calls without words wait for.
TOOL_SENTENCES = "tool-sentences"


async def get_queue_status(database: Database, namespace: NamespaceScope, task: str) -> QueueStatus:
    """Return the state of each task, or of `task` only, with failed jobs."""
    async with database.transaction(namespace.id) as conn:
        tasks = await store.count_jobs(conn, namespace.id, task)
        failed = await store.list_failed_jobs(conn, namespace.id, task, SHOWN)
        steps = await store.list_model_steps(conn, namespace.id)
        sleep_seconds_left = await store.estimate_sleep(conn, namespace.id)
        parked, parked_calls = [], []
        if task in ("", EMBED):
            parked = await store.list_parked_passages(conn, namespace.id, SHOWN)
        if task in ("", TOOL_SENTENCES):
            parked_calls = await requests.list_parked_calls(conn, namespace.id, SHOWN)
    return QueueStatus(tasks, failed, parked, parked_calls, steps, sleep_seconds_left)


async def retry_jobs(
    database: Database,
    namespace: NamespaceScope,
    role: Role,
    task: str,
    error_contains: str,
    dry_run: bool,
    limit: int | None = None,
) -> int:
    """Make failed jobs pending again, as if they had never been tried, and return their number.

    `task` and `error_contains` filter them; empty values do not. `limit` is the largest number. A dry run only counts.
    Raises AccessDenied for `error_contains` from callers without access to the text of errors.
    """
    if error_contains and role is not Role.ADMIN:
        raise AccessDenied(
            "Only an admin key may filter by error text; omit error_contains.",
            needed=Role.ADMIN.name.lower(),
            role=role.name.lower(),
        )
    async with database.transaction(namespace.id) as conn:
        if dry_run:
            return await store.count_failed_jobs(conn, namespace.id, task, error_contains, limit)
        return await store.retry_failed_jobs(conn, namespace.id, task, error_contains, limit)
