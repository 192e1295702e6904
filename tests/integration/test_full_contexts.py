"""Clients replace old messages of a full context by stored summaries: Python, LlamaIndex and tools. No model."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator

import pytest
from llama_index.core.llms import ChatMessage

from everword.adapters.llama_index import EverwordMemory
from everword.adapters.tools import Tools
from everword.client import AsyncEverword, Everword, Message
from everword.client.fake import FakeClient
from everword_compactor.compose.extractive.composer import ExtractiveComposer
from support.compaction import compact
from support.stack import Stack

SAID = [
    "We decided to move the nightly export of orders to 03:15, because it collides with the backup of the billing "
    "database, which takes until about three o'clock on the first day of each month.",
    "Ines will write the new systemd timer until Thursday, and Jonas reviews it before it goes to production. The old "
    "cron entry stays disabled for two weeks, so that we can go back quickly.",
    "The export now writes to a temporary file first and renames it at the end. That way the accounting team never "
    "picks up half a file, which happened twice in January and cost us a day each time.",
]
PROTECTED = Message(
    "Never restart the export by hand between 03:15 and 04:00.", metadata={"protected": True}
)


@pytest.fixture
def found(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ingest", "search", "compactor"):
        monkeypatch.setenv(f"EVERWORD_{name.upper()}_ADDRESS", stack.addresses[name])


@contextlib.asynccontextmanager
async def working(stack: Stack) -> AsyncIterator[None]:
    """Execute due compaction jobs while the block lasts."""

    async def work() -> None:
        while True:
            await asyncio.to_thread(compact, stack.database, ExtractiveComposer())
            await asyncio.sleep(0.1)

    task = asyncio.create_task(work())
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


def talk(first: int, count: int) -> list[Message]:
    return [
        Message(f"Remark {n}: {SAID[n % 3]}", role="assistant" if n % 2 else "user")
        for n in range(first, first + count)
    ]


@pytest.mark.usefixtures("found")
async def test_turns_of_a_full_context_begin_with_summaries_and_protected_messages(
    stack: Stack,
) -> None:
    async with AsyncEverword(agent="ops") as memory:
        assert (await memory.turns("export", context_size=2_000)).messages == ()
        await memory.append("export", *talk(1, 10), PROTECTED, *talk(12, 5))
        turns = await memory.turns("export", context_size=2_000)
        assert (len(turns.messages), turns.summary, turns.kept) == (16, "", ())
        await memory.append("export", *talk(17, 24))
        async with working(stack):
            turns = await memory.turns("export", context_size=2_000)
        assert [message.seq for message in turns.messages] == list(range(35, 41))
        assert "03:15" in turns.summary
        assert [memory.content for memory in turns.kept] == [PROTECTED.content]
        size = len(turns.summary) + sum(len(each.body.content) for each in turns.messages)
        assert size / 4 < 1_600
        # The next turns need no further summary.
        await memory.append("export", *talk(41, 2))
        again = await memory.turns("export", context_size=2_000)
        assert (again.summary, len(again.messages)) == (turns.summary, 8)
        assert again.token_count < 1_600


@pytest.mark.usefixtures("found")
async def test_turns_without_a_worker_return_all_messages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("everword.client.flush._FLUSH_TIMEOUT_S", 1.0)
    async with AsyncEverword(agent="ops") as memory:
        await memory.append("alone", *talk(1, 40))
        turns = await memory.turns("alone", context_size=2_000)
    assert (turns.summary, len(turns.messages)) == ("", 40)


async def test_fake_client_returns_all_turns() -> None:
    async with AsyncEverword(client=FakeClient()) as memory:
        await memory.append("alone", *talk(1, 40))
        assert len((await memory.turns("alone", context_size=2_000)).messages) == 40


@pytest.mark.usefixtures("found")
async def test_llama_index_memory_replaces_old_turns_at_its_token_limit(stack: Stack) -> None:
    def fill(memory: Everword) -> list[ChatMessage]:
        kept = EverwordMemory(memory=memory, session="llama", token_limit=2_000, turns=50)
        kept.put_messages([ChatMessage(each.content, role=each.role) for each in talk(1, 40)])
        return kept.get("When does the export run?")

    def get() -> list[ChatMessage]:
        with Everword(agent="ops") as memory:
            return fill(memory)

    async with working(stack):
        [known, *turns] = await asyncio.to_thread(get)
    assert [turn.content for turn in turns] == [each.content for each in talk(35, 6)]
    assert "Earlier in this conversation:" in str(known.content)
    assert "03:15" in str(known.content)


@pytest.mark.usefixtures("found")
async def test_flush_tool_asks_for_notes_and_then_returns_summaries(stack: Stack) -> None:
    def use() -> tuple[str, str]:
        with Everword() as memory:
            tools = Tools(memory, ["conversation"])
            for each in talk(1, 20):
                stored = tools.call(
                    "memory_append",
                    {"conversation": "t", "role": each.role, "content": each.content},
                )
                assert stored.startswith("Stored in conversation"), stored
            asked = tools.call("memory_flush", {"conversation": "t"})
            return asked, tools.call("memory_flush", {"conversation": "t", "notes_saved": True})

    async with working(stack):
        asked, given = await asyncio.to_thread(use)
    assert "save what must not be lost" in asked
    # 10 if the messages up to the 20th were summarised together before the call.
    assert re.search(r"These summaries replace messages 1 to 1[04]:", given)
    assert re.search(r"^    - (user|assistant): ", given, re.MULTILINE)
    assert "03:15" in given
