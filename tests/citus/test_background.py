"""Workers summarize, learn and sleep on a distributed database, and do each job once."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from everword.db.migrate import create_service_login, migrate
from everword.jobs.settings import QueueSettings
from everword.v1 import ingest_service_pb2 as ingest
from everword_compactor.server import CompactorServer
from everword_compactor.settings import CompactorSettings as CompactorSettings
from support.calendar_calls import said
from support.callers import make_namespaces, within
from support.citus_cluster import temporary_cluster
from support.databases import LOGIN, PASSWORD, DatabaseUnderTest
from support.scripted_chat import ScriptedChat
from support.sleep_calls import Mind, observing
from support.stack import BASE, Stack, running_stack
from support.tool_calls import tool_call
from support.waits import until

#: Words of each namespace, which must not get into another one.
MILK = {"ness": "oat milk", "orkney": "goat milk", "skye": "soy milk"}
#: Messages of each conversation, besides the one about milk: more than a leaf waits for.
TURNS = 14
#: Tasks that need no model; two processes compete for their jobs.
PLAIN_TASKS = ("compact", "roll-up", "tool-sentences", "learn")
#: A worker starts within 20 s on a busy machine, and a calendar needs four sweeps.
WITHIN_S = 180.0


@pytest.fixture
def empty_database() -> Iterator[DatabaseUnderTest]:
    """A distributed database of its own: workers would change the rows of the one that other tests share."""
    with temporary_cluster(shards=4) as cluster:
        migrate(cluster.coordinator, distributed=True)
        create_service_login(cluster.coordinator, LOGIN, PASSWORD)
        yield cluster.database


@asynccontextmanager
async def _worker(
    stack: Stack, redis_url: str, log: Path, tasks: tuple[str, ...], **variables: str
) -> AsyncIterator[None]:
    """Run a worker process, whose warnings and errors go to `log`."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("EVERWORD_")}
    given = {
        "EVERWORD_DATABASE_URL": stack.database.service_url,
        "EVERWORD_REDIS_URL": redis_url,
        "EVERWORD_LOG_LEVEL": "WARNING",
    }
    with log.open("wb") as errors:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "everword_compactor.worker", *tasks),
            env={**inherited, **given, **variables},
            stdout=errors,
            stderr=errors,
        )
        try:
            yield
        finally:
            process.terminate()
            await asyncio.wait_for(process.wait(), timeout=60)


@asynccontextmanager
async def _running(
    database: DatabaseUnderTest, redis_url: str, logs: Path, mind: Mind
) -> AsyncIterator[Stack]:
    """Run the services, frequent sweeps, two workers, and a worker of Sleep with a model."""
    async with AsyncExitStack() as resources:
        enter = resources.enter_async_context
        stack = await enter(running_stack(database, redis_url=redis_url, embedder=False))
        queue = QueueSettings(redis_url=redis_url, sweep_s=1.0)
        settings = database.settings("compactor")
        sweeper = CompactorServer(
            CompactorSettings(replace(BASE, service="compactor"), settings, queue)
        )
        await sweeper.start()
        resources.push_async_callback(sweeper.stop)
        for number in range(2):
            await enter(_worker(stack, redis_url, logs / f"plain-{number}", PLAIN_TASKS))
        server = resources.enter_context(ScriptedChat(mind.reply, context_tokens=32_000).running())
        chat = {"EVERWORD_CHAT_URL": server.url, "EVERWORD_CHAT_MODEL": server.model}
        await enter(_worker(stack, redis_url, logs / "sleep", ("sleep",), **chat))
        yield stack


async def _talk(stack: Stack, namespace: str, milk: str) -> None:
    """Append enough messages for a leaf, and a tool call; then end the session."""
    turns = [said(f"2025-03-05T12:{10 + turn}", f"Page {turn} is read.") for turn in range(TURNS)]
    call = tool_call(f"{namespace}/ferry.py")
    call.create_time.CopyFrom(turns[-1].create_time)
    messages = [said("2025-03-05T12:00", f"I take my tea with {milk}."), *turns, call]
    request = ingest.AppendMessagesRequest(messages=messages)
    request.conversation.key.session_key = "harbour"
    request.conversation.details.subject = "emi"
    stored = await stack.ingest.AppendMessages(request, metadata=within(namespace))
    ending = ingest.EndConversationRequest(conversation_id=stored.conversation_id)
    await stack.ingest.EndConversation(ending, metadata=within(namespace))


