"""Background work that runs or starts during an erasure stores nothing derived from erased rows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import closing
from uuid import UUID

import grpc
import psycopg
import pytest
import pytest_asyncio

from everword.db.blocking import BlockingDatabase
from everword.domain.ids import new_id
from everword.jobs import store
from everword.jobs.task import JobRun
from everword.v1 import erasure_service_pb2 as pb
from everword.v1 import fact_service_pb2 as facts
from everword.v1 import lore_service_pb2 as lore
from support.calls import append
from support.databases import cloned
from support.erasure_checks import count, erase, rows_with
from support.jobs import make_due, make_namespace, state, worker
from support.learning import learn
from support.lore import entry, write_book, write_entry
from support.notes import write
from support.refusals import read_refusal
from support.retention import age_rows, keep, run
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    """Run one stack for all tests: each test has a token of its own."""
    with cloned(postgres_url) as database:
        async with running_stack(database, embedder=False) as stack:
            yield stack


async def test_job_that_starts_during_an_erasure_reads_only_remaining_messages(
    stack: Stack,
) -> None:
    """No job of the namespace starts before the commit, in turn or by a wake-up; other namespaces continue."""
    said = await append(stack, "The zqstart9k hums.", "The mill stands.", session_key="start")
    read: list[str] = []

    def reads(job: JobRun) -> None:
        with jobs.transaction(job.job.namespace_id) as conn:
            query = "SELECT content FROM messages WHERE conversation_id = %s"
            read.extend(text for (text,) in conn.execute(query, [said.conversation_id]).fetchall())

    settings = stack.database.settings("compactor")
    with closing(BlockingDatabase(settings, "compactor")) as jobs, stack.database.connect() as own:
        jobs.open()
        named = make_due(own, str(said.conversation_id))
        sent = make_due(own, "shard-1")
        elsewhere = make_due(own, "s", namespace=make_namespace(own, "elsewhere"))
        own.execute(
            "UPDATE jobs SET published_at = now() WHERE id = ANY(%s)",
            [[sent.job_id, elsewhere.job_id]],
        )
        erasing = _begin_erasure(stack, UUID(said.messages[0].message_id))
        with erasing:
            assert worker(jobs, lambda job: None).execute_next(elsewhere) == "done"
            assert state(own, sent)[0] == "pending"
            starting = [
                asyncio.ensure_future(asyncio.to_thread(worker(jobs, reads).execute_next, named)),
                asyncio.ensure_future(asyncio.to_thread(worker(jobs, reads).execute, sent)),
            ]
            await asyncio.sleep(0.4)
            assert not any(each.done() for each in starting)
            erasing.commit()
        done = await asyncio.gather(*starting)
    assert "done" in done
    assert set(read) == {"The mill stands."}


def _begin_erasure(stack: Stack, message_id: UUID) -> psycopg.Connection:
    """Return a transaction in which ingest has begun to erase a message."""
    conn = psycopg.connect(stack.database.admin_url, options="-c search_path=everword,public")
    conn.execute("SELECT set_config('everword.namespace_id', '1', true)")
    erasure = (
        "SELECT begin_erasure(1, %s, 1::smallint, %s, NULL, 'test', 99), erase_batch(1, %s, 9)"
    )
    id_ = new_id()
    conn.execute(erasure, [id_, message_id, id_])
    return conn


async def test_retention_revokes_jobs_that_may_have_read_expired_rows(
    stack: Stack,
) -> None:
    old = await append(stack, "The zqold9k hums.", session_key="old")
    age_rows(stack, 40)
    new = await append(stack, "The new one hums.", session_key="new")
    settings = stack.database.settings("compactor")
    with closing(BlockingDatabase(settings, "compactor")) as jobs, stack.database.connect() as own:
        jobs.open()
        keys = [make_due(own, each) for each in (old.conversation_id, new.conversation_id, "day")]
        with jobs.connection() as conn:
            started = [store.start_job(conn, each, 60.0) for each in keys]
        await keep(stack, "MESSAGES", 30)
        await run(stack)
        await keep(stack, "MESSAGES", 0)
        with jobs.connection() as conn:
            kept = [job is not None and store.lock_job(conn, job) for job in started]
        assert kept == [False, True, False]
        assert state(own, keys[0]) == (), "the conversation is gone, with its jobs"
        waits = "SELECT count(*) FROM jobs WHERE id = %s AND not_before > now() + interval '9 s'"
        assert count(stack, waits, keys[2].job_id) == 1, "not at once: the run would take it again"


@pytest.mark.parametrize("kind", ["note", "fact"])
async def test_erase_of_note_or_fact_deletes_its_themes_and_errors(stack: Stack, kind: str) -> None:
    token = f"zq{kind}9k"
    if kind == "note":
        target = {"note_id": (await write(stack, f"Of {token}.", token)).note_id}
    else:
        told = facts.RememberRequest(subject="ida", attribute="residence", value=token)
        target = {"fact_id": (await stack.facts.Remember(told)).fact.id}
        await learn(stack)
        # Nodes and edges derived from this message alone, and previews, count too.
        assert {"graph_edges", "graph_node_versions"} & set(rows_with(stack, token))
    with stack.database.connect() as conn:
        theme = (
            "INSERT INTO themes (namespace_id, id, place, label, words, size, sampled, source_ids, "
            "generation_id, made_at)"
        )
        for place, label, made in ((1, "older", "2001-01-01"), (2, token, "now")):
            made_of = [new_id(), place, label, [label], 1, 1, [], 1, made]
            conn.execute(f"{theme} VALUES (1{', %s' * 9})".encode(), made_of)
        job = make_due(conn, f"about {token}")
        conn.execute(
            "UPDATE jobs SET state = 'failed', error = %s WHERE id = %s", [token, job.job_id]
        )
    assert {"themes", "jobs"} <= set(rows_with(stack, token))
    wanted = pb.PreviewErasureRequest(target=pb.ErasureTarget(**target))
    preview = await stack.erasures.PreviewErasure(wanted)
    erased = await erase(stack, **target)
    assert dict(preview.row_counts) == dict(erased.erasure.row_counts)
    assert erased.erasure.row_counts["themes"] == 1
    with stack.database.connect() as conn:
        # Its subject belongs only to this test; subjects of real jobs contain ids.
        conn.execute("DELETE FROM jobs WHERE id = %s AND error = 'erased'", [job.job_id])
    assert rows_with(stack, token) == {}
    assert rows_with(stack, "older")["themes"] == 1
    with stack.database.connect() as conn:
        conn.execute("DELETE FROM themes")


async def test_only_one_of_two_concurrent_lore_entry_deletions_succeeds(stack: Stack) -> None:
    book_id = await write_book(stack, "both")
    written = await write_entry(stack, book_id, entry("Of it", "It hums.", "it"))
    request = lore.DeleteLoreEntryRequest(entry_id=written.entry_id)
    with stack.database.connect() as conn, conn.transaction():
        # Both have read the entry when the book's lock is released.
        conn.execute("SELECT FROM lore_books WHERE id = %s FOR UPDATE", [book_id])
        both = [asyncio.ensure_future(_delete(stack, request)) for _ in range(2)]
        await asyncio.sleep(0.3)
    assert sorted(await asyncio.gather(*both)) == ["", "LORE_ENTRY_NOT_FOUND"]


async def _delete(stack: Stack, request: lore.DeleteLoreEntryRequest) -> str:
    try:
        await stack.lore.DeleteLoreEntry(request)
    except grpc.aio.AioRpcError as error:
        return read_refusal(error).reason
    return ""
