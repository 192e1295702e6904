"""Background work takes turns between namespaces, however much is pending in one of them.

The measure is the number of model calls until a namespace's work is done: alone, and next to another backlog.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from itertools import count

import numpy as np
import numpy.typing as npt
import psycopg
import pytest
import redis as redis_client

from everword.db.blocking import BlockingDatabase, Connection
from everword.jobs import queue
from everword.jobs.store import StartedJob
from everword.jobs.task import JobRun, Task
from everword_compactor.calendar.job import RollUp
from everword_compactor.calendar.schedule import schedule_roll_ups
from everword_compactor.compose.model import Draft
from everword_compactor.conversations.job import Compaction
from everword_compactor.conversations.schedule import schedule_outdated
from everword_compactor.tool_sentences.job import ToolSentences
from everword_embedder.queue.calibration import UNRELATED
from everword_embedder.queue.drain import BATCH, FEW, Drain
from everword_embedder.queue.schedule import schedule_pending
from everword_embedder.queue.store import SQL, claim_pending
from support.calendar_calls import said
from support.callers import make_namespaces, within
from support.calls import append
from support.compaction import ScriptedComposer, current, work, worker_context
from support.databases import DatabaseUnderTest
from support.plans import indexes
from support.scripted_chat import Body, Reply, ScriptedChat
from support.stack import Stack
from support.tool_calls import consulted, path_in, sentence_context, tool_call
from support.turns import MOST, impatient, send, work_off

LATER = datetime(2027, 3, 1, tzinfo=UTC)
_numbers = count()
CONVERSATIONS = """
WITH made AS (
    INSERT INTO conversations (namespace_id, id, session_key, agent, channel, last_seq, turn_count)
    SELECT n.id, gen_random_uuid(), gen_random_uuid()::text, '', '', %(messages)s, %(messages)s
      FROM namespaces n, generate_series(1, %(conversations)s::int) WHERE n.name = %(namespace)s
    RETURNING namespace_id, id
), said AS (
    INSERT INTO messages (namespace_id, conversation_id, id, seq, role, content, occurred_at)
    SELECT namespace_id, id, gen_random_uuid(), seq, 2, %(namespace)s || ' says something', now()
      FROM made, generate_series(1, %(messages)s) AS seq
)
INSERT INTO jobs (namespace_id, task, subject) SELECT namespace_id, 'compact', id::text FROM made
"""


@pytest.fixture
def jobs(database: DatabaseUnderTest) -> Iterator[BlockingDatabase]:
    blocking = BlockingDatabase(database.settings("embedder"), "embedder")
    blocking.open()
    yield blocking
    blocking.close()


@pytest.fixture
def redis(valkey_url: str) -> Iterator[redis_client.Redis]:
    with closing(queue.connect(valkey_url)) as client:
        client.flushall()
        yield client


@pytest.fixture
async def two(stack: Stack) -> Stack:
    """A stack with two namespaces."""
    await make_namespaces(stack, "flood", "quiet")
    return stack


class RecordedModelCalls(list[str]):
    """Namespaces of the model's requests, in order."""

    def until_done(self) -> int:
        """Return the number of requests until the quiet namespace's work was done, and reset."""
        asked = max(number for number, whose in enumerate(self, 1) if "quiet" in whose)
        self.clear()
        return asked


def composer_of(asked: RecordedModelCalls) -> ScriptedComposer:
    def compose(draft: Draft) -> None:
        asked.append(draft.sources[0].text)

    return ScriptedComposer(on_compose=compose)


@pytest.mark.parametrize(("conversations", "messages"), [(30, 10), (1, 300)])
async def test_leaf_backlog_delays_another_namespace_by_a_bounded_factor(
    two: Stack, redis: redis_client.Redis, conversations: int, messages: int
) -> None:
    """One namespace with many conversations, and one with a long one."""
    asked = RecordedModelCalls()

    def say(namespace: str, conversations: int, messages: int) -> None:
        values = {"namespace": namespace, "conversations": conversations, "messages": messages}
        with two.database.connect() as conn:
            conn.execute(CONVERSATIONS, values)

    with worker_context(two.database, composer_of(asked)) as shop:
        compaction = Compaction(shop)
        say("quiet", 1, 30)
        work_off(shop, redis, "compact", compaction.run)
        alone = asked.until_done()
        say("flood", conversations, messages)
        send(shop, redis)
        say("quiet", 1, 30)
        work_off(shop, redis, "compact", compaction.run)
        assert len(asked) > 5 * alone
        assert asked.until_done() <= MOST * alone


