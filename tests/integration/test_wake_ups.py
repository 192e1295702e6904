"""Wake-ups: each job gets one even if Redis loses data, and namespaces take turns."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime

import psycopg
import pytest
import redis as redis_client

from everword.db.blocking import BlockingDatabase
from everword.embedded.ports import free_ports
from everword.jobs import queue
from everword.jobs.publisher import Publisher
from everword.jobs.store import JobKey
from everword.jobs.task import JobRun, Task, queue_name
from everword.jobs.worker import Worker
from support.databases import DatabaseUnderTest
from support.earlier import earlier
from support.jobs import NAMESPACE, make_due, make_namespace, worker


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


@pytest.fixture
def redis(valkey_url: str) -> Iterator[redis_client.Redis]:
    client = queue.connect(valkey_url)
    client.flushall()
    yield client
    client.close()


@pytest.fixture
def dead() -> Iterator[redis_client.Redis]:
    """A client of an unreachable Redis."""
    with closing(queue.connect(f"redis://127.0.0.1:{free_ports(1)[0]}")) as client:
        yield client


def sent_before(owner: psycopg.Connection, seconds: float) -> None:
    """Change the sending time of all wake-ups to `seconds` earlier."""
    owner.execute(f"UPDATE jobs SET published_at = {earlier('published_at', seconds)}".encode())


def waiting(redis: redis_client.Redis, task: str = "t") -> list[str]:
    """Return the ids of the wake-ups in Redis."""
    found = redis.lrange(f"rq:queue:{queue_name(task)}", 0, -1)
    return [each.decode() for each in found if isinstance(each, bytes)]


def test_publisher_sends_each_wake_up_once(
    jobs: BlockingDatabase, owner: psycopg.Connection, redis: redis_client.Redis
) -> None:
    for number in range(3):
        make_due(owner, subject=f"{number}")
    publisher = Publisher(jobs, redis)
    assert (publisher.publish(), publisher.publish()) == (3, 0)
    assert redis.llen(f"rq:queue:{queue_name('t')}") == 3


def test_publisher_alternates_wake_ups_between_namespaces(
    jobs: BlockingDatabase, owner: psycopg.Connection, redis: redis_client.Redis
) -> None:
    other = make_namespace(owner, "other")
    owner.execute(
        "INSERT INTO jobs (namespace_id, task, subject, not_before)"
        " SELECT %s, 't', n::text, now() - interval '1 hour' FROM generate_series(1, 1100) n",
        [NAMESPACE],
    )
    quiet = make_due(owner, namespace=other)
    assert Publisher(jobs, redis).publish() == 500
    assert f"{quiet.job_id}-1" in waiting(redis)


def test_worker_executes_jobs_of_namespaces_in_turn(
    jobs: BlockingDatabase, owner: psycopg.Connection, redis: redis_client.Redis
) -> None:
    names = {make_namespace(owner, name): name for name in ("a", "b", "c")}
    for namespace, name in names.items():
        for number in range(4 if name == "b" else 1):
            make_due(owner, f"{name}{number}", namespace=namespace)
    Publisher(jobs, redis).publish()
    done: list[str] = []
    doing = worker(jobs, lambda run: done.append(run.job.subject))
    # A wake-up of the previous release names no namespace.
    wake_ups = [JobKey(0, int(wake_up.partition("-")[0])) for wake_up in waiting(redis)]
    assert [doing.execute_next(key) for key in wake_ups] == ["done"] * 6
    assert done == ["a0", "b0", "c0", "b1", "b2", "b3"]
    # A wake-up that was used for another job is not lost.
    redis.flushall()
    sent_before(owner, seconds=60)
    assert Publisher(jobs, redis).resend_lost() == 0


def test_resend_lost_resends_only_as_many_wake_ups_as_are_missing(
    jobs: BlockingDatabase, owner: psycopg.Connection, redis: redis_client.Redis
) -> None:
    for number in range(5):
        make_due(owner, f"{number}")
    publisher = Publisher(jobs, redis)
    publisher.publish()
    redis.lpop(f"rq:queue:{queue_name('t')}", 2)
    sent_before(owner, seconds=60)
    assert (publisher.resend_lost(), publisher.publish()) == (2, 2)
    assert len(waiting(redis)) == 5
    sent_before(owner, seconds=60)
    assert publisher.resend_lost() == 0


def test_worker_sends_wake_up_for_a_job_that_is_due_again(
    jobs: BlockingDatabase, owner: psycopg.Connection, redis: redis_client.Redis
) -> None:
    key = make_due(owner)
    others: list[bool] = []

    def leave_the_rest(run: JobRun) -> datetime | None:
        others.append(run.other_namespaces_wait())
        return datetime.now(UTC) if len(others) == 1 else None

    returning = Worker(jobs, Task("t", leave_the_rest), redis)
    assert returning.execute(key) == "pending"
    assert waiting(redis) == [f"{key.job_id}-2"]
    make_due(owner, namespace=make_namespace(owner, "other"))
    Publisher(jobs, redis).publish()
    assert returning.execute(key) == "done"
    # First no namespace waits, and then another one does.
    assert others == [False, True]


def test_worker_with_the_last_wake_up_waits_for_a_locked_job(
    jobs: BlockingDatabase, owner: psycopg.Connection, redis: redis_client.Redis
) -> None:
    keys = [make_due(owner, subject) for subject in ("one", "two")]
    Publisher(jobs, redis).publish()
    done: list[str] = []
    doing = worker(jobs, lambda run: done.append(run.job.subject))
    with owner.transaction():
        owner.execute("UPDATE jobs SET dirty_seq = dirty_seq + 1 WHERE subject = 'one'")
        # Each wake-up starts another job.
        assert doing.execute_next(keys[0]) == "done"
        waits = threading.Thread(target=doing.execute_next, args=[keys[1]])
        waits.start()
        time.sleep(0.2)
        assert done == ["two"]
    waits.join()
    assert done == ["two", "one"]


def test_concurrent_publishers_send_each_wake_up_once(
    jobs: BlockingDatabase, owner: psycopg.Connection, redis: redis_client.Redis
) -> None:
    for number in range(50):
        make_due(owner, subject=f"{number}")
    sent: list[int] = []
    publishers = [
        threading.Thread(target=lambda: sent.append(Publisher(jobs, redis).publish()))
        for _ in range(4)
    ]
    for thread in publishers:
        thread.start()
    for thread in publishers:
        thread.join()
    assert sum(sent) == redis.llen(f"rq:queue:{queue_name('t')}") == 50


def test_publish_after_redis_failure_sends_the_wake_up(
    jobs: BlockingDatabase,
    owner: psycopg.Connection,
    redis: redis_client.Redis,
    dead: redis_client.Redis,
) -> None:
    make_due(owner)
    with pytest.raises(redis_client.RedisError):
        Publisher(jobs, dead).publish()
    assert Publisher(jobs, redis).publish() == 1


def test_wake_up_lost_by_redis_is_sent_again(
    jobs: BlockingDatabase, owner: psycopg.Connection, redis: redis_client.Redis
) -> None:
    key = make_due(owner)
    publisher = Publisher(jobs, redis)
    publisher.publish()
    redis.flushall()
    assert publisher.resend_lost() == 0
    sent_before(owner, seconds=60)
    assert publisher.resend_lost() == 1
    assert publisher.publish() == 1
    assert waiting(redis) == [f"{key.job_id}-2"]


def test_resend_lost_does_not_resend_queued_wake_ups(
    jobs: BlockingDatabase, owner: psycopg.Connection, redis: redis_client.Redis
) -> None:
    """Otherwise each round would increase Redis' memory, and the workers' useless work."""
    first, other = make_due(owner, "first"), make_due(owner, task="other")
    publisher = Publisher(jobs, redis, sweep_s=0.3)
    publisher.publish()
    time.sleep(1.0)
    second = make_due(owner, "second")
    publisher.publish()
    assert publisher.resend_lost() == 0
    # A worker takes the first and dies; the second task's wake-up is lost: both were sent long before the queued ones.
    redis.lpop(f"rq:queue:{queue_name('t')}")
    redis.delete(f"rq:queue:{queue_name('other')}")
    assert publisher.resend_lost() == 2
    publisher.publish()
    assert waiting(redis) == [f"{second.job_id}-1", f"{first.job_id}-2"]
    assert waiting(redis, "other") == [f"{other.job_id}-2"]


def test_expired_wake_ups_are_replaced_by_new_ones(
    jobs: BlockingDatabase, owner: psycopg.Connection, redis: redis_client.Redis
) -> None:
    job_ids = [make_due(owner, f"{number}").job_id for number in range(150)]
    publisher = Publisher(jobs, redis)
    publisher.publish()
    for job_id in job_ids:
        redis.delete(f"rq:job:{job_id}-1")
    sent_before(owner, seconds=60)
    assert (publisher.resend_lost(), publisher.publish()) == (150, 150)
    assert sorted(waiting(redis)) == sorted(f"{job_id}-2" for job_id in job_ids)


def test_resend_lost_resends_1100_wake_ups_at_once(
    jobs: BlockingDatabase, owner: psycopg.Connection, redis: redis_client.Redis
) -> None:
    owner.execute(
        "INSERT INTO jobs (namespace_id, task, subject, published_at)"
        " SELECT %s, 't', n::text, now() - interval '1 hour' FROM generate_series(1, 1100) n",
        [NAMESPACE],
    )
    assert Publisher(jobs, redis).resend_lost() == 1100


def test_resend_lost_after_redis_failure_resends_the_wake_up(
    jobs: BlockingDatabase,
    owner: psycopg.Connection,
    redis: redis_client.Redis,
    dead: redis_client.Redis,
) -> None:
    make_due(owner)
    Publisher(jobs, redis).publish()
    redis.flushall()
    sent_before(owner, seconds=60)
    with pytest.raises(redis_client.RedisError):
        Publisher(jobs, dead).resend_lost()
    assert Publisher(jobs, redis).resend_lost() == 1


def test_earlier_wake_up_starts_a_due_job_after_a_resend(
    jobs: BlockingDatabase, owner: psycopg.Connection, redis: redis_client.Redis
) -> None:
    """Otherwise a queue whose wake-ups are resent before they are processed would never advance."""
    key = make_due(owner)
    publisher = Publisher(jobs, redis, sweep_s=0.0)
    publisher.publish()
    redis.flushall()
    assert publisher.resend_lost() == publisher.publish() == 1
    assert worker(jobs, lambda run: None).execute(key) == "done"


def test_connection_with_retries_waits_while_redis_is_out_of_memory(
    redis: redis_client.Redis, valkey_url: str
) -> None:
    patient = queue.connect_with_retries(valkey_url)
    later = threading.Timer(0.5, redis.config_set, ("maxmemory", 0))
    redis.config_set("maxmemory", 1)
    later.start()
    try:
        with closing(patient), patient.pipeline() as pipeline:
            pipeline.hset("heartbeat", "last", "now")
            assert pipeline.execute() == [1]
    finally:
        later.join()
        redis.delete("heartbeat")
