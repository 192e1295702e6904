"""The services in this process, on free ports, over a test's database."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import grpc

import everword_search.server
from everword.chat.settings import ChatSettings
from everword.client.channel import open_channel
from everword.domain.settings import Secret
from everword.internal.v1.embedder_service_pb2_grpc import EmbedderServiceStub
from everword.jobs.settings import QueueSettings
from everword.rpc.run import Service
from everword.rpc.settings import ServerSettings
from everword.v1.admin_service_pb2_grpc import AdminServiceStub
from everword.v1.context_service_pb2_grpc import ContextServiceStub
from everword.v1.cost_service_pb2_grpc import CostServiceStub
from everword.v1.document_service_pb2_grpc import DocumentServiceStub
from everword.v1.erasure_service_pb2_grpc import ErasureServiceStub
from everword.v1.fact_query_service_pb2_grpc import FactQueryServiceStub
from everword.v1.fact_service_pb2_grpc import FactServiceStub
from everword.v1.graph_query_service_pb2_grpc import GraphQueryServiceStub
from everword.v1.graph_service_pb2_grpc import GraphServiceStub
from everword.v1.ingest_service_pb2_grpc import IngestServiceStub
from everword.v1.lore_service_pb2_grpc import LoreServiceStub
from everword.v1.maintenance_service_pb2_grpc import MaintenanceServiceStub
from everword.v1.note_service_pb2_grpc import NoteServiceStub
from everword.v1.pattern_service_pb2_grpc import PatternServiceStub
from everword.v1.search_service_pb2_grpc import SearchServiceStub
from everword_compactor.server import CompactorServer
from everword_compactor.settings import CompactorSettings as CompactorSettings
from everword_embedder.server import EmbedderServer
from everword_embedder.settings import EmbedderSettings as EmbedderSettings
from everword_ingest.server import IngestServer
from everword_ingest.settings import IngestSettings as IngestSettings
from everword_search.server import SearchServer
from everword_search.settings import SearchSettings as SearchSettings
from support.databases import DatabaseUnderTest

BASE = ServerSettings(service="test", listen="127.0.0.1:0", drain_s=0.001, grace_s=1.0)


@dataclass(frozen=True)
class Stack:
    """Stubs to running services, and their database."""

    database: DatabaseUnderTest
    #: By service: ingest, search, compactor, embedder.
    addresses: dict[str, str]
    ingest: IngestServiceStub
    admin: AdminServiceStub
    facts: FactServiceStub
    patterns: PatternServiceStub
    graph: GraphServiceStub
    graph_queries: GraphQueryServiceStub
    notes: NoteServiceStub
    lore: LoreServiceStub
    costs: CostServiceStub
    documents: DocumentServiceStub
    erasures: ErasureServiceStub
    search: SearchServiceStub
    context: ContextServiceStub
    fact_queries: FactQueryServiceStub
    maintenance: MaintenanceServiceStub
    embedder: EmbedderServiceStub


@asynccontextmanager
async def running_stack(
    database: DatabaseUnderTest,
    *,
    admin_key: str = "",
    internal_token: str = "",
    embedder: bool = True,
    redis_url: str = "",
    chat: ChatSettings | None = None,
    server: ServerSettings = BASE,
    cache_mb: int | None = None,
    tokenizer: Path | None = None,
    warm_up: bool = False,
) -> AsyncIterator[Stack]:
    """Run the four services while the block lasts.

    Search uses the embedder, as in the product, unless `embedder` is False. With `redis_url`, ingest sends wake-ups
    there; with `chat`, the compactor and search know a language model. Search caches namespaces in `cache_mb` MiB, or
    in its default if None, and counts tokens by `tokenizer`. With `warm_up`, search runs its first question before the
    block begins, as in production: that takes 0.3 s, and most tests search little or not at all.
    """
    base = replace(server, admin_key=Secret(admin_key), internal_token=Secret(internal_token))

    def of(name: str) -> dict[str, Any]:
        return {"server": replace(base, service=name), "database": database.settings(name)}

    async with AsyncExitStack() as resources:
        addresses: dict[str, str] = {}

        async def start(name: str, service: Service) -> None:
            resources.push_async_callback(service.stop)
            addresses[name] = await service.start()

        await start("embedder", EmbedderServer(EmbedderSettings(**of("embedder"))))
        queue = QueueSettings(redis_url=redis_url)
        await start("ingest", IngestServer(IngestSettings(**of("ingest"), queue=queue)))
        settings = CompactorSettings(**of("compactor"), chat=chat, small_chat=chat)
        await start("compactor", CompactorServer(settings))
        known = addresses["embedder"] if embedder else ""
        reading = SearchSettings(
            **of("search"),
            embedder_address=known,
            chat=chat,
            redis_url=redis_url,
            tokenizer=tokenizer,
        )
        if cache_mb is not None:
            reading = replace(reading, cache_bytes=cache_mb << 20)
        with nullcontext() if warm_up else patch.object(everword_search.server, "warm_up", _skip):
            search = SearchServer(reading)
        await start("search", search)
        channels = {
            name: await resources.enter_async_context(open_channel(address))
            for name, address in addresses.items()
        }
        yield stack_of(database, addresses, channels)


async def _skip(*arguments: object) -> None:
    pass


def stack_of(
    database: DatabaseUnderTest, addresses: dict[str, str], channels: Mapping[str, grpc.aio.Channel]
) -> Stack:
    """Return stubs over open channels."""
    return Stack(
        database=database,
        addresses=addresses,
        ingest=IngestServiceStub(channels["ingest"]),
        admin=AdminServiceStub(channels["ingest"]),
        facts=FactServiceStub(channels["ingest"]),
        patterns=PatternServiceStub(channels["ingest"]),
        graph=GraphServiceStub(channels["ingest"]),
        graph_queries=GraphQueryServiceStub(channels["search"]),
        notes=NoteServiceStub(channels["ingest"]),
        lore=LoreServiceStub(channels["ingest"]),
        costs=CostServiceStub(channels["ingest"]),
        documents=DocumentServiceStub(channels["ingest"]),
        erasures=ErasureServiceStub(channels["ingest"]),
        search=SearchServiceStub(channels["search"]),
        context=ContextServiceStub(channels["search"]),
        fact_queries=FactQueryServiceStub(channels["search"]),
        maintenance=MaintenanceServiceStub(channels["compactor"]),
        embedder=EmbedderServiceStub(channels["embedder"]),
    )
