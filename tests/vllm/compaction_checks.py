"""Checks of a sample day's summaries by a real vLLM with a small chat model. Run by run.py, which serves it.

The model's text is useless; the checks cover requests and answers of a real server, and that the DAG is complete
whatever the text.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from everword.chat.blocking import BlockingChat
from everword.chat.model import ChatRequest, UsageRecord
from everword.chat.settings import ChatSettings
from everword.domain.settings import NO_SECRET
from everword.samples import sample_path
from everword.transcripts import read_transcript
from everword_compactor.compose.llm.composer import LlmComposer
from everword_compactor.compose.model import Level
from support.calls import append
from support.compaction import compact, roll_up
from support.dag import check_dag
from support.stack import Stack
from vllm.server import CHAT_MODEL

URL = os.environ["EVERWORD_TEST_VLLM_URL"]
#: Messages of a day, for two leaves: a small model on a CPU writes about ten words a second.
MESSAGES = 14


@pytest.fixture
def usage() -> list[UsageRecord]:
    return []


@pytest.fixture
def chat(usage: list[UsageRecord]) -> Iterator[BlockingChat]:
    settings = ChatSettings(URL, CHAT_MODEL, NO_SECRET)
    with closing(BlockingChat(settings, usage.append)) as chat:
        yield chat


def test_the_server_says_what_it_can_take(chat: BlockingChat) -> None:
    assert chat.context_tokens() == 4096
    assert chat.count_tokens("The deployment failed at 03:12.") in range(5, 20)


def test_an_answer_follows_its_schema(chat: BlockingChat, usage: list[UsageRecord]) -> None:
    answer = {"type": "string", "maxLength": 40}
    schema = {"type": "object", "properties": {"answer": answer}, "required": ["answer"]}
    question = ChatRequest("check", "Answer in JSON.", "What is 2 + 2?", 200, schema=schema)
    found = chat.complete(question, lambda: None)
    assert set(found.value) == {"answer"}
    assert found.usage.input_tokens > 0
    assert usage[-1].outcome == "ok"


async def test_a_day_is_summed_up_and_the_dag_is_whole(stack: Stack, chat: BlockingChat) -> None:
    await _import_a_day(stack)
    composer = LlmComposer(chat)
    # The day's year has ended, too.
    later = datetime.now(UTC) + timedelta(days=400)
    compacted = await asyncio.to_thread(compact, stack.database, composer, later)
    rolled_up = await asyncio.to_thread(roll_up, stack.database, composer, later)
    print(f"\ncompacted: {compacted}, rolled up: {rolled_up}")
    assert set(compacted.values()) == {"done"}
    # So small a model may write until it is cut off, each time; then a period above the day is parked.
    assert set(rolled_up.values()) <= {"done", "failed"}
    dag = check_dag(stack.database)
    levels = [node.level for node in dag.nodes.values()]
    print(f"nodes by level: { {level: levels.count(level) for level in sorted(set(levels))} }")
    assert levels.count(Level.LEAF) == 2
    assert Level.DAY in levels


async def _import_a_day(stack: Stack) -> None:
    """Append the first messages of the shipped sample within one hour."""
    entries = list(read_transcript(sample_path()))[:MESSAGES]
    day = datetime(2026, 3, 2, 9, tzinfo=UTC)
    for minute, entry in enumerate(entries):
        entry.message.create_time.FromDatetime(day + timedelta(minutes=minute))
    await append(stack, *[entry.message for entry in entries])
