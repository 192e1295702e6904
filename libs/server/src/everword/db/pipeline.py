"""A connection whose pipelines send what was asked when an answer is wanted, and not statement by statement.

psycopg waits for the socket, and sends, after each statement of a pipeline, and its transactions wait for an answer to
BEGIN, once before COMMIT and once after it. That was 45 % of what an append of one message computed. What
is queued here stays in libpq's buffer, which libpq itself empties when it has grown, until a result is read or the
pipeline ends. A test counts what is sent, since the methods overridden here are not public.
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
        """Send what is queued, and ask for the answers without waiting for them."""
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
    """Let the server begin with what is queued in a connection's pipeline."""
    if isinstance(conn._pipeline, BatchingPipeline):
        await conn._pipeline.send()


def is_piped(conn: AsyncConnection[Any]) -> bool:
    """Tell whether a connection is in a pipeline: after its block, whoever entered it was cancelled meanwhile."""
    return conn._pipeline is not None


@asynccontextmanager
async def rolled_back(conn: AsyncConnection[Any]) -> AsyncIterator[None]:
    """End the transaction that is open when the block raises."""
    try:
        yield
    except BaseException:
        # Where that fails too, what is told is what went wrong first; the pool gives up the connection.
        with suppress(psycopg.Error):
            await conn.rollback()
        raise


def ensure_committed(ended: AsyncCursor[Any]) -> None:
    """Raise InFailedSqlTransaction where COMMIT, which is no error then, ended a transaction that had failed."""
    if ended.statusmessage != "COMMIT":
        raise psycopg.errors.InFailedSqlTransaction(
            "the transaction had failed, and was rolled back"
        )
