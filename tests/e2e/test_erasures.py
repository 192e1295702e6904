"""Erasures during concurrent work, with workers that are killed; and the duration of each step.

`make test-erasures` erases two hundred times (ERASURES=200).
"""

from __future__ import annotations

import asyncio
import logging
import random
import statistics
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from uuid import UUID

import grpc
import pytest

from everword.db.generations import Generations, NewGeneration
from everword.db.pool import Database
from everword.integrity.verify import IntegrityFinding, verify_everything
from everword.v1 import erasure_service_pb2 as pb
from everword.v1 import note_pb2
from everword_ingest.erasure import store
from everword_ingest.erasure.removal import BATCH, follow
from everword_ingest.erasure.resumer import ErasureResumer
from support import document_calls
from support.background import embed_everything
from support.calls import append, append_request, message
from support.calls import target as conversation
from support.compaction import ScriptedComposer, compact_everything, roll_up_everything
from support.corpus import search_request
from support.databases import DatabaseUnderTest
from support.erasing_process import start
from support.erasure_checks import count, erase, rows_with, source_messages
from support.leftovers import entries_with
from support.lore import entry, write_book, write_entry
from support.notes import write
from support.stack import Stack, running_stack
from support.stated_facts import remember
from support.transfer_namespace import export

#: Targets of the erasures, in turn.
WAYS = ["message", "conversation", "author", "note", "document", "fact", "subject"]

#: Errors that a call may get during erasures.
PASSING = {grpc.StatusCode.ABORTED, grpc.StatusCode.NOT_FOUND, grpc.StatusCode.RESOURCE_EXHAUSTED}


async def _nothing(self: ErasureResumer) -> None:
    """Do nothing, since the killed processes do it."""


async def _found(stack: Stack, token: str) -> bool:
    response = await stack.search.Search(search_request(token, "LEXICAL"))
    return any(token in result.memory.content for result in response.results)


async def _until_done(stack: Stack, erasure_id: str, within_s: float = 60.0) -> pb.Erasure:
    until = time.monotonic() + within_s
    while True:
        request = pb.GetErasureRequest(erasure_id=erasure_id)
        erasure = (await stack.erasures.GetErasure(request)).erasure
        if erasure.state == pb.ERASURE_STATE_DONE:
            return erasure
        assert time.monotonic() < until, f"{erasure} while {_activity(stack)}"
        await asyncio.sleep(0.1)


def _activity(stack: Stack) -> list[tuple[object, ...]]:
    """Return the database's activity, to show why an erasure waits."""
    with stack.database.connect() as conn:
        return conn.execute(
            "SELECT pid, state, wait_event, pg_blocking_pids(pid), now() - xact_start, left(query, 90) "
            "FROM pg_stat_activity WHERE datname = current_database() AND state <> 'idle'"
        ).fetchall()


async def test_erasure_stays_hidden_and_finishes_after_workers_are_killed(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ErasureResumer, "resume", _nothing)
    token = "zqkilled6k"
    for start_ in range(0, 600, 300):
        said = await append(
            stack, *(f"The {token} number {n}." for n in range(start_, start_ + 300))
        )
    await append(stack, "The lamp stays.", session_key="other")
    erased = await erase(stack, conversation_id=said.conversation_id)
    assert erased.messages_left == 600
    left, kills = [600], 0
    while left[-1]:
        process = await start(stack.database, batch=2)
        before = left[-1]
        while left[-1] > max(before - 100, 0):
            await asyncio.sleep(0.01)
            left.append(
                count(stack, "SELECT count(*) FROM messages WHERE content LIKE '%%zqkilled6k%%'")
            )
        process.kill()
        await process.wait()
        kills += 1
        assert not await _found(stack, token)
    assert kills >= 2
    process = await start(stack.database, batch=20)
    try:
        done = await _until_done(stack, erased.erasure.id)
    finally:
        process.kill()
        await process.wait()
    assert done.row_counts["messages"] == 600
    assert rows_with(stack, token) == {}
    for column, table in (("messages", "messages"), ("passages", "memories")):
        summed = f"SELECT sum({column}) FROM corpus_counts"
        assert count(stack, summed) == count(stack, f"SELECT count(*) FROM {table}")
    assert await _found(stack, "lamp")


