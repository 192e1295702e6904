"""`everword sleep` and its RPC, with a worker running."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta

from everword.chat.settings import ChatSettings
from everword.v1 import maintenance_service_pb2 as pb
from support.calls import append
from support.command_line import everword
from support.compaction import compact_everything
from support.databases import DatabaseUnderTest
from support.learning import say, told
from support.refusals import refused
from support.sleep_calls import Mind, observing, rows, sleep
from support.stack import Stack, running_stack

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


def _known_model(model: str) -> ChatSettings:
    """Return settings of a model that the compactor's server knows by name; workers of the tests have their own."""
    return ChatSettings(url="http://127.0.0.1:9", model=model)


async def test_sleep_again_reads_what_was_said_before_a_model_was_configured(
    database: DatabaseUnderTest,
) -> None:
    """Sessions that another model has read, too; each message counts once as evidence."""
    tea = (
        "In the afternoon it is always tea for me, because coffee keeps me awake until three in the morning. "
        "My brother laughs about it, but he sleeps badly himself."
    )
    harbour = (
        "The new office is near the harbour, so I walk there in twenty minutes. In the breaks it is tea for me again, "
        "as the machine makes awful coffee."
    )
    async with running_stack(database, embedder=False) as stack:
        await say(stack, tea, 1, session="old")
        await say(stack, harbour, 20, session="old")
        await say(stack, harbour, 5, session="other", subject="bo")
        await sleep(stack)
        before = await told(stack)
        assert "drink" not in before
        assert "sleep" not in (await everword(stack, "doctor")).output
        lacking = await everword(stack, "sleep", "--again")
        assert "CHAT_NOT_CONFIGURED" in lacking.errors
    mind = Mind({"sleep-observe": TEA})
    async with running_stack(database, embedder=False, chat=_known_model("scripted-chat")) as stack:
        doctor = (await everword(stack, "doctor")).output
        assert "3 sessions were processed without a language model" in doctor
        assert "`everword sleep --again`" in doctor
        async with working(stack, mind):
            declined = await everword(stack, "sleep", "--again", given="n\n")
            assert declined.status == 1
            assert "3 sessions with 3 messages of" in declined.errors
            assert "an unknown price" in declined.errors
            assert await told(stack) == before
            day_ten = (datetime.now(UTC) - timedelta(days=20)).isoformat()
            only = ("sleep", "--again", "--conversation", "old", "--since", day_ten)
            late = await everword(stack, *only, given="y\n")
            assert "1 sessions with 1 messages" in late.errors
            assert late.status == 0, late.errors
            assert (await told(stack))["drink"] == {"tea"}
            [seen] = rows(stack, "SELECT supporting FROM facts WHERE value = 'tea'")
            assert seen == (1,)
            rest = (await everword(stack, "sleep", "--again", "--yes", "--json")).json()
            assert rest["stored_sessions"] == 2
            learned = _learned(stack)
            assert ("emi", "drink", "tea", 2) in learned
            assert ("bo", "drink", "tea", 1) in learned
            asked = len(mind.asked)
            again = await everword(stack, "sleep", "--again", "--yes")
            assert "scripted-chat has read every session" in again.errors
            assert (_learned(stack), mind.tasks()[asked:].count("sleep-observe")) == (learned, 0)
        assert "sessions were processed without" not in (await everword(stack, "doctor")).output
    observations = rows(stack, "SELECT count(*) FROM session_observations")
    async with running_stack(database, embedder=False, chat=_known_model("better")) as stack:
        async with working(stack, mind):
            better = (await everword(stack, "sleep", "--again", "--yes", "--json")).json()
        assert better["stored_sessions"] == 3
        assert _learned(stack) == learned
        assert rows(stack, "SELECT count(*) FROM session_observations") == observations


def _learned(stack: Stack) -> list[tuple[object, ...]]:
    return rows(stack, "SELECT subject, attribute, value, supporting FROM facts ORDER BY 1, 2, 3")
