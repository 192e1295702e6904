"""Events of memories are delivered as they happen, at least once, even if the watcher fails."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import grpc
import pytest
import pytest_asyncio

from everword.domain.tokens import ResumeToken
from everword.v1 import fact_service_pb2 as facts
from everword.v1 import memory_pb2
from everword.v1 import note_service_pb2 as notes
from everword.v1 import search_service_pb2 as search
from everword.v1 import watch_pb2 as pb
from everword.v1.search_service_pb2_grpc import SearchServiceStub
from everword_search.watch import poll_events
from support.calls import append
from support.command_line import everword
from support.databases import cloned
from support.notes import named, write
from support.refusals import refused
from support.stack import Stack, running_stack
from support.watchers import begin, take, token_secret

pytestmark = pytest.mark.asyncio(loop_scope="module")
WRITTEN, ENDED, DELETED = (
    pb.MemoryEvent.TYPE_WRITTEN,
    pb.MemoryEvent.TYPE_ENDED,
    pb.MemoryEvent.TYPE_DELETED,
)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    """Run one stack for all tests; each test watches from its own start."""
    with cloned(postgres_url) as database:
        async with running_stack(database, embedder=False) as stack:
            yield stack


async def test_watch_reports_written_superseded_and_deleted_memories(stack: Stack) -> None:
    token = await begin(stack)
    stored = await append(stack, "A long story. " * 50, session_key="told")
    [_, told] = await take(stack, token, 2)
    [event] = told.events
    assert (event.type, event.memory_id) == (WRITTEN, stored.messages[0].message_id)
    assert event.memory.content == ("A long story. " * 7).strip()
    note = await write(stack, "first", "watched")
    [_, told] = await take(stack, told.resume_token, 2, tier=memory_pb2.TIER_FULL)
    assert [(each.memory_id, each.memory.content) for each in told.events] == [
        (note.note_id, "first")
    ]
    await stack.notes.DeleteNote(notes.DeleteNoteRequest(key=named("watched")))
    [_, told] = await take(stack, told.resume_token, 2)
    assert [(each.type, each.memory_id) for each in told.events] == [(DELETED, note.note_id)]
    for city in ("Lisbon", "Berlin"):
        fact = facts.RememberRequest(subject="emi", attribute="residence", value=city)
        await stack.facts.Remember(fact)
    only = memory_pb2.MemoryFilter(kinds=[memory_pb2.MEMORY_KIND_FACT])
    [_, told] = await take(stack, told.resume_token, 2, filter=only)
    assert {(each.type, "Lisbon" in each.memory.content) for each in told.events} >= {
        (ENDED, True),
        (WRITTEN, False),
    }


async def test_watcher_that_disconnects_and_resumes_misses_no_event(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Concurrent writers whose transactions end in any order, small pages, and a watcher that disconnects at random."""
    monkeypatch.setattr(poll_events, "PAGE_CHANGES", 3)
    draw = random.Random(29)
    token = await begin(stack)
    done = asyncio.Event()

    async def work(number: int) -> None:
        for step in range(12):
            if draw.random() < 0.4:
                await write(stack, f"{number} {step}", f"key {draw.randrange(6)}")
            elif draw.random() < 0.2:
                deleted = notes.DeleteNoteRequest(key=named(f"key {draw.randrange(6)}"))
                # It may be deleted already.
                with contextlib.suppress(grpc.aio.AioRpcError):
                    await stack.notes.DeleteNote(deleted)
            else:
                lines = [f"{number} {step} {n}" for n in range(draw.randrange(1, 20))]
                await append(stack, *lines, session_key=f"writer {number}")

    async def watch(place: str) -> dict[str, pb.MemoryEvent]:
        told: dict[str, pb.MemoryEvent] = {}
        silent = 0
        while silent < 2:
            taken = await _some(stack, place, draw.randrange(1, 5))
            for response in taken:
                told |= {event.memory_id: event for event in response.events}
                place = response.resume_token
            silent = silent + 1 if done.is_set() and not any(r.events for r in taken) else 0
        return told

    watching = asyncio.create_task(watch(token))
    await asyncio.gather(*(work(number) for number in range(6)))
    done.set()
    told = await asyncio.wait_for(watching, 120)
    listed: dict[str, memory_pb2.Memory] = {}
    request = search.BrowseRequest(page_size=200)
    while True:
        page = await stack.search.Browse(request)
        listed |= {memory.id: memory for memory in page.memories}
        request.page_token = page.next_page_token
        if not page.next_page_token:
            break
    there = {id_ for id_, event in told.items() if event.type != DELETED}
    new = {
        id_
        for id_, memory in listed.items()
        if memory.channel == ""
        and (memory.note_key.startswith("key ") or memory.content[0].isdigit())
    }
    assert there == new
    for id_ in there:
        assert told[id_].memory.content == listed[id_].content


