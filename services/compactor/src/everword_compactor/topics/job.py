"""Look at what changed: write the relations that follow from facts.

What changed waits in a table, batch by batch. A batch leaves it when all of it is done: whatever this was interrupted at,
the next run does it again, and changes nothing then.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import groupby
from uuid import UUID

from everword.db.namespaces import get_namespace_settings
from everword.graph.relating import relate_facts
from everword.jobs.enqueue import TOPICS
from everword.jobs.task import JobRun
from everword_compactor.jobs.async_database import opened
from everword_compactor.jobs.context import WorkerContext
from everword_compactor.jobs.namespace_job import NamespaceJob, open_job
from everword_compactor.topics import store
from everword_compactor.topics.schedule import schedule_changes

#: Changes that are looked at together.
BATCH = 200


class Topics:
    """Looks at what changed in namespaces."""

    def __init__(self, worker_context: WorkerContext) -> None:
        self._worker_context = worker_context

    def run(self, run: JobRun) -> datetime | None:
        """Look at all that changed, until others wait; returns when there will be more."""
        with open_job(self._worker_context, run) as job:
            if job is None:
                return None
            while self._do_batch(job):
                if run.others_wait():
                    return self._worker_context.now()
        return None

    def _do_batch(self, job: NamespaceJob) -> bool:
        """Do one batch; False where there is none. Raises LeaseLost."""
        with job.transaction() as conn:
            changes = store.next_changes(conn, job.namespace_id, BATCH)
            fact_ids = sorted({each.fact_id for each in changes if each.fact_id})
            facts = store.subjects_of(conn, job.namespace_id, fact_ids)
        if not changes:
            return False
        by_subject = [
            [fact.id for fact in own] for _, own in groupby(facts, key=lambda fact: fact.subject)
        ]
        asyncio.run(self._relate(job, by_subject))
        done = [each.id for each in changes]
        job.record(lambda conn: store.delete_changes(conn, job.namespace_id, done))
        return True

    async def _relate(self, job: NamespaceJob, by_subject: Sequence[Sequence[UUID]]) -> None:
        """Write the relations of facts, a transaction for each subject: locks are taken in one order."""
        if not by_subject:
            return
        async with opened(self._worker_context.database.settings) as database:
            for fact_ids in by_subject:
                async with database.transaction(job.namespace_id) as conn:
                    settings = await get_namespace_settings(conn, job.namespace_id)
                    await relate_facts(conn, job.namespace_id, settings, fact_ids)
                job.run.heartbeat()


def with_topics(
    worker_context: WorkerContext, learn: Callable[[JobRun], datetime | None]
) -> Callable[[JobRun], datetime | None]:
    """Return what does the jobs of `learn`: those of a conversation have looked at what they changed."""
    topics = Topics(worker_context)

    def run(job: JobRun) -> datetime | None:
        if job.job.subject == TOPICS:
            return topics.run(job)
        more = learn(job)
        if more is None:
            schedule_changes(worker_context.database, job.job.namespace_id)
        return more

    return run
