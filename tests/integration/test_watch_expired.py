"""Expiry is reported once, at its time, to present watchers and to those that resume later."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
import pytest_asyncio

from everword.rpc.translate import to_timestamp
from everword.v1 import fact_service_pb2 as facts
from everword.v1 import memory_pb2
from everword.v1 import note_service_pb2 as notes
from everword.v1 import watch_pb2 as pb
from everword_search.watch import poll_events
from support.command_line import everword
from support.databases import cloned
from support.notes import named, write
from support.stack import Stack, running_stack
from support.watchers import all_events, begin, expire_memories, take

pytestmark = pytest.mark.asyncio(loop_scope="module")
WRITTEN, ENDED, DELETED, EXPIRED = (
    pb.MemoryEvent.TYPE_WRITTEN,
    pb.MemoryEvent.TYPE_ENDED,
    pb.MemoryEvent.TYPE_DELETED,
    pb.MemoryEvent.TYPE_EXPIRED,
)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    """Run one stack for all tests; each test watches from its own start."""
    with cloned(postgres_url) as database:
        async with running_stack(database, embedder=False) as stack:
            yield stack


def in_an_hour() -> datetime:
    return datetime.now(UTC) + timedelta(hours=1)


async def remember(stack: Stack, value: str, until: datetime | None = None) -> str:
    """Store a fact; return the id of its memory."""
    request = facts.RememberRequest(
        subject="emi", attribute="residence", value=value, valid_until_time=to_timestamp(until)
    )
    return (await stack.facts.Remember(request)).fact.memory_id


def told(events: Iterable[pb.MemoryEvent]) -> list[tuple[pb.MemoryEvent.Type.ValueType, str]]:
    return [(event.type, event.memory_id) for event in events]


async def test_watch_reports_expiry_at_its_time(stack: Stack) -> None:
    token = await begin(stack)
    end = datetime.now(UTC) + timedelta(seconds=2.5)
    written = await asyncio.gather(
        write(stack, "keyed", "expiring", expires=end),
        write(stack, "captured", expires=end + timedelta(seconds=0.1)),
    )
    expected = [(EXPIRED, each.note_id) for each in written]
    call = stack.search.WatchMemories(pb.WatchMemoriesRequest(resume_token=token))
    seen, moments = list[pb.MemoryEvent](), list[datetime]()
    while len(moments) < len(expected):
        response = await asyncio.wait_for(call.read(), 30.0)
        assert isinstance(response, pb.WatchMemoriesResponse)
        seen += response.events
        moments += [datetime.now(UTC) for each in response.events if each.type == EXPIRED]
        token = response.resume_token
    call.cancel()
    assert moments[0] >= end
    assert [each for each in told(seen) if each[0] == EXPIRED] == expected
    # The text of an expired note is gone.
    assert not any(event.HasField("memory") for event in seen if event.type == EXPIRED)
    assert await all_events(stack, token) == []


async def test_watch_reports_expiries_in_order_of_time_within_the_filter(
    stack: Stack,
) -> None:
    fact = await remember(stack, "Lisbon", in_an_hour())
    note = (await write(stack, "keyed", "ordered", expires=in_an_hour())).note_id
    other = (await write(stack, "captured", expires=in_an_hour(), tags=["x"])).note_id
    token = await begin(stack)
    expire_memories(stack, [note], [fact], [other])
    events = await all_events(stack, token)
    assert told(events) == [(EXPIRED, note), (EXPIRED, fact), (EXPIRED, other)]
    # The content of a fact can still be read.
    assert [event.memory.content for event in events] == ["", "Residence of emi: Lisbon", ""]
    for wanted, expected in (
        (memory_pb2.MemoryFilter(kinds=[memory_pb2.MEMORY_KIND_FACT]), fact),
        (memory_pb2.MemoryFilter(tags=["x"]), other),
    ):
        assert told(await all_events(stack, token, filter=wanted)) == [(EXPIRED, expected)]


async def test_resumed_watch_reports_each_expiry_once_across_small_pages(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Small pages, some of which end among memories that expired at the same moment, and a watcher that disconnects
    after each.
    """
    before = await begin(stack)
    ids = [(await write(stack, f"{n}", expires=in_an_hour())).note_id for n in range(6)]
    kept = (await write(stack, "kept", "kept")).note_id
    written = await begin(stack)
    expire_memories(stack, ids[:1], ids[1:])
    expired = [(EXPIRED, id_) for id_ in [ids[0], *sorted(ids[1:])]]
    last = ""
    for token, expected in ((before, [(WRITTEN, kept), *expired]), (written, expired)):
        with monkeypatch.context() as patch:
            patch.setattr(poll_events, "PAGE_MEMORIES", 3)
            seen, last = list[pb.MemoryEvent](), token
            while len(seen) < len(expected):
                # The first response contains only the resume token.
                _, response = await take(stack, last, 2)
                assert len(response.events) <= 4
                seen += response.events
                last = response.resume_token
        assert told(seen) == expected
    assert await all_events(stack, last) == []


async def test_watch_reports_no_expiry_of_extended_deleted_or_superseded_memories(
    stack: Stack,
) -> None:
    token = await begin(stack)
    longer = (await write(stack, "first", "longer", expires=in_an_hour())).note_id
    deleted = (await write(stack, "gone", "deleted", expires=in_an_hour())).note_id
    old = await remember(stack, "Porto", in_an_hour())
    await write(stack, "second", "longer", expires=in_an_hour())
    await stack.notes.DeleteNote(notes.DeleteNoteRequest(key=named("deleted")))
    new = await remember(stack, "Berlin")
    events = told(await all_events(stack, token))
    assert set(events) >= {
        (WRITTEN, longer),
        (DELETED, deleted),
        (ENDED, old),
        (WRITTEN, new),
    }
    expire_memories(stack, [old])
    assert EXPIRED not in dict(told(await all_events(stack, token)))


async def test_watch_reports_expiry_of_memory_committed_after_its_expire_time(stack: Stack) -> None:
    """A transaction that began before the moment, and committed after watchers had been informed of it."""
    first = (await write(stack, "in time", expires=in_an_hour())).note_id
    before = await begin(stack)
    with stack.database.connect() as conn, conn.transaction():
        expire_memories(stack, [first])
        late = _copy(conn, first)
        _, response = await take(stack, before, 2)
        assert told(response.events) == [(EXPIRED, first)]
    assert told(await all_events(stack, response.resume_token)) == [(EXPIRED, late)]
    # A watcher that resumes later gets both events, each once.
    events = told(await all_events(stack, before))
    assert sorted(events) == sorted([(EXPIRED, first), (EXPIRED, late)])


def _copy(conn: psycopg.Connection, memory_id: str) -> str:
    """Store a copy of a memory under a new id; return that."""
    columns = "namespace_id, kind, occurred_at, content, lexemes, lexeme_count, valid_until"
    row = conn.execute(
        f"INSERT INTO memories (source_id, {columns}) "
        f"SELECT gen_random_uuid(), {columns} FROM memories WHERE source_id = %s RETURNING source_id",
        [memory_id],
    ).fetchone()
    assert row
    conn.execute(
        "INSERT INTO memory_changes (namespace_id, memory_ids) VALUES (1, ARRAY[%s::uuid])", row
    )
    return str(row[0])


async def test_watch_command_prints_expired_memory(stack: Stack) -> None:
    note = (await write(stack, "soon gone", "soon", expires=in_an_hour())).note_id
    token = await begin(stack)
    expire_memories(stack, [note])
    seen = await everword(stack, "watch", "--resume", token, "--events", "1")
    assert seen.output == f"expired {note}\n"
