"""The heaviest lorebook calls, with concurrent health checks and another tenant's appends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import grpc
from psycopg.types.json import Jsonb

from everword.client.channel import open_channel
from everword.v1 import admin_service_pb2, lore_pb2
from everword.v1 import lore_service_pb2 as pb
from everword.v1.admin_service_pb2_grpc import AdminServiceStub
from everword.v1.context_service_pb2 import BuildContextRequest, BuildContextResponse
from everword.v1.context_service_pb2_grpc import ContextServiceStub
from everword.v1.ingest_service_pb2_grpc import IngestServiceStub
from everword.v1.lore_service_pb2_grpc import LoreServiceStub
from support.calls import append_request
from support.databases import DatabaseUnderTest
from support.load_durations import LoadDurations, measure_during_load
from support.lore import REGEX, entry, trigger
from support.refusals import read_refusal
from support.service_process import free_address, is_serving, service_process
from support.waits import until

#: A program of 11,000 instructions, and one of 4,000 that costs 5 µs per byte.
TOO_LARGE, SLOW = r"(?i)(\pL+[\s\S]{0,200}){1,4}zq%d", r"(?i)([a-z]*[\s\S]{0,99}){1,5}zq%d"
PATTERNS = 200
TEXT = ("The dragon of the Westmark slept beneath the old castle while knights rode north. " * 400)[
    :32_768
]
OTHER = "other"
#: Seconds that a call may take before the test gives up on it.
_TIMEOUT_S = 15.0


@dataclass(frozen=True)
class Lore:
    """Services in separate processes, and their database."""

    database: DatabaseUnderTest
    addresses: list[str]
    ingest: IngestServiceStub
    lore: LoreServiceStub
    context: ContextServiceStub

    async def beside(self, load: Callable[[], Awaitable[object]]) -> LoadDurations:
        return await measure_during_load(self.addresses, self.ingest, OTHER, load)

    async def import_patterns(self, number: int, pattern: str) -> None:
        """Import a book with the maximum number of patterns; `pattern` is a %-template for a number."""
        first = number * PATTERNS
        entries = [
            entry(f"e{each}", "Content.", trigger(pattern % each, REGEX))
            for each in range(first, first + PATTERNS)
        ]
        book = lore_pb2.NewLoreBook(name=f"book {number}")
        request = pb.ImportLoreBookRequest(book=book, entries=entries)
        await self.lore.ImportLoreBook(request, timeout=_TIMEOUT_S)

    async def store_patterns(self, books: int, pattern: str) -> None:
        """Store books with patterns over the limits, like an older release."""
        for number in range(books):
            await self.import_patterns(number, r"harmless zq%d")
        with self.database.connect() as conn:
            rows = conn.execute("SELECT id, title FROM lore_entries WHERE patterns > 0").fetchall()
            for id_, title in rows:
                text = pattern % int(title.removeprefix("e"))
                triggers = Jsonb([{"text": text, "mode": REGEX, "case_sensitive": False}])
                conn.execute("UPDATE lore_entries SET triggers = %s WHERE id = %s", [triggers, id_])
            conn.execute("UPDATE lore_books SET version = version + 1")

    async def build(self) -> BuildContextResponse:
        return await self.context.BuildContext(
            BuildContextRequest(query=TEXT[:8192]), timeout=_TIMEOUT_S
        )

    async def match(self) -> str:
        """Match a long text against the lorebooks; returns the reason of a refusal, or an empty string."""
        request = pb.MatchLoreRequest(text=TEXT)
        try:
            await self.lore.MatchLore(request, timeout=_TIMEOUT_S)
        except grpc.aio.AioRpcError as error:
            return read_refusal(error).reason
        return ""

    async def many(self, calls: int) -> None:
        """Make calls of both kinds at once."""
        both = [each() for each in (self.build, self.match) for _ in range(calls)]
        await asyncio.gather(*both)

    async def import_plain(self, request: bytes) -> None:
        async with open_channel(self.addresses[0]) as channel:
            call: Any = channel.unary_unary("/everword.v1.LoreService/ImportLoreBook")
            await call(request, timeout=_TIMEOUT_S)


def plain_book(entries: int = 900) -> bytes:
    """Return an import of entries with 32 triggers each."""
    written = [
        entry(f"e{number}", "Content.", *[f"key {number} {each} dragon" for each in range(32)])
        for number in range(entries)
    ]
    book = lore_pb2.NewLoreBook(name="plain")
    return pb.ImportLoreBookRequest(book=book, entries=written).SerializeToString()


@asynccontextmanager
async def running_lore(database: DatabaseUnderTest) -> AsyncIterator[Lore]:
    """Run ingest and search as processes while the block lasts, with another tenant's namespace."""
    addresses = {"ingest": free_address(), "search": free_address()}
    async with AsyncExitStack() as running:
        for name, address in addresses.items():
            await running.enter_async_context(service_process(name, database, address))
        channels = {
            name: await running.enter_async_context(open_channel(address))
            for name, address in addresses.items()
        }
        for channel in channels.values():
            await until(partial(is_serving, channel))
        made = admin_service_pb2.CreateNamespaceRequest(
            namespace=admin_service_pb2.Namespace(name=OTHER)
        )
        await AdminServiceStub(channels["ingest"]).CreateNamespace(made)
        ingest = IngestServiceStub(channels["ingest"])
        await ingest.AppendMessages(append_request("What is read once."))
        yield Lore(
            database,
            list(addresses.values()),
            ingest,
            LoreServiceStub(channels["ingest"]),
            ContextServiceStub(channels["search"]),
        )