async def test_day_roll_up_backlog_delays_another_namespace_by_a_bounded_number(
    two: Stack, redis: redis_client.Redis
) -> None:
    asked = RecordedModelCalls()

    async def say(namespace: str, days: Sequence[str], instances: int) -> None:
        for instance in range(instances):
            texts = [
                said(day, f"{namespace} says something", instance=f"{instance}") for day in days
            ]
            await append(two, *texts, session_key=f"{next(_numbers)}", metadata=within(namespace))

    with worker_context(two.database, composer_of(asked), now=LATER) as shop:

        def roll_up() -> None:
            while schedule_roll_ups(shop.database, current(shop.composer), lambda: LATER, 0.0):
                work_off(shop, redis, "roll-up", RollUp(shop).run)

        await say("quiet", ["2026-01-10T12:00"], 1)
        roll_up()
        alone = asked.until_done()
        await say("flood", [f"2026-05-{day}T12:00" for day in range(10, 20)], 10)
        await say("quiet", ["2026-05-10T12:00"], 1)
        roll_up()
        assert len(asked) > 10 * alone
        whose = list(asked)
        assert next(n for n, text in enumerate(whose, 1) if "quiet" in text) <= MOST


async def test_tool_sentence_backlog_delays_another_namespace_by_a_bounded_factor(
    two: Stack, redis: redis_client.Redis
) -> None:
    asked = RecordedModelCalls()

    def answer(request: Body) -> Reply:
        asked.append(path_in(request))
        return consulted(request)

    with (
        ScriptedChat(answer).running() as server,
        sentence_context(two.database, server) as shop,
    ):
        sentences = ToolSentences(shop)
        calls = [tool_call(f"quiet/{n}.py") for n in range(16)]
        await append(two, *calls, metadata=within("quiet"))
        work_off(shop, redis, "tool-sentences", sentences.run)
        alone = asked.until_done()
        flood = [tool_call(f"flood/{n}.py") for n in range(160)]
        await append(two, *flood, metadata=within("flood"))
        send(shop, redis)
        await append(two, *calls, session_key="other", metadata=within("quiet"))
        work_off(shop, redis, "tool-sentences", sentences.run)
        assert len(asked) == 11 * alone
        assert asked.until_done() <= MOST * alone


class CountingModel:
    """Counts batches; at the third, another namespace gets work."""

    def __init__(self, comes: Callable[[], object] = lambda: None) -> None:
        self.batches: list[Sequence[str]] = []
        self._comes = comes

    def embed(
        self, generation_id: int, texts: Sequence[str], *, queries: bool = False
    ) -> npt.NDArray[np.float32]:
        if texts[0] != UNRELATED[0]:
            self.batches.append(texts)
            if len(self.batches) == 3:
                self._comes()
        return np.ones((len(texts), 384), np.float32)


def drain(jobs: BlockingDatabase, model: CountingModel) -> None:
    job = StartedJob(1, 1, "embed", "shard-0", 1, 1, 1, None)
    Drain(jobs, model).run(JobRun(job, lambda: None, lambda: None))


