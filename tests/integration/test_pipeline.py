"""Statements that a transaction sends, their timing, and the state after a failure."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace

import psycopg
import pytest
from psycopg.abc import RV, PQGen
from psycopg.pq import TransactionStatus

from everword.db.pipeline import BatchingConnection
from everword.db.pool import Connection, Database, Write
from support.databases import DatabaseUnderTest
from support.waits import until


class SocketWaitCounter(BatchingConnection):
    """Counts waits for the socket."""

    waits = 0

    async def wait(self, gen: PQGen[RV], interval: float = 0.1, timeout: float | None = None) -> RV:
        return await super().wait(_counted(gen), interval, timeout)


def _counted(gen: PQGen[RV]) -> PQGen[RV]:
    try:
        wanted = next(gen)
        SocketWaitCounter.waits += 1
        while True:
            wanted = gen.send((yield wanted))
    except StopIteration as end:
        returned: RV = end.value
        return returned


@pytest.fixture
async def ours(
    database: DatabaseUnderTest, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Database]:
    monkeypatch.setattr("everword.db.pool.BatchingConnection", SocketWaitCounter)
    ours = Database(database.settings("ingest"), "ingest")
    await ours.open()
    yield ours
    await ours.close()


async def test_transaction_sends_statements_only_when_a_result_is_read_and_at_commit(
    ours: Database,
) -> None:
    for _ in range(2):
        async with ours.connection() as conn:
            SocketWaitCounter.waits = 0
            async with ours.bound(conn, 1):
                for number in range(20):
                    await conn.execute("SELECT %s::int", [number])
                assert SocketWaitCounter.waits == 0
                cursor = await conn.execute("SELECT 20")
                assert await cursor.fetchone() == (20,)
                await conn.execute("SELECT 21")
            assert SocketWaitCounter.waits <= 4  # To send and to read, twice.
            assert conn.pgconn.transaction_status == TransactionStatus.IDLE


async def test_write_returns_its_wal_position(ours: Database, database: DatabaseUnderTest) -> None:
    with database.connect() as owner:
        [(before,)] = owner.execute("SELECT pg_current_wal_insert_lsn()").fetchall()
        async with ours.write(1) as write:
            await write.conn.execute("INSERT INTO corpus_counts (namespace_id) VALUES (1)")
        [(covered,)] = owner.execute(
            "SELECT %s::pg_lsn > %s::pg_lsn", [write.position, before]
        ).fetchall()
    assert covered


@pytest.mark.parametrize("fetches", [True, False])
async def test_failed_transaction_stores_nothing_and_connection_stays_usable(
    ours: Database, database: DatabaseUnderTest, fetches: bool
) -> None:
    async def fail(conn: Connection) -> None:
        async with ours.bound(conn, 1):
            await conn.execute("INSERT INTO corpus_counts (namespace_id) VALUES (1)")
            cursor = await conn.execute("SELECT 1 / 0")
            if fetches:
                await cursor.fetchone()

    async with ours.connection() as conn:
        with pytest.raises(psycopg.errors.DivisionByZero):
            await fail(conn)
        assert conn.pgconn.transaction_status == TransactionStatus.IDLE
        async with ours.bound(conn, 1):
            cursor = await conn.execute("SELECT count(*) FROM corpus_counts")
            assert await cursor.fetchone() == (0,)


async def test_write_that_fails_after_its_last_result_raises_and_has_no_position(
    ours: Database,
) -> None:
    writes: list[Write] = []

    async def fail() -> None:
        async with ours.write(1) as write:
            writes.append(write)
            cursor = await write.conn.execute("SELECT 1")
            assert await cursor.fetchone() == (1,)
            await write.conn.execute("SELECT 1 / 0")

    with pytest.raises(psycopg.errors.DivisionByZero):
        await fail()
    assert [write.position for write in writes] == [""]


async def test_commit_of_a_failed_transaction_raises_although_the_error_was_caught(
    ours: Database, database: DatabaseUnderTest
) -> None:
    """COMMIT of a failed transaction is a rollback, and only its tag says so."""

    async def fail() -> None:
        async with ours.write(1) as write:
            await write.conn.execute("INSERT INTO corpus_counts (namespace_id) VALUES (1)")
            with suppress(psycopg.errors.DivisionByZero):
                async with write.conn.pipeline():
                    await write.conn.execute("SELECT 1 / 0")

    with pytest.raises(psycopg.errors.InFailedSqlTransaction):
        await fail()
    async with ours.connection() as conn, ours.bound(conn, 1):
        cursor = await conn.execute("SELECT count(*) FROM corpus_counts")
        assert await cursor.fetchone() == (0,)


async def test_cancelled_transaction_ends_its_statement_and_rolls_back(
    ours: Database, database: DatabaseUnderTest
) -> None:
    async def waits() -> None:
        async with ours.write(1) as write:
            await write.conn.execute("INSERT INTO corpus_counts (namespace_id) VALUES (1)")
            cursor = await write.conn.execute("SELECT pg_sleep(60)")
            await cursor.fetchone()

    asleep = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()"
    with database.connect() as owner:
        task = asyncio.create_task(waits())
        await until(lambda: owner.execute(asleep).fetchone() == (1,))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await until(lambda: owner.execute(asleep).fetchone() == (0,))
        assert owner.execute("SELECT count(*) FROM corpus_counts").fetchone() == (0,)
    async with ours.connection() as conn:
        assert conn.pgconn.transaction_status == TransactionStatus.IDLE


async def test_pipeline_transfers_40_megabytes_in_both_directions(ours: Database) -> None:
    big = "x" * 1_000_000
    async with ours.connection() as conn, ours.bound(conn, 1):
        cursors = [await conn.execute("SELECT %s::text || %s", [big, str(n)]) for n in range(40)]
        for number, cursor in enumerate(cursors):
            assert await cursor.fetchone() == (f"{big}{number}",)


async def test_connection_stores_writes_after_a_call_was_cancelled_at_any_step(
    database: DatabaseUnderTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    # psycopg yields to other tasks at each step, as it does on a busy loop.
    monkeypatch.setattr("psycopg.waiting.MAX_BUSY_TIME", 0.0)
    one = replace(database.settings("ingest"), pool_min=1, pool_max=1)
    ours = Database(one, "ingest")
    await ours.open()

    async def call() -> None:
        async with ours.transaction(1) as conn:
            await (await conn.execute("SELECT 1")).fetchone()

    for steps in range(30):
        task = asyncio.create_task(call())
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        async with ours.connection() as conn:
            assert conn._pipeline is None, f"after {steps} steps"
            await conn.execute("INSERT INTO namespaces (name) VALUES (%s)", [f"n-{steps}"])
            assert conn.info.transaction_status is TransactionStatus.IDLE
    async with ours.connection() as conn:
        kept = await (await conn.execute("SELECT count(*) FROM namespaces")).fetchone()
    await ours.close()
    assert kept == (31,)
