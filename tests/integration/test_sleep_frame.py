"""Transactions of Sleep: a session is stored completely or not at all, once, in any order, under any failure."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest

from everword.facts.model import FactState
from everword.jobs.store import JobKey, StartedJob, start_job
from everword.jobs.task import JobRun, LeaseLost
from everword.v1 import maintenance_service_pb2 as pb
from everword_compactor.jobs import model_outage
from everword_compactor.jobs.context import WorkerContext
from everword_compactor.jobs.namespace_job import NamespaceJob, open_job
from everword_compactor.sleep.load_inputs import load, subjects_of
from everword_compactor.sleep.order import SESSION_STAGES
from everword_compactor.sleep.runs import apply_writes
from everword_compactor.sleep.runs.conversation import next_finished
from everword_compactor.sleep.runs.run_stages import digest, tools_of
from everword_compactor.sleep.work import PendingWrite
from support.learning import history_of, say, told
from support.scripted_replies import answer, status
from support.sleep_calls import (
    Mind,
    Records,
    classifying,
    observing,
    pass_night,
    rows,
    sleep,
    sleeper,
    stored,
)
from support.stack import Stack

TEA, BERLIN = ("tea for me", "drink", "tea"), ("Berlin it is", "residence", "Berlin")
LISBON = ("Lisbon it is", "residence", "Lisbon")
OBSERVING = observing(TEA, BERLIN, LISBON)
#: All tables of Sleep.
TABLES = (
    "facts", "fact_intervals", "fact_evidence", "fact_changes", "fact_disputes", "sleep_sessions",
    "session_observations", "compaction_progress", "memories", "embedding_queue",
)  # fmt: skip


@contextmanager
def dumping(stack: Stack) -> Iterator[Callable[[], str]]:
    """Yield a function that returns a digest of all rows stored by Sleep."""
    each = " UNION ALL ".join(f"SELECT t::text AS t FROM {table} t" for table in TABLES)
    query = f"SELECT md5(string_agg(t, ' ' ORDER BY t)) FROM ({each}) AS every"
    with stack.database.connect() as conn:
        yield lambda: str(conn.execute(query.encode()).fetchall())


class Crash(Exception):
    """A crash between two statements."""


@contextmanager
def crash_after(statements: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the transaction of facts fail after `statements` statements."""
    execute, left = psycopg.AsyncCursor.execute, [statements]

    async def counted(self: Any, *given: Any, **named: Any) -> Any:
        if "pg_extension" in str(given[0]):  # The pool's own, for a new connection.
            return await execute(self, *given, **named)
        if left[0] == 0:
            raise Crash
        left[0] -= 1
        return await execute(self, *given, **named)

    with monkeypatch.context() as patched:
        patched.setattr(psycopg.AsyncCursor, "execute", counted)
        yield


def started(context: WorkerContext, stack: Stack, subject: str) -> StartedJob:
    """Start the job of a conversation, even if another worker has it."""
    with stack.database.connect() as conn:
        [key] = conn.execute(
            """UPDATE jobs SET not_before = now() - interval '1 s', state = 'pending', published_at = now()
                WHERE task = 'sleep' AND subject = %s RETURNING namespace_id, id""",
            (subject,),
        ).fetchall()
    with context.database.connection() as conn:
        job = start_job(conn, JobKey(*key), 60)
    assert job is not None
    return job


def found(job: NamespaceJob, conversation_id: UUID) -> list[PendingWrite]:
    """Return the writes of a conversation's first finished session."""
    [finished, *_], _ = next_finished(job, conversation_id)
    tools = tools_of(job)
    with job.transaction() as conn:
        loaded = load(conn, job.namespace_id, subjects_of(finished.session), tools.now, "UTC")
    work = digest(tools, finished.session, loaded, SESSION_STAGES)
    return apply_writes.session_writes(work, "scripted", finished.after)


def conversation(stack: Stack) -> str:
    [(id_,)] = rows(stack, "SELECT id::text FROM conversations")
    return str(id_)


