"""Watchers that do not read use no database connection and no memory, however much happens."""

from __future__ import annotations

import asyncio
import os
from asyncio.subprocess import Process
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import grpc
import pytest

from everword.client.channel import open_channel
from everword.v1 import memory_pb2
from everword.v1 import watch_pb2 as pb
from everword.v1.search_service_pb2_grpc import SearchServiceStub
from everword_search.watch.watch_memories import LONGEST_PAUSE_S
from support.databases import DatabaseUnderTest
from support.service_process import free_address, is_serving, service_process
from support.waits import until

pytestmark = pytest.mark.asyncio
READERS, CHANGES, CHARACTERS = 20, 3_000, 2_000
#: Bytes of a reader's unsent events, if all were buffered: 6 MB, and 120 MB for all readers.
UNSENT_BYTES = CHANGES * CHARACTERS
#: gRPC buffers 64 KiB for a reader that does not read; without this option, the buffer grows on a fast network.
NARROW = [("grpc.http2.bdp_probe", 0)]


async def test_stalled_watchers_use_no_connection_and_little_memory(
    database: DatabaseUnderTest,
) -> None:
    address = free_address()
    async with AsyncExitStack() as resources:
        process = await resources.enter_async_context(service_process("search", database, address))
        channel = await resources.enter_async_context(open_channel(address))
        await until(lambda: is_serving(channel))
        stalled = []
        for _ in range(READERS):
            narrow = grpc.aio.insecure_channel(address, options=NARROW)
            stalled.append(_watch(await resources.enter_async_context(narrow)))
        reader = _watch(channel)
        await asyncio.gather(*(call.initial_metadata() for call in stalled), reader.read())
        before = _resident_bytes(process)
        _write(database, CHANGES)
        # An active reader gets its events meanwhile.
        assert await _read(reader, CHANGES) == CHANGES
        reader.cancel()
        await until(lambda: _is_still(database))
        assert _resident_bytes(process) - before < READERS * UNSENT_BYTES / 3
        # A watcher that resumes reading has missed nothing.
        assert await _read(stalled[0], CHANGES) == CHANGES


def _watch(channel: grpc.aio.Channel) -> Any:
    request = pb.WatchMemoriesRequest(tier=memory_pb2.TIER_FULL)
    return SearchServiceStub(channel).WatchMemories(request, timeout=200.0)


async def _read(call: Any, events: int) -> int:
    """Read until `events` memories have had an event; return their number."""
    seen = set[str]()
    while len(seen) < events:
        response = await asyncio.wait_for(call.read(), 60.0)
        assert isinstance(response, pb.WatchMemoriesResponse)
        seen |= {event.memory_id for event in response.events}
    return len(seen)


async def _is_still(database: DatabaseUnderTest) -> bool:
    """Return whether the service has made no transaction for longer than the polling interval of watchers.

    Other statements, such as those for keys, run outside transactions and end without a COMMIT.
    """
    query = (
        "SELECT clock_timestamp(), max(state_change) FILTER (WHERE query = 'COMMIT'), "
        "       count(*) FILTER (WHERE state LIKE 'idle in transaction%') "
        "  FROM pg_stat_activity WHERE application_name = 'everword-search'"
    )
    with database.connect() as conn:
        [(began, _, _)] = conn.execute(query).fetchall()
        for _ in range(30):
            await asyncio.sleep(LONGEST_PAUSE_S / 20)
            [(_, committed, held)] = conn.execute(query).fetchall()
            if held or (committed and committed > began):
                return False
    return True


def _write(database: DatabaseUnderTest, changes: int) -> None:
    """Store memories, each with a statement of its own."""
    with database.connect() as conn:
        statement = (
            "WITH added AS ("
            "INSERT INTO memories (namespace_id, kind, source_id, occurred_at, content, lexemes, lexeme_count) "
            "VALUES (1, 3, gen_random_uuid(), now(), repeat('x', %s), '', 1) RETURNING source_id) "
            "INSERT INTO memory_changes (namespace_id, memory_ids) SELECT 1, array_agg(source_id) FROM added"
        )
        with conn.transaction(), conn.cursor() as cursor:
            cursor.executemany(statement, [[CHARACTERS]] * changes)


def _resident_bytes(process: Process) -> int:
    pages = Path(f"/proc/{process.pid}/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
