"""Finds passages without a vector that are not pending, and pending ones without a job."""

from __future__ import annotations

from everword.db.blocking import BlockingDatabase
from everword.jobs.enqueue import EMBED, DueJob, enqueue_idle_blocking, shards
from everword.telemetry import names
from everword.telemetry.tracing import gauge
from everword_embedder.coverage import COUNT_CAP
from everword_embedder.queue import store

#: A write schedules its own job; work that has waited longer was forgotten, or its pause has ended.
MAX_WAIT_SECONDS = 5.0
BATCH = 10_000


def backfill_generations(database: BlockingDatabase) -> int:
    """Queue the backlog of generations that are being built; returns how many passages were looked at."""
    total = 0
    with database.connection() as conn:
        while passed := store.backfill_generation(conn, BATCH):
            total += passed
    return total


def schedule_pending(database: BlockingDatabase, max_wait_s: float = MAX_WAIT_SECONDS) -> int:
    """Make a job for each namespace with pending vectors that has none; returns how many."""
    with database.connection() as conn:
        forgotten = store.forgotten_namespaces(conn, max_wait_s)
        due = [DueJob(namespace_id, EMBED, shards()[0]) for namespace_id in forgotten]
        return enqueue_idle_blocking(conn, due, retry_failed_after_s=0.0)


def record_backlog(database: BlockingDatabase) -> None:
    """Record the length of the queue over all namespaces, up to a cap, and the age of its oldest entry."""
    with database.connection() as conn:
        backlog = store.measure_backlog(conn, COUNT_CAP)
    gauge(names.EMBED_PENDING, "{passage}").set(backlog.pending)
    gauge(names.EMBED_PENDING_AGE, "s").set(backlog.oldest_s)
