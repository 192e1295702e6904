"""Statements on jobs as typed functions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from everword.db.blocking import (
    Connection,
    execute_each,
    fetch_all,
    fetch_each,
    fetch_value,
)
from everword.db.statements import load_statements
from everword.db.typed_statements import statement

SQL = load_statements("everword.jobs")


@dataclass(frozen=True)
class JobKey:
    """The identity of a job."""

    namespace_id: int
    job_id: int


@dataclass(frozen=True)
class Publication:
    """A wake-up to send."""

    namespace_id: int
    job_id: int
    task: str
    fence: int
    #: W3C trace context of the write that made the job due.
    trace_context: dict[str, str] | None


@dataclass(frozen=True)
class PublishedCount:
    """The number of a task's jobs with a wake-up under way."""

    task: str
    jobs: int


@dataclass(frozen=True)
class StartedJob:
    """A job that this worker holds."""

    job_id: int
    namespace_id: int
    task: str
    subject: str
    #: Sequence number of the work due when the job was started; later work has a higher number.
    dirty_seq: int
    fence: int
    #: Numbered from 1.
    attempts: int
    trace_context: dict[str, str] | None

    @property
    def key(self) -> JobKey:
        return JobKey(self.namespace_id, self.job_id)

    @property
    def lease_parameters(self) -> dict[str, int]:
        """The parameters of statements that count only while this worker has the job."""
        return {**asdict(self.key), "fence": self.fence}


def claim_publications(conn: Connection, batch: int, window: int) -> list[Publication]:
    """Take up to `batch` jobs, in turns of the namespaces among the `window` that wait for longest."""
    due = _find(conn, "find_unpublished", {"batch": batch, "window": window})
    return fetch_each(conn, SQL["claim_publications"], due, Publication)


@statement(SQL)
def republish_due(conn: Connection, key: JobKey) -> Publication | None:
    """Claim the publication of a job that is due again; None if it is not, or if its wake-up is under way."""


def release_publications(conn: Connection, publications: Sequence[Publication]) -> None:
    sent: dict[int, list[Publication]] = defaultdict(list)
    for publication in publications:
        sent[publication.namespace_id].append(publication)
    parameters = [
        {
            "namespace_id": namespace_id,
            "job_ids": [publication.job_id for publication in group],
            "fences": [publication.fence for publication in group],
        }
        for namespace_id, group in sorted(sent.items())
    ]
    execute_each(conn, SQL["release_publications"], parameters)


@statement(SQL)
def next_turn(conn: Connection, task: str, after: int) -> int | None:
    """Return the next namespace after `after` with startable jobs; None if there is none."""


@statement(SQL)
def start_next(conn: Connection, namespace_id: int, task: str, lease_s: float) -> StartedJob | None:
    """Start the longest waiting job of a namespace; None if there is no unlocked due job."""


@statement(SQL)
def find_startable(conn: Connection, task: str) -> JobKey | None:
    """Return a startable job, even if its row is locked; None if there is none."""


def other_namespaces_wait(conn: Connection, job: StartedJob) -> bool:
    """Return whether a job of the same task waits in another namespace."""
    parameters = {"task": job.task, "namespace_id": job.namespace_id}
    return bool(fetch_value(conn, SQL["other_namespaces_wait"], parameters))


@statement(SQL)
def start_job(conn: Connection, key: JobKey, lease_s: float) -> StartedJob | None:
    """Start a job; None if it is not due, or if another worker runs it."""


def extend_lease(conn: Connection, job: StartedJob, lease_s: float) -> bool:
    parameters = {**job.lease_parameters, "lease_s": lease_s}
    return fetch_value(conn, SQL["extend_lease"], parameters) is not None


def beat_lease(conn: Connection, job: StartedJob, lease_s: float) -> bool:
    parameters = {**job.lease_parameters, "lease_s": lease_s}
    return fetch_value(conn, SQL["beat_lease"], parameters) is not None


def lock_job(conn: Connection, job: StartedJob) -> bool:
    """Return whether the worker still owns the job, and lock it until the transaction ends.

    The last statement of a transaction that stores a job's result: rows of `jobs` are locked after all others.
    """
    return fetch_value(conn, SQL["lock_job"], job.lease_parameters) is not None


def finish_job(conn: Connection, job: StartedJob, again_at: datetime | None = None) -> str | None:
    """Record a success; returns the job's new state, None if the lease was lost.

    The job is due again at `again_at`, if given.
    """
    parameters = {**job.lease_parameters, "dirty_seq": job.dirty_seq, "again_at": again_at}
    state: str | None = fetch_value(conn, SQL["finish_job"], parameters)
    return state


def fail_job(
    conn: Connection, job: StartedJob, error: str, *, final: bool, max_attempts: int, pause_s: float
) -> str | None:
    """Record a failure; returns the job's state after it, None where the lease was lost."""
    parameters = {
        **job.lease_parameters,
        "error": error,
        "final": final,
        "max_attempts": max_attempts,
        "pause_s": pause_s,
    }
    state: str | None = fetch_value(conn, SQL["fail_job"], parameters)
    return state


def postpone_job(conn: Connection, job: StartedJob, error: str, pause_s: float) -> str | None:
    """Give a job back as if it had not been tried; returns its state, None where the lease was lost."""
    parameters = {**job.lease_parameters, "error": error, "pause_s": pause_s}
    state: str | None = fetch_value(conn, SQL["postpone_job"], parameters)
    return state


def reclaim_expired(conn: Connection, max_deaths: int, batch: int) -> int:
    expired = _find(conn, "find_expired", {"batch": batch})
    each = [{**found, "max_deaths": max_deaths} for found in expired]
    return execute_each(conn, SQL["reclaim_expired"], each)


@statement(SQL)
def count_published(conn: Connection) -> list[PublishedCount]: ...


def republish_lost(conn: Connection, task: str, max_wait_s: float, batch: int) -> int:
    parameters = {"task": task, "max_wait_s": max_wait_s}
    lost = _find(conn, "find_lost", {**parameters, "batch": batch})
    return execute_each(conn, SQL["republish_lost"], [{**found, **parameters} for found in lost])


def prune_done(conn: Connection, keep_s: float, batch: int) -> int:
    old = _find(conn, "find_done", {"keep_s": keep_s, "batch": batch})
    return execute_each(conn, SQL["prune_done"], [{**found, "keep_s": keep_s} for found in old])


def _find(
    conn: Connection, statement: str, parameters: Mapping[str, object]
) -> list[dict[str, object]]:
    """Find jobs; return the parameters of a statement for each of their namespaces, by which all lock in one order."""
    found: dict[int, list[int]] = defaultdict(list)
    for key in fetch_all(conn, SQL[statement], parameters, JobKey):
        found[key.namespace_id].append(key.job_id)
    return [
        {"namespace_id": namespace_id, "job_ids": job_ids}
        for namespace_id, job_ids in sorted(found.items())
    ]
