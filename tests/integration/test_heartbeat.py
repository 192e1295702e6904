"""A lease is kept exactly while a process works on its job: steps need not renew it, and a hanging step loses it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator

import psycopg
import pytest

from everword.db.blocking import BlockingDatabase
from everword.jobs import store
from everword.jobs.store import JobKey
from everword.jobs.sweep import sweep
from everword.jobs.task import MAX_ATTEMPTS, MAX_DEATHS, JobRun, LeaseLost, Task
from everword.jobs.worker import Worker
from support.databases import DatabaseUnderTest

LEASE_S = 1.0
#: A worker process whose job never ends.
WORKER = """
import sys, time
from everword.db.blocking import BlockingDatabase
from everword.db.settings import DatabaseSettings
from everword.jobs.store import JobKey
from everword.jobs.task import Task
from everword.jobs.worker import Worker
database = BlockingDatabase(DatabaseSettings(sys.argv[1], sys.argv[2]), "compactor")
database.open()
Worker(database, Task("t", lambda run: time.sleep(60), lease_s=1.0)).execute(JobKey(1, int(sys.argv[3])))
"""


@pytest.fixture
def jobs(database: DatabaseUnderTest) -> Iterator[BlockingDatabase]:
    blocking = BlockingDatabase(database.settings("compactor"), "compactor")
    blocking.open()
    yield blocking
    blocking.close()


@pytest.fixture
def owner(database: DatabaseUnderTest) -> Iterator[psycopg.Connection]:
    with database.connect() as conn:
        yield conn


def make_due(owner: psycopg.Connection) -> JobKey:
    row = owner.execute(
        "INSERT INTO jobs (namespace_id, task, subject) VALUES (1, 't', 's') RETURNING id"
    ).fetchone()
    assert row
    return JobKey(1, int(row[0]))


def state(owner: psycopg.Connection) -> tuple[object, ...]:
    return owner.execute("SELECT state, attempts, deaths, error FROM jobs").fetchone() or ()


def die_at(jobs: BlockingDatabase, key: JobKey) -> None:
    """Start a job and stop its heartbeats, like a killed process; a sweep reclaims it."""
    with jobs.connection() as conn:
        assert store.start_job(conn, key, lease_s=0.0) is not None
    assert sweep(jobs).reclaimed == 1


def worker(
    jobs: BlockingDatabase,
    run: Callable[[JobRun], None],
    hung: Callable[[], object] = lambda: None,
    **task: float,
) -> Worker:
    of_test = Task("t", run, pauses_s=(0.0,), **{"lease_s": LEASE_S, **task})
    return Worker(jobs, of_test, hung=hung)


def test_lease_is_extended_during_a_step_without_heartbeat_calls(
    jobs: BlockingDatabase, owner: psycopg.Connection
) -> None:
    key, reclaimed = make_due(owner), list[int]()

    def busy(run: JobRun) -> None:
        until = time.monotonic() + 2 * LEASE_S
        while time.monotonic() < until:
            sum(range(100_000))
            reclaimed.append(sweep(jobs).reclaimed)
        run.heartbeat()

    assert worker(jobs, busy).execute(key) == "done"
    assert sum(reclaimed) == 0


def test_step_ends_when_its_lease_is_taken_away(
    jobs: BlockingDatabase, owner: psycopg.Connection
) -> None:
    key, ended = make_due(owner), list[bool]()

    def long_step(run: JobRun) -> None:
        owner.execute("UPDATE jobs SET fence = fence + 1")
        try:
            for _ in range(1000):
                time.sleep(0.01)
                run.heartbeat()
        except LeaseLost:
            ended.append(True)
            raise

    assert worker(jobs, long_step).execute(key) is None
    assert ended == [True]
    assert state(owner)[0] == "running"


def test_short_database_outage_does_not_lose_the_lease(
    jobs: BlockingDatabase, owner: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, failed = make_due(owner), list[int]()
    beat = store.beat_lease

    def away(*arguments: object) -> bool:
        if len(failed) < 2:
            failed.append(1)
            raise psycopg.OperationalError("the connection was lost")
        return beat(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(store, "beat_lease", away)
    assert worker(jobs, lambda run: time.sleep(2 * LEASE_S), lease_s=0.8).execute(key) == "done"
    assert len(failed) == 2


def test_hanging_step_fails_and_ends_its_process(
    jobs: BlockingDatabase, owner: psycopg.Connection
) -> None:
    """By then the job has been given up under its fencing token, and another worker can start it."""
    key, hung = make_due(owner), threading.Event()

    def hang(run: JobRun) -> None:
        assert hung.wait(20)
        with pytest.raises(LeaseLost):
            run.checkpoint()

    assert worker(jobs, hang, hung.set, lease_s=0.2, step_s=0.3).execute(key) is None
    assert state(owner) == ("pending", 1, 0, "StepTooLong: a step took longer than 0.3 s")
    assert worker(jobs, lambda run: None).execute(key) == "done"


def test_step_limit_does_not_apply_to_the_sum_of_steps(
    jobs: BlockingDatabase, owner: psycopg.Connection
) -> None:
    key = make_due(owner)

    def steps(run: JobRun) -> None:
        for _ in range(8):
            time.sleep(0.1)
            run.checkpoint()

    assert worker(jobs, steps, lease_s=0.2, step_s=0.5).execute(key) == "done"


def test_stopped_process_loses_its_lease(
    jobs: BlockingDatabase, owner: psycopg.Connection, database: DatabaseUnderTest
) -> None:
    key, settings = make_due(owner), database.settings("compactor")
    process = subprocess.Popen(
        [sys.executable, "-c", WORKER, settings.url, settings.role, str(key.job_id)]
    )
    try:
        deadline = time.monotonic() + 30
        while state(owner)[0] != "running" and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(2 * LEASE_S)
        assert sweep(jobs).reclaimed == 0
        os.kill(process.pid, signal.SIGSTOP)
        time.sleep(1.5 * LEASE_S)
        assert sweep(jobs).reclaimed == 1
        assert state(owner)[:3] == ("pending", 0, 1)
    finally:
        process.kill()
        process.wait()


def test_worker_death_uses_no_attempt(jobs: BlockingDatabase, owner: psycopg.Connection) -> None:
    key = make_due(owner)
    for _ in range(MAX_ATTEMPTS):
        die_at(jobs, key)
    assert state(owner) == ("pending", 0, MAX_ATTEMPTS, "the worker ended without a result")

    def fail(run: JobRun) -> None:
        raise ValueError("no model")

    failing = worker(jobs, fail)
    assert [failing.execute(key) for _ in range(3)] == ["pending", "pending", "failed"]


def test_job_fails_after_the_maximum_number_of_worker_deaths(
    jobs: BlockingDatabase, owner: psycopg.Connection
) -> None:
    key = make_due(owner)
    for _ in range(MAX_DEATHS - 1):
        die_at(jobs, key)
    assert state(owner)[0] == "pending"
    die_at(jobs, key)
    assert state(owner) == ("failed", 0, 0, "the worker ended without a result")
    # After a retry by an operator, deaths are counted from zero.
    owner.execute("UPDATE jobs SET state = 'pending'")
    die_at(jobs, key)
    assert state(owner)[0] == "pending"


def test_job_that_makes_progress_is_not_failed_by_worker_deaths(
    jobs: BlockingDatabase, owner: psycopg.Connection
) -> None:
    key = make_due(owner)
    for _ in range(MAX_DEATHS + 2):
        with jobs.connection() as conn:
            job = store.start_job(conn, key, lease_s=60.0)
            assert job is not None
            assert store.extend_lease(conn, job, lease_s=0.0)
        assert sweep(jobs).reclaimed == 1
    assert state(owner) == ("pending", 0, 1, "the worker ended without a result")
