"""A connection whose pipelines send queued statements when a result is read, instead of after each statement.

psycopg waits for the socket, and sends, after each statement of a pipeline, and its transactions wait for an answer to
BEGIN, once before COMMIT and once after it. That was 45 % of the CPU time of an append of one message. Queued
statements stay in libpq's buffer, which libpq flushes when it has grown, until a result is read or the pipeline ends.
The overridden methods are not public, so a test counts the packets sent.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import psycopg
from psycopg import AsyncConnection, AsyncCursor, AsyncPipeline
from psycopg.abc import PQGen
from psycopg.generators import send


class BatchingPipeline(AsyncPipeline):
    """A pipeline that sends once for each answer that is waited for."""

    def _communicate_gen(self) -> PQGen[None]:
        while self.command_queue:
            self.command_queue.popleft()()
        return
        yield  # it has nothing to wait for, and is a generator all the same

    async def send(self) -> None:
        """Send queued statements, and request the results without waiting for them."""
        async with self._lock:
            await self._conn.wait(self._send_gen())

    def _send_gen(self) -> PQGen[None]:
        yield from self._communicate_gen()
        self.pgconn.send_flush_request()
        yield from send(self.pgconn)

    def _sync_gen(self) -> PQGen[None]:
        self._enqueue_sync()
        yield from self._communicate_gen()
        yield from send(self.pgconn)
        yield from self._fetch_gen(flush=False)


class BatchingConnection(AsyncConnection[Any]):
    """A connection with such pipelines."""

    @asynccontextmanager
    async def pipeline(self) -> AsyncIterator[AsyncPipeline]:
        if self._pipeline is None:
            self._pipeline = BatchingPipeline(self)
        async with super().pipeline() as pipeline:
            yield pipeline


async def send_queued(conn: AsyncConnection[Any]) -> None:
    """Send the queued statements of a connection's pipeline, so that the server can begin."""
    if isinstance(conn._pipeline, BatchingPipeline):
        await conn._pipeline.send()


def is_piped(conn: AsyncConnection[Any]) -> bool:
    """Return whether a connection is in a pipeline; after its block, that means the task was cancelled."""
    return conn._pipeline is not None


@asynccontextmanager
async def rolled_back(conn: AsyncConnection[Any]) -> AsyncIterator[None]:
    """End the transaction that is open when the block raises."""
    try:
        yield
    except BaseException:
        # If the rollback fails too, raise the first error; the pool discards the connection.
        with suppress(psycopg.Error):
            await conn.rollback()
        raise


def ensure_committed(ended: AsyncCursor[Any]) -> None:
    """Raise InFailedSqlTransaction where COMMIT, which is no error then, ended a transaction that had failed."""
    if ended.statusmessage != "COMMIT":
        raise psycopg.errors.InFailedSqlTransaction(
            "the transaction had failed, and was rolled back"
        )