async def test_embedding_backlog_delays_another_namespace_by_few_batches(
    two: Stack, jobs: BlockingDatabase
) -> None:
    await append(two, *[f"flood {n}" for n in range(15 * BATCH)], metadata=within("flood"))
    await append(two, *[f"quiet {n}" for n in range(10)], metadata=within("quiet"))
    with two.database.connect() as conn:
        set_due = (
            "UPDATE embedding_queue SET not_before = {} FROM namespaces n"
            " WHERE n.id = namespace_id AND n.name = 'quiet'"
        )
        conn.execute(set_due.format("now() + interval '1 hour'").encode())
        # Like rows written an hour later, if there were no turns.
        model = CountingModel(lambda: conn.execute(set_due.format("now()").encode()))
        drain(jobs, model)
        assert conn.execute("SELECT count(*) FROM embedding_queue").fetchone() == (0,)
    whose = [Counter(re.sub(r" \d+", "", text) for text in batch) for batch in model.batches]
    waited = [number for number, counted in enumerate(whose) if counted["quiet"]]
    # The other lane may already have claimed its batch.
    assert len(waited) == 1
    assert waited[0] <= 2 + MOST
    # A namespace with few passages does not wait for the rest of the batch, which comes next in its lane.
    assert whose[waited[0]] == {"quiet": 10}
    assert BATCH - 10 in [counted.total() for counted in whose[waited[0] + 1 : waited[0] + 4]]


def enqueue_vectors(conn: psycopg.Connection, namespaces: int, each: int) -> None:
    """Enqueue `each` vectors in each of `namespaces` namespaces, without passages; earlier namespaces have waited
    longer.
    """
    conn.execute(
        "INSERT INTO namespaces (name) SELECT 'n-' || n FROM generate_series(1, %s) AS n",
        [namespaces],
    )
    conn.execute(
        "INSERT INTO embedding_queue (namespace_id, generation_id, memory_id, not_before)"
        " SELECT id, 1, id * 1000000 + n, now() - interval '1 hour' + id * interval '1 s'"
        "   FROM namespaces, generate_series(1, %s) AS n WHERE name LIKE 'n-%%'",
        [each],
    )


