"""Tool calls without text, and the worker that describes them, run directly."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from everword.chat.blocking import BlockingChat
from everword.chat.settings import ChatSettings
from everword.jobs.task import Task
from everword.v1 import memory_pb2
from everword_compactor.jobs.context import ToolSettings, WorkerContext
from everword_compactor.tool_sentences.job import ToolSentences
from support.calls import ASSISTANT, message
from support.compaction import AT_ONCE, work, worker_context
from support.databases import DatabaseUnderTest
from support.scripted_chat import Body, Reply, ScriptedChat, answer, user_text
from support.stack import Stack

#: No pauses in tests; a failure of a single sentence is retried at once.
IMPATIENT = ToolSettings(pauses_s=(0.0,), max_wait_s=0.05)


def tool_call(
    path: str = "src/auth.rs", name: str = "read_file", **fields: Any
) -> memory_pb2.NewMessage:
    """Return a message with a tool call and no text."""
    return message(
        **{
            "content": "",
            "role": ASSISTANT,
            "tool_name": name,
            "tool_args": f'{{"path": "{path}"}}',
            "tool_result": "fn login() { todo!() }",
            **fields,
        }
    )


def path_in(request: Body) -> str:
    """Return the path in a request to the model."""
    found = re.search(r'"path": "([^"]+)"', user_text(request))
    assert found
    return found[1]


def consulted(request: Body) -> Reply:
    """Answer with a sentence whose verb does not occur in the call."""
    return answer({"sentence": f"Consulted {path_in(request)} for the login routine."})


def invented() -> Reply:
    """Answer with a sentence that is unsupported by any call."""
    return answer({"sentence": "Consulted port 99999 of the server."})


def chat_settings(server: ScriptedChat, **fields: Any) -> ChatSettings:
    """Return settings with short timeouts and no pauses for a failing server."""
    patience: dict[str, Any] = {"read_timeout_s": 0.5, "pauses_s": (0.0,)}
    return ChatSettings(server.url, server.model, **{**patience, **fields})


@contextmanager
def sentence_context(
    database: DatabaseUnderTest,
    server: ScriptedChat | None = None,
    tools: ToolSettings = IMPATIENT,
    **chat: Any,
) -> Iterator[WorkerContext]:
    """Yield the task's context; without a server, it has no model."""
    with worker_context(database) as shop:
        shop = replace(shop, tools=tools)
        if server is None:
            yield shop
            return
        settings = chat_settings(server, **chat)
        with closing(BlockingChat(settings, shop.ledger.record, beat_s=0.1)) as model:
            yield replace(shop, chat=model)


def sentences_in(shop: WorkerContext, database: DatabaseUnderTest) -> dict[int, str | None]:
    """Execute the task's jobs until none is due; return how each ended."""
    task = Task("tool-sentences", ToolSentences(shop).run, pauses_s=(0.0,))
    return work(database, shop.database, task, datetime.now(UTC) + AT_ONCE)


async def write_pending_sentences(
    stack: Stack,
    server: ScriptedChat | None = None,
    tools: ToolSettings = IMPATIENT,
    **chat: Any,
) -> dict[int, str | None]:
    """Write the pending tool sentences as a worker with these settings does; return how each job ended."""

    def do() -> dict[int, str | None]:
        with sentence_context(stack.database, server, tools, **chat) as shop:
            return sentences_in(shop, stack.database)

    return await asyncio.to_thread(do)


def stored_sentences(database: DatabaseUnderTest) -> dict[str, tuple[str, str]]:
    """Return sentence and model by message id."""
    with database.connect() as conn:
        rows = conn.execute("SELECT message_id, content, model FROM tool_sentences").fetchall()
    return {str(message_id): (content, model) for message_id, content, model in rows}


def queued(database: DatabaseUnderTest) -> dict[str, tuple[str, int, str | None]]:
    """Return state, attempts and error of queued tool calls, by message id."""
    with database.connect() as conn:
        rows = conn.execute(
            "SELECT message_id, state, attempts, error FROM tool_sentence_queue"
        ).fetchall()
    return {
        str(message_id): (state, attempts, error) for message_id, state, attempts, error in rows
    }


def indexed_sentences(database: DatabaseUnderTest) -> dict[str, str]:
    with database.connect() as conn:
        rows = conn.execute(
            "SELECT source_id, content FROM memories WHERE part = -1 AND kind = 1"
        ).fetchall()
    found = {str(source_id): content for source_id, content in rows}
    assert len(found) == len(rows)
    return found
