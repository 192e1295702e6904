"""Jobs run at least once, and their result is stored once, under all failures."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from everword.db.blocking import BlockingDatabase
from everword.jobs import store
from everword.jobs.sweep import sweep
from everword.jobs.task import DependencyUnavailable, JobRun, LeaseLost, PermanentFailure, Task
from everword.jobs.worker import Worker
from support.databases import DatabaseUnderTest
from support.jobs import NAMESPACE, TRACE, make_due, state, worker


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


def test_job_runs_once_if_woken_twice(jobs: BlockingDatabase, owner: psycopg.Connection) -> None:
    runs: list[str] = []
    key = make_due(owner)
    doing = worker(jobs, lambda run: runs.append(run.job.subject))
    assert doing.execute(key) == "done"
    assert doing.execute(key) is None
    assert runs == ["s"]


def test_work_enqueued_during_a_run_is_done_afterwards(
    jobs: BlockingDatabase, owner: psycopg.Connection
) -> None:
    key = make_due(owner)

    def more_comes(run: JobRun) -> None:
        make_due(owner)

    assert worker(jobs, more_comes).execute(key) == "pending"
    assert worker(jobs, lambda run: None).execute(key) == "done"
    seqs = owner.execute("SELECT dirty_seq, done_seq FROM jobs").fetchone()
    assert seqs == (2, 2)


def test_failing_job_is_tried_three_times_and_stays_visible(
    jobs: BlockingDatabase, owner: psycopg.Connection, caplog: pytest.LogCaptureFixture
) -> None:
    """A retry is logged as a warning; only a final failure is an error."""

    def fail(run: JobRun) -> None:
        raise ValueError("no model\0")

    key = make_due(owner)
    failing = worker(jobs, fail)
    outcomes = [failing.execute(key) for _ in range(4)]
    assert outcomes == ["pending", "pending", "failed", None]
    assert state(owner, key) == ("failed", 3, "ValueError: no model�")
    said = [(entry.levelname, entry.message) for entry in caplog.records]
    given_up = ("ERROR", "job given up until `everword retry-failed`")
    assert said == [*[("WARNING", "job failed")] * 3, given_up]


def test_job_with_unavailable_dependency_waits_without_using_attempts(
    jobs: BlockingDatabase, owner: psycopg.Connection
) -> None:
    def away(run: JobRun) -> None:
        raise DependencyUnavailable("no model answers")

    key = make_due(owner)
    waiting = worker(jobs, away, away_s=0.0)
    assert [waiting.execute(key) for _ in range(5)] == ["pending"] * 5
    assert state(owner, key) == ("pending", 0, "no model answers")
    # It is not due again at once.
    assert worker(jobs, away).execute(key) == "pending"
    assert worker(jobs, away).execute(key) is None


def test_job_woken_during_its_run_is_due_immediately_after_postponing(
    jobs: BlockingDatabase, owner: psycopg.Connection
) -> None:
    statement = store.SQL["wake_postponed"].sql

    def comes_too_late(run: JobRun) -> None:
        owner.execute(statement.encode(), {"namespace_id": NAMESPACE, "error": "spent"})
        raise DependencyUnavailable("spent")

    key = make_due(owner)
    assert worker(jobs, comes_too_late, away_s=3600.0).execute(key) == "pending"
    assert worker(jobs, lambda run: None).execute(key) == "done"


def test_postponed_jobs_are_woken_in_lock_order_and_embed_jobs_are_skipped(
    database: DatabaseUnderTest, jobs: BlockingDatabase, owner: psycopg.Connection
) -> None:
    later, first = make_due(owner, "later").job_id, make_due(owner, "first").job_id
    embeds = make_due(owner, "shard-0", task="embed").job_id
    owner.execute("UPDATE jobs SET state = 'running'")
    hold = "SELECT FROM jobs WHERE id = %s FOR NO KEY UPDATE NOWAIT"
    woken = {"namespace_id": NAMESPACE, "error": "spent"}
    statement = store.SQL["wake_postponed"].sql.encode()
    waits = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    with database.connect() as writer, database.connect() as caller, ThreadPoolExecutor() as pool:
        with writer.transaction():
            writer.execute(hold, [first])
            waking = pool.submit(caller.execute, statement, woken)
            until = time.monotonic() + 10
            while not owner.execute(waits).fetchall() and time.monotonic() < until:
                time.sleep(0.01)
            owner.execute(hold, [later])
        waking.result(10)
    times = "SELECT id, not_before = 'infinity' FROM jobs"
    assert dict(owner.execute(times).fetchall()) == {first: True, later: True, embeds: False}


def test_job_can_return_the_time_of_its_next_run(
    jobs: BlockingDatabase, owner: psycopg.Connection
) -> None:
    key = make_due(owner)
    later = datetime.now(UTC) + timedelta(hours=1)
    returning = Worker(jobs, Task("t", lambda run: later))
    assert returning.execute(key) == "pending"
    assert returning.execute(key) is None
    assert owner.execute("SELECT not_before FROM jobs").fetchone() == (later,)


def test_permanent_failure_is_not_retried(
    jobs: BlockingDatabase, owner: psycopg.Connection
) -> None:
    def refuse(run: JobRun) -> None:
        raise PermanentFailure("the conversation is empty")

    key = make_due(owner)
    assert worker(jobs, refuse).execute(key) == "failed"


def test_retry_pauses_grow_and_a_job_does_not_start_within_its_pause(
    jobs: BlockingDatabase, owner: psycopg.Connection
) -> None:
    def fail(run: JobRun) -> None:
        raise ValueError

    task = Task("t", fail)
    assert [task.pause_after(attempt) for attempt in (1, 2, 3, 4)] == [5.0, 30.0, 120.0, 120.0]
    key = make_due(owner)
    assert Worker(jobs, task).execute(key) == "pending"
    assert Worker(jobs, task).execute(key) is None


def test_result_of_a_worker_with_expired_lease_is_rejected(
    jobs: BlockingDatabase, owner: psycopg.Connection
) -> None:
    key = make_due(owner)

    def fall_silent(run: JobRun) -> None:
        owner.execute("UPDATE jobs SET lease_until = now() - interval '1 s'")
        assert sweep(jobs).reclaimed == 1
        with jobs.connection() as conn:
            assert store.start_job(conn, key, 60.0) is not None

    assert worker(jobs, fall_silent).execute(key) is None
    assert state(owner, key)[0] == "running"


def test_lost_lease_raises_at_the_next_checkpoint(
    jobs: BlockingDatabase, owner: psycopg.Connection
) -> None:
    key = make_due(owner)
    reached = []

    def long_work(run: JobRun) -> None:
        run.checkpoint()
        owner.execute("UPDATE jobs SET fence = fence + 1")
        with pytest.raises(LeaseLost):
            run.checkpoint()
        reached.append(True)
        raise LeaseLost

    assert worker(jobs, long_work).execute(key) is None
    assert reached == [True]


def test_done_jobs_are_pruned_after_a_day(
    jobs: BlockingDatabase, owner: psycopg.Connection
) -> None:
    worker(jobs, lambda run: None).execute(make_due(owner))
    assert sweep(jobs).pruned == 0
    owner.execute("UPDATE jobs SET updated_at = now() - interval '25 hours'")
    assert sweep(jobs).pruned == 1


def test_first_attempt_is_in_the_trace_of_the_write_and_the_second_links_to_it(
    jobs: BlockingDatabase, owner: psycopg.Connection, spans: InMemorySpanExporter
) -> None:
    def fail(run: JobRun) -> None:
        raise ValueError

    failing = worker(jobs, fail)
    key = make_due(owner)
    failing.execute(key)
    failing.execute(key)
    first, second = [span for span in spans.get_finished_spans() if span.name == "process t"]
    trace_id = int(TRACE.split("-")[1], 16)
    assert first.context is not None
    assert second.context is not None
    assert (first.context.trace_id, first.links) == (trace_id, ())
    assert second.context.trace_id != trace_id
    assert [link.context.trace_id for link in second.links] == [trace_id]
