"""An interrupted compaction loses nothing, repeats nothing, and does not stop other work."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from everword.jobs.store import JobKey
from everword.jobs.task import Task
from everword.jobs.worker import Worker
from everword.v1 import memory_pb2
from everword_compactor.compose.current_composer import CurrentComposer, current_composer
from everword_compactor.compose.extractive.composer import ExtractiveComposer
from everword_compactor.compose.model import Composition, Draft, Level
from everword_compactor.conversations import store
from everword_compactor.conversations.job import Compaction
from everword_compactor.conversations.schedule import schedule_outdated
from everword_compactor.nodes import store as nodes
from everword_compactor.nodes import write
from support.calls import append, message
from support.compaction import ScriptedComposer, compact, compact_everything, worker_context
from support.dag import BRANCH, LEAF, ROOT, check_dag, read_dag
from support.databases import DatabaseUnderTest
from support.stack import Stack

LATER = datetime.now(UTC) + timedelta(days=30)
VERSIONS = dict.fromkeys((Level.LEAF, Level.BRANCH, Level.ROOT), 1)


async def say(stack: Stack, count: int, session_key: str = "s", word: str = "number") -> None:
    for first in range(0, count, 100):
        batch = [f"Message {word} {n}." for n in range(first, min(count, first + 100))]
        await append(stack, *batch, session_key=session_key)


def states(database: DatabaseUnderTest) -> dict[str, int]:
    with database.connect() as conn:
        return dict(
            conn.execute(
                "SELECT state, count(*) FROM jobs WHERE task = 'compact' GROUP BY state"
            ).fetchall()
        )


async def test_concurrent_compactors_make_one_dag(stack: Stack) -> None:
    await say(stack, 320)
    both = [asyncio.to_thread(compact, stack.database, ScriptedComposer(), LATER) for _ in range(2)]
    await asyncio.gather(*both)
    dag = check_dag(stack.database)
    assert len(dag.of_level(LEAF)) == 32
    assert len(dag.of_level(ROOT)) == 1


async def test_result_of_worker_that_lost_its_job_is_discarded(stack: Stack) -> None:
    """A second worker takes over the job while the first one's model writes; both get an answer."""
    await say(stack, 10)
    taken = False

    def take_over(draft: Draft) -> None:
        nonlocal taken
        if not taken:
            taken = True
            with stack.database.connect() as conn:
                conn.execute(
                    "UPDATE jobs SET state = 'pending', fence = fence + 1 WHERE task = 'compact'"
                )
            compact(stack.database, ScriptedComposer(model="second"), LATER)

    ended = compact(stack.database, ScriptedComposer(model="first", on_compose=take_over), LATER)
    assert list(ended.values()) == [None]
    [leaf] = check_dag(stack.database).nodes.values()
    assert leaf.model == "second"


async def test_stale_result_is_refused_by_fencing_token(stack: Stack) -> None:
    """Nothing else was stored, so only the fencing token reveals the lost lease."""
    await say(stack, 10)

    def lose(draft: Draft) -> None:
        with stack.database.connect() as conn:
            conn.execute("UPDATE jobs SET fence = fence + 1 WHERE task = 'compact'")

    compact(stack.database, ScriptedComposer(on_compose=lose), LATER)
    dag = check_dag(stack.database)
    assert (dag.nodes, dag.summarised) == ({}, {})


async def test_failing_conversation_is_parked_and_others_are_compacted(stack: Stack) -> None:
    def poison(draft: Draft) -> None:
        if any("poison" in source.text for source in draft.sources):
            raise ValueError("nothing can be made of this")

    for key in ("a", "b", "c"):
        await say(stack, 20, session_key=key, word="poison" if key == "b" else "number")
    composer = ScriptedComposer(on_compose=poison)
    compact(stack.database, composer, LATER)
    assert states(stack.database) == {"done": 2, "failed": 1}
    assert sum("poison" in draft.sources[0].text for draft in composer.drafts) == 3
    assert len(check_dag(stack.database).of_level(LEAF)) == 4
    with stack.database.connect() as conn:
        [[error, subject]] = conn.execute(
            "SELECT error, subject FROM jobs WHERE state = 'failed'"
        ).fetchall()
    assert "nothing can be made of this" in error
    assert len(subject) == 36


