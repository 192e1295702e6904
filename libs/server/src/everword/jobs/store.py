"""Statements on jobs as typed functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from everword.db.blocking import Connection, execute, fetch_all, fetch_optional, fetch_value
from everword.db.statements import load_statements

SQL = load_statements("everword.jobs")


@dataclass(frozen=True)
class Publication:
    """A wake-up to send."""

    job_id: int
    task: str
    fence: int
    #: W3C trace context of the write that made the job due.
    trace_context: dict[str, str] | None


@dataclass(frozen=True)
class Published:
    """The number of jobs of a task that have wake-ups on their way."""

    task: str
    jobs: int


@dataclass(frozen=True)
class StartedJob:
    """A job that this worker holds."""

    job_id: int
    namespace_id: int
    task: str
    subject: str
    #: What was due when the job was started; later work has a higher number.
    dirty_seq: int
    fence: int
    #: Numbered from 1.
    attempts: int
    trace_context: dict[str, str] | None


def claim_publications(conn: Connection, batch: int, window: int) -> list[Publication]:
    """Take up to `batch` jobs, in turns of the namespaces among the `window` that wait for longest."""
    parameters = {"batch": batch, "window": window}
    return fetch_all(conn, SQL["claim_publications"], parameters, Publication)


def publish_again(conn: Connection, job_id: int) -> Publication | None:
    """Take a job that is due again; None where it is not, or its wake-up is on its way."""
    return fetch_optional(conn, SQL["publish_again"], {"job_id": job_id}, Publication)


def release_publications(conn: Connection, publications: Sequence[Publication]) -> None:
    parameters = {
        "job_ids": [publication.job_id for publication in publications],
        "fences": [publication.fence for publication in publications],
    }
    execute(conn, SQL["release_publications"], parameters)


def start_next(conn: Connection, task: str, after: int, lease_s: float) -> StartedJob | None:
    """Take a job of the namespace that comes next after one; None where none is due that nobody holds."""
    parameters = {"task": task, "after": after, "lease_s": lease_s}
    return fetch_optional(conn, SQL["start_next"], parameters, StartedJob)


def find_startable(conn: Connection, task: str) -> int | None:
    """Return a job that could be started, whoever holds its row; None where there is none."""
    job_id: int | None = fetch_value(conn, SQL["find_startable"], {"task": task})
    return job_id


def others_wait(conn: Connection, job: StartedJob) -> bool:
    """Tell whether a job of the same task waits in another namespace."""
    parameters = {"task": job.task, "namespace_id": job.namespace_id}
    return bool(fetch_value(conn, SQL["others_wait"], parameters))


def start_job(conn: Connection, job_id: int, lease_s: float) -> StartedJob | None:
    """Take a job; None where it is not due, or somebody else is at it."""
    parameters = {"job_id": job_id, "lease_s": lease_s}
    return fetch_optional(conn, SQL["start_job"], parameters, StartedJob)


def extend_lease(conn: Connection, job: StartedJob, lease_s: float) -> bool:
    parameters = {"job_id": job.job_id, "fence": job.fence, "lease_s": lease_s}
    return fetch_value(conn, SQL["extend_lease"], parameters) is not None


def beat_lease(conn: Connection, job: StartedJob, lease_s: float) -> bool:
    parameters = {"job_id": job.job_id, "fence": job.fence, "lease_s": lease_s}
    return fetch_value(conn, SQL["beat_lease"], parameters) is not None


def hold_job(conn: Connection, job: StartedJob) -> bool:
    """Tell whether the worker still has the job, and keep it so until the transaction ends.

    The last statement of a transaction that stores a job's result: rows of `jobs` are locked after all others.
    """
    parameters = {"job_id": job.job_id, "fence": job.fence}
    return fetch_value(conn, SQL["hold_job"], parameters) is not None


def finish_job(conn: Connection, job: StartedJob, again_at: datetime | None = None) -> str | None:
    """Record a success; returns the job's state after it, None where the lease was lost.

    The job is due again at `again_at`, where that is given.
    """
    parameters = {
        "job_id": job.job_id,
        "fence": job.fence,
        "dirty_seq": job.dirty_seq,
        "again_at": again_at,
    }
    state: str | None = fetch_value(conn, SQL["finish_job"], parameters)
    return state


def fail_job(
    conn: Connection, job: StartedJob, error: str, *, final: bool, max_attempts: int, pause_s: float
) -> str | None:
    """Record a failure; returns the job's state after it, None where the lease was lost."""
    parameters = {
        "job_id": job.job_id,
        "fence": job.fence,
        "error": error,
        "final": final,
        "max_attempts": max_attempts,
        "pause_s": pause_s,
    }
    state: str | None = fetch_value(conn, SQL["fail_job"], parameters)
    return state


def postpone_job(conn: Connection, job: StartedJob, error: str, pause_s: float) -> str | None:
    """Give a job back as if it had not been tried; returns its state, None where the lease was lost."""
    parameters = {
        "job_id": job.job_id,
        "fence": job.fence,
        "error": error,
        "pause_s": pause_s,
    }
    state: str | None = fetch_value(conn, SQL["postpone_job"], parameters)
    return state


def reclaim_expired(conn: Connection, max_deaths: int, batch: int) -> int:
    parameters = {"max_deaths": max_deaths, "batch": batch}
    return execute(conn, SQL["reclaim_expired"], parameters)


def count_published(conn: Connection) -> list[Published]:
    return fetch_all(conn, SQL["count_published"], None, Published)


def republish_lost(conn: Connection, task: str, patience_s: float, batch: int) -> int:
    parameters = {"task": task, "patience_s": patience_s, "batch": batch}
    return execute(conn, SQL["republish_lost"], parameters)


def prune_done(conn: Connection, keep_s: float, batch: int) -> int:
    return execute(conn, SQL["prune_done"], {"keep_s": keep_s, "batch": batch})
