"""Work of several namespaces, done by one worker, one wake-up after the other in the order of sending."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

import redis as redis_client

from everword.jobs.publisher import Publisher
from everword.jobs.store import JobKey
from everword.jobs.task import JobRun, Task, queue_name
from everword.jobs.worker import Worker
from everword_compactor.jobs.context import WorkerContext

Run = Callable[[JobRun], datetime | None]
#: Next to another namespace's backlog, work may take at most this many times the steps that it takes alone.
MOST = 3


def send(shop: WorkerContext, redis: redis_client.Redis) -> None:
    """Send the wake-ups of due jobs; a job that becomes pending later gets its own wake-up behind them."""
    Publisher(shop.database, redis).publish()


def work_off(shop: WorkerContext, redis: redis_client.Redis, name: str, run: Run) -> None:
    """Execute the jobs of a task like its only worker."""
    send(shop, redis)
    worker = Worker(shop.database, Task(name, run), redis)
    while wake_up := redis.lpop(f"rq:queue:{queue_name(name)}"):
        assert isinstance(wake_up, bytes)
        worker.execute_next(JobKey(0, int(wake_up.decode().partition("-")[0])))


def impatient(run: Run) -> Run:
    """Return a run that always has another namespace waiting."""
    return lambda job: run(replace(job, other_namespaces_wait=lambda: True))
