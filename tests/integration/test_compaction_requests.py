"""Compaction on request: Compact, and the backfill of summaries with its waiting callers."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime

import grpc
import pytest

from everword.v1 import ingest_service_pb2
from everword.v1 import maintenance_service_pb2 as pb
from everword_compactor.conversations import compact as compact_module
from everword_compactor.maintenance import backfill
from support.calls import append
from support.command_line import everword
from support.compaction import ScriptedComposer, compact
from support.dag import LEAF, check_dag
from support.refusals import refused
from support.stack import Stack


async def ask(stack: Stack, **fields: object) -> tuple[int, int]:
    response = await stack.maintenance.Compact(pb.CompactRequest(**fields))  # type: ignore[arg-type]
    return response.conversations, response.messages


async def fill(stack: Stack, backfill: bool = False, **fields: object) -> int:
    request = pb.BackfillRequest(target=pb.BACKFILL_TARGET_SUMMARIES, **fields)  # type: ignore[arg-type]
    return (await stack.maintenance.Backfill(request)).items


def jobs(stack: Stack) -> list[tuple[str, bool, int]]:
    with stack.database.connect() as conn:
        return conn.execute(
            "SELECT state, not_before <= now(), dirty_seq FROM jobs WHERE task = 'compact' ORDER BY id"
        ).fetchall()


async def test_compact_request_summarises_short_conversation(stack: Stack) -> None:
    stored = await append(stack, "One.", "Two.", "Three.")
    assert await ask(stack, conversation_id=stored.conversation_id, dry_run=True) == (1, 3)
    assert jobs(stack) == [("pending", False, 1)]
    assert await ask(stack, conversation_id=stored.conversation_id) == (1, 3)
    assert jobs(stack) == [("pending", True, 2)]
    assert await ask(stack, conversation_id=stored.conversation_id) == (1, 3)
    assert jobs(stack) == [("pending", True, 3)]
    await append(stack, "Four, which nobody asked for.")
    compact(stack.database)
    [leaf] = check_dag(stack.database).of_level(LEAF)
    assert leaf.message_count == 3
    assert await ask(stack, conversation_id=stored.conversation_id) == (1, 1)
    compact(stack.database)
    assert await ask(stack, conversation_id=stored.conversation_id) == (0, 0)


async def test_compact_request_summarises_all_conversations_in_batches(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compact_module, "BATCH", 2)
    for number in range(5):
        await append(stack, "One.", "Two.", session_key=f"s{number}")
    assert await ask(stack, dry_run=True) == (5, 10)
    assert await ask(stack) == (5, 10)
    compact(stack.database)
    assert len(check_dag(stack.database).of_level(LEAF)) == 5
    assert await ask(stack) == (0, 0)


async def test_compact_and_flush_refuse_unknown_conversation(stack: Stack) -> None:
    for call in (
        stack.maintenance.Compact(pb.CompactRequest(conversation_id=str(uuid.uuid4()))),
        stack.maintenance.FlushConversation(
            pb.FlushConversationRequest(conversation_id=str(uuid.uuid4()), context_size=1)
        ),
    ):
        refusal = await refused(call)
        assert (refusal.code, refusal.reason) == (
            grpc.StatusCode.NOT_FOUND,
            "CONVERSATION_NOT_FOUND",
        )


async def test_compact_request_keeps_failure_pause_and_retries_parked_job(
    stack: Stack,
) -> None:
    await append(stack, "One.")
    await append(stack, "One.", session_key="t")
    with stack.database.connect() as conn:
        conn.execute(
            """UPDATE jobs SET attempts = 1, not_before = now() + interval '1 hour'
                WHERE task = 'compact' AND id = (SELECT min(id) FROM jobs WHERE task = 'compact')"""
        )
        conn.execute(
            """UPDATE jobs SET attempts = 3, state = 'failed'
                WHERE task = 'compact' AND id = (SELECT max(id) FROM jobs WHERE task = 'compact')"""
        )
    await ask(stack)
    assert jobs(stack) == [("pending", False, 2), ("pending", True, 2)]


async def test_summary_backfill_schedules_conversations_without_job(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backfill, "CONVERSATIONS", 2)
    for number in range(5):
        await append(stack, *["Words."] * 10, session_key=f"s{number}")
    assert await fill(stack) == 0
    with stack.database.connect() as conn:  # As if stored before compaction existed.
        conn.execute("DELETE FROM jobs WHERE task = 'compact'")
        conn.execute("DELETE FROM calendar_pending")
    await append(stack, "Words.", session_key="s0")
    assert await fill(stack, dry_run=True) >= 4
    assert await fill(stack, limit=3) == 3
    assert len(jobs(stack)) == 4
    await fill(stack)
    assert len(jobs(stack)) == 5
    compact(stack.database)
    assert len(check_dag(stack.database).of_level(LEAF)) == 5


async def test_an_embedding_backfill_stops_at_its_limit(stack: Stack) -> None:
    await append(stack, *["Words."] * 10)
    with stack.database.connect() as conn:
        conn.execute("DELETE FROM embedding_queue")
    for dry_run, items in ((True, 4), (False, 4), (False, 4), (False, 2), (False, 0)):
        request = pb.BackfillRequest(target=pb.BACKFILL_TARGET_EMBEDDINGS, dry_run=dry_run, limit=4)
        assert (await stack.maintenance.Backfill(request)).items == items


async def test_wait_for_indexing_ignores_jobs_that_are_not_due(stack: Stack) -> None:
    stored = await append(stack, "One.", "Two.")
    with stack.database.connect() as conn:
        conn.execute("DELETE FROM embedding_queue")
        conn.execute("DELETE FROM jobs WHERE task <> 'compact'")
    wait = ingest_service_pb2.WaitForIndexingRequest(
        consistency_token=stored.consistency_token, stage=ingest_service_pb2.INDEXING_STAGE_DERIVED
    )
    await stack.ingest.WaitForIndexing(wait, timeout=30)
    with (
        stack.database.connect() as conn
    ):  # A pause after a failure differs from waiting for the due time.
        conn.execute("UPDATE jobs SET attempts = 1")
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await stack.ingest.WaitForIndexing(wait, timeout=0.5)
    assert caught.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED


async def test_cli_compacts_one_conversation_or_all(stack: Stack) -> None:
    stored = await append(stack, "One.", "Two.")
    await append(stack, "One.", session_key="t")
    told = await everword(stack, "compact", "--dry-run")
    assert "3 messages of 2 conversations would be summed up" in told.output
    one = await everword(stack, "compact", stored.conversation_id, "--json")
    assert one.json() == {"conversations": 1, "messages": 2}
    compact(stack.database)
    assert (await everword(stack, "compact")).status == 0
    compact(stack.database)
    assert len(check_dag(stack.database).of_level(LEAF)) == 2
    wrong = await everword(stack, "compact", "no-id")
    assert wrong.status != 0
    assert "conversation_id" in wrong.errors
    filled = await everword(stack, "backfill", "summaries", "--dry-run", "--limit", "5")
    assert filled.status == 0


async def test_new_messages_retry_parked_compaction_job(stack: Stack) -> None:
    await append(stack, *["Words."] * 10)

    def fail(draft: object) -> None:
        raise ValueError("not now")

    compact(stack.database, ScriptedComposer(on_compose=fail), datetime(2100, 1, 1, tzinfo=UTC))
    assert jobs(stack)[0][0] == "failed"
    await append(stack, "More words.")
    compact(stack.database)
    assert len(check_dag(stack.database).of_level(LEAF)) == 1