def _rows(database: DatabaseUnderTest, query: str, namespace: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query over one namespace."""
    with database.connect() as conn:
        found = conn.execute("SELECT id FROM namespaces WHERE name = %s", [namespace]).fetchone()
        assert found
        return conn.execute(query.encode(), [found[0]]).fetchall()


#: Results of background work in each namespace, by query; `{milk}` is the namespace's.
RESULTS: Mapping[str, list[tuple[Any, ...]]] = {
    "SELECT title, revision, model FROM summaries WHERE namespace_id = %s AND level > 3 ORDER BY level": [
        (title, 1, "extractive") for title in ("2025-03-05", "2025-W10", "2025-03", "2025")
    ],
    "SELECT level, revision FROM summaries WHERE namespace_id = %s AND level < 4": [(1, 1)],
    "SELECT count(*) FROM calendar_pending WHERE namespace_id = %s": [(0,)],
    "SELECT model FROM tool_sentences WHERE namespace_id = %s": [("template",)],
    "SELECT count(*) FROM tool_sentence_queue WHERE namespace_id = %s": [(0,)],
    "SELECT state, error FROM sleep_sessions WHERE namespace_id = %s": [(2, None)],
    "SELECT value, supporting FROM facts WHERE namespace_id = %s AND attribute = 'tea'": [
        ("{milk}", 1)
    ],
    "SELECT count(*) FROM topic_changes WHERE namespace_id = %s": [(0,)],
    # Themes and the next night are due later.
    "SELECT task, subject, state FROM jobs WHERE namespace_id = %s AND state <> 'done' AND task <> 'embed' "
    "AND not_before < now() + interval '5 minutes'": [],
    "SELECT count(*) FROM jobs WHERE namespace_id = %s AND (error IS NOT NULL OR deaths > 0 OR attempts > 1)": [
        (0,)
    ],
}


def _missing(database: DatabaseUnderTest) -> list[tuple[str, str, Any]]:
    """Return the results that differ: namespace, query, and rows found."""
    return [
        (namespace, query, found)
        for namespace, milk in MILK.items()
        for query, expected in RESULTS.items()
        if (found := _rows(database, query, namespace))
        != [tuple(milk if value == "{milk}" else value for value in row) for row in expected]
    ]


@pytest.mark.timeout(400)
def test_background_work_is_done_once_in_each_namespace(
    empty_database: DatabaseUnderTest,
    valkey_url: str,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    tea = [(f"I take my tea with {milk}", "tea", milk) for milk in MILK.values()]
    mind = Mind({"sleep-observe": observing(*tea)})

    async def is_done() -> bool:
        await asyncio.sleep(1)
        return not await asyncio.to_thread(_missing, empty_database)

    async def run() -> None:
        async with _running(empty_database, valkey_url, tmp_path, mind) as stack:
            await make_namespaces(stack, *MILK)
            await asyncio.gather(*(_talk(stack, *each) for each in MILK.items()))
            try:
                await until(is_done, WITHIN_S)
            except TimeoutError:
                pytest.fail(f"not done: {_missing(empty_database)}, {_read(tmp_path)}")

    asyncio.run(run())
    assert mind.tasks().count("sleep-observe") == len(MILK) * (TURNS + 1), (
        "each message is read once"
    )
    assert _missing(empty_database) == []
    assert _read(tmp_path) == {"plain-0": "", "plain-1": "", "sleep": ""}
    assert [
        (record.getMessage(), record.exc_info)
        for record in caplog.records
        if record.levelno >= logging.WARNING
    ] == []


def _read(logs: Path) -> dict[str, str]:
    return {log.name: log.read_text() for log in sorted(logs.iterdir())}