STEPS = [
    (store, "advance_progress"),
    (nodes, "insert_summary"),
    (nodes, "insert_summary_sources"),
    (nodes, "set_parent"),
    (write, "replace_passages_blocking"),
]


@pytest.mark.parametrize(("module", "name"), STEPS, ids=[name for _, name in STEPS])
async def test_failure_at_any_statement_loses_and_duplicates_nothing(
    stack: Stack, monkeypatch: pytest.MonkeyPatch, module: object, name: str
) -> None:
    await say(stack, 150)
    original, calls = getattr(module, name), 0

    def failing(*arguments: object) -> object:
        nonlocal calls
        calls += 1
        result = original(*arguments)
        if calls % 2:
            raise psycopg.OperationalError("the connection was lost")
        return result

    monkeypatch.setattr(module, name, failing)
    compact(stack.database, ScriptedComposer(), LATER)
    dag = check_dag(stack.database)
    assert calls > 15
    assert (len(dag.of_level(LEAF)), len(dag.of_level(BRANCH))) == (15, 2)


async def test_intermittent_model_failures_only_delay_compaction(stack: Stack) -> None:
    await say(stack, 250)
    calls = 0

    def flaky(draft: Draft) -> None:
        nonlocal calls
        calls += 1
        if calls % 2:
            raise ConnectionError("the model's server went away")

    composer = ScriptedComposer(on_compose=flaky)
    compact(stack.database, composer, LATER)
    dag = check_dag(stack.database)
    assert len(dag.of_level(LEAF)) == 25
    assert len(dag.of_level(ROOT)) == 1
    # Stored nodes are not requested again.
    assert len(composer.drafts) == 2 * len(dag.nodes)


async def test_extractive_nodes_are_replaced_by_model_and_not_vice_versa(
    stack: Stack,
) -> None:
    await say(stack, 160)
    await compact_everything(stack, ExtractiveComposer())
    before = check_dag(stack.database)
    assert {node.model for node in before.nodes.values()} == {"extractive"}
    with worker_context(stack.database) as shop:
        assert schedule_outdated(shop.database, current_composer(None)) == 0
        assert schedule_outdated(shop.database, CurrentComposer("scripted", VERSIONS)) == 1
        assert schedule_outdated(shop.database, CurrentComposer("scripted", VERSIONS)) == 0

    def old_is_there(draft: Draft) -> None:
        check_dag(stack.database)
        assert read_dag(stack.database).nodes.keys() >= before.nodes.keys()

    await compact_everything(stack, ScriptedComposer(on_compose=old_is_there))
    after = check_dag(stack.database)
    assert after.nodes.keys() == before.nodes.keys()
    assert {node.model for node in after.nodes.values()} == {"scripted"}
    assert {node.revision for node in after.nodes.values()} == {2}
    assert not any(node.stale for node in after.nodes.values())
    await compact_everything(stack, ExtractiveComposer())
    assert {node.model for node in check_dag(stack.database).nodes.values()} == {"scripted"}


async def test_newer_prompt_version_rewrites_all_nodes(stack: Stack) -> None:
    await say(stack, 250)
    await compact_everything(stack, ScriptedComposer(version=1))
    newer = dict.fromkeys(VERSIONS, 2)
    with worker_context(stack.database) as shop:
        assert schedule_outdated(shop.database, CurrentComposer("scripted", newer)) == 1
    composer = ScriptedComposer(version=2)
    await compact_everything(stack, composer)
    dag = check_dag(stack.database)
    assert {node.prompt_version for node in dag.nodes.values()} == {2}
    assert len(composer.drafts) == len(dag.nodes) == 25 + 3 + 1


async def test_parked_conversation_does_not_block_rewriting_of_others(stack: Stack) -> None:
    for key in ("a", "b"):
        await say(stack, 10, session_key=key)
    await compact_everything(stack, ScriptedComposer())
    with stack.database.connect() as conn:
        conn.execute(
            "UPDATE jobs SET state = 'failed' WHERE id = (SELECT min(id) FROM jobs WHERE task = 'compact')"
        )
    with worker_context(stack.database) as shop:
        assert schedule_outdated(shop.database, CurrentComposer("newer", VERSIONS)) == 1
    assert states(stack.database) == {"failed": 1, "pending": 1}


