"""Recovers jobs whose worker stopped responding, and deletes old finished jobs."""

from __future__ import annotations

from dataclasses import dataclass

from everword.db.blocking import BlockingDatabase
from everword.jobs import store
from everword.jobs.task import MAX_DEATHS

#: How long a job that is done stays visible.
FINISHED_JOB_RETENTION_S = 24 * 3600.0
BATCH = 1000


@dataclass(frozen=True)
class SweepResult:
    """The result of one round."""

    reclaimed: int
    pruned: int


def sweep(database: BlockingDatabase) -> SweepResult:
    """Do one round. Several processes may do so at once: rows that one is at, the others skip."""
    with database.connection() as conn:
        return SweepResult(
            reclaimed=store.reclaim_expired(conn, MAX_DEATHS, BATCH),
            pruned=store.prune_done(conn, FINISHED_JOB_RETENTION_S, BATCH),
        )
