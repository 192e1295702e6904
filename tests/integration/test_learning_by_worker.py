"""A worker process learns from messages of the Python client, at default settings and without a language model."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest

from everword.client import AsyncEverword
from everword.v1 import fact_pb2
from everword.v1 import fact_query_service_pb2 as reads
from support.calls import message
from support.command_line import environment
from support.databases import DatabaseUnderTest
from support.stack import Stack, running_stack
from support.waits import until

#: Said every two months for two years.
NURSE = "I work as a nurse, so my week is mostly nights; could you plan three dinners that survive a microwave?"
COOK = "I work as a cook. What would you charge for a party of twelve, with wine and somebody to serve it?"


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


async def test_worker_learns_and_a_passing_statement_disputes_an_established_fact(
    database: DatabaseUnderTest, valkey_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with (
        running_stack(database, redis_url=valkey_url, embedder=False) as stack,
        worker(stack, valkey_url),
    ):
        for name in ("ingest", "search", "compactor"):
            monkeypatch.setenv(f"EVERWORD_{name.upper()}_ADDRESS", stack.addresses[name])
        async with AsyncEverword(agent="helper") as client:

            async def say(session: str, text: str, days_ago: float) -> None:
                stamp = datetime.now(UTC) - timedelta(days=days_ago)
                said = message(text)
                said.create_time.FromDatetime(stamp)
                await client.append(session, said, subject="emi")

            async def jobs() -> list[fact_pb2.Fact]:
                request = reads.GetProfileRequest(subject="emi")
                response = await stack.fact_queries.GetProfile(request)
                return [each for each in response.facts if each.attribute == "job"]

            async def supporting(value: str) -> int:
                return next((each.supporting for each in await jobs() if value in each.value), 0)

            async def disputes() -> int:
                request = reads.ListDisputesRequest(subjects=["emi"])
                return len((await stack.fact_queries.ListDisputes(request)).disputes)

            async def nurse_of(count: int) -> bool:
                return await supporting("nurse") == count

            for number in range(12):
                await say(f"nurse {number}", NURSE, 760 - number * 62)
            await until(lambda: nurse_of(12))
            [nurse] = await jobs()
            assert nurse.state == fact_pb2.FACT_STATE_ESTABLISHED

            async def is_disputed() -> bool:
                return await disputes() == 1

            await say("party", COOK, 5)
            await until(is_disputed)
            [job] = await jobs()
            assert (job.value, job.disputed) == ("nurse", True)
            # Said again in another session, it is a change.
            await say("second party", COOK, 2)

            async def is_cook() -> bool:
                return await supporting("cook") > 0

            await until(is_cook)
            assert await disputes() == 0
            why = await stack.fact_queries.ExplainFact(reads.ExplainFactRequest(fact_id=nurse.id))
            assert why.fact.state == fact_pb2.FACT_STATE_CLOSED
            assert why.disputes[0].outcome == fact_pb2.DISPUTE_OUTCOME_ACCEPT_NEW


async def test_worker_reads_a_session_once_another_begins_or_the_client_ends_it(
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
            await client.append("tuesday", COOK, subject="emi")
            await until(one_is_read)
            await client.end_session("tuesday")
            await until(both_are_read)