async def test_leaf_that_fails_rewriting_does_not_block_other_nodes(stack: Stack) -> None:
    await say(stack, 40)
    await compact_everything(stack, ScriptedComposer())

    def fail(draft: Draft) -> None:
        if draft.level == LEAF and any("number 15." in source.text for source in draft.sources):
            raise RuntimeError("nothing can be made of this")

    newer = ScriptedComposer(model="newer", on_compose=fail)
    with worker_context(stack.database) as shop:
        assert schedule_outdated(shop.database, CurrentComposer("newer", VERSIONS)) == 1
    await compact_everything(stack, newer)
    await say(stack, 40, word="later")
    await compact_everything(stack, newer)
    dag = check_dag(stack.database)
    assert [node.first_seq for node in dag.of_level(LEAF) if node.model != "newer"] == [11]
    [branch] = dag.of_level(BRANCH)
    assert len(branch.children) == 8
    # The failure is visible in the status.
    assert states(stack.database) == {"failed": 1}


async def test_lost_lease_stops_composer_and_stores_nothing(stack: Stack) -> None:
    """Nothing is stored, and the composer stops at its next heartbeat."""
    await say(stack, 10)
    beats: list[bool] = []

    class Endless(ScriptedComposer):
        def compose(self, draft: Draft, heartbeat: Callable[[], None]) -> Composition:
            with stack.database.connect() as conn:
                conn.execute("UPDATE jobs SET fence = fence + 1 WHERE task = 'compact'")
            while True:
                heartbeat()
                beats.append(True)
                time.sleep(0.01)

    with worker_context(stack.database, Endless()) as shop, shop.database.connection() as conn:
        [key] = conn.execute("SELECT namespace_id, id FROM jobs WHERE task = 'compact'").fetchall()
        worker = Worker(shop.database, Task("compact", Compaction(shop).run, lease_s=0.4))
        assert worker.execute(JobKey(*key)) is None
    assert beats
    assert not read_dag(stack.database).nodes


def _words(rng: random.Random) -> memory_pb2.NewMessage:
    kind = rng.random()
    words = " ".join(rng.choice(["alpha", "beta", "42", "v1.2", "README.md"]) for _ in range(4))
    if kind < 0.15:
        return message("heartbeat", automated=True)
    if kind < 0.2:
        return message(" ", content_blocks=[memory_pb2.ContentBlock(type="image")])
    entry = message("", role=memory_pb2.ROLE_TOOL, tool_name="run", tool_args=words)
    if kind > 0.3:
        entry = message(words)
    if rng.random() < 0.3:
        moment = datetime(2024, 1, 1, tzinfo=UTC) + timedelta(minutes=rng.randrange(10**6))
        entry.create_time.FromDatetime(moment)
    return entry


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(n, marks=pytest.mark.long) for n in range(1, 4))]
)
async def test_dag_is_valid_after_random_streams_and_failures(stack: Stack, seed: int) -> None:
    rng = random.Random(seed)
    lock = threading.Lock()

    def interrupted(draft: Draft) -> None:
        with lock:
            fate = rng.random()
        if fate < 0.05:
            raise ConnectionError("the model's server went away")
        if fate < 0.1:
            with stack.database.connect() as conn:
                conn.execute(
                    "UPDATE jobs SET state = 'pending', fence = fence + 1 WHERE state = 'running'"
                )

    now, version = datetime.now(UTC), 1
    for _ in range(12):
        for _ in range(rng.randrange(1, 4)):
            batch = [_words(rng) for _ in range(rng.randrange(1, 40))]
            await append(stack, *batch, session_key=rng.choice("abc"))
        version += rng.random() < 0.2
        now += timedelta(minutes=rng.choice([0, 1, 20, 6000]))
        composer = ScriptedComposer(version=version, on_compose=interrupted)
        workers = [
            asyncio.to_thread(compact, stack.database, composer, now)
            for _ in range(rng.choice([1, 2]))
        ]
        await asyncio.gather(*workers)
        check_dag(stack.database)
    with stack.database.connect() as conn:
        conn.execute("UPDATE jobs SET state = 'pending', attempts = 0 WHERE state = 'failed'")
    await compact_everything(stack, ScriptedComposer(version=version), now + timedelta(days=30))
    dag = check_dag(stack.database)
    latest = {
        message["conversation_id"]: message["seq"]
        for message in sorted(dag.messages.values(), key=lambda message: message["seq"])
    }
    assert dag.summarised == latest
    assert not any(node.stale for node in dag.nodes.values())
