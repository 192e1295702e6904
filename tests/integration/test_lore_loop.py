"""Lorebooks with the maximum number of triggers do not block the event loop."""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import grpc
import pytest

from everword.client.channel import open_channel
from everword.v1 import context_service_pb2 as context
from everword.v1 import lore_pb2
from everword.v1 import lore_service_pb2 as pb
from support.calls import append_request
from support.loops import longest_step, slowness
from support.lore import REGEX, book_key, entry, trigger
from support.stack import Stack

#: The maximum number of triggers that the limit of fields allows.
ENTRIES, TRIGGERS = 900, 32
#: Three times the longest step. Without portions and threads, it was .05 to .2 s.
LONGEST_S = 0.05


@dataclass(frozen=True)
class Book:
    """A lorebook of many triggers; calls send bytes, so that encoding in this process is not measured."""

    channel: grpc.aio.Channel

    async def call(self, method: str, request: bytes) -> bytes:
        call: Any = self.channel.unary_unary(f"/everword.v1.LoreService/{method}")
        answer: bytes = await call(request, timeout=60)
        return answer

    async def write(self, content: str) -> bytes:
        return await self.call("ImportLoreBook", whole_book(content))


def whole_book(content: str) -> bytes:
    entries = [
        entry(f"e{number}", content, *[f"key {number} {each} dragon" for each in range(TRIGGERS)])
        for number in range(ENTRIES)
    ]
    book = lore_pb2.NewLoreBook(name="world")
    return pb.ImportLoreBookRequest(book=book, entries=entries).SerializeToString()


@pytest.fixture
async def book(stack: Stack) -> AsyncIterator[Book]:
    await stack.ingest.AppendMessages(append_request("What is read once."))
    # This process runs the tests, too: a garbage collection of all their objects would count as a step.
    gc.collect()
    gc.freeze()
    async with open_channel(stack.addresses["ingest"]) as channel:
        yield Book(channel)


async def best_step(load: Callable[[int], Awaitable[object]]) -> float:
    """Return the longest step of the best of up to three tries, in seconds of an idle machine.

    Code that blocks the loop blocks it each time, so a good try is the last one.
    """
    steps = []
    for number in range(3):
        async with longest_step() as longest:
            await load(number)
        steps.append(longest[0] / slowness())
        if steps[-1] < LONGEST_S:
            break
    return min(steps)


async def test_import_of_many_triggers_does_not_block_the_event_loop(book: Book) -> None:
    sent = [b""]

    async def write(raw: bytes) -> None:
        answer = await book.call("ImportLoreBook", raw)
        imported = pb.ImportLoreBookResponse.FromString(answer)
        expected = (0, ENTRIES) if raw == sent[-1] else (ENTRIES, 0)
        assert (imported.written, imported.unchanged) == expected
        sent.append(raw)

    # New entries, changed ones, and unchanged ones.
    for text in ("First", "Second"):
        raws = [whole_book(f"{text} {number}.") for number in range(3)]
        assert await best_step(lambda number, raws=raws: write(raws[number])) < LONGEST_S  # type: ignore[misc]
    assert await best_step(lambda _: write(sent[-1])) < LONGEST_S


async def test_import_of_long_contents_does_not_block_the_event_loop(book: Book) -> None:
    raws = [whole_book(f"{number}. " + "Many words of the world. " * 200) for number in range(3)]
    assert await best_step(lambda number: book.call("ImportLoreBook", raws[number])) < LONGEST_S


async def test_reads_of_many_triggers_do_not_block_the_event_loop(stack: Stack, book: Book) -> None:
    await book.write("A duchy on the northern coast.")
    key, text = book_key("world"), "Key 5 7 dragon, and key 80 31 dragon."
    touch = pb.WriteLoreBookRequest(book=lore_pb2.NewLoreBook(name="world")).SerializeToString()

    async def build(_: int) -> None:
        # Each version is compiled once.
        await book.call("WriteLoreBook", touch)
        built = await stack.context.BuildContext(context.BuildContextRequest(query=text))
        assert built.text.count("northern coast") == 2
        assert not built.lore_omissions

    async def match(_: int) -> None:
        await book.call("WriteLoreBook", touch)
        await book.call("MatchLore", pb.MatchLoreRequest(text=text).SerializeToString())

    async def list_entries(_: int) -> None:
        request = pb.ListLoreEntriesRequest(key=key, page_size=200)
        await book.call("ListLoreEntries", request.SerializeToString())

    for load in (build, match, list_entries):
        assert await best_step(load) < LONGEST_S, load


async def test_write_of_costly_patterns_does_not_block_the_event_loop(book: Book) -> None:
    await book.call(
        "WriteLoreBook",
        pb.WriteLoreBookRequest(book=lore_pb2.NewLoreBook(name="world")).SerializeToString(),
    )

    async def write(number: int) -> None:
        patterns = [trigger(rf"\b\pL+ \pL+ \pL+q{number}{each}", REGEX) for each in range(32)]
        request = pb.WriteLoreEntryRequest(key=book_key("world"), entry=entry("e", "C", *patterns))
        await book.call("WriteLoreEntry", request.SerializeToString())

    assert await best_step(write) < LONGEST_S