async def test_random_erasures_during_concurrent_work_leave_no_erased_text(
    database: DatabaseUnderTest,
    valkey_url: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    request: pytest.FixtureRequest,
) -> None:
    """No table, queue, log, search, context or export contains erased text.

    Two generations of vectors are maintained meanwhile, and the invariants hold at every moment.
    """
    rounds = request.config.getoption("--erasures")
    drawn = random.Random(17)
    ways = drawn.sample(WAYS, len(WAYS))
    caplog.set_level(logging.INFO)
    monkeypatch.setattr("everword_ingest.erasure.erase.BATCH", 3)
    monkeypatch.setattr(ErasureResumer, "resume", _nothing)
    Generations(database.admin_url).add(
        NewGeneration("local", "all-MiniLM-L6-v2", 256, matryoshka=True)
    )
    unsound: list[IntegrityFinding] = []
    async with running_stack(database, redis_url=valkey_url) as stack:
        stop = asyncio.Event()
        others = [
            asyncio.ensure_future(_again(stop, work))
            for work in (
                lambda: _talk(stack),
                lambda: _derive(stack),
                lambda: _kill(database, drawn),
                lambda: _verify(database, unsound),
            )
        ]
        tokens = []
        try:
            for number in range(rounds):
                token = f"zqr{number}x8k"
                tokens.append(token)
                target = await _say(stack, drawn, ways[number % len(ways)], token)
                assert rows_with(stack, token)
                await asyncio.sleep(drawn.random())
                erased = await _erase_again(stack, target)
                assert await source_messages(stack, token) == [], target
                await _until_done(stack, erased.erasure.id, 120.0)
                assert rows_with(stack, token) == {}, target
                assert token.encode() not in (await export(stack, "default")).lower(), target
                assert entries_with(valkey_url, token) == [], target
                assert token not in caplog.text, target
        finally:
            stop.set()
            ended = await asyncio.gather(*others, return_exceptions=True)
        assert not [each for each in ended if isinstance(each, BaseException)]
        assert not [(each.check.name, each.examples) for each in unsound]
        await _derive(stack)
        await _derive(stack)
        assert not {token: found for token in tokens if (found := rows_with(stack, token))}
        assert not {
            token: told for token in tokens if (told := await source_messages(stack, token))
        }
        assert count(stack, "SELECT count(*) FROM summaries WHERE hidden") == 0
        assert count(stack, "SELECT sum(hides) FROM tenants") == 0


async def _again(stop: asyncio.Event, work: Callable[[], Awaitable[None]]) -> None:
    while not stop.is_set():
        try:
            await work()
        except AssertionError:
            pass  # While messages arrive, the calendar is incomplete; it must be complete at the end.
        except grpc.aio.AioRpcError as error:
            if error.code() not in PASSING:
                raise
        await asyncio.sleep(0.05)


async def _verify(database: DatabaseUnderTest, unsound: list[IntegrityFinding]) -> None:
    unsound += await asyncio.to_thread(verify_everything, database.admin_url)


async def _talk(stack: Stack) -> None:
    key = f"talk-{random.randrange(4)}"
    await append(stack, "The kettle sings.", "So it does.", session_key=key)
    await stack.search.Search(search_request("kettle", "HYBRID"))


async def _derive(stack: Stack) -> None:
    await compact_everything(stack, ScriptedComposer())
    await roll_up_everything(stack, ScriptedComposer(), datetime.now(UTC) + timedelta(days=400))
    await embed_everything(stack)


async def _kill(database: DatabaseUnderTest, drawn: random.Random) -> None:
    process = await start(database, batch=3)
    await asyncio.sleep(0.2 + 2 * drawn.random())
    process.kill()
    await process.wait()


async def _say(stack: Stack, drawn: random.Random, way: str, token: str) -> dict[str, str]:
    """Append a token in a way that can be erased as `way`; return the target."""
    number = token[2:5]
    if way == "note":
        written = await write(stack, f"The {token} waits.", f"k{number}")
        return {"note_id": written.note_id}
    if way == "document":
        text = f"# Of {token}\n\nIt waits."
        stored = await document_calls.write(stack, text, f"Doc {token}", tags=[token])
        return {"document_id": stored.document_id}
    if way == "fact":
        return {"fact_id": (await remember(stack, token, subject=f"her{number}")).id}
    if way == "subject":
        about = f"his{number}"
        await remember(stack, token, subject=about)
        await write(stack, f"The {token} waits.", scope=note_pb2.NoteScope(subject=about))
        await _write_lore(stack, token, subject=about)
        said = append_request(f"The {token} says it.", "So it does.")
        said.conversation.CopyFrom(conversation(f"own{number}", subject=about))
        await stack.ingest.AppendMessages(said)
        return {"subject": about}
    author = f"Al {token}" if way == "author" else ""
    texts = [message(f"The {token} says {n}.", author=author) for n in range(drawn.randrange(1, 9))]
    if way == "message":
        texts = [texts[0], *(message(f"Tea at {n}.") for n in range(12))]
    shared = way != "conversation" and drawn.random() < 0.5
    kept = await append(stack, *texts, session_key="talk-1" if shared else f"own{number}")
    if way == "conversation":
        await _write_lore(stack, token, conversation_id=kept.conversation_id)
    return {
        "message": {"message_id": kept.messages[0].message_id},
        "conversation": {"conversation_id": kept.conversation_id},
        "author": {"author": author},
    }[way]


