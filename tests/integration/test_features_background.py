"""Background work never blocks a write, and never waits for one either."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
import redis as redis_client

from everword.client.channel import open_channel
from everword.embedded.ports import free_ports
from everword.jobs import queue
from everword.jobs.settings import QueueSettings
from everword.v1 import ingest_service_pb2 as pb
from everword.v1.ingest_service_pb2_grpc import IngestServiceStub
from everword_embedder.server import EmbedderServer
from everword_embedder.settings import EmbedderSettings as EmbedderSettings
from everword_ingest.server import IngestServer
from everword_ingest.settings import IngestSettings as IngestSettings
from support.calls import append, append_request, message
from support.command_line import environment
from support.corpus import search_request
from support.databases import DatabaseUnderTest
from support.stack import BASE, Stack
from support.waits import until

QUICK = 0.05


@pytest.fixture
def redis(valkey_url: str) -> Iterator[redis_client.Redis]:
    client = queue.connect(valkey_url)
    client.flushall()
    yield client
    client.close()


@asynccontextmanager
async def ingest(database: DatabaseUnderTest, redis_url: str) -> AsyncIterator[IngestServiceStub]:
    """Run another ingest service, which publishes its jobs to a Redis."""
    settings = IngestSettings(
        server=replace(BASE, service="ingest"),
        database=database.settings("ingest"),
        queue=QueueSettings(redis_url=redis_url),
    )
    service = IngestServer(settings)
    address = await service.start()
    try:
        async with open_channel(address) as channel:
            yield IngestServiceStub(channel)
    finally:
        await service.stop()


def count(stack: Stack, table: str) -> int:
    with stack.database.connect() as conn:
        row = conn.execute(f"SELECT count(*) FROM {table}".encode()).fetchone()
    return int(row[0]) if row else 0


@pytest.mark.parametrize("queue_state", ["not configured", "dead"])
async def test_append_is_stored_and_searchable_without_a_job_queue(
    stack: Stack, valkey_url: str, redis: redis_client.Redis, queue_state: str
) -> None:
    dead = f"redis://127.0.0.1:{free_ports(1)[0]}"
    async with ingest(stack.database, dead if queue_state == "dead" else "") as service:
        for number in range(5):
            request = append_request(f"The ferry number {number} leaves.", request_id=f"r{number}")
            answer = await service.AppendMessages(request, timeout=20)
            assert answer.messages[0].seq == number + 1
    found = await stack.search.Search(search_request("ferry"))
    assert len(found.results) == 5
    assert count(stack, "embedding_queue") == 5
    assert redis.keys("rq:*") == []
    # The jobs wait in Postgres until the queue works again.
    async with ingest(stack.database, valkey_url):
        await until(lambda: redis.llen("rq:queue:everword-embed") == 1)


async def test_forgotten_embeddings_are_scheduled_by_a_sweep(stack: Stack) -> None:
    await append(stack, "one", "two")
    with stack.database.connect() as conn:
        conn.execute("DELETE FROM jobs")
        conn.execute("UPDATE embedding_queue SET not_before = now() - interval '1 minute'")
    settings = EmbedderSettings(
        server=replace(BASE, service="embedder"),
        database=stack.database.settings("embedder"),
        queue=QueueSettings(sweep_s=QUICK),
    )
    service = EmbedderServer(settings)
    await service.start()
    try:
        await until(lambda: count(stack, "jobs WHERE task = 'embed' AND state = 'pending'") == 1)
    finally:
        await service.stop()


@asynccontextmanager
async def worker(stack: Stack, redis_url: str) -> AsyncIterator[None]:
    """Run an embedding worker as `everword up` does, in a process of its own."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "everword_embedder.worker"),
        env=environment(
            stack, EVERWORD_DATABASE_URL=stack.database.service_url, EVERWORD_REDIS_URL=redis_url
        ),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        process.terminate()
        assert await asyncio.wait_for(process.wait(), timeout=60) == 0


async def test_messages_are_embedded_while_their_conversation_is_never_idle(
    stack: Stack, valkey_url: str, redis: redis_client.Redis
) -> None:
    """Work that waited for a pause in the conversation would never be done."""
    written = asyncio.Event()
    tokens: list[str] = []

    async def talk(service: IngestServiceStub) -> None:
        while not written.is_set():
            request = append_request(message(f"This is remark number {len(tokens)}."))
            tokens.append((await service.AppendMessages(request, timeout=20)).consistency_token)
            await asyncio.sleep(0.03)

    async with ingest(stack.database, valkey_url) as service, worker(stack, valkey_url):
        talking = asyncio.create_task(talk(service))
        await until(lambda: len(tokens) > 3)
        for place in (0, 3):
            waiting = pb.WaitForIndexingRequest(
                consistency_token=tokens[place], stage=pb.INDEXING_STAGE_EMBEDDED
            )
            await service.WaitForIndexing(waiting, timeout=60)
            assert not talking.done()
        written.set()
        await talking
        last = pb.WaitForIndexingRequest(
            consistency_token=tokens[-1], stage=pb.INDEXING_STAGE_EMBEDDED
        )
        await service.WaitForIndexing(last, timeout=60)
    assert count(stack, "memory_vectors_1") == count(stack, "messages") == len(tokens)
    assert count(stack, "embedding_queue") == 0
