"""Complete background processing: writes, wake-ups, sweeps, the embedder, and a real worker process."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace

from everword.client.channel import open_channel
from everword.db.generations import Generations, NewGeneration
from everword.jobs.settings import QueueSettings
from everword.v1.ingest_service_pb2_grpc import IngestServiceStub
from everword_compactor.server import CompactorServer
from everword_compactor.settings import CompactorSettings as CompactorSettings
from everword_embedder.providers.settings import EmbedSettings
from everword_embedder.server import EmbedderServer
from everword_embedder.settings import EmbedderSettings as EmbedderSettings
from everword_ingest.server import IngestServer
from everword_ingest.settings import IngestSettings as IngestSettings
from support.databases import DatabaseUnderTest
from support.scripted_embedder import ScriptedEmbedder
from support.stack import BASE
from support.with_constants import EMBED_LEASE, EMBED_PAUSE, TESTS, hasty_command

#: Sweeps run several times a second.
SWEEP_S = 0.2
PAUSE_S = 0.2
LEASE_S = 2.0


@dataclass(frozen=True)
class Background:
    """Connections and addresses of a stack whose background work runs on its own."""

    database: DatabaseUnderTest
    ingest: IngestServiceStub
    embedder_address: str
    redis_url: str


@asynccontextmanager
async def running_background(
    database: DatabaseUnderTest, redis_url: str, read_timeout_s: float
) -> AsyncIterator[Background]:
    """Run ingest, compactor and embedder in this process while the block lasts.

    Requests to a hanging model server time out after `read_timeout_s`.
    """
    embed = EmbedSettings(connect_timeout_s=0.5, read_timeout_s=read_timeout_s)
    queue = QueueSettings(redis_url=redis_url, sweep_s=SWEEP_S)
    ingest = IngestServer(
        IngestSettings(replace(BASE, service="ingest"), database.settings("ingest"), queue)
    )
    compactor = CompactorServer(
        CompactorSettings(replace(BASE, service="compactor"), database.settings("compactor"), queue)
    )
    embedder = EmbedderServer(
        EmbedderSettings(
            replace(BASE, service="embedder"), database.settings("embedder"), queue, embed
        )
    )
    async with AsyncExitStack() as resources:
        addresses = []
        for service in (embedder, compactor, ingest):
            resources.push_async_callback(service.stop)
            addresses.append(await service.start())
        channel = await resources.enter_async_context(open_channel(addresses[-1]))
        yield Background(database, IngestServiceStub(channel), addresses[0], redis_url)


@asynccontextmanager
async def worker(background: Background) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run an embedder worker in a process of its own while the block lasts, unless the test ends it earlier."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("EVERWORD_")} | {
        "EVERWORD_DATABASE_URL": background.database.service_url,
        "EVERWORD_REDIS_URL": background.redis_url,
        "EVERWORD_EMBEDDER_ADDRESS": background.embedder_address,
        "EVERWORD_LOG_LEVEL": "ERROR",
        "PYTHONPATH": str(TESTS),
    }
    command = [sys.executable, "-P", "-m", "everword_embedder.worker"]
    patience = {EMBED_LEASE: LEASE_S, EMBED_PAUSE: PAUSE_S}
    process = await asyncio.create_subprocess_exec(
        *hasty_command(command, patience), env=environment
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        await process.wait()


def embed_with(database: DatabaseUnderTest, server: ScriptedEmbedder) -> int:
    """Make a scripted server's model the active generation of an empty database, and return its id."""
    generations = Generations(database.admin_url)
    new = NewGeneration("openai", server.model, server.dimensions, endpoint=server.url)
    generation_id = generations.add(new)
    generations.backfill(generation_id)
    generations.switch(generation_id)
    return generation_id