async def test_sleep_crash_at_any_statement_leaves_old_or_new_state(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    await say(stack, "Berlin it is.", 0, session="other")
    await sleep(stack, Mind({"sleep-observe": OBSERVING}))
    with stack.database.connect() as conn:
        conn.execute("UPDATE conversations SET session_key = 'x'")
    await say(stack, "It is tea for me. Lisbon it is.", 3)
    mind = Mind(
        {
            "sleep-observe": OBSERVING,
            "sleep-classify": classifying(("Lisbon", "contradict", "Berlin")),
        }
    )

    def crash_everywhere() -> int:
        with sleeper(stack, mind) as context:
            [(subject,)] = rows(stack, "SELECT id::text FROM conversations WHERE session_key = 's'")
            job_row = started(context, stack, subject)
            run = JobRun(job_row, lambda: None, lambda: None)
            with open_job(context, run) as job, dumping(stack) as dump:
                assert job is not None
                writes = found(job, UUID(subject))
                settings, old = context.database.settings, dump()
                for statements in range(500):
                    with crash_after(statements, monkeypatch):
                        try:
                            apply_writes.apply(settings, job_row, writes)
                        except Crash:
                            assert dump() == old, statements
                            continue
                    return statements
        raise AssertionError("it came to no end")

    statements = await asyncio.to_thread(crash_everywhere)
    assert statements > 20
    assert stored(stack)["residence", "Berlin"][0] == FactState.CLOSED
    assert stored(stack)["drink", "tea"] == (FactState.SUSPECTED, 1, 0)


async def test_sleep_worker_without_its_lease_stores_nothing(
    stack: Stack,
) -> None:
    await say(stack, "It is tea for me.", 0)
    subject = conversation(stack)

    def both() -> None:
        with sleeper(stack, Mind({"sleep-observe": OBSERVING})) as context:
            pairs = []
            for _ in range(2):
                job_row = started(context, stack, subject)
                with open_job(context, JobRun(job_row, lambda: None, lambda: None)) as job:
                    assert job is not None
                    pairs.append((job_row, found(job, UUID(subject))))
            (early, early_writes), (late, late_writes) = pairs
            settings = context.database.settings
            with dumping(stack) as dump:
                before = dump()
                with pytest.raises(LeaseLost):
                    apply_writes.apply(settings, early, early_writes)
                assert dump() == before
                apply_writes.apply(settings, late, late_writes)
                after = dump()
                # A second attempt by the job's new owner finds the session already stored.
                with pytest.raises(LeaseLost):
                    apply_writes.apply(settings, late, early_writes)
                assert dump() == after

    await asyncio.to_thread(both)
    assert stored(stack) == {("drink", "tea"): (FactState.SUSPECTED, 1, 0)}


async def test_two_concurrent_sleeps_store_each_session_once(stack: Stack) -> None:
    for number in range(3):
        await say(stack, "It is tea for me. Berlin it is.", number, session=f"s{number}")
    mind = Mind({"sleep-observe": OBSERVING})
    await asyncio.gather(sleep(stack, mind), sleep(stack, mind))
    await sleep(stack, mind)
    assert stored(stack) == {
        ("drink", "tea"): (FactState.CONFIRMED, 3, 0),
        ("residence", "Berlin"): (FactState.CONFIRMED, 3, 0),
    }
    assert rows(stack, "SELECT state, count(*)::int FROM sleep_sessions GROUP BY 1") == [(2, 3)]


async def test_session_with_invalid_model_answers_is_parked_and_others_are_stored(
    stack: Stack,
) -> None:
    for at, text in enumerate(("It is tea for me.", "That is poison.", "Berlin it is.")):
        await say(stack, text, at)

    def observe(records: Records) -> Any:
        poisoned = any("poison" in message["text"] for message in records["messages"])
        return answer("that is no JSON") if poisoned else OBSERVING(records)

    mind = Mind({"sleep-observe": observe})
    ended = await sleep(stack, mind)
    assert sorted(filter(None, ended.values())) == ["failed", "pending"]
    assert {value for _, value in stored(stack)} == {"tea", "Berlin"}
    assert rows(stack, "SELECT first_seq, error FROM sleep_sessions WHERE state = 4") == [
        (2, "observe: BadAnswer: the answer is not JSON")
    ]
    queue = await stack.maintenance.GetQueueStatus(pb.GetQueueStatusRequest(task="sleep"))
    assert [job.error for job in queue.failed_jobs] == [
        "observe: BadAnswer: the answer is not JSON"
    ]
    mind.answers["sleep-observe"] = observing(("poison", "note", "poison"))
    await stack.maintenance.RetryJobs(pb.RetryJobsRequest(task="sleep"))
    await sleep(stack, mind)
    assert {value for _, value in stored(stack)} == {"tea", "Berlin", "poison"}
    assert rows(stack, "SELECT DISTINCT state, error FROM sleep_sessions") == [(2, None)]


async def test_unavailable_model_keeps_sleep_pending_without_an_attempt(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_outage, "MAX_WAIT_SECONDS", 0.0)
    await say(stack, "It is tea for me.", 0)
    with stack.database.connect() as conn:
        conn.execute("UPDATE jobs SET not_before = now() WHERE task = 'sleep'")
    away = status(503)
    mind = Mind({"sleep-observe": lambda _: away, "other": lambda _: away})
    await sleep(stack, mind, due=datetime.now(UTC) + timedelta(seconds=5))
    waiting = "SELECT state, attempts, error IS NOT NULL FROM jobs WHERE task = 'sleep'"
    assert rows(stack, waiting) == [("pending", 0, True)]
    assert rows(stack, "SELECT count(*)::int FROM sleep_sessions") == [(0,)]


async def test_session_slept_out_of_order_does_not_replace_newer_facts(stack: Stack) -> None:
    classify = classifying(("Berlin", "contradict", "Lisbon"), ("Lisbon", "contradict", "Berlin"))
    mind = Mind({"sleep-observe": OBSERVING, "sleep-classify": classify})
    await say(stack, "Lisbon it is. It is tea for me.", 9, session="new")
    await sleep(stack, mind)
    [tea] = await history_of(stack, "drink")
    await say(stack, "Berlin it is. It is tea for me.", 1, session="old")
    await sleep(stack, mind)
    assert await told(stack) == {"residence": {"lisbon"}, "drink": {"tea"}}
    [seen] = rows(stack, "SELECT first_seen_at < last_seen_at FROM facts WHERE value = 'tea'")
    assert seen == (True,)
    [later] = [
        each for each in await history_of(stack, "drink") if not each.known_until_time.seconds
    ]
    assert later.last_seen_time == tea.last_seen_time


async def test_sleep_stores_whole_run_at_once_if_namespace_setting_says_so(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    with stack.database.connect() as conn:
        conn.execute("UPDATE namespaces SET sleep_atomicity = 2")
    for number, text in enumerate(("Berlin it is.", "Lisbon it is.", "It is tea for me.")):
        await say(stack, text, number, session=f"s{number}")
    applied: list[list[str]] = []
    apply = apply_writes.apply

    def counted(settings: Any, job: Any, writes: Any) -> None:
        applied.append([write.name for write in writes])
        apply(settings, job, writes)

    monkeypatch.setattr(apply_writes, "apply", counted)
    mind = Mind(
        {"sleep-observe": OBSERVING, "sleep-classify": classifying(("Lisbon", "replace", "Berlin"))}
    )
    await sleep(stack, mind)
    assert applied[0].count("insert-session") == 3
    assert applied[0].count("state-fact") == 3
    # A session saw results of earlier ones, though nothing was stored yet.
    first = next(records for task, records in mind.asked if task == "sleep-classify")
    assert [fact["value"] for fact in first["facts"]] == ["Berlin"]
    assert await told(stack) == {"residence": {"lisbon"}, "drink": {"tea"}}


async def test_session_ends_at_night_or_when_another_conversation_begins(stack: Stack) -> None:
    soon = datetime.now(UTC) + timedelta(seconds=5)
    mind = Mind({"sleep-observe": OBSERVING})
    await say(stack, "It is tea for me.", 30, session="first")
    await sleep(stack, mind, soon)
    assert mind.asked == []
    # Another conversation with the same agent begins, so the first has ended.
    await say(stack, "Berlin it is.", 30, session="second")
    await sleep(stack, mind, soon)
    assert await told(stack) == {"drink": {"tea"}}
    # Night falls without a pause in the conversation.
    pass_night(stack)
    await sleep(stack, mind, soon)
    assert await told(stack) == {"drink": {"tea"}, "residence": {"berlin"}}
    [(hours,)] = rows(
        stack,
        """SELECT extract(epoch FROM not_before - now()) / 3600 FROM jobs
            WHERE task = 'sleep' AND subject = 'namespace'""",
    )
    assert 0 < hours <= 24