async def _some(stack: Stack, place: str, wanted: int) -> list[pb.WatchMemoriesResponse]:
    """Return the responses that a watcher read before it was killed: at most `wanted`, within a second."""
    call = stack.search.WatchMemories(pb.WatchMemoriesRequest(resume_token=place))
    taken: list[pb.WatchMemoriesResponse] = []
    try:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(1.0):
                async for response in call:
                    taken.append(response)
                    if len(taken) > wanted:
                        break
    finally:
        call.cancel()
    return taken


async def test_expired_or_invalid_watch_token_is_refused(stack: Stack) -> None:
    secret = token_secret(stack)
    old = datetime.now(UTC).timestamp() - 24 * 3600
    token = ResumeToken(1, 0, old).seal(secret)
    expired = await refused(take(stack, token, 1))
    assert (expired.code, expired.reason) == (grpc.StatusCode.OUT_OF_RANGE, "WATCH_TOKEN_EXPIRED")
    other = ResumeToken(99, 0, old).seal(secret)
    for wrong in (other, token[:-3], "x"):
        assert (await refused(take(stack, wrong, 1))).reason == "PAGE_TOKEN_INVALID"
    stamp = memory_pb2.MemoryFilter()
    stamp.valid_at_time.GetCurrentTime()
    refusal = await refused(take(stack, "", 1, filter=stamp))
    assert refusal.fields == {"filter.valid_at_time"}


async def test_watch_command_prints_events_and_resumes(stack: Stack) -> None:
    token = await begin(stack)
    await append(stack, "Something to watch.", session_key="command line")
    await write(stack, "A note to watch.", "command line")
    first = await everword(stack, "watch", "--kind", "message", "--resume", token, "--events", "1")
    assert first.output.startswith("written viking://default/conversations/")
    assert first.output.endswith("/messages/1 Something to watch.\n")
    again = await everword(stack, "watch", "--json", "--resume", token, "--events", "2")
    told = [json.loads(line) for line in again.output.splitlines()]
    assert [each["memory"]["content"] for each in told] == [
        "Something to watch.",
        "A note to watch.",
    ]
    hasty = await everword(stack, "watch", "--timeout", "0.0001", "--events", "1")
    assert (hasty.status, "--timeout SECONDS" in hasty.errors) == (1, True)
    limited = await everword(stack, "watch", "--resume", token, "--timeout", "3")
    assert (limited.status, "A note to watch." in limited.output) == (0, True)
    assert "--resume " in limited.errors
    _, option, resumed = again.errors.rpartition("--resume ")
    assert option
    await write(stack, "Another one.", "command line")
    last = await everword(stack, "watch", "--resume", resumed.strip(), "--events", "1")
    assert "Another one." in last.output


async def test_stopping_server_ends_watch_stream_with_ok(postgres_url: str) -> None:
    with cloned(postgres_url) as database:
        async with running_stack(database, embedder=False) as stack:
            channel = grpc.aio.insecure_channel(stack.addresses["search"])
            call = SearchServiceStub(channel).WatchMemories(pb.WatchMemoriesRequest())
            first = await call.read()
            assert isinstance(first, pb.WatchMemoriesResponse)
            assert first.resume_token
            waiting = asyncio.create_task(call.read())
        assert await waiting is grpc.aio.EOF
        assert await call.code() == grpc.StatusCode.OK
        await channel.close()