@pytest.mark.parametrize(("each", "at_once"), [(1, BATCH), (3, 22), (100, BATCH // FEW)])
def test_embedding_batches_rotate_among_more_namespaces_than_fit(
    database: DatabaseUnderTest, jobs: BlockingDatabase, each: int, at_once: int
) -> None:
    """With enough namespaces to fill a batch, each costs separate transactions, so turns are no more frequent than
    needed.
    """
    with database.connect() as conn, jobs.connection() as worker:
        enqueue_vectors(conn, namespaces=100, each=each)
        last, had = 0, list[int]()
        for _ in range(100 // at_once):
            claimed = claim_pending(worker, 1, last, BATCH, FEW, 60.0)
            assert len(claimed) == BATCH
            whose = sorted({entry.namespace_id for entry in claimed})
            assert len(whose) == at_once
            had += whose
            last = whose[-1]
    assert had == sorted(set(had))


def test_embedding_batch_is_divided_among_few_namespaces(
    database: DatabaseUnderTest, jobs: BlockingDatabase
) -> None:
    with database.connect() as conn, jobs.connection() as worker:
        enqueue_vectors(conn, namespaces=3, each=100)
        conn.execute(
            "DELETE FROM embedding_queue WHERE memory_id % 1000000 > 10"
            "   AND namespace_id = (SELECT max(id) FROM namespaces)"
        )
        claimed = claim_pending(worker, 1, 0, BATCH, FEW, 60.0)
        shares = sorted(Counter(entry.namespace_id for entry in claimed).values())
        assert shares == [10, 27, 27]


def test_schedule_pending_schedules_every_namespace_with_pending_vectors(
    database: DatabaseUnderTest, jobs: BlockingDatabase
) -> None:
    with database.connect() as conn:
        enqueue_vectors(conn, namespaces=1, each=10_500)
        conn.execute("UPDATE namespaces SET name = 'flood' WHERE name = 'n-1'")
        enqueue_vectors(conn, namespaces=2, each=1)
        assert schedule_pending(jobs) == 3


def test_claiming_pending_vectors_reads_a_bounded_number_of_rows(
    database: DatabaseUnderTest, jobs: BlockingDatabase
) -> None:
    """Neither a long queue nor rows claimed by other workers make it slow."""
    finding = {
        "generation_id": 1,
        "after": 0,
        "batch": BATCH,
        "few": FEW,
        "only_few": False,
        "early": False,
    }
    with database.connect() as conn:
        enqueue_vectors(conn, namespaces=20, each=2_000)
        conn.execute(
            "UPDATE embedding_queue SET not_before = now() + interval '1 minute'"
            " WHERE memory_id % 1000000 < 1000"
        )
        conn.execute("ANALYZE embedding_queue")
    with jobs.connection() as worker, worker.transaction(force_rollback=True):
        shares = worker.execute(SQL["find_pending"].sql, finding).fetchall()
        found = explained(worker, "find_pending", finding)
        [(namespace_id, share), *_] = shares
        claiming = {
            "namespace_id": namespace_id,
            "generation_id": 1,
            "share": share,
            "lease_s": 60.0,
            "early": False,
        }
        claimed = explained(worker, "claim_pending", claiming)
    # A block is read for each row, and for each step down an index.
    assert found["Shared Hit Blocks"] <= 20 * BATCH
    assert indexes(claimed) == {"embedding_queue_turns", "embedding_queue_pkey"}
    assert most_rows(claimed) <= BATCH


def explained(worker: Connection, name: str, values: Mapping[str, object]) -> dict[str, object]:
    """Execute a statement, and return its plan."""
    explain = f"EXPLAIN (FORMAT JSON, ANALYZE, BUFFERS) {SQL[name].sql}"
    [[[found]]] = worker.execute(explain.encode(), values).fetchall()
    plan: dict[str, object] = found["Plan"]
    return plan


def most_rows(plan: dict[str, object]) -> float:
    """Return the largest number of rows processed by one node."""
    rows = sum(
        float(str(plan.get(name, 0)))
        for name in ("Actual Rows", "Rows Removed by Filter", "Rows Removed by Index Recheck")
    )
    below = plan.get("Plans", [])
    assert isinstance(below, list)
    return max([rows * float(str(plan["Actual Loops"])), *map(most_rows, below)])


async def test_failing_step_does_not_block_remaining_steps_of_a_yielding_job(stack: Stack) -> None:
    """A job with one step per turn must not start with the same failing step each time."""
    texts = [said("2026-01-10T12:00", f"number {n}", instance=f"{n % 3}") for n in range(30)]
    await append(stack, *texts)

    def fail(draft: Draft) -> None:
        if "number 0" in draft.sources[0].text:
            raise ValueError("no words")

    composer = ScriptedComposer()
    with worker_context(stack.database, composer, now=LATER) as shop:
        tasks = {
            name: Task(name, impatient(run), pauses_s=(0.0,))
            for name, run in (("compact", Compaction(shop).run), ("roll-up", RollUp(shop).run))
        }
        work(stack.database, shop.database, tasks["compact"], LATER)
        composer.version, composer.on_compose = 2, fail
        schedule_outdated(shop.database, current(composer))
        schedule_roll_ups(shop.database, current(composer), lambda: LATER, 0.0)
        for task in tasks.values():
            assert set(work(stack.database, shop.database, task, LATER).values()) == {"failed"}
    with stack.database.connect() as conn:
        rows = conn.execute(
            "SELECT level, prompt_version, count(*) FROM summaries GROUP BY 1, 2 ORDER BY 1, 2"
        ).fetchall()
    assert rows == [(1, 1, 1), (1, 2, 2), (4, 2, 2)]


async def test_schedule_outdated_schedules_jobs_for_each_namespace(two: Stack) -> None:
    with two.database.connect() as conn:
        for namespace, conversations in (("flood", 150), ("quiet", 1)):
            conn.execute(
                CONVERSATIONS,
                {"namespace": namespace, "conversations": conversations, "messages": 1},
            )
        conn.execute(
            "INSERT INTO summaries (namespace_id, id, level, conversation_id, first_seq, last_seq, content,"
            "                       message_count, earliest_at, latest_at, model)"
            " SELECT namespace_id, gen_random_uuid(), 1, id, 1, 1, 'words', 1, now(), now(), 'older' FROM conversations"
        )
        conn.execute("DELETE FROM jobs")
        with worker_context(two.database) as shop:
            scheduled = schedule_outdated(shop.database, current(ScriptedComposer()))
        found = conn.execute(
            "SELECT n.name, count(*) FROM jobs JOIN namespaces n ON n.id = namespace_id GROUP BY 1 ORDER BY 1"
        ).fetchall()
    assert found == [("flood", 50), ("quiet", 1)]
    assert scheduled == 51
