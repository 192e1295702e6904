"""Say how the background work of a namespace stands."""

from __future__ import annotations

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
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
