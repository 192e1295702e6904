"""Flushing a nearly full context: first the agent saves notes, then stored summaries replace old turns."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice

import grpc
import pytest
from google.protobuf.message import Message

from everword.jobs.store import JobKey
from everword.jobs.task import Task
from everword.jobs.worker import Worker
from everword.v1 import maintenance_service_pb2 as pb
from everword.v1 import memory_pb2
from everword.v1.ingest_service_pb2 import RecordSignificantRequest
from everword.v1.search_service_pb2 import ListMessagesRequest, SearchRequest
from everword_compactor.compose.model import Draft
from everword_compactor.conversations.job import Compaction
from everword_compactor.jobs.context import WorkerContext
from support.calls import append, message
from support.compaction import ScriptedComposer, compact, worker_context
from support.dag import check_dag
from support.databases import DatabaseUnderTest
from support.stack import BASE, Stack, running_stack
from support.tool_calls import tool_call


async def say(stack: Stack, count: int, **fields: object) -> tuple[str, list[str]]:
    """Append messages of 20 tokens each, some of a hundred; return the ids of the conversation and the messages."""
    batch = [message(f"Message number {n}.", token_count=20, **fields) for n in range(1, count + 1)]
    response = await append(stack, *batch)
    return response.conversation_id, [entry.message_id for entry in response.messages]


async def flush(
    stack: Stack, conversation_id: str, **fields: object
) -> pb.FlushConversationResponse:
    request = pb.FlushConversationRequest(
        **{"conversation_id": conversation_id, "context_size": 1000, **fields}  # type: ignore[arg-type]
    )
    return await stack.maintenance.FlushConversation(request, timeout=90)


@contextlib.asynccontextmanager
async def working(stack: Stack, composer: ScriptedComposer | None = None) -> AsyncIterator[None]:
    """Execute due jobs while the block lasts."""

    async def work() -> None:
        while True:
            await asyncio.to_thread(compact, stack.database, composer)
            await asyncio.sleep(0.1)

    task = asyncio.create_task(work())
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def test_flush_returns_no_action_below_the_full_ratio(stack: Stack) -> None:
    conversation_id, _ = await say(stack, 40)
    flushed = await flush(stack, conversation_id)
    assert (flushed.action, flushed.used_tokens) == (pb.FLUSH_ACTION_NONE, 800)
    flushed = await flush(stack, conversation_id, used_tokens=849, notes_saved=True)
    assert flushed.action == pb.FLUSH_ACTION_NONE
    flushed = await flush(stack, conversation_id, used_tokens=850)
    assert flushed.action == pb.FLUSH_ACTION_SAVE_NOTES
    assert (await flush(stack, conversation_id, full_ratio=0.8)).used_tokens == 800
    assert (
        await flush(stack, conversation_id, full_ratio=0.8)
    ).action == pb.FLUSH_ACTION_SAVE_NOTES


async def test_tokens_of_messages_without_a_count_are_estimated_from_bytes(stack: Stack) -> None:
    conversation_id = (await append(stack, "x" * 4000, "é" * 2000)).conversation_id
    assert (await flush(stack, conversation_id, context_size=10_000)).used_tokens == 2000


async def test_flush_of_a_full_context_first_asks_the_agent_to_save_notes(stack: Stack) -> None:
    conversation_id, _ = await say(stack, 43)
    flushed = await flush(stack, conversation_id)
    assert flushed.action == pb.FLUSH_ACTION_SAVE_NOTES
    assert "save" in flushed.instruction
    assert not flushed.summaries
    with stack.database.connect() as conn:
        assert conn.execute("SELECT count(*) FROM compaction_progress").fetchone() == (0,)


async def test_flush_replaces_nothing_until_notes_are_saved_in_a_stored_turn(stack: Stack) -> None:
    """The caller runs this turn: notes written by its tools are found at once, and the turn itself is stored."""
    conversation_id, _ = await say(stack, 97)
    for _ in range(2):
        # However often it calls, nothing is replaced before that turn.
        told = await flush(stack, conversation_id)
        assert (told.action, len(told.summaries), told.freed_tokens) == (
            pb.FLUSH_ACTION_SAVE_NOTES,
            0,
            0,
        )
    note = "Ana chose PostgreSQL 18 over MariaDB because of its extensions."
    saved = await stack.ingest.RecordSignificant(RecordSignificantRequest(content=note))
    call = tool_call(
        name="record_significant", tool_args=f'{{"content": "{note}"}}', tool_result="saved"
    )
    turn = await append(stack, message(told.instruction, role=memory_pb2.ROLE_SYSTEM), call)
    assert turn.conversation_id == conversation_id
    async with working(stack):
        flushed = await flush(stack, conversation_id, notes_saved=True)
    assert flushed.action == pb.FLUSH_ACTION_REPLACE
    assert flushed.replaced_through_seq <= turn.messages[0].seq - 1
    found = await stack.search.Search(SearchRequest(query="Why PostgreSQL 18 and not MariaDB?"))
    assert saved.summary_id in {result.memory.id for result in found.results}
    listed = await stack.search.ListMessages(ListMessagesRequest(conversation_id=conversation_id))
    assert any(each.body.tool_name == "record_significant" for each in listed.messages)


async def test_flush_after_notes_replaces_all_but_recent_messages_with_summaries(
    stack: Stack,
) -> None:
    conversation_id, ids = await say(stack, 97)
    async with working(stack):
        flushed = await flush(stack, conversation_id, notes_saved=True)
    assert flushed.action == pb.FLUSH_ACTION_REPLACE
    assert flushed.replaced_through_seq == 91
    [branch, leaf, last] = flushed.summaries
    assert (branch.first_seq, branch.last_seq, branch.level) == (1, 80, 2)
    assert (leaf.first_seq, leaf.last_seq) == (81, 90)
    assert (last.first_seq, last.last_seq) == (91, 91)
    assert not flushed.kept_message_ids
    tokens = sum(summary.token_count for summary in flushed.summaries)
    assert flushed.freed_tokens == 91 * 20 - tokens
    dag = check_dag(stack.database)
    assert len(dag.messages) == len(ids) == 97
    again = await flush(stack, conversation_id, notes_saved=True, used_tokens=97 * 20)
    assert again.freed_tokens == 0
    again.freed_tokens = flushed.freed_tokens
    assert again == flushed
    # Without `used_tokens`, the replaced messages do not count, and a caller that lost the response gets it again.
    counted = await flush(stack, conversation_id, notes_saved=True)
    assert (counted.action, counted.used_tokens) == (pb.FLUSH_ACTION_NONE, tokens + 6 * 20)
    assert (counted.summaries, counted.replaced_through_seq) == (flushed.summaries, 91)
    # Only new messages are freed; the summaries of earlier ones may have been rewritten.
    await append(stack, *[message(f"Later {n}.", token_count=20) for n in range(20)])
    async with working(stack):
        later = await flush(stack, conversation_id, notes_saved=True, used_tokens=900)
    assert later.replaced_through_seq == 111
    left = sum(summary.token_count for summary in later.summaries)
    assert later.freed_tokens == 20 * 20 + tokens - left <= 20 * 20


async def test_flush_keeps_system_and_protected_messages(stack: Stack) -> None:
    conversation_id, ids = await say(stack, 60)
    system = message("You are careful.", role=memory_pb2.ROLE_SYSTEM, token_count=20)
    stored = (await append(stack, system, *["More."] * 9)).messages
    async with working(stack):
        flushed = await flush(
            stack,
            conversation_id,
            notes_saved=True,
            keep_recent=0,
            protected_message_ids=[ids[4], ids[20]],
        )
    assert flushed.replaced_through_seq == 70
    assert list(flushed.kept_message_ids) == [ids[4], ids[20], stored[0].message_id]
    assert not flushed.in_doubt_message_ids


async def test_flush_replaces_no_messages_with_summaries_that_need_review(stack: Stack) -> None:
    conversation_id, ids = await say(stack, 60)
    composer = ScriptedComposer(invented="number 15.")
    async with working(stack, composer):
        flushed = await flush(stack, conversation_id, notes_saved=True, keep_recent=0)
    assert not any(summary.needs_review for summary in flushed.summaries)
    stretches = [(summary.first_seq, summary.last_seq) for summary in flushed.summaries]
    # This branch is made directly from messages, and does not overlap the leaf.
    covered = {seq for first, last in stretches for seq in range(first, last + 1)}
    kept = {ids.index(id_) + 1 for id_ in flushed.kept_message_ids}
    assert covered | kept == set(range(1, 61))
    assert not covered & kept


async def test_flush_keeps_messages_of_a_leaf_that_needs_review(stack: Stack) -> None:
    conversation_id, ids = await say(stack, 40)
    composer = ScriptedComposer(invented="number 15.")
    async with working(stack, composer):
        flushed = await flush(
            stack, conversation_id, context_size=800, notes_saved=True, keep_recent=0
        )
    assert [(s.first_seq, s.last_seq) for s in flushed.summaries] == [(1, 10), (21, 30), (31, 40)]
    assert list(flushed.kept_message_ids) == list(flushed.in_doubt_message_ids) == ids[10:20]
    assert flushed.replaced_through_seq == 40
    assert flushed.freed_tokens == 30 * 20 - sum(s.token_count for s in flushed.summaries)


async def test_flush_uses_lower_summaries_if_higher_ones_cover_recent_messages(
    stack: Stack,
) -> None:
    conversation_id, _ = await say(stack, 50)
    compact(stack.database)
    flushed = await flush(stack, conversation_id, notes_saved=True, keep_recent=5)
    assert [(s.first_seq, s.last_seq) for s in flushed.summaries] == [
        (first, first + 9) for first in (1, 11, 21, 31)
    ]
    assert flushed.replaced_through_seq == 40


async def test_flush_without_a_worker_ends_at_the_deadline_and_its_job_stays_due(
    stack: Stack,
) -> None:
    conversation_id, _ = await say(stack, 45)
    request = pb.FlushConversationRequest(
        conversation_id=conversation_id, context_size=1000, notes_saved=True
    )
    # Either the server or the client reports the deadline, whichever is faster.
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await stack.maintenance.FlushConversation(request, timeout=0.5)
    assert caught.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED
    compact(stack.database)
    flushed = await flush(stack, conversation_id, notes_saved=True)
    assert flushed.replaced_through_seq == 39


async def test_flush_uses_existing_summaries_if_the_job_failed(stack: Stack) -> None:
    def fail(draft: object) -> None:
        raise ValueError("no summary of this")

    conversation_id, _ = await say(stack, 20)
    compact(stack.database)
    await say(stack, 25)
    async with working(stack, ScriptedComposer(on_compose=fail)):
        flushed = await flush(stack, conversation_id, notes_saved=True)
    assert (flushed.action, flushed.replaced_through_seq) == (pb.FLUSH_ACTION_REPLACE, 20)


async def test_flush_replaces_nothing_if_all_messages_are_recent(stack: Stack) -> None:
    conversation_id, _ = await say(stack, 5)
    flushed = await flush(stack, conversation_id, context_size=100, notes_saved=True)
    assert (flushed.action, flushed.replaced_through_seq) == (pb.FLUSH_ACTION_REPLACE, 0)
    assert (list(flushed.summaries), flushed.freed_tokens) == ([], 0)


async def test_flush_waits_for_one_attempt_of_a_failing_job_and_not_for_its_pauses(
    stack: Stack,
) -> None:
    def fail(draft: Draft) -> None:
        if any("number 15." in source.text for source in draft.sources):
            raise ValueError("no summary of this")

    composer = ScriptedComposer(on_compose=fail)
    conversation_id, _ = await say(stack, 40)
    compact(stack.database, composer, datetime.now(UTC) + timedelta(days=1))
    with worker_context(stack.database, composer) as shop:
        task = Task("compact", Compaction(shop).run, pauses_s=(3600.0,))
        worker = asyncio.create_task(asyncio.to_thread(_work_once, stack, shop, task))
        for _ in range(2):  # The second call comes within the pause.
            flushed = await flush(stack, conversation_id, context_size=100, notes_saved=True)
            assert (flushed.action, flushed.replaced_through_seq) == (pb.FLUSH_ACTION_REPLACE, 10)
        assert await worker == "pending"


def _work_once(stack: Stack, shop: WorkerContext, task: Task) -> str | None:
    """Execute the task's job as soon as it is due."""
    for _ in range(1200):
        with stack.database.connect() as conn:
            row = conn.execute(
                "SELECT namespace_id, id FROM jobs WHERE task = %s AND state = 'pending' AND not_before <= now()",
                (task.name,),
            ).fetchone()
        if row:
            return Worker(shop.database, task).execute(JobKey(*row))
        time.sleep(0.05)
    return None


