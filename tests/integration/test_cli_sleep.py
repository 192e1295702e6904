"""`everword sleep` and its RPC, with a worker running."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta

from everword.v1 import maintenance_service_pb2 as pb
from support.calls import append
from support.command_line import everword
from support.compaction import compact_everything
from support.learning import say, told
from support.refusals import refused
from support.sleep_calls import Mind, observing, rows, sleep
from support.stack import Stack

TEA = observing(("tea for me", "drink", "tea"), ("tea for him", "drink", "tea"))


@asynccontextmanager
async def working(stack: Stack, mind: Mind | None) -> AsyncIterator[None]:
    """Execute due jobs in a loop, as a worker does."""

    async def work() -> None:
        while True:
            soon = datetime.now(UTC) + timedelta(seconds=1)
            await sleep(stack, mind, soon, due=soon)
            await asyncio.sleep(0.05)

    task = asyncio.ensure_future(work())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def test_sleep_processes_recent_sessions_and_streams_progress(stack: Stack) -> None:
    await say(stack, "It is tea for me.", 30, session="one")
    await say(stack, "It is tea for him.", 30, subject="bo", session="two")
    async with working(stack, Mind({"sleep-observe": TEA})):
        fact_statement_of = [
            each
            async for each in stack.maintenance.Sleep(pb.SleepRequest(subject="emi"), timeout=60)
        ]
        assert [each.done for each in fact_statement_of] == [False] * (
            len(fact_statement_of) - 1
        ) + [True]
        assert len(fact_statement_of) > 1
        last = fact_statement_of[-1]
        found = (last.conversations, last.stored_sessions, last.processed_sessions)
        assert found == (1, 1, 1)
        assert await told(stack, "emi") == {"drink": {"tea"}}
        assert await told(stack, "bo") == {}
        shown = await everword(stack, "sleep", "two")
        assert shown.status == 0, shown.errors
        assert "sessions read" in shown.output
        assert "left out: observe, behaviour" in shown.output
        assert await told(stack, "bo") == {"drink": {"tea"}}
        again = (await everword(stack, "sleep", "--json")).json()
    assert (again["done"], again["conversations"], again["stored_sessions"]) == (True, 0, 0)


async def test_sleep_refuses_unknown_conversation(stack: Stack) -> None:
    await append(stack, "Words.")
    nobody = pb.SleepRequest(conversation_id="00000000-0000-0000-0000-000000000001")

    async def first() -> None:
        async for _ in stack.maintenance.Sleep(nobody):
            pass

    assert (await refused(first())).reason == "CONVERSATION_NOT_FOUND"


async def test_flush_conversation_makes_sleep_learn_at_once(stack: Stack) -> None:
    said = await append(stack, *["It is tea for me."] * 10)
    await compact_everything(stack)
    flush = pb.FlushConversationRequest(
        conversation_id=said.conversation_id,
        context_size=1,
        used_tokens=1,
        notes_saved=True,
        keep_recent=0,
    )
    soon = datetime.now(UTC) + timedelta(seconds=5)
    await sleep(stack, Mind({"sleep-observe": TEA}), soon)
    assert rows(stack, "SELECT value FROM facts") == []
    await stack.maintenance.FlushConversation(flush)
    await sleep(stack, Mind({"sleep-observe": TEA}), soon)
    assert rows(stack, "SELECT value FROM facts") == [("tea",)]