async def _write_lore(stack: Stack, token: str, **owner: str) -> None:
    """Write a lorebook, which is erased with its owner, since no erasure names an entry."""
    book_id = await write_book(stack, f"Book {token}", **owner)
    await write_entry(stack, book_id, entry(f"Of {token}", f"The {token} is shy.", token))


async def _erase_again(stack: Stack, target: dict[str, str]) -> pb.EraseResponse:
    """Erase, and retry on conflicts with concurrent work."""
    for _ in range(10):
        try:
            return await erase(stack, **target)
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.ABORTED:
                raise
    raise AssertionError("it loses each time")


async def test_erasure_batches_do_not_slow_down_or_delay_appends(
    stack: Stack, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """The last batches take as long as the first, and other calls are not delayed."""
    monkeypatch.setattr(ErasureResumer, "resume", _nothing)
    messages = request.config.getoption("--erased-messages")
    said = await append(stack, "first")
    insert_messages(stack, UUID(said.conversation_id), messages)
    began = time.monotonic()
    erased = await erase(stack, conversation_id=said.conversation_id)
    begin_s = time.monotonic() - began
    assert erased.messages_left == messages + 1
    database = Database(stack.database.settings("ingest"), "ingest")
    await database.open()
    took: list[float] = []
    deleted: list[int] = []
    waits: list[float] = []
    stop = asyncio.Event()
    other = asyncio.ensure_future(_again(stop, lambda: _append_beside(stack, waits)))
    try:
        done = False
        while not done:
            started = time.monotonic()
            async with database.transaction(1) as conn:
                did = await store.erase_batch(conn, 1, UUID(erased.erasure.id), BATCH)
                await follow(conn, 1, did)
                if not took:
                    # Its transaction is open, and other calls continue.
                    await asyncio.wait_for(_append_beside(stack, waits), 20)
            took.append(time.monotonic() - started)
            deleted.append(did.counts.get("messages", 0))
            done = did.done
    finally:
        stop.set()
        await other
        await database.close()
    told = (
        f"begin {begin_s:.2f} s, {len(took)} batches in {sum(took):.0f} s, median {statistics.median(took):.3f} s, "
        f"most {max(took):.3f} s; {len(waits)} appends beside it, median {statistics.median(waits):.3f} s, "
        f"most {max(waits):.3f} s"
    )
    print(told)
    assert sum(deleted) == messages + 1
    assert max(deleted) <= BATCH
    late = statistics.median(took[-10:])
    assert late <= 5 * statistics.median(took[1:11]) + 0.05, told
    assert max(took[1:]) <= 25 * statistics.median(took) + 0.5, told
    assert max(waits) <= 25 * statistics.median(took) + 2.0, told
    assert count(stack, "SELECT count(*) FROM messages") == len(waits)


async def _append_beside(stack: Stack, waits: list[float]) -> None:
    began = time.monotonic()
    await append(stack, "beside it", session_key="other")
    waits.append(time.monotonic() - began)


def insert_messages(stack: Stack, conversation_id: UUID, messages: int) -> None:
    """Store messages with their passages, vectors and leaves of ten, as fast as the database can."""
    with stack.database.connect() as conn:
        conn.execute(
            "INSERT INTO messages (namespace_id, id, conversation_id, seq, role, content, external_id, occurred_at) "
            "SELECT 1, gen_random_uuid(), %s, n + 1, 2, 'word ' || n, 'x' || n, now() - n * interval '1 minute' "
            "FROM generate_series(1, %s) AS n",
            [conversation_id, messages],
        )
        conn.execute(
            "INSERT INTO memories (namespace_id, kind, source_id, conversation_id, seq, role, occurred_at, content, "
            "lexemes, lexeme_count) SELECT 1, 1, id, conversation_id, seq, 2, occurred_at, content, "
            "to_tsvector('english', content), 2 FROM messages WHERE seq > 1"
        )
        conn.execute(
            "INSERT INTO memory_vectors_1 SELECT 1, id, array_fill(random()::real, ARRAY[384])::halfvec FROM memories "
            "WHERE id IN (SELECT id FROM memories ORDER BY id LIMIT 2000)"
        )
        conn.execute(
            "INSERT INTO summaries (namespace_id, id, level, conversation_id, first_seq, last_seq, content, "
            "message_count, earliest_at, latest_at) "
            "SELECT 1, gen_random_uuid(), 1, %s, n * 10, n * 10 + 9, 'leaf', 10, now(), now() "
            "FROM generate_series(1, %s) AS n",
            [conversation_id, messages // 10 - 1],
        )
        conn.execute(
            "INSERT INTO summary_sources (namespace_id, summary_id, ordinal, axis, message_id) "
            "SELECT 1, s.id, m.seq - s.first_seq + 1, 1, m.id FROM summaries s "
            "JOIN messages m ON m.seq / 10 = s.first_seq / 10 WHERE s.level = 1"
        )
        conn.execute("UPDATE conversations SET last_seq = %s", [messages + 1])
        conn.execute("ANALYZE")
