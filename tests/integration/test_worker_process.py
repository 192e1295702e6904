"""One process runs several tasks: none waits for another task's job, and SIGTERM lets running jobs finish."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
import redis as redis_client

from everword.db.blocking import BlockingDatabase
from everword.jobs import queue
from everword.jobs.publisher import Publisher
from support.databases import DatabaseUnderTest
from support.jobs import make_due, state
from support.waits import until

#: Runs a task that waits for a file, and one that does nothing.
WORKER = """
import sys, time
from pathlib import Path
from everword.db.blocking import BlockingDatabase
from everword.db.settings import DatabaseSettings
from everword.jobs.task import Task
from everword.jobs.worker import run_worker

url, redis_url, go_on = sys.argv[1:]

def wait(run):
    while not Path(go_on).exists():
        time.sleep(0.05)

database = BlockingDatabase(DatabaseSettings(url, "everword_compactor"), "compactor")
database.open()
run_worker(database, redis_url, [Task("slow", wait), Task("fast", lambda run: None)])
print("ended")
"""
#: An idle process ends at once, but takes some time on a busy machine.
ENDS_S = 10.0


@pytest.fixture
def owner(database: DatabaseUnderTest) -> Iterator[psycopg.Connection]:
    with database.connect() as conn:
        yield conn


@pytest.fixture
def publisher(database: DatabaseUnderTest, valkey_url: str) -> Iterator[Publisher]:
    jobs = BlockingDatabase(database.settings("ingest"), "ingest")
    jobs.open()
    with closing(jobs), closing(queue.connect(valkey_url)) as redis:
        redis.flushall()
        yield Publisher(jobs, redis)


@contextmanager
def worker_process(
    database: DatabaseUnderTest, redis_url: str, go_on: Path
) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", WORKER, database.service_url, redis_url, str(go_on)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def serving(redis: redis_client.Redis) -> int:
    found: Any = redis.smembers("rq:workers")
    return len(found)


async def test_worker_runs_other_tasks_during_a_slow_job_and_finishes_it_at_sigterm(
    database: DatabaseUnderTest,
    valkey_url: str,
    owner: psycopg.Connection,
    publisher: Publisher,
    tmp_path: Path,
) -> None:
    go_on = tmp_path / "go on"
    with worker_process(database, valkey_url, go_on) as process:
        slow = make_due(owner, task="slow")
        publisher.publish()
        await until(lambda: state(owner, slow)[0] == "running")
        fast, later = make_due(owner, task="fast"), make_due(owner, "later", task="slow")
        publisher.publish()
        await until(lambda: state(owner, fast)[0] == "done")
        assert state(owner, slow)[0] == "running"
        process.send_signal(signal.SIGTERM)
        await asyncio.sleep(0.3)
        after = make_due(owner, "after", task="fast")
        publisher.publish()
        await asyncio.sleep(0.3)
        go_on.touch()
        assert process.wait(ENDS_S) == 0
        assert process.stdout
        assert process.stdout.read() == "ended\n"
    assert state(owner, slow)[0] == "done"
    assert state(owner, later)[0] == state(owner, after)[0] == "pending"


async def test_wake_up_that_another_worker_took_too_is_no_error(
    database: DatabaseUnderTest,
    valkey_url: str,
    owner: psycopg.Connection,
    publisher: Publisher,
    tmp_path: Path,
) -> None:
    go_on = tmp_path / "go on"
    with (
        worker_process(database, valkey_url, go_on) as process,
        closing(queue.connect(valkey_url)) as redis,
    ):
        slow = make_due(owner, task="slow")
        publisher.publish()
        await until(lambda: state(owner, slow)[0] == "running")
        [wake_up] = redis.scan_iter("rq:job:*")
        redis.delete(wake_up)
        go_on.touch()
        await until(lambda: not [*redis.scan_iter("rq:job:*"), *redis.scan_iter("rq:wip:*")])
        assert state(owner, slow)[0] == "done"
        process.send_signal(signal.SIGTERM)
        assert process.wait(ENDS_S) == 0
        assert process.stderr
        assert process.stderr.read() == ""


async def test_worker_without_a_job_ends_at_sigterm(
    database: DatabaseUnderTest, valkey_url: str, publisher: Publisher, tmp_path: Path
) -> None:
    with (
        worker_process(database, valkey_url, tmp_path / "go on") as process,
        closing(queue.connect(valkey_url)) as redis,
    ):
        await until(lambda: serving(redis) == 2)
        started = time.monotonic()
        process.send_signal(signal.SIGTERM)
        assert process.wait(ENDS_S) == 0
        assert time.monotonic() - started < ENDS_S / 2


async def test_worker_with_a_slow_job_ends_at_a_second_signal(
    database: DatabaseUnderTest,
    valkey_url: str,
    owner: psycopg.Connection,
    publisher: Publisher,
    tmp_path: Path,
) -> None:
    with worker_process(database, valkey_url, tmp_path / "go on") as process:
        slow = make_due(owner, task="slow")
        publisher.publish()
        await until(lambda: state(owner, slow)[0] == "running")
        process.send_signal(signal.SIGTERM)
        await asyncio.sleep(0.5)
        assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        assert process.wait(ENDS_S) == -signal.SIGTERM
    assert state(owner, slow)[0] == "running"
