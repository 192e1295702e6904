"""A worker process reads sessions of the Python client, at default settings and without a language model."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from everword.client import AsyncEverword
from everword.v1 import fact_query_service_pb2 as reads
from support.command_line import environment
from support.databases import DatabaseUnderTest
from support.stack import Stack, running_stack
from support.waits import until

NURSE = "I work as a nurse, so my week is mostly nights; could you plan three dinners that survive a microwave?"
SISTER = "Could you find a present for my sister Ana? She moved to Oslo in spring and reads a lot of crime novels."


@asynccontextmanager
async def worker(stack: Stack, redis_url: str) -> AsyncIterator[None]:
    """Run a worker that learns and sleeps in a process of its own, as `everword up` does."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "everword_compactor.worker", "learn", "sleep"),
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
        await asyncio.wait_for(process.wait(), timeout=60)


async def test_worker_reads_sessions_that_end(
    database: DatabaseUnderTest, valkey_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with (
        running_stack(database, redis_url=valkey_url, embedder=False) as stack,
        worker(stack, valkey_url),
    ):
        for name in ("ingest", "search", "compactor"):
            monkeypatch.setenv(f"EVERWORD_{name.upper()}_ADDRESS", stack.addresses[name])

        async def read() -> int:
            response = await stack.fact_queries.ListSessions(reads.ListSessionsRequest())
            return sum(each.state == "processed" for each in response.sessions)

        async def one_is_read() -> bool:
            return await read() == 1

        async def both_are_read() -> bool:
            return await read() == 2

        async with AsyncEverword(agent="helper") as client:
            await client.append("monday", NURSE, subject="emi")
            await client.append("tuesday", SISTER, subject="emi")
            await until(one_is_read)
            await client.end_session("tuesday")
            await until(both_are_read)
