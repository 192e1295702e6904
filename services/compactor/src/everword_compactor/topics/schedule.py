"""Make it due that what changed is looked at."""

from __future__ import annotations

from everword.db.blocking import BlockingDatabase
from everword.jobs.enqueue import (
    LEARN,
    TOPICS,
    DueJob,
    enqueue_blocking,
    enqueue_idle_blocking,
)
from everword_compactor.topics import store

#: Namespaces a round.
BATCH = 200
#: Seconds after which a parked job is retried.
PARKED_S = 6 * 3600.0


def schedule_changes(database: BlockingDatabase, namespace_id: int) -> None:
    """Make the job of a namespace due, if anything changed in it."""
    with database.transaction(namespace_id) as conn:
        if store.has_changes(conn, namespace_id):
            enqueue_blocking(conn, [DueJob(namespace_id, LEARN, TOPICS)])


def schedule_topics(database: BlockingDatabase) -> int:
    """Make the jobs of namespaces due in which something changed, a batch a round; returns how many.

    Whoever writes a fact makes no job due: all of a namespace would wait for its one row.
    """
    with database.connection() as conn:
        found = store.changed_topics(conn, BATCH, PARKED_S)
        due = [DueJob(namespace_id, LEARN, TOPICS) for namespace_id in found]
        return enqueue_idle_blocking(conn, due, retry_failed_after_s=PARKED_S) if due else 0
