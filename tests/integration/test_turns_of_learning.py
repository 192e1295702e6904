"""Learning takes turns between namespaces: facts, Sleep and topic pages do not wait for another backlog.

The measure is the number of steps until a namespace's single step is done: alone, and next to another backlog.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest

from everword.jobs import queue
from everword.jobs.enqueue import SLEEP, SLEEP_NAMESPACE, DueJob, enqueue_blocking
from everword.jobs.task import JobRun, Task
from everword_compactor.jobs.context import WorkerContext
from everword_compactor.learning.job import Learning
from everword_compactor.sleep.job import SleepJobs
from everword_compactor.sleep.work import ClosingStage, ClosingWork, StageTools
from everword_compactor.topics.job import Topics
from everword_compactor.topics.schedule import schedule_changes
from support.callers import make_namespaces, within
from support.calls import append, message
from support.compaction import AT_ONCE, work, worker_context
from support.graphs import node, write
from support.stack import Stack
from support.turns import MOST, Run, impatient, send, work_off

#: Steps of a backlog.
MANY = 15
_numbers = count()


async def say(stack: Stack, shop: WorkerContext, namespace: str, steps: int) -> None:
    """Append `steps` + 1 messages, one hour apart, to a conversation: one session each, the last still open."""
    begun = datetime.now(UTC) - timedelta(days=9)
    entries = []
    for number in range(steps + 1):
        entries.append(message(f"Number {number}, says {namespace}."))
        entries[-1].create_time.FromDatetime(begun + number * timedelta(hours=1))
    key = f"{next(_numbers)}"
    await append(stack, *entries, session_key=key, metadata=within(namespace))


async def change_facts(stack: Stack, shop: WorkerContext, namespace: str, steps: int) -> None:
    """Mark facts as changed that no longer exist; each is still looked at."""
    namespace_id = id_of(stack, namespace)
    with stack.database.connect() as conn:
        conn.execute(
            "INSERT INTO topic_changes (namespace_id, fact_id)"
            " SELECT %s, gen_random_uuid() FROM generate_series(1, %s)",
            [namespace_id, steps],
        )
    schedule_changes(shop.database, namespace_id)


async def draw(stack: Stack, shop: WorkerContext, namespace: str, steps: int) -> None:
    """Write graph nodes whose pages are to be checked."""
    nodes = [node(f"Pier {next(_numbers)}", "place") for _ in range(steps)]
    await write(stack, *nodes, metadata=within(namespace))
    schedule_changes(shop.database, id_of(stack, namespace))


async def leave_open(stack: Stack, shop: WorkerContext, namespace: str, steps: int) -> None:
    """Leave sessions of `steps` people for the closing steps."""
    key = f"{next(_numbers)}"
    said = await append(stack, "Hello.", session_key=key, metadata=within(namespace))
    namespace_id = id_of(stack, namespace)
    with stack.database.connect() as conn:
        conn.execute(
            "INSERT INTO sleep_sessions (namespace_id, id, conversation_id, first_seq, last_seq, subject, state,"
            "                            started_at, ended_at)"
            " SELECT %s, gen_random_uuid(), %s, n, n, 'person ' || n, 1, now(), now()"
            "   FROM generate_series(1, %s) AS n",
            [namespace_id, said.conversation_id, steps],
        )
    with shop.database.transaction(namespace_id) as owned:
        enqueue_blocking(owned, [DueJob(namespace_id, SLEEP, SLEEP_NAMESPACE)])


def id_of(stack: Stack, namespace: str) -> int:
    with stack.database.connect() as conn:
        row = conn.execute("SELECT id FROM namespaces WHERE name = %s", [namespace]).fetchone()
    assert row
    return int(row[0])


@dataclass(frozen=True)
class Work:
    """One kind of learning."""

    task: str
    run: Callable[[WorkerContext], Run]
    #: Makes a number of its steps due in a namespace.
    make_due: Callable[[Stack, WorkerContext, str, int], Awaitable[None]]


WORK = {
    "facts": Work("learn", lambda shop: Learning(shop).run, say),
    "sessions": Work("sleep", lambda shop: SleepJobs(shop).run, say),
    "closings": Work("sleep", lambda shop: SleepJobs(shop).run, leave_open),
    "links of facts": Work("learn", lambda shop: Topics(shop).run, change_facts),
    "pages": Work("learn", lambda shop: Topics(shop).run, draw),
}


@pytest.mark.parametrize("kind", WORK)
async def test_learning_backlog_delays_another_namespace_by_a_bounded_number_of_steps(
    stack: Stack, valkey_url: str, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr("everword_compactor.learning.job.BATCH", 1)
    monkeypatch.setattr("everword_compactor.learning.job.RECENT", 0)
    monkeypatch.setattr("everword_compactor.topics.job.BATCH", 1)
    await make_namespaces(stack, "flood", "quiet")
    names = {id_of(stack, name): name for name in ("flood", "quiet")}
    learning = WORK[kind]
    steps: list[str] = []

    def counted(job: JobRun, run: Run) -> datetime | None:
        def checkpoint() -> None:
            steps.append(names[job.job.namespace_id])
            job.checkpoint()

        return run(replace(job, checkpoint=checkpoint))

    with worker_context(stack.database) as shop, closing(queue.connect(valkey_url)) as redis:
        redis.flushall()

        async def make_due(namespace: str, steps: int) -> None:
            await learning.make_due(stack, shop, namespace, steps)
            # Learning waits until a conversation has been quiet for a while.
            with stack.database.connect() as conn:
                conn.execute("UPDATE jobs SET not_before = now() WHERE task = %s", [learning.task])

        async def finish() -> None:
            run = learning.run(shop)
            await asyncio.to_thread(
                work_off, shop, redis, learning.task, lambda job: counted(job, run)
            )
            with stack.database.connect() as conn:
                # Follow-up jobs are not part of the measured work.
                conn.execute("DELETE FROM jobs")

        await make_due("quiet", 1)
        await finish()
        alone = len(steps)
        assert alone >= 1
        steps.clear()
        await make_due("flood", MANY)
        send(shop, redis)
        await make_due("quiet", 1)
        await finish()
    assert steps.count("flood") >= MANY
    assert max(at for at, whose in enumerate(steps, 1) if whose == "quiet") <= MOST * alone


async def test_failed_closing_of_a_subject_does_not_block_other_subjects(stack: Stack) -> None:
    def stumble(tools: StageTools, closed: ClosingWork) -> ClosingWork:
        if closed.subject == "person 1":
            raise ValueError("no words")
        return closed

    with worker_context(stack.database) as shop:
        await leave_open(stack, shop, "default", 4)
        sleeping = SleepJobs(shop, closing_stages=[ClosingStage("stumble", stumble)])
        task = Task("sleep", impatient(sleeping.run), pauses_s=(0.0,))
        due = datetime.now(UTC) + AT_ONCE
        ended = await asyncio.to_thread(work, stack.database, shop.database, task, due)
    assert set(ended.values()) == {"failed"}
    with stack.database.connect() as conn:
        left = conn.execute("SELECT subject FROM sleep_sessions WHERE state = 1").fetchall()
    assert left == [("person 1",)]
