"""A namespace's few new passages get vectors while the model works on another namespace's backlog."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from threading import Event

import numpy as np
import numpy.typing as npt
import pytest

from everword.db.blocking import BlockingDatabase
from everword.jobs.store import StartedJob
from everword.jobs.task import JobRun
from everword_embedder.queue.calibration import UNRELATED
from everword_embedder.queue.drain import BATCH, FEW, LANES, Drain
from everword_embedder.queue.store import live_generations
from support.callers import make_namespaces, within
from support.calls import append
from support.databases import DatabaseUnderTest
from support.stack import Stack
from support.waits import until


class BusyModel:
    """Blocks at every batch of the flood until released."""

    def __init__(self) -> None:
        self.held: list[Sequence[str]] = []
        self.embedded: list[str] = []
        self.let_go = Event()

    def embed(
        self, generation_id: int, texts: Sequence[str], *, queries: bool = False
    ) -> npt.NDArray[np.float32]:
        if texts[0] != UNRELATED[0]:
            if "flood" in texts[0]:
                self.held.append(texts)
                assert self.let_go.wait(60)
            self.embedded += texts
        return np.ones((len(texts), 384), np.float32)


@pytest.fixture
def jobs(database: DatabaseUnderTest) -> Iterator[BlockingDatabase]:
    with closing(BlockingDatabase(database.settings("embedder"), "embedder")) as blocking:
        blocking.open()
        yield blocking


async def test_few_passages_are_embedded_while_lanes_are_busy_with_a_backlog(
    stack: Stack, jobs: BlockingDatabase
) -> None:
    await make_namespaces(stack, "flood", "many", "quiet")
    await append(stack, *[f"flood {n}" for n in range(4 * BATCH)], metadata=within("flood"))
    model, waits = BusyModel(), Event()
    job = StartedJob(1, 1, "embed", "shard-0", 1, 1, 1, None)
    run = JobRun(job, lambda: None, lambda: None, waits.is_set)

    async def hold(count: int) -> bool:
        return len(model.held) == count

    async def quiet(count: int) -> bool:
        return sum("quiet" in text for text in model.embedded) == count

    with ThreadPoolExecutor(1) as worker:
        drained = worker.submit(Drain(jobs, model).run, run)
        try:
            await until(lambda: hold(LANES))
            for number in range(3):
                await append(stack, f"quiet {number}", metadata=within("quiet"))
                waits.set()
                await until(partial(quiet, number + 1))
            # Neither backlog is continued or started for it.
            await append(stack, *[f"flood too {n}" for n in range(BATCH)], metadata=within("many"))
            await append(stack, "quiet at last", metadata=within("quiet"))
            await until(lambda: quiet(4))
            assert len(model.held) == LANES
            assert model.embedded == ["quiet 0", "quiet 1", "quiet 2", "quiet at last"]
        finally:
            model.let_go.set()
        drained.result(60)
    assert len(model.embedded) == 5 * BATCH + 4


def test_embedding_backlog_continues_in_turn_while_another_namespace_writes(
    database: DatabaseUnderTest, jobs: BlockingDatabase
) -> None:
    """Otherwise passages with the highest ids would never be processed."""
    drain = Drain(jobs, BusyModel())
    with database.connect() as conn, jobs.connection() as worker:
        conn.execute(
            "INSERT INTO namespaces (name) SELECT 'n-' || n FROM generate_series(1, 13) AS n"
        )
        enqueue = (
            "INSERT INTO embedding_queue (namespace_id, generation_id, memory_id)"
            " SELECT id, 1, id * 1000 + n FROM namespaces, generate_series(1, %s) AS n WHERE name = ANY(%s)"
        )
        conn.execute(enqueue, [100, [f"n-{n}" for n in range(1, 13)]])
        [generation] = live_generations(worker)

        def left() -> dict[str, int]:
            counted = "SELECT name, count(*) FROM embedding_queue JOIN namespaces ON id = namespace_id GROUP BY 1"
            return dict(conn.execute(counted).fetchall())

        for _ in range(3):
            # Entries of deleted passages leave the queue.
            assert drain.drain_batch(generation)
            conn.execute(enqueue, [FEW, ["n-13"]])
            assert drain.drain_batch(generation, only_few=True)
        assert left() == {f"n-{n}": 100 - FEW for n in range(1, 13)}
        assert not drain.drain_batch(generation, only_few=True)
