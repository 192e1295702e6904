"""Background work as operators see and control it."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import grpc
import psycopg
import pytest

from everword.v1 import maintenance_service_pb2 as pb
from everword.v1.admin_service_pb2 import API_KEY_ROLE_WRITE, ApiKey, CreateApiKeyRequest
from everword.v1.search_service_pb2 import GetStatsRequest
from everword_compactor.maintenance import backfill
from everword_compactor.maintenance.prune_usage import prune_usage
from support.callers import bearer, make_namespaces, within
from support.calls import append
from support.compaction import worker_context
from support.databases import DatabaseUnderTest
from support.refusals import refused
from support.stack import Stack, running_stack

INSERT_JOB = """
INSERT INTO jobs (namespace_id, task, subject, state, attempts, error, not_before, published_at, updated_at)
SELECT id, %(task)s, %(subject)s, %(state)s, %(attempts)s, %(error)s, now() - %(age)s * interval '1 second', now(),
       now() - %(age)s * interval '1 second'
  FROM namespaces WHERE name = %(namespace)s
"""


def _job(database: DatabaseUnderTest, subject: str, state: str, **fields: object) -> None:
    """Store a job in a state in which a worker leaves it."""
    defaults = {"task": "embed", "attempts": 0, "error": None, "age": 0, "namespace": "default"}
    with database.connect() as conn:
        conn.execute(INSERT_JOB, {**defaults, "subject": subject, "state": state, **fields})


def _failed(database: DatabaseUnderTest, subject: str, error: str, **fields: object) -> None:
    _job(database, subject, "failed", error=error, attempts=5, **fields)


def _pending(database: DatabaseUnderTest) -> list[str]:
    with database.connect() as conn:
        rows = conn.execute(
            """SELECT subject FROM jobs
                WHERE state = 'pending' AND attempts = 0 AND published_at IS NULL AND not_before <= now()
                ORDER BY subject"""
        ).fetchall()
    return [subject for (subject,) in rows]


async def _retry(stack: Stack, **fields: object) -> int:
    request = pb.RetryJobsRequest(**fields)  # type: ignore[arg-type]
    return (await stack.maintenance.RetryJobs(request)).jobs


async def test_queue_status_counts_each_task_and_shows_a_sample_error(stack: Stack) -> None:
    _job(stack.database, "a", "pending", age=90)
    _job(stack.database, "b", "running")
    _job(stack.database, "c", "done")
    _failed(stack.database, "d", "older trouble", age=60)
    _failed(stack.database, "e", "latest trouble", age=5)
    _job(stack.database, "a", "pending", task="summarise")
    status = await stack.maintenance.GetQueueStatus(pb.GetQueueStatusRequest())
    embed, summarise = status.tasks
    assert (embed.task, summarise.task) == ("embed", "summarise")
    assert (embed.pending, embed.running, embed.failed) == (1, 1, 2)
    assert 90 <= embed.oldest_pending_age.ToTimedelta().total_seconds() < 150
    assert embed.sample_error == "latest trouble"
    assert (summarise.pending, summarise.failed, summarise.sample_error) == (1, 0, "")
    assert [job.target for job in status.failed_jobs] == ["e", "d"]
    job = status.failed_jobs[0]
    assert (job.task, job.attempts, job.error) == ("embed", 5, "latest trouble")
    age = datetime.now(UTC) - job.fail_time.ToDatetime(tzinfo=UTC)
    assert timedelta(seconds=4) < age < timedelta(minutes=1)


async def test_queue_status_can_be_limited_to_one_task(stack: Stack) -> None:
    _failed(stack.database, "a", "trouble", task="summarise")
    _failed(stack.database, "a", "trouble")
    status = await stack.maintenance.GetQueueStatus(pb.GetQueueStatusRequest(task="summarise"))
    assert [task.task for task in status.tasks] == ["summarise"]
    assert [job.task for job in status.failed_jobs] == ["summarise"]


async def test_queue_status_shows_the_latest_twenty_failures(stack: Stack) -> None:
    for number in range(25):
        _failed(stack.database, f"s{number:02}", "trouble", age=number)
    status = await stack.maintenance.GetQueueStatus(pb.GetQueueStatusRequest())
    assert [job.target for job in status.failed_jobs] == [f"s{n:02}" for n in range(20)]
    assert status.tasks[0].failed == 25


async def test_append_is_counted_as_due_and_scheduled_jobs(stack: Stack) -> None:
    await append(stack, "Something to embed.")
    status = await stack.maintenance.GetQueueStatus(pb.GetQueueStatusRequest())
    assert [(task.task, task.pending, task.scheduled) for task in status.tasks] == [
        ("compact", 0, 1),
        ("embed", 1, 0),
        ("learn", 0, 1),
        ("sleep", 0, 1),
    ]
    sleep = status.tasks[3]
    # The session ends after 30 minutes without a message.
    start = sleep.next_start_time.ToDatetime(UTC) - datetime.now(UTC)
    assert timedelta(minutes=29) < start <= timedelta(minutes=30)
    assert not sleep.HasField("oldest_pending_age")


async def test_retry_makes_failed_jobs_pending_up_to_the_limit(stack: Stack) -> None:
    _failed(stack.database, "a", "trouble")
    _failed(stack.database, "b", "trouble")
    _failed(stack.database, "d", "trouble")
    _job(stack.database, "c", "running")
    assert await _retry(stack, dry_run=True) == 3
    assert await _retry(stack, dry_run=True, limit=2) == 2
    assert _pending(stack.database) == []
    assert await _retry(stack, limit=1) == 1
    assert _pending(stack.database) == ["a"]
    assert await _retry(stack) == 2
    assert _pending(stack.database) == ["a", "b", "d"]
    assert await _retry(stack) == 0


async def test_retry_is_limited_to_the_given_task_and_error(stack: Stack) -> None:
    _failed(stack.database, "a", "100% sure_fail")
    _failed(stack.database, "b", "100 is sure-fail")
    _failed(stack.database, "c", "100% sure_fail", task="summarise")
    assert await _retry(stack, task="embed", error_contains="0% sure_") == 1
    assert _pending(stack.database) == ["a"]
    assert await _retry(stack, error_contains="%") == 1
    assert _pending(stack.database) == ["a", "c"]
    assert await _retry(stack, error_contains="no such error") == 0


#: An append locks its job of the task `embed` before the conversation's; sweeps proceed from days to years.
LOCKED_IN_ORDER = [
    ("embed", "shard-0"),
    ("compact", "a"),
    ("compact", "b"),
    ("learn", "a"),
    ("roll-up", "day/2026-04-14"),
    ("roll-up", "day/2026-04-15"),
    ("roll-up", "week/2026-W16"),
    ("roll-up", "month/2026-04"),
    ("roll-up", "year/2026"),
    ("sleep", "a"),
    ("tool-sentences", "shard-0"),
]


@pytest.mark.parametrize("held", range(len(LOCKED_IN_ORDER)))
async def test_retry_locks_jobs_in_the_common_order(stack: Stack, held: int) -> None:
    for task, subject in reversed(LOCKED_IN_ORDER):
        _failed(stack.database, subject, "trouble", task=task)
    touch = "UPDATE jobs SET dirty_seq = dirty_seq + 1 WHERE task = %s AND subject = %s"
    with stack.database.connect() as conn, conn.transaction():
        conn.execute(touch, LOCKED_IN_ORDER[held])
        retried = asyncio.create_task(_retry(stack))
        await _until_blocked(stack.database)
        # The waiting call has not locked any later row yet.
        conn.execute("SET LOCAL lock_timeout = '1s'")
        for job in LOCKED_IN_ORDER[held + 1 :]:
            conn.execute(touch, job)
    assert await retried == len(LOCKED_IN_ORDER)


async def _until_blocked(database: DatabaseUnderTest) -> None:
    with database.connect() as conn:
        for _ in range(3000):
            [waiting] = conn.execute(
                "SELECT count(*) FROM pg_stat_activity"
                " WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0"
            ).fetchone() or [0]
            if waiting:
                return
            await asyncio.sleep(0.02)
    raise AssertionError("nobody waits")


async def test_usage_and_budget_records_are_pruned_after_400_days(
    stack: Stack,
) -> None:
    await make_namespaces(stack, "other")
    with stack.database.connect() as conn:
        conn.execute(
            """INSERT INTO usage_ledger (namespace_id, task, model, outcome, seconds, called_at)
               SELECT n.id, 'summary', days::text, 'answered', 1, now() - make_interval(days => days)
                 FROM namespaces n CROSS JOIN unnest('{1,399,401,800}'::integer[]) AS days"""
        )
        _charge(conn, "new", 399)
        _charge(conn, "old", 401)
        with worker_context(stack.database) as shop:
            prune_usage(shop.database)
        rows = conn.execute("SELECT model, count(*) FROM usage_ledger GROUP BY model").fetchall()
        charged = conn.execute(
            "SELECT period, count(*) FROM budget_spending GROUP BY period UNION ALL "
            "SELECT period, count(*) FROM budget_events GROUP BY period"
        ).fetchall()
    assert sorted(rows) == [("1", 2), ("399", 2)]
    assert charged == [("new", 1), ("new", 1)]


def _charge(conn: psycopg.Connection, run_id: str, days: int) -> None:
    """Charge a budget with a run `days` days ago, so that it reaches its limit."""
    conn.execute(
        """WITH budget AS (
               INSERT INTO budgets (namespace_id, id, period, scope, scope_value, max_tokens, warn_percent)
               VALUES (1, gen_random_uuid(), 1, 2, %(run)s, 1, 80) RETURNING id
           ), charged AS (
               INSERT INTO budget_spending (namespace_id, budget_id, period, cost, tokens, calls, unpriced_calls,
                                            started_at)
               SELECT 1, id, %(run)s, 0, 1, 1, 1, now() - make_interval(days => %(days)s) FROM budget
           )
           INSERT INTO budget_events (namespace_id, budget_id, period, exceeded, cost, tokens, currency, warn_percent,
                                      occurred_at)
           SELECT 1, id, %(run)s, true, 0, 1, '', 80, now() - make_interval(days => %(days)s) FROM budget""",
        {"run": run_id, "days": days},
    )


def _queue(database: DatabaseUnderTest) -> list[tuple[str, int]]:
    with database.connect() as conn:
        return conn.execute(
            "SELECT state, count(*) FROM embedding_queue GROUP BY state ORDER BY state"
        ).fetchall()


async def _backfill(stack: Stack, *, dry_run: bool = False) -> int:
    request = pb.BackfillRequest(target=pb.BACKFILL_TARGET_EMBEDDINGS, dry_run=dry_run)
    return (await stack.maintenance.Backfill(request)).items


async def test_backfill_enqueues_missing_and_failed_passages(stack: Stack) -> None:
    await append(stack, *[f"Message number {number}." for number in range(30)])
    with stack.database.connect() as conn:
        conn.execute("DELETE FROM embedding_queue WHERE memory_id % 3 = 0")
        conn.execute(
            "UPDATE embedding_queue SET state = 'failed', error = 'x' WHERE memory_id % 3 = 1"
        )
    before = _queue(stack.database)
    assert [state for state, _ in before] == ["failed", "pending"]
    assert await _backfill(stack, dry_run=True) == 20
    assert _queue(stack.database) == before
    assert await _backfill(stack) == 20
    assert _queue(stack.database) == [("pending", 30)]
    assert await _backfill(stack) == 0


async def test_backfill_covers_active_and_building_generations_only(stack: Stack) -> None:
    await append(stack, "One message.")
    with stack.database.connect() as conn:
        conn.execute(
            """INSERT INTO model_generations (state, provider, model, dimensions)
               VALUES ('building', 'local', 'new', 8), ('retiring', 'local', 'old', 8)"""
        )
        conn.execute("SELECT create_vector_table(id) FROM model_generations WHERE dimensions = 8")
    assert await _backfill(stack) == 1
    assert _queue(stack.database) == [("pending", 2)]


async def test_backfill_skips_passages_with_a_vector(stack: Stack) -> None:
    await append(stack, "One.", "Two.", "Three.")
    with stack.database.connect() as conn:
        conn.execute("DELETE FROM embedding_queue")
        conn.execute(
            """INSERT INTO memory_vectors_1
               SELECT namespace_id, id, array_fill(0.05::real, ARRAY[384])::halfvec
                 FROM memories ORDER BY id LIMIT 2"""
        )
    assert await _backfill(stack, dry_run=True) == 1
    assert await _backfill(stack) == 1
    assert _queue(stack.database) == [("pending", 1)]


async def test_backfill_covers_several_batches(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backfill, "PASSAGES", 10)
    await append(stack, *[f"Message number {number}." for number in range(25)])
    with stack.database.connect() as conn:
        conn.execute("DELETE FROM embedding_queue")
    assert await _backfill(stack) == 25


async def test_maintenance_is_limited_to_the_namespace_of_the_caller(stack: Stack) -> None:
    await make_namespaces(stack, "other")
    await append(stack, "Theirs.", metadata=within("other"))
    _failed(stack.database, "theirs", "trouble", namespace="other")
    with stack.database.connect() as conn:
        conn.execute("DELETE FROM embedding_queue")
    status = await stack.maintenance.GetQueueStatus(pb.GetQueueStatusRequest())
    assert (list(status.tasks), list(status.failed_jobs)) == ([], [])
    assert await _retry(stack) == 0
    assert await _backfill(stack) == 0
    assert _queue(stack.database) == []
    theirs = await stack.maintenance.GetQueueStatus(
        pb.GetQueueStatusRequest(), metadata=within("other")
    )
    assert [job.target for job in theirs.failed_jobs] == ["theirs"]


async def test_only_operators_see_error_texts(database: DatabaseUnderTest) -> None:
    """Error texts may contain addresses and settings, or another service's response."""
    key = "operators-key-for-the-tests"
    async with running_stack(database, admin_key=key, embedder=False) as stack:
        raw = "ChatUnavailable: http://10.0.0.5:8000 said: secret"
        _failed(database, "a", raw, age=5)
        _failed(database, "b", "KeyError: secret", age=60)
        made = await stack.admin.CreateApiKey(
            CreateApiKeyRequest(api_key=ApiKey(namespace="default", role=API_KEY_ROLE_WRITE)),
            metadata=bearer(key),
        )
        asked = pb.GetQueueStatusRequest()
        theirs = await stack.maintenance.GetQueueStatus(asked, metadata=bearer(made.secret))
        stats = await stack.search.GetStats(GetStatsRequest(), metadata=bearer(made.secret))
        whole = await stack.maintenance.GetQueueStatus(asked, metadata=bearer(key))
        guess = pb.RetryJobsRequest(error_contains="secret", dry_run=True)
        refusal = await refused(stack.maintenance.RetryJobs(guess, metadata=bearer(made.secret)))
        assert (await stack.maintenance.RetryJobs(guess, metadata=bearer(key))).jobs == 2
    assert [job.error for job in theirs.failed_jobs] == [
        "the language model does not answer",
        "it failed within Everword; an operator sees why",
    ]
    assert "secret" not in f"{theirs}{stats}"
    assert stats.tasks[0].sample_error == "the language model does not answer"
    assert whole.failed_jobs[0].error == whole.tasks[0].sample_error == raw
    assert refusal.reason == "ACCESS_DENIED"


async def test_backfill_without_a_target_is_refused(stack: Stack) -> None:
    refusal = await refused(stack.maintenance.Backfill(pb.BackfillRequest()))
    assert refusal.code == grpc.StatusCode.INVALID_ARGUMENT
    assert refusal.fields == {"target"}


async def test_queue_status_lists_failed_passages_with_their_reason(stack: Stack) -> None:
    appended = await append(stack, "words", "🎉")
    with stack.database.connect() as conn:
        conn.execute(
            "UPDATE embedding_queue SET state = 'failed', error = 'it holds no words'"
            " WHERE memory_id = (SELECT max(id) FROM memories)"
        )
    status = await stack.maintenance.GetQueueStatus(pb.GetQueueStatusRequest())
    [parked] = status.failed_passages
    assert (parked.memory_id, parked.part) == (appended.messages[1].message_id, 0)
    assert parked.error == "it holds no words"
    other = await stack.maintenance.GetQueueStatus(pb.GetQueueStatusRequest(task="another"))
    assert not other.failed_passages
