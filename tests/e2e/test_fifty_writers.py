"""Fifty writers on one note and one workspace file for half a minute: the history contains all accepted writes in
order.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import grpc
import pytest

from everword.v1 import document_pb2, memory_pb2, note_pb2
from everword.v1 import document_service_pb2 as files
from everword.v1 import note_service_pb2 as notes
from support import document_calls
from support import notes as note_calls
from support.corpus import search_request
from support.stack import Stack

WRITERS = 50
SECONDS = 30.0
SCOPE = document_pb2.DocumentScope(agent="atlas")


@dataclass
class Shared:
    """A text with concurrent writers: how to write and read it, and the accepted writes."""

    write: Callable[..., Awaitable[Any]]
    latest: Callable[[], Awaitable[int]]
    #: Text by version, and whether it was appended.
    accepted: dict[int, tuple[str, bool]] = field(default_factory=dict[int, tuple[str, bool]])
    conflicts: int = 0

    async def put(self, text: str, way: int) -> None:
        """Replace, append, or replace the version that was read."""
        expected = None
        if way == 2:
            try:
                expected = await self.latest()
            except grpc.aio.AioRpcError:
                expected = 0
        try:
            written = await self.write(text, append=way == 1, expected=expected)
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.ABORTED or way != 2:
                raise
            self.conflicts += 1
            return
        assert written.version not in self.accepted
        self.accepted[written.version] = text, way == 1

    def check(self, versions: list[Any], now: str) -> None:
        """Check a history, oldest version first, against the accepted writes."""
        assert [each.version for each in versions] == list(range(1, len(self.accepted) + 1))
        before = ""
        for each in versions:
            text, appended = self.accepted[each.version]
            assert each.content == (f"{before}\n{text}" if appended and before else text)
            before = each.content
        times = [each.write_time.ToNanoseconds() for each in versions]
        assert times == sorted(times)
        assert now == before


@pytest.mark.long
async def test_fifty_concurrent_writers_of_note_and_file_lose_no_version(stack: Stack) -> None:
    note, file = note_of(stack), file_of(stack)
    until = time.monotonic() + SECONDS

    async def one(number: int) -> None:
        for turn in itertools.count():
            if turn and time.monotonic() >= until:
                return
            shared = (note, file)[(number + turn) % 2]
            await shared.put(f"- writer {number} turn {turn}", (number + turn // 2) % 3)

    await asyncio.gather(*(one(number) for number in range(WRITERS)))
    for name, shared in (("note", note), ("file", file)):
        print(f"{name}: {len(shared.accepted)} accepted, {shared.conflicts} conflicts")
        # Each writer succeeds a few times at least, on any machine.
        assert len(shared.accepted) >= 2 * WRITERS
    read = await note_calls.read(stack, "crowd")
    note.check(await note_versions(stack), read.body.content)
    text = (await document_calls.read_file(stack, "MEMORY", agent="atlas")).content
    file.check(await file_versions(stack), text)
    # Search only finds the last version of each.
    found = await stack.search.Search(search_request("writer turn", "LEXICAL", page_size=200))
    kinds = {memory_pb2.MEMORY_KIND_NOTE: "", memory_pb2.MEMORY_KIND_CHUNK: ""}
    for kind in kinds:
        of_kind = [r.memory.content for r in found.results if r.memory.kind == kind]
        kinds[kind] = "\n".join(of_kind)
    assert list(kinds.values()) == [read.body.content, text]


def note_of(stack: Stack) -> Shared:
    async def write(text: str, *, append: bool, expected: int | None) -> Any:
        return await note_calls.write(stack, text, "crowd", append=append, expected=expected)

    async def latest() -> int:
        return (await note_calls.read(stack, "crowd")).version

    return Shared(write, latest)


def file_of(stack: Stack) -> Shared:
    async def write(text: str, *, append: bool, expected: int | None) -> Any:
        return await document_calls.write_file(
            stack, "MEMORY", text, append=append, expected=expected, scope=SCOPE
        )

    async def latest() -> int:
        return (await document_calls.read_file(stack, "MEMORY", agent="atlas")).version

    return Shared(write, latest)


async def note_versions(stack: Stack) -> list[note_pb2.NoteVersion]:
    request = notes.GetNoteHistoryRequest(key=note_calls.named("crowd"), page_size=100)
    versions: list[note_pb2.NoteVersion] = []
    while True:
        page = await stack.notes.GetNoteHistory(request)
        versions += page.versions
        if not page.next_page_token:
            return versions[::-1]
        request.page_token = page.next_page_token


async def file_versions(stack: Stack) -> list[files.WorkspaceFileVersion]:
    request = files.GetWorkspaceFileHistoryRequest(
        name=document_calls.file_name("MEMORY"),
        scope=SCOPE,
        page_size=60,
        max_content_chars=20_000,
    )
    versions: list[files.WorkspaceFileVersion] = []
    while True:
        page = await stack.documents.GetWorkspaceFileHistory(request)
        versions += page.versions
        if not page.next_page_token:
            return versions[::-1]
        request.page_token = page.next_page_token
