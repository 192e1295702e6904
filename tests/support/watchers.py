"""Calls of WatchMemories that end after a while."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from uuid import uuid4

from everword.v1 import note_service_pb2 as notes
from everword.v1 import watch_pb2 as pb
from support.notes import named, write
from support.stack import Stack


async def begin(stack: Stack) -> str:
    """Return a resume token for now."""
    [first] = await take(stack, "", 1)
    assert not first.events
    return first.resume_token


async def take(
    stack: Stack, token: str, responses: int, **fields: object
) -> list[pb.WatchMemoriesResponse]:
    """Return `responses` responses, then cancel the call."""
    call = stack.search.WatchMemories(
        pb.WatchMemoriesRequest(resume_token=token, **fields)  # type: ignore[arg-type]
    )
    taken = []
    try:
        async for response in call:
            taken.append(response)
            if len(taken) == responses:
                break
    finally:
        call.cancel()
    return taken


async def all_events(stack: Stack, token: str, **fields: object) -> list[pb.MemoryEvent]:
    """Return all events between a token and this call, whatever the filter."""
    call = stack.search.WatchMemories(
        pb.WatchMemoriesRequest(resume_token=token, **fields)  # type: ignore[arg-type]
    )
    told = list[pb.MemoryEvent]()
    try:
        # The poll that finds the first mark may deliver other events after it, but always before the second mark.
        for _ in range(2):
            mark = await _delete_marker_note(stack)
            while mark not in {event.memory_id for event in told}:
                response = await asyncio.wait_for(call.read(), 60.0)
                assert isinstance(response, pb.WatchMemoriesResponse)
                told += response.events
    finally:
        call.cancel()
    with stack.database.connect() as conn:
        rows = conn.execute("SELECT id::text FROM notes WHERE key LIKE 'mark %'").fetchall()
    marks = {id_ for (id_,) in rows}
    return [event for event in told if event.memory_id not in marks]


async def _delete_marker_note(stack: Stack) -> str:
    """Delete a note, an event that every watcher receives; return the note's id."""
    key = f"mark {uuid4()}"
    written = await write(stack, "A mark.", key)
    await stack.notes.DeleteNote(notes.DeleteNoteRequest(key=named(key)))
    return written.note_id


def expire_memories(stack: Stack, *moments: Sequence[str]) -> None:
    """Let memories expire in groups, one moment each; as with real expiry, nothing is logged."""
    with stack.database.connect() as conn, conn.transaction():
        for memory_ids in moments:
            conn.execute(
                "UPDATE memories SET valid_until = t FROM clock_timestamp() AS t WHERE source_id = ANY(%s::uuid[])",
                [list(memory_ids)],
            )


def token_secret(stack: Stack) -> bytes:
    """Return the key with which tokens are signed."""
    with stack.database.connect() as conn:
        row = conn.execute("SELECT token_secret FROM deployment").fetchone()
    assert row
    return bytes(row[0])
