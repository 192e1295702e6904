"""The cache stays correct if the database fails, a caller leaves, or two searches run at once."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator

import pytest

from everword.v1 import search_service_pb2 as pb
from support.background import embed_everything
from support.cached_search import Searching, find, locked, searching, waiting, warm_up
from support.calls import append
from support.corpus import search_request
from support.databases import DatabaseUnderTest
from support.stack import Stack, running_stack
from support.waits import until


@pytest.fixture
async def knowing(database: DatabaseUnderTest) -> AsyncIterator[Stack]:
    async with running_stack(database) as stack:
        yield stack


async def load(search: Searching, times: int = 3) -> None:
    for _ in range(times):
        await search.search("anything")


async def test_terminated_cache_load_is_logged_and_searches_use_database(
    stack: Stack, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "everword_search")
    await append(stack, "The ferry leaves at nine.")
    async with searching(stack) as search:
        # Only loading the cache reads this table; a lexical search in the database does not.
        with locked(stack, "index_changes") as lock:
            await load(search)
            await until(lambda: bool(waiting(stack)))
            assert await search.contents("ferry") == ["The ferry leaves at nine."]
            with stack.database.connect() as conn:
                for pid in waiting(stack):
                    conn.execute("SELECT pg_terminate_backend(%s)", [pid])
            await search.loaded()
            lock.rollback()
        assert "cache.namespace_refused" in caplog.text
        assert "ferry" not in caplog.text
        for _ in range(5):
            assert await search.contents("ferry") == ["The ferry leaves at nine."]
        await search.loaded()
        assert not search.holds()
        search.clock.now += 601
        await search.often()
        assert search.holds()


async def test_failing_cache_load_is_logged_once_and_searches_use_database(
    stack: Stack, caplog: pytest.LogCaptureFixture
) -> None:
    """An example of a failure: a model whose vectors have other dimensions than declared."""
    await append(stack, "The ferry leaves at nine.")
    await embed_everything(stack)
    with stack.database.connect() as conn:
        conn.execute("UPDATE model_generations SET dimensions = 7 WHERE state = 'active'")
    async with searching(stack) as search:
        for _ in range(3):
            await search.often()
            assert await search.contents("ferry") == ["The ferry leaves at nine."]
        assert not search.holds()
    assert caplog.text.count("cache.load_failed") == 1


async def test_search_cancelled_during_cache_update_leaves_cache_consistent(
    knowing: Stack,
) -> None:
    await append(knowing, "The ferry leaves at nine.")
    await embed_everything(knowing)
    await warm_up(knowing)
    await append(knowing, "The ferry is late.", "The train is not.")
    with locked(knowing, "memory_vectors_1") as lock:
        asking = knowing.search.Search(search_request("ferry", "HYBRID"))
        await until(lambda: bool(waiting(knowing)))
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        lock.rollback()
    for mode in ("LEXICAL", "HYBRID"):
        found, in_memory = await find(knowing, "ferry train", mode)
        assert in_memory
        assert sorted(found) == [
            "The ferry is late.",
            "The ferry leaves at nine.",
            "The train is not.",
        ]


async def test_unreadable_vectors_degrade_only_semantic_arm(
    knowing: Stack,
) -> None:
    await append(knowing, "The ferry leaves at nine.")
    await embed_everything(knowing)
    await find(knowing, "ferry", "HYBRID")
    await warm_up(knowing)
    await append(knowing, "The ferry is late.")
    with locked(knowing, "memory_vectors_1") as lock:
        assert len((await find(knowing, "ferry"))[0]) == 2
        assert not waiting(knowing)
        response = await knowing.search.Search(search_request("ferry", "HYBRID"), timeout=3)
        lock.rollback()
    assert len(response.results) == 2
    states = {report.arm: report.state for report in response.arms}
    assert states[pb.SEARCH_ARM_LEXICAL] == pb.ArmReport.STATE_RAN
    assert states[pb.SEARCH_ARM_SEMANTIC] == pb.ArmReport.STATE_DEGRADED
    again = await knowing.search.Search(search_request("ferry", "HYBRID"))
    assert all(report.state != pb.ArmReport.STATE_DEGRADED for report in again.arms)


async def test_concurrent_searches_add_new_passages_to_cache_once(stack: Stack) -> None:
    await append(stack, "The ferry leaves at nine.")
    async with searching(stack) as search:
        await search.often()
        for number in range(10):
            await append(stack, f"train{number} leaves", f"train{number} came")
            found = await asyncio.gather(*(search.contents(f"train{number}") for _ in range(6)))
            for contents in found:
                assert sorted(contents) == [f"train{number} came", f"train{number} leaves"]
        assert search.holds()
        assert len(await search.contents("leaves")) == 10
        assert search.holds()


async def test_concurrent_appends_and_searches_see_each_passage_once(stack: Stack) -> None:
    await append(stack, "The ferry leaves at nine.")
    async with searching(stack) as search:
        await search.often()

        async def tell(teller: int) -> None:
            for number in range(10):
                text = f"told{teller}x{number} tales"
                await append(stack, text, session_key=str(teller))
                assert await search.contents(f"told{teller}x{number}") == [text]

        await asyncio.gather(*(tell(teller) for teller in range(4)))
        await search.loaded()
        await search.often()
        assert search.holds()
        assert len(set(await search.contents("tales"))) == 10
