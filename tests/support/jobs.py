"""Jobs of a task `t` whose function the test provides."""

from __future__ import annotations

from collections.abc import Callable

import psycopg

from everword.db.blocking import BlockingDatabase
from everword.jobs.store import JobKey
from everword.jobs.task import JobRun, Task
from everword.jobs.worker import Worker

NAMESPACE = 1
TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def make_due(
    owner: psycopg.Connection, subject: str = "s", task: str = "t", namespace: int = NAMESPACE
) -> JobKey:
    """Create a job, or mark it dirty, as a write does."""
    [job_id] = owner.execute(
        """
        INSERT INTO jobs (namespace_id, task, subject, trace_context)
        VALUES (%s, %s, %s, jsonb_build_object('traceparent', %s::text))
        ON CONFLICT (namespace_id, task, subject) DO UPDATE
           SET dirty_seq = jobs.dirty_seq + 1,
               state = CASE WHEN jobs.state = 'running' THEN 'running' ELSE 'pending' END
        RETURNING id
        """,
        [namespace, task, subject, TRACE],
    ).fetchone() or [0]
    return JobKey(namespace, int(job_id))


def state(owner: psycopg.Connection, key: JobKey) -> tuple[object, ...]:
    found = owner.execute("SELECT state, attempts, error FROM jobs WHERE id = %s", [key.job_id])
    return found.fetchone() or ()


def make_namespace(owner: psycopg.Connection, name: str) -> int:
    found = owner.execute("INSERT INTO namespaces (name) VALUES (%s) RETURNING id", [name])
    [id_] = found.fetchone() or (0,)
    owner.execute("INSERT INTO tenants (namespace_id) VALUES (%s)", [id_])
    return int(id_)


def worker(jobs: BlockingDatabase, run: Callable[[JobRun], None], **task: float) -> Worker:
    return Worker(jobs, Task("t", run, pauses_s=(0.0,), **task))
