"""Overwritten, deleted or expired text is returned by no RPC except the history, in no mode, from no cache."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
import pytest_asyncio

from everword.v1 import ingest_service_pb2 as ingest
from everword.v1 import memory_pb2
from everword.v1 import note_service_pb2 as pb
from everword.v1.search_service_pb2_grpc import SearchServiceStub
from support.background import embed_everything
from support.cached_search import find, reference_search, warm_up
from support.calls import append
from support.compaction import ScriptedComposer, compact_everything
from support.corpus import search_request
from support.databases import cloned
from support.every_read import answers, known_values, read_methods, watch_token
from support.notes import history, log, named, write
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")

#: RPCs that return an existing note.
TELLING = {
    *("Search", "Browse", "GetMemory", "BatchGetMemories", "BuildContext", "StreamContext"),
    *("ReadAddress", "ListAddress", "WatchMemories"),
}
OWN = {"GetNote", "ListNotes"}
MODES = ("LEXICAL", "SEMANTIC", "HYBRID", "TRIGRAM", "REGEX")


@dataclass(frozen=True)
class CachedAndFresh:
    """A stack with a cache, and a search of the same database without one."""

    stack: Stack
    reference: SearchServiceStub
    conversation_id: str
    #: Resume token from before all events of the notes.
    since: str


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def told(postgres_url: str) -> AsyncIterator[CachedAndFresh]:
    with cloned(postgres_url) as database:
        async with (
            running_stack(database) as stack,
            reference_search(database, stack.addresses["embedder"]) as reference,
        ):
            said = await append(stack, *(f"The lighthouse blinks {n} times." for n in range(12)))
            yield CachedAndFresh(stack, reference, said.conversation_id, await watch_token(stack))


def planted(name: str) -> str:
    """Return a token that every arm can find."""
    return f"planted-{name}-7f3a.rs"


async def who_tells(told: CachedAndFresh, token: str, key: str, note_id: str) -> set[str]:
    """Return the names of the RPCs whose answers contain a token."""
    known = known_values(token, note_id, told.conversation_id, named=key, resume_token=told.since)
    found = await answers(told.stack, known)
    assert {name.split()[0] for name in found} == {method.name for method in read_methods()}
    return {name.split()[0] for name, answer in found.items() if token in answer}


async def modes_that_find(
    told: CachedAndFresh, token: str, as_of: datetime | None = None
) -> set[str]:
    """Return the modes in which a search finds a token, with or without a cache."""
    filter_ = memory_pb2.MemoryFilter()
    if as_of:
        filter_.valid_at_time.FromDatetime(as_of)
        filter_.known_at_time.FromDatetime(as_of)
    finding = set[str]()
    for mode in MODES:
        query = token.replace(".", r"\.") if mode == "REGEX" else token
        for stub in (told.stack.search, told.reference):
            response = await stub.Search(search_request(query, mode, filter=filter_))
            if any(token in result.memory.content for result in response.results):
                finding.add(mode)
    return finding


async def in_memory(told: CachedAndFresh) -> bool:
    return (await find(told.stack, "lighthouse"))[1]


@pytest.mark.parametrize("end", ["overwritten", "deleted"])
async def test_previous_note_text_is_returned_only_by_its_history(
    told: CachedAndFresh, end: str
) -> None:
    stack, token = told.stack, planted(end)
    long = "\n".join([f"The owl sees {token}.", *(f"Line {n} of many more." for n in range(99))])
    written = await write(stack, long, end, kind="owl")
    await embed_everything(stack)
    await warm_up(stack)
    since = datetime.now(UTC)
    assert await modes_that_find(told, token) == set(MODES)
    source_messages = TELLING | OWN | {"GetNoteHistory"}
    assert await who_tells(told, token, end, written.note_id) >= source_messages
    if end == "overwritten":
        await write(stack, "The owl is asleep.", end)
    else:
        await stack.notes.DeleteNote(pb.DeleteNoteRequest(key=named(end)))
    assert await modes_that_find(told, token) == set()
    assert await modes_that_find(told, token, since) == set()
    await embed_everything(stack)
    await compact_everything(stack, ScriptedComposer())
    assert await modes_that_find(told, token) == set()
    assert await who_tells(told, token, end, written.note_id) == {"GetNoteHistory"}
    assert token in (await history(stack, end))[0].content
    assert await in_memory(told)
    with stack.database.connect() as conn:
        rows = conn.execute(
            "SELECT content FROM memories UNION ALL SELECT content FROM summaries"
        ).fetchall()
        strays = [
            conn.execute(
                f"SELECT count(*) FROM {table} t "
                "WHERE NOT EXISTS (SELECT FROM memories m WHERE m.id = t.memory_id)".encode()
            ).fetchone()
            for table in ("memory_vectors_1", "embedding_queue")
        ]
    assert not [text for (text,) in rows if token in text]
    assert strays == [(0,), (0,)]


async def test_note_expires_at_its_expire_time_without_any_job(told: CachedAndFresh) -> None:
    stack, token = told.stack, planted("expired")
    await warm_up(stack)
    entry = await log(stack, "The day began with fog.")
    for seconds in (
        2,
        10,
        40,
    ):  # Longer on a busy machine, since it must be searched before it expires.
        ends = datetime.now(UTC) + timedelta(seconds=seconds)
        written = await write(stack, f"The heron sees {token}.", "expired", expires=ends)
        await embed_everything(stack)
        finding = await modes_that_find(told, token)
        if datetime.now(UTC) < ends:
            break
    assert finding == set(MODES)
    before = datetime.now(UTC)
    await asyncio.sleep((ends - datetime.now(UTC)).total_seconds())
    # No job has run; there is no worker.
    assert await modes_that_find(told, token) == set()
    assert await modes_that_find(told, token, before) == set()
    assert await who_tells(told, token, "expired", written.note_id) == {"GetNoteHistory"}
    assert await in_memory(told)
    # It can be written again, and is found again.
    again = await write(stack, f"The heron is back: {token}.", "expired", expected=0)
    assert (again.version, again.note_id) == (written.version + 1, written.note_id)
    assert "LEXICAL" in await modes_that_find(told, token)
    mark = ingest.MarkUsedRequest(memory_ids=[entry.note_id])
    await stack.ingest.MarkUsed(mark)
