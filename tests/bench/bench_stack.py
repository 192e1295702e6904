"""A stack of real processes whose embedder worker can be paused, so that a queue can be filled first."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from itertools import islice
from typing import Any

import psycopg

from everword.client.channel import open_channel
from everword.embedded.folder import RunningStack
from everword.embedded.ports import Ports
from everword.embedded.settings import StackSettings
from everword.embedded.stack import stack
from everword.internal.v1 import embedder_service_pb2 as embedder_pb
from everword.internal.v1.embedder_service_pb2_grpc import EmbedderServiceStub
from everword.rpc.authentication import INTERNAL_HEADER
from everword.v1 import search_service_pb2 as search_pb
from everword.v1.ingest_service_pb2_grpc import IngestServiceStub
from everword.v1.search_service_pb2_grpc import SearchServiceStub
from everword_embedder.queue.drain import BATCH
from support.calls import append_request
from support.corpus import sample

APPEND = 500
POLL_S = 0.05
#: Seconds after which a queue that is not empty counts as stuck.
DRAIN_TIMEOUT_S = 300.0
#: Concurrent requests to the embedder when it works alone.
IN_FLIGHT = 2


def contents() -> list[str]:
    """Return the texts of the sample's messages, blank ones excepted."""
    said = [entry["content"] for part in sample() for entry in part["messages"]]
    return [content for content in said if content.strip()]


def messages(number: int, rng: random.Random) -> list[str]:
    """Return `number` random messages of the sample, each made unique by a suffix."""
    return [f"{content} ({rng.getrandbits(24)})" for content in rng.choices(contents(), k=number)]


def queries(rng: random.Random) -> Iterator[str]:
    """Yield queries of words from messages, mostly distinct, since the embedder caches queries' vectors."""
    words = " ".join(contents()).split()
    while True:
        starts = (rng.randrange(len(words) - 4) for _ in range(2))
        yield " ".join(word for start in starts for word in words[start : start + 4])


class BenchStack:
    """A stack and the operations of a measurement."""

    def __init__(self, running: RunningStack, stubs: dict[str, Any]) -> None:
        self._running = running
        self._ingest: IngestServiceStub = stubs["ingest"]
        self._search: SearchServiceStub = stubs["search"]
        self._embedder: EmbedderServiceStub = stubs["embedder"]
        self._internal = ((INTERNAL_HEADER, running.internal_token),)
        [self._worker] = [one.pid for one in running.processes if one.name == "embedder-worker"]

    @contextmanager
    def worker_paused(self) -> Iterator[None]:
        """Pause the worker while the block lasts."""
        os.kill(self._worker, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self._worker, signal.SIGCONT)

    async def fill(self, texts: Sequence[str]) -> None:
        """Append messages, which enqueues their vectors."""
        rest = iter(texts)
        while batch := list(islice(rest, APPEND)):
            await self._ingest.AppendMessages(append_request(*batch))

    def pending_texts(self) -> list[str]:
        """Return the pending texts in the order in which the worker will send them to the model."""
        with psycopg.connect(self._running.admin_database_url or "") as conn:
            rows = conn.execute(
                "SELECT m.content"
                "  FROM everword.embedding_queue q JOIN everword.memories m ON m.id = q.memory_id"
                " WHERE q.state = 'pending' ORDER BY q.not_before, q.memory_id"
            ).fetchall()
        return [content for (content,) in rows]

    async def measure_embedding(self, texts: Sequence[str]) -> float:
        """Return the seconds that the embedder alone needs for texts."""
        batches = [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]
        waiting = iter(batches)

        async def send() -> None:
            for batch in waiting:
                request = embedder_pb.EmbedRequest(
                    texts=batch, priority=embedder_pb.EMBED_PRIORITY_BACKGROUND
                )
                await self._embedder.Embed(request, metadata=self._internal)

        started = time.perf_counter()
        await asyncio.gather(*(send() for _ in range(IN_FLIGHT)))
        return time.perf_counter() - started

    async def drained(self) -> float:
        """Wait until no vector is pending; return the seconds."""
        started = time.perf_counter()
        async with asyncio.timeout(DRAIN_TIMEOUT_S):
            while await self._pending():  # noqa: ASYNC110 - another process's table
                await asyncio.sleep(POLL_S)
        return time.perf_counter() - started

    async def _pending(self) -> int:
        request = embedder_pb.GetCoverageRequest()
        return (await self._embedder.GetCoverage(request, metadata=self._internal)).pending

    async def search(self, query: str) -> float:
        """Search by words and by meaning; return the seconds. A search without its vectors does not count."""
        started = time.perf_counter()
        response = await self._search.Search(search_pb.SearchRequest(query=query))
        took = time.perf_counter() - started
        states = {report.arm: report.state for report in response.arms}
        if states[search_pb.SEARCH_ARM_SEMANTIC] != search_pb.ArmReport.STATE_RAN:
            raise RuntimeError("a search went without its semantic arm")
        return took


@asynccontextmanager
async def bench_stack() -> AsyncIterator[BenchStack]:
    """Run a stack on free ports, in a folder that is removed."""
    async with stack(StackSettings(data=None, ports=Ports.free())) as running:
        at = running.addresses
        async with (
            open_channel(at["ingest"]) as ingest,
            open_channel(at["search"]) as search,
            open_channel(at["embedder"]) as embedder,
        ):
            stubs = {
                "ingest": IngestServiceStub(ingest),
                "search": SearchServiceStub(search),
                "embedder": EmbedderServiceStub(embedder),
            }
            yield BenchStack(running, stubs)
