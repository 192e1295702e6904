"""Under any failure of a model or a worker, each tool call gets exactly one sentence."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from everword.jobs.store import JobKey, start_job
from everword.jobs.task import JobRun, LeaseLost
from everword.v1 import maintenance_service_pb2 as maintenance
from everword.v1 import search_service_pb2 as pb
from everword_compactor.jobs.context import ToolSettings
from everword_compactor.tool_sentences import job as tools_job
from everword_compactor.tool_sentences.job import ToolSentences
from everword_compactor.tool_sentences.prompt import TEMPLATE
from everword_compactor.tool_sentences.store import claim_calls
from support.calls import append, message
from support.databases import DatabaseUnderTest
from support.scripted_chat import (
    Body,
    Reply,
    ScriptedChat,
    answer,
    cut_off,
    drip,
    empty,
    garbage,
    hang,
    not_http,
    reset,
    status,
    user_text,
)
from support.stack import Stack
from support.tool_calls import (
    IMPATIENT,
    consulted,
    indexed_sentences,
    invented,
    path_in,
    queued,
    sentence_context,
    sentences_in,
    stored_sentences,
    tool_call,
    write_pending_sentences,
)


@pytest.fixture
def server() -> Iterator[ScriptedChat]:
    with ScriptedChat(consulted).running() as server:
        yield server


async def _tell(stack: Stack, *paths: str) -> dict[str, str]:
    """Append tool calls; return their paths by id."""
    stored = await append(stack, *map(tool_call, paths))
    return {entry.message_id: path for entry, path in zip(stored.messages, paths, strict=True)}


async def _restart(stack: Stack) -> None:
    """Retry, as an operator does after an outage."""
    await stack.maintenance.RetryJobs(maintenance.RetryJobsRequest(task="tool-sentences"))
    target = maintenance.BACKFILL_TARGET_TOOL_SENTENCES
    await stack.maintenance.Backfill(maintenance.BackfillRequest(target=target))


async def _status(stack: Stack) -> maintenance.GetQueueStatusResponse:
    request = maintenance.GetQueueStatusRequest(task="tool-sentences")
    return await stack.maintenance.GetQueueStatus(request)


def _right(path: str) -> str:
    return f"Consulted {path} for the login routine."


async def test_append_is_readable_when_tool_sentences_fail(
    stack: Stack, server: ScriptedChat
) -> None:
    server.always = status(500)
    for number in range(3):
        paths = await _tell(stack, f"{number}.py")
        await write_pending_sentences(stack, server)
        [memory_id] = paths
        found = await stack.search.GetMemory(pb.GetMemoryRequest(memory_id=memory_id))
        assert f"{number}.py" in found.memory.content
    assert (await _status(stack)).tasks[0].failed == 1
    assert stored_sentences(stack.database) == {}
    assert len(queued(stack.database)) == 3


AWAY = {
    "429": lambda: status(429, retry_after="0"),
    "500": lambda: status(500),
    "401": lambda: status(401),
    "reset": reset,
    "hang": hang,
    "not HTTP": not_http,
    "garbage": garbage,
}
USELESS = {
    "cut off": cut_off,
    "empty": empty,
    "prose": lambda: answer("Sure! I read it."),
    "another schema": lambda: answer({"summary": "Consulted it."}),
    "an invention": invented,
}


@pytest.mark.parametrize("reply", AWAY.values(), ids=AWAY.keys())
async def test_tool_calls_stay_pending_without_attempts_while_model_is_unavailable(
    stack: Stack, server: ScriptedChat, reply: Callable[[], Reply]
) -> None:
    paths = await _tell(stack, "a.py", "b.py", "c.py")
    server.always = reply()
    assert set((await write_pending_sentences(stack, server)).values()) == {"failed"}
    assert stored_sentences(stack.database) == {}
    # None of them is to blame.
    waiting = queued(stack.database)
    assert set(waiting) == set(paths)
    assert {(state, attempts) for state, attempts, _ in waiting.values()} == {("pending", 0)}
    [job] = (await _status(stack)).failed_jobs
    assert job.attempts == 3
    assert job.error
    server.always = None
    await _restart(stack)
    assert set((await write_pending_sentences(stack, server)).values()) == {"done"}
    _hold_that_each_has_its_own(stack, paths)


@pytest.mark.parametrize("reply", USELESS.values(), ids=USELESS.keys())
async def test_useless_answers_are_replaced_by_sentences_without_the_model(
    stack: Stack, server: ScriptedChat, reply: Callable[[], Reply]
) -> None:
    paths = await _tell(stack, "a.py", "b.py")
    server.always = reply()
    await write_pending_sentences(stack, server)
    written = stored_sentences(stack.database)
    assert {id_: model for id_, (_, model) in written.items()} == dict.fromkeys(paths, TEMPLATE)
    assert queued(stack.database) == {}
    # Two requests for each: the second one names the mistakes.
    assert len(server.requests) == 4


async def test_sentence_with_invented_number_is_retried_naming_the_number(
    stack: Stack, server: ScriptedChat
) -> None:
    paths = await _tell(stack, "a.py")
    server.script.append(invented())
    await write_pending_sentences(stack, server)
    assert len(server.requests) == 2
    assert "99999" not in user_text(server.requests[0])
    assert "99999" in user_text(server.requests[1])
    _hold_that_each_has_its_own(stack, paths)


async def test_failing_tool_call_does_not_block_the_others(
    stack: Stack, server: ScriptedChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tools_job, "BATCH", 2)

    def reply(request: Body) -> Reply:
        if "bad.py" in user_text(request):
            return status(400)
        # Other requests may be probes of the model.
        return consulted(request) if '"path"' in user_text(request) else answer()

    server.reply = reply
    paths = await _tell(stack, "bad.py", *(f"{n}.py" for n in range(5)))
    assert set((await write_pending_sentences(stack, server)).values()) == {"done"}
    assert sorted(paths[id_] for id_ in stored_sentences(stack.database)) == [
        f"{n}.py" for n in range(5)
    ]
    assert [paths[id_] for id_ in queued(stack.database)] == ["bad.py"]


async def test_sentences_written_before_a_model_outage_are_kept(
    stack: Stack, server: ScriptedChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tools_job, "BATCH", 4)

    def reply(request: Body) -> Reply:
        return consulted(request) if path_in(request) in {"0.py", "1.py"} else status(503)

    server.reply = reply
    paths = await _tell(stack, *(f"{n}.py" for n in range(4)))
    await write_pending_sentences(stack, server)
    assert {paths[id_] for id_ in stored_sentences(stack.database)} == {"0.py", "1.py"}
    assert {paths[id_] for id_ in queued(stack.database)} == {"2.py", "3.py"}
    server.reply = consulted
    await _restart(stack)
    await write_pending_sentences(stack, server)
    _hold_that_each_has_its_own(stack, paths)


async def test_two_workers_request_each_tool_sentence_once(
    stack: Stack, server: ScriptedChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tools_job, "BATCH", 5)
    paths: dict[str, str] = {}
    for number in range(6):  # Several conversations, so that there are several jobs.
        stored = await append(
            stack,
            *(tool_call(f"{number}/{n}.py") for n in range(8)),
            session_key=f"s{number}",
        )
        paths |= {entry.message_id: f"{number}/{n}.py" for n, entry in enumerate(stored.messages)}

    def do() -> set[str | None]:
        with sentence_context(stack.database, server, read_timeout_s=10.0) as shop:
            return set(sentences_in(shop, stack.database).values())

    with ThreadPoolExecutor(2) as pool:
        loop = asyncio.get_running_loop()
        ended = await asyncio.gather(*(loop.run_in_executor(pool, do) for _ in range(2)))
    assert set().union(*ended) <= {"done", "pending", None}
    assert len(server.requests) == len(paths) == 48
    _hold_that_each_has_its_own(stack, paths)
    assert server.most_at_once > 1


async def test_worker_that_lost_its_claim_or_lease_stores_no_sentence(
    stack: Stack, server: ScriptedChat
) -> None:
    paths = await _tell(stack, "mine.py", "taken.py")
    taken = next(id_ for id_, path in paths.items() if path == "taken.py")

    def reply(request: Body) -> Reply:
        if path_in(request) == "taken.py":  # Another worker takes it meanwhile.
            with stack.database.connect() as conn:
                conn.execute(
                    """UPDATE tool_sentence_queue SET attempts = attempts + 1, not_before = now() + interval '1 hour'
                        WHERE message_id = %s""",
                    [taken],
                )
        return consulted(request)

    server.reply = reply
    await write_pending_sentences(stack, server)
    assert [paths[id_] for id_ in stored_sentences(stack.database)] == ["mine.py"]
    assert set(queued(stack.database)) == {taken}

    def lose_the_job(request: Body) -> Reply:
        with stack.database.connect() as conn:
            conn.execute("UPDATE jobs SET fence = fence + 1 WHERE task = 'tool-sentences'")
        return consulted(request)

    server.reply = lose_the_job
    [other] = await _tell(stack, "other.py")
    assert set((await write_pending_sentences(stack, server)).values()) == {None}
    assert other not in stored_sentences(stack.database)
    assert other in queued(stack.database)


async def test_lost_lease_cancels_requests_to_the_model(
    stack: Stack, server: ScriptedChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tools_job, "BEAT_S", 0.1)
    server.always = hang()
    await _tell(stack, "a.py", "b.py")
    lost = threading.Event()

    def beat() -> None:
        lost.set()
        raise LeaseLost

    def do() -> None:
        with sentence_context(stack.database, server, read_timeout_s=60.0) as shop:
            with stack.database.connect() as conn:
                [key] = conn.execute(
                    "SELECT namespace_id, id FROM jobs WHERE task = 'tool-sentences'"
                ).fetchall()
            with shop.database.connection() as blocking:
                job = start_job(blocking, JobKey(*key), 60.0)
            assert job
            with pytest.raises(LeaseLost):
                ToolSentences(shop).run(JobRun(job, lambda: None, beat))

    await asyncio.wait_for(asyncio.to_thread(do), timeout=60)
    assert lost.is_set()
    assert stored_sentences(stack.database) == {}
    assert len(queued(stack.database)) == 2


async def test_claims_are_extended_while_the_model_is_slow(
    stack: Stack, server: ScriptedChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tools_job, "BEAT_S", 0.1)
    paths = await _tell(stack, "slow.py")
    text = '{"sentence": "Consulted slow.py for the login routine."}'
    server.script.append(drip(text, seconds=4.0))
    hurried = ToolSettings(lease_s=1.5, pauses_s=(0.0,))
    with sentence_context(stack.database, server, hurried) as slow:
        first = asyncio.create_task(asyncio.to_thread(sentences_in, slow, stack.database))
        await asyncio.sleep(2.5)
        with stack.database.connect() as conn:
            held = conn.execute(
                "SELECT attempts, not_before > now() FROM tool_sentence_queue"
            ).fetchall()
        assert held == [(1, True)]
        assert set((await first).values()) == {"done"}
    _hold_that_each_has_its_own(stack, paths)


async def test_no_transaction_is_open_during_a_model_request(
    stack: Stack, server: ScriptedChat
) -> None:
    open_ones: list[int] = []

    def reply(request: Body) -> Reply:
        with stack.database.connect() as conn:
            [(count,)] = conn.execute(
                """SELECT count(*) FROM pg_stat_activity
                    WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
                      AND backend_type = 'client backend'"""
            ).fetchall()
        open_ones.append(count)
        return consulted(request)

    server.reply = reply
    await _tell(stack, "a.py")
    await write_pending_sentences(stack, server)
    assert open_ones == [0]


async def test_claims_of_a_dead_worker_expire_and_are_processed_by_the_next(
    stack: Stack, server: ScriptedChat
) -> None:
    paths = await _tell(stack, "a.py", "b.py")
    with sentence_context(stack.database) as shop, shop.database.connection() as conn:
        assert len(claim_calls(conn, 1, 16, lease_s=1.5)) == 2
    # The job runs again as soon as the claims have expired.
    assert set((await write_pending_sentences(stack, server)).values()) <= {"pending", "done"}
    await asyncio.sleep(1.6)
    await write_pending_sentences(stack, server)
    _hold_that_each_has_its_own(stack, paths)


async def test_repeated_tool_sentence_job_changes_nothing(
    stack: Stack, server: ScriptedChat
) -> None:
    await append(stack, tool_call("a.py"), message("Words."))
    await write_pending_sentences(stack, server)
    asked, before = len(server.requests), indexed_sentences(stack.database)
    with stack.database.connect() as conn:
        conn.execute("UPDATE jobs SET state = 'pending' WHERE task = 'tool-sentences'")
    assert set((await write_pending_sentences(stack, server, IMPATIENT)).values()) == {"done"}
    assert (len(server.requests), indexed_sentences(stack.database)) == (asked, before)


def _hold_that_each_has_its_own(stack: Stack, paths: dict[str, str]) -> None:
    """Assert that each call has one sentence about its own path, also in the index, and that none waits."""
    database: DatabaseUnderTest = stack.database
    expected = {id_: _right(path) for id_, path in paths.items()}
    assert {id_: text for id_, (text, _) in stored_sentences(database).items()} == expected
    assert indexed_sentences(database) == expected
    assert queued(database) == {}
