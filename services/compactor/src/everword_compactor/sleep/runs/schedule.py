"""Finds namespaces that know something and have no nightly Sleep: one that ran schedules the next itself."""

from __future__ import annotations

from everword.db.blocking import BlockingDatabase
from everword.jobs.enqueue import SLEEP, SLEEP_NAMESPACE, DueJob, enqueue_idle_blocking
from everword_compactor.sleep import store

#: Namespaces a round.
BATCH = 200
#: Seconds after which a parked job is retried: by the next night.
PARKED_S = 20 * 3600.0


def schedule_nights(database: BlockingDatabase) -> int:
    """Make the Sleep of such namespaces due, a batch a round; returns how many."""
    with database.connection() as conn:
        found = store.nightless_namespaces(conn, BATCH, PARKED_S)
        due = [DueJob(namespace_id, SLEEP, SLEEP_NAMESPACE) for namespace_id in found]
        return enqueue_idle_blocking(conn, due, retry_failed_after_s=PARKED_S) if due else 0