async def code_of(call: Awaitable[Message]) -> grpc.StatusCode:
    with pytest.raises(grpc.aio.AioRpcError) as failure:
        await call
    return failure.value.code()


async def test_waiting_flush_calls_are_limited_to_leave_slots_for_others(
    database: DatabaseUnderTest,
) -> None:
    """Of 16 concurrent calls, two of a namespace may wait, and eight in total."""
    async with running_stack(
        database, server=replace(BASE, max_concurrent=16), embedder=False
    ) as stack:
        conversation_id, _ = await say(stack, 45)
        request = pb.FlushConversationRequest(
            conversation_id=conversation_id, context_size=100, notes_saved=True
        )
        calls = [
            asyncio.ensure_future(code_of(stack.maintenance.FlushConversation(request, timeout=8)))
            for _ in range(20)
        ]
        # Until they are refused, the others occupy slots of calls that do not wait.
        refused = [await code for code in islice(asyncio.as_completed(calls), 18)]
        assert set(refused) == {grpc.StatusCode.RESOURCE_EXHAUSTED}
        await stack.maintenance.GetQueueStatus(pb.GetQueueStatusRequest(), timeout=6)
        codes = Counter(await asyncio.gather(*calls))
        assert codes[grpc.StatusCode.DEADLINE_EXCEEDED] == 2
        async with working(stack):
            flushed = await flush(stack, conversation_id, notes_saved=True)
        assert flushed.replaced_through_seq == 39
