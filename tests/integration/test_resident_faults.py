"""Where the database fails, a caller leaves, or two searches meet, memory stays right."""

from __future__ import annotations

import asyncio
import logging

import psycopg
import pytest

from support.background import embed_everything
from support.calls import append
from support.resident import Searching, searching
from support.stack import Stack
from support.waiting import until

WAITING = """
SELECT pid FROM pg_stat_activity
 WHERE datname = current_database() AND wait_event_type = 'Lock' AND application_name = 'everword-search'
"""


def locked(stack: Stack, table: str) -> psycopg.Connection:
    """Return a connection that holds a table until it is rolled back: who reads it waits."""
    conn = psycopg.connect(stack.database.admin_url, options="-c search_path=everword,public")
    conn.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE".encode())
    return conn


def waiting(stack: Stack) -> list[int]:
    with stack.database.connect() as conn:
        return [pid for (pid,) in conn.execute(WAITING).fetchall()]


async def load(search: Searching, times: int = 3) -> None:
    for _ in range(times):
        await search.search("anything")


async def test_a_load_that_the_database_ends_is_logged_and_searches_go_on(
    stack: Stack, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "everword_search")
    await append(stack, "The ferry leaves at nine.")
    async with searching(stack) as search:
        # Of what a search of words reads, summaries are read by loading alone.
        with locked(stack, "summaries") as lock:
            await load(search)
            await until(lambda: bool(waiting(stack)))
            assert await search.contents("ferry") == ["The ferry leaves at nine."]
            with stack.database.connect() as conn:
                for pid in waiting(stack):
                    conn.execute("SELECT pg_terminate_backend(%s)", [pid])
            await search.settled()
            lock.rollback()
        assert "a namespace is not kept in memory" in caplog.text
        assert "ferry" not in caplog.text
        for _ in range(5):
            assert await search.contents("ferry") == ["The ferry leaves at nine."]
        await search.settled()
        assert not search.holds()
        search.clock.now += 601
        await search.often()
        assert search.holds()


async def test_a_search_that_is_cancelled_while_it_adds_leaves_nothing_half_done(
    stack: Stack,
) -> None:
    await append(stack, "The ferry leaves at nine.")
    async with searching(stack) as search:
        await search.often()
        await append(stack, "The ferry is late.", "The train is not.")
        await embed_everything(stack)
        with locked(stack, "memory_vectors_1") as lock:
            asking = asyncio.create_task(search.contents("ferry"))
            await until(lambda: bool(waiting(stack)))
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
            lock.rollback()
        for _ in range(2):
            assert sorted(await search.contents("ferry train")) == [
                "The ferry is late.",
                "The ferry leaves at nine.",
                "The train is not.",
            ]
            assert search.holds()


async def test_searches_that_add_the_same_passages_add_them_once(stack: Stack) -> None:
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


async def test_writers_and_searches_at_once_see_each_passage_once(stack: Stack) -> None:
    await append(stack, "The ferry leaves at nine.")
    async with searching(stack) as search:
        await search.often()

        async def tell(teller: int) -> None:
            for number in range(10):
                text = f"told{teller}x{number} tales"
                await append(stack, text, session_key=str(teller))
                assert await search.contents(f"told{teller}x{number}") == [text]

        await asyncio.gather(*(tell(teller) for teller in range(4)))
        await search.settled()
        await search.often()
        assert search.holds()
        assert len(set(await search.contents("tales"))) == 10
