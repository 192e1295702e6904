"""Compactor workers delay their jobs while vectors of messages are due, within limits."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import closing, contextmanager

from everword.db.blocking import BlockingDatabase
from everword_compactor.jobs.due_vectors import BACKLOG_S, JOB_WAIT_S, DueVectors
from support.background import embed_everything
from support.calls import append
from support.compaction import compact
from support.stack import Stack


class Clock:
    """A clock that advances only in `sleep`."""

    def __init__(self) -> None:
        self.now = 0.0

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@contextmanager
def due_vectors(stack: Stack, clock: Clock) -> Iterator[DueVectors]:
    with closing(BlockingDatabase(stack.database.settings("compactor"), "compactor")) as database:
        database.open()
        yield DueVectors(database, lambda: clock.now, clock.sleep)


def waited(due: DueVectors, clock: Clock) -> float:
    """Return the seconds that a job waits."""
    begun = clock.now
    due.wait()
    return clock.now - begun


async def test_job_waits_while_a_message_has_no_vector(stack: Stack) -> None:
    clock = Clock()
    with due_vectors(stack, clock) as due:
        assert await asyncio.to_thread(waited, due, clock) == 0
        await append(stack, "The ferry leaves at noon.")
        assert await asyncio.to_thread(waited, due, clock) == JOB_WAIT_S
        await embed_everything(stack)
        assert await asyncio.to_thread(waited, due, clock) == 0


async def test_job_waits_for_a_backlog_of_vectors_only_up_to_a_limit(stack: Stack) -> None:
    await append(stack, "The ferry leaves at noon.")
    clock = Clock()
    with due_vectors(stack, clock) as due:
        total = 0.0
        for _ in range(100):
            total += await asyncio.to_thread(waited, due, clock)
        assert BACKLOG_S <= total < BACKLOG_S + JOB_WAIT_S


async def test_job_does_not_wait_for_vectors_of_derived_text(stack: Stack) -> None:
    await append(
        stack, *(f"On day {day} we repaired mast {day} in the harbour." for day in range(10))
    )
    await embed_everything(stack)
    await asyncio.to_thread(compact, stack.database)
    with stack.database.connect() as conn:
        [pending] = conn.execute("SELECT count(*) FROM embedding_queue").fetchone() or (0,)
    assert pending
    clock = Clock()
    with due_vectors(stack, clock) as due:
        assert await asyncio.to_thread(waited, due, clock) == 0


async def test_job_does_not_wait_for_a_model_on_a_server(stack: Stack) -> None:
    await append(stack, "The ferry leaves at noon.")
    with stack.database.connect() as conn:
        conn.execute("UPDATE model_generations SET provider = 'openai', endpoint = 'http://h'")
    clock = Clock()
    with due_vectors(stack, clock) as due:
        assert await asyncio.to_thread(waited, due, clock) == 0
