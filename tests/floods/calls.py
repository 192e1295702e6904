"""Calls for floods, and calls that are timed meanwhile."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass

from everword.client.channel import open_channel
from everword.v1 import context_service_pb2 as context
from everword.v1 import ingest_service_pb2 as ingest
from everword.v1 import search_service_pb2 as search_pb
from everword.v1.context_service_pb2_grpc import ContextServiceStub
from everword.v1.ingest_service_pb2_grpc import IngestServiceStub
from everword.v1.search_service_pb2_grpc import SearchServiceStub
from support.callers import Metadata, within
from support.calls import append_request, message
from support.corpus import sample

CONVERSATIONS = 10
MESSAGES = 200


def sentences() -> list[str]:
    """Return the texts of the sample's messages with more than four words."""
    said = [entry["content"] for part in sample() for entry in part["messages"]]
    return [content for content in said if len(content.split()) > 4]


@dataclass(frozen=True)
class Services:
    """Stubs to the flooded services."""

    ingest: IngestServiceStub
    search: SearchServiceStub
    context: ContextServiceStub

    @classmethod
    def at(cls, ingest_address: str, search_address: str) -> Services:
        searching = open_channel(search_address)
        return cls(
            IngestServiceStub(open_channel(ingest_address)),
            SearchServiceStub(searching),
            ContextServiceStub(searching),
        )


class Tenant:
    """Makes the calls of one namespace."""

    def __init__(self, services: Services, namespace: str, seed: int) -> None:
        self._services = services
        self._metadata: Metadata = within(namespace)
        self._random = random.Random(f"{namespace} {seed}")
        self._sentences = sentences()

    def kinds(self) -> dict[str, Callable[[], Awaitable[object]]]:
        """Return the tenant's kinds of calls, by name."""
        return {
            "append": self.append,
            "append 1 MiB": self.append_large,
            "import, idle": self.import_idle,
            "wait": self.wait,
            "search": self.search,
            "search, regex": self.search_regex,
            "context": self.build_context,
            "browse": self.browse,
        }

    async def fill(self) -> None:
        for number in range(CONVERSATIONS):
            said = [self._sentence() for _ in range(MESSAGES)]
            await self._append(append_request(*said, session_key=f"s{number}"))

    async def append(self) -> str:
        request = append_request(self._sentence(), session_key=f"s{self._random.randrange(500)}")
        return (await self._append(request)).consistency_token

    async def append_large(self) -> object:
        words = " ".join(self._random.choices(self._sentences, k=20_000))
        long = words.encode("ascii", "ignore")[: 1 << 20].decode()
        key = f"large{self._random.randrange(500)}"
        return await self._append(append_request(message(long), session_key=key))

    async def import_idle(self) -> object:
        async def batches() -> AsyncIterator[ingest.ImportMessagesRequest]:
            yield ingest.ImportMessagesRequest(batch=append_request(self._sentence()))
            await asyncio.sleep(5)

        return await self._services.ingest.ImportMessages(
            batches(), metadata=self._metadata, timeout=60
        )

    async def wait(self) -> object:
        request = ingest.WaitForIndexingRequest(
            consistency_token=await self.append(), stage=ingest.INDEXING_STAGE_DERIVED
        )
        return await self._services.ingest.WaitForIndexing(
            request, metadata=self._metadata, timeout=20
        )

    async def embedded(self) -> object:
        """Append, and wait until the message can be found by meaning."""
        request = ingest.WaitForIndexingRequest(
            consistency_token=await self.append(), stage=ingest.INDEXING_STAGE_EMBEDDED
        )
        return await self._services.ingest.WaitForIndexing(
            request, metadata=self._metadata, timeout=300
        )

    async def search(self) -> object:
        return await self._search(search_pb.SearchRequest(query=self._sentence()))

    async def search_regex(self) -> object:
        word = self._random.choice(self._sentence().split())[:4]
        pattern = "".join(filter(str.isalpha, word)) + "[a-z]* +[a-z]+ +.*[0-9]$"
        return await self._search(
            search_pb.SearchRequest(query=pattern, mode=search_pb.SEARCH_MODE_REGEX)
        )

    async def build_context(self) -> object:
        request = context.BuildContextRequest(query=self._sentence())
        return await self._services.context.BuildContext(
            request, metadata=self._metadata, timeout=60
        )

    async def browse(self) -> object:
        request = search_pb.BrowseRequest(page_size=200)
        return await self._services.search.Browse(request, metadata=self._metadata, timeout=60)

    def _sentence(self) -> str:
        return f"{self._random.choice(self._sentences)} ({self._random.randrange(10_000)})"

    async def _append(self, request: ingest.AppendMessagesRequest) -> ingest.AppendMessagesResponse:
        return await self._services.ingest.AppendMessages(
            request, metadata=self._metadata, timeout=60
        )

    async def _search(self, request: search_pb.SearchRequest) -> object:
        return await self._services.search.Search(request, metadata=self._metadata, timeout=60)
