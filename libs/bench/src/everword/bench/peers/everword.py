"""Everword as a system that is measured: `everword up` with its default settings, called by the shipped client."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

from everword.bench.bench_namespace import wait_until_embedded
from everword.bench.peers.system import LIMIT, PeerConversation, PeerError, Ranking
from everword.bench.speed.bench_stack import everword_up
from everword.client import Client, ClientSettings
from everword.client.kinds import kind_number
from everword.embedded.folder import RunningStack
from everword.importer import import_records
from everword.v1 import memory_pb2
from everword.v1 import search_service_pb2 as pb
from everword.v1.admin_service_pb2 import CreateNamespaceRequest, Namespace


class EverwordSession:
    """A running stack, and a client for each namespace."""

    def __init__(self, running: RunningStack, resources: AsyncExitStack) -> None:
        self.version = version("everword")
        self.pid = running.supervisor
        at = running.addresses
        self._settings = ClientSettings(
            at["ingest"], at["search"], at["compactor"], timeout_s=120.0
        )
        self._resources = resources
        self._clients: dict[str, Client] = {}

    async def _client(self, space: str) -> Client:
        if space not in self._clients:
            lent = Client.connect(replace(self._settings, namespace=space))
            self._clients[space] = await self._resources.enter_async_context(lent)
        return self._clients[space]

    async def import_messages(self, conversations: Sequence[PeerConversation]) -> None:
        operator = await self._client("")
        tokens: dict[str, str] = {}
        for each in conversations:
            await operator.admin_service.CreateNamespace(
                CreateNamespaceRequest(namespace=Namespace(name=each.space))
            )
            client = await self._client(each.space)
            tokens[each.space] = (
                await import_records(client, each.dataset.entries)
            ).consistency_token
        for space, token in tokens.items():
            if not await wait_until_embedded(await self._client(space), token, lambda text: None):
                raise PeerError("everword: no vector was stored in 60 seconds; see its logs")

    async def search(self, space: str, query: str) -> Ranking:
        client = await self._client(space)
        # Summaries are made meanwhile; the other systems have messages alone.
        requested = memory_pb2.MemoryFilter(kinds=[kind_number("message")])
        request = pb.SearchRequest(query=query, page_size=LIMIT, filter=requested)
        started = time.perf_counter()
        response = await client.search_service.Search(request)
        seconds = time.perf_counter() - started
        return Ranking(tuple(each.memory.external_id for each in response.results), seconds)


class EverwordSystem:
    """A fresh `everword up`."""

    name = "everword"

    @asynccontextmanager
    async def started(self, folder: Path, form: str) -> AsyncIterator[EverwordSession]:
        settings = {"EVERWORD_EMBED_WEIGHTS": form}
        async with everword_up(folder, settings) as running, AsyncExitStack() as resources:
            yield EverwordSession(running, resources)
