"""Helpers for calls on notes."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from everword.rpc.translate import to_timestamp
from everword.v1 import note_pb2
from everword.v1 import note_service_pb2 as pb
from support.stack import Stack


def new_note(
    content: str, key: str = "", *, expires: datetime | None = None, **fields: Any
) -> note_pb2.NewNote:
    return note_pb2.NewNote(key=key, content=content, expire_time=to_timestamp(expires), **fields)


async def write(
    stack: Stack,
    content: str,
    key: str = "",
    *,
    expected: int | None = None,
    request_id: str = "",
    append: bool = False,
    **fields: Any,
) -> pb.WriteNoteResponse:
    """Write a note; `fields` are those of NewNote."""
    request = pb.WriteNoteRequest(
        note=new_note(content, key, **fields),
        expected_version=expected,
        request_id=request_id,
        append=append,
    )
    return await stack.notes.WriteNote(request)


def named(key: str, **scope: Any) -> note_pb2.NoteKey:
    return note_pb2.NoteKey(key=key, scope=note_pb2.NoteScope(**scope) if scope else None)


async def read(stack: Stack, key: str, **scope: Any) -> note_pb2.Note:
    return (await stack.notes.GetNote(pb.GetNoteRequest(key=named(key, **scope)))).note


async def history(stack: Stack, key: str) -> list[note_pb2.NoteVersion]:
    """Return all versions of a note, oldest first."""
    request = pb.GetNoteHistoryRequest(key=named(key), page_size=7)
    versions: list[note_pb2.NoteVersion] = []
    while True:
        page = await stack.notes.GetNoteHistory(request)
        versions += page.versions
        if not page.next_page_token:
            return versions[::-1]
        request.page_token = page.next_page_token


async def log(stack: Stack, content: str, **fields: Any) -> pb.AppendDailyLogResponse:
    return await stack.notes.AppendDailyLog(pb.AppendDailyLogRequest(content=content, **fields))
