"""The connection pool, and transactions that are bound to one namespace and to the caller's deadline."""

from __future__ import annotations

import asyncio
import select
import time
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, LiteralString

import psycopg
from psycopg import AsyncConnection, conninfo
from psycopg.rows import scalar_row
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from everword.db.pipeline import BatchingConnection, ensure_committed, is_piped, rolled_back
from everword.db.settings import DatabaseSettings
from everword.db.statements import (
    Statement,
    execute,
    fetch_value,
    load_statements,
    statement_span,
)
from everword.domain.caller import current_scope
from everword.domain.deadline import remaining

Connection = AsyncConnection[Any]
SQL = load_statements("everword.db")
#: A statement without a caller's deadline, such as a background task's, ends after this many seconds.
STATEMENT_CAP_S = 60.0
#: Seconds between the server's checks of the client's connection while a statement runs.
DISCONNECT_TIMEOUT_S = 1
#: Seconds that a call waits for a connection before it fails with STORAGE_UNAVAILABLE.
POOL_TIMEOUT_S = 10.0
#: Seconds after which a pool closes one of its unused connections, down to its minimum. One that has served many
#: statements takes 7 to 15 MB of the server's memory.
MAX_IDLE_S = 60.0
#: Statements read a row before they refer to it, and delete what refers to a row before the row. So a foreign key is
#: violated only if a concurrent transaction deleted the row, or referred to it, in between.
#: RestrictViolation is the same for keys with ON DELETE RESTRICT, from PostgreSQL 18 on.
WRITE_CONFLICTS = (
    psycopg.errors.SerializationFailure,
    psycopg.errors.DeadlockDetected,
    psycopg.errors.ForeignKeyViolation,
    psycopg.errors.RestrictViolation,
)
_SNAPSHOT: LiteralString = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"


def connection_string(settings: DatabaseSettings, service: str) -> str:
    """Return the connection string of a service: its role, Everword's schema, and times in UTC."""
    # Startup options and not SET: a connection is never in any other role, not even before its first statement.
    options = (
        f"-c role={settings.role} -c search_path=everword,public -c timezone=UTC"
        # Cancels statements whose client has disconnected, within this many seconds; otherwise the server would finish
        # them.
        f" -c client_connection_check_interval={DISCONNECT_TIMEOUT_S}s"
    )
    return conninfo.make_conninfo(
        settings.url, options=options, application_name=f"everword-{service}"
    )


@dataclass
class Write:
    """A transaction that stores something."""

    conn: Connection
    #: The write-ahead log position that covers it, once it is committed.
    position: str = ""


class PoolBusy(PoolTimeout):
    """No connection came free in time, though the database answers."""


async def _is_connection_open(conn: Connection) -> bool:
    """Return whether an idle connection is still open.

    Readable data on it is its end, or a message before that; only then is a round trip needed.
    """
    poll = select.poll()
    try:
        poll.register(conn.pgconn.socket, select.POLLIN)
        if not poll.poll(0):
            return True
        await AsyncConnectionPool.check_connection(conn)
    except psycopg.OperationalError:
        return False
    return True


class Database:
    """One pool of connections that act as a service's role."""

    def __init__(self, settings: DatabaseSettings, service: str) -> None:
        self._conninfo = connection_string(settings, service)
        self._scoped_role = f"{settings.role}_scoped"
        self._pool: AsyncConnectionPool[Connection] = AsyncConnectionPool(
            self._conninfo,
            connection_class=BatchingConnection,
            # Statements are few, and are run again and again: each is prepared when it first runs on a connection.
            kwargs={"autocommit": True, "prepare_threshold": 0},
            min_size=settings.pool_min,
            max_size=settings.pool_max,
            max_waiting=settings.pool_waiting,
            timeout=POOL_TIMEOUT_S,
            max_idle=MAX_IDLE_S,
            open=False,
            configure=self._inspect,
            name=service,
        )
        #: True if nodes need the settings of each transaction; None before the first connection.
        self._distributed: bool | None = None
        self._probe: Connection | None = None
        #: True if the last probe was answered.
        self.reachable = False
        self._token_secret: bytes | None = None

    async def _inspect(self, conn: Connection) -> None:
        """Find out over the first connection whether the database is distributed."""
        if self._distributed is None:
            found = await conn.execute(SQL["is_distributed"].sql)
            self._distributed = await found.fetchone() == (True,)

    async def open(self) -> None:
        """Start filling the pool; it does not wait for the database."""
        await self._pool.open()

    async def close(self) -> None:
        await self._pool.close()
        await self._close_probe()

    def pool_stats(self) -> dict[str, int]:
        return self._pool.get_stats()

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        """Lend a connection in autocommit mode, for statements outside of any namespace."""
        conn = await self._checkout_connection(remaining(POOL_TIMEOUT_S))
        try:
            yield conn
        finally:
            # A connection returned in the middle of a transaction comes from a cancelled task, and the pool rolls it
            # back. One left in a pipeline would commit none of its later statements, so it is closed and replaced.
            if is_piped(conn):
                await conn.close()
            await self._pool.putconn(conn)

    async def _checkout_connection(self, timeout_s: float) -> Connection:
        """Return a connection that stands. Raises PoolTimeout, which is PoolBusy while the database answers."""
        until = time.monotonic() + timeout_s
        while True:
            try:
                conn = await self._pool.getconn(max(0.0, until - time.monotonic()))
            except PoolTimeout as error:
                raise (PoolBusy(str(error)) if self.reachable else error) from None
            stands = False
            try:
                stands = await _is_connection_open(conn)
            finally:
                # Also if the task is cancelled meanwhile: a connection that is not returned is lost to the pool.
                if not stands:
                    # After a restart of the server all are gone: the pool makes others for those that come back closed.
                    await conn.close()
                    await self._pool.putconn(conn)
            if stands:
                return conn

    @asynccontextmanager
    async def transaction(self, namespace_id: int) -> AsyncIterator[Connection]:
        """Lend a connection in a transaction that sees the rows of one namespace only, and those of the call's scope.

        Statements are pipelined: their round trips are shared until a result is read. The transaction commits when the
        block ends, and rolls back when it raises.
        """
        async with self.connection() as conn, self.bound(conn, namespace_id):
            yield conn

    @asynccontextmanager
    async def write(self, namespace_id: int) -> AsyncIterator[Write]:
        """Lend a connection in a transaction as `transaction` does, and set the position of its commit afterwards."""
        async with self.connection() as conn, conn.cursor(row_factory=scalar_row) as cursor:
            write = Write(conn)
            with ExitStack() as told:
                async with rolled_back(conn), conn.pipeline():
                    await self._begin(conn, namespace_id)
                    yield write
                    ended = await conn.execute("COMMIT")
                    # Only a position that is read after the commit covers it. Both come back when the pipeline ends.
                    told.enter_context(statement_span(SQL["commit_position"]))
                    await cursor.execute(SQL["commit_position"].sql, {"namespace_id": namespace_id})
            ensure_committed(ended)
            # No row if the namespace was deleted meanwhile: then no read can see the write.
            write.position = str(await cursor.fetchone() or "0/0")

    @asynccontextmanager
    async def snapshot(self, namespace_id: int) -> AsyncIterator[Connection]:
        """Lend a connection as `transaction` does, which reads the namespace as it is at one moment."""
        async with self.connection() as conn, self.bound(conn, namespace_id, _SNAPSHOT):
            yield conn

    @asynccontextmanager
    async def bound(
        self, conn: Connection, namespace_id: int, begin: LiteralString = "BEGIN"
    ) -> AsyncIterator[None]:
        """Be in a transaction of a connection that was lent; see `transaction`."""
        # psycopg's own transactions would wait for an answer to BEGIN, and for two more at the end.
        async with rolled_back(conn), conn.pipeline():
            await self._begin(conn, namespace_id, begin)
            yield
            ended = await conn.execute("COMMIT")
        ensure_committed(ended)

    async def _begin(
        self, conn: Connection, namespace_id: int, begin: LiteralString = "BEGIN"
    ) -> None:
        await conn.execute(begin)
        await self.bind(conn, namespace_id)

    async def bind(self, conn: Connection, namespace_id: int) -> None:
        """Bind a transaction that has begun to a namespace and to the scope of the call."""
        timeout_ms = int(remaining(STATEMENT_CAP_S) * 1000)
        parameters = {
            "namespace_id": namespace_id,
            "statement_timeout": f"{timeout_ms}ms",
        }
        await execute(conn, SQL["begin_namespace"], parameters)
        scope = current_scope()
        if scope:
            bound = {"agent": scope.agent, "subject": scope.subject, "role": self._scoped_role}
            await execute(conn, SQL["begin_scope"], bound)
        if self._distributed:
            await execute(conn, SQL["send_settings"])

    async def token_secret(self) -> bytes:
        """Return the deployment's secret for signing tokens; read once a process."""
        if self._token_secret is None:
            async with self.connection() as conn:
                self._token_secret = bytes(await fetch_value(conn, SQL["token_secret"]))
        return self._token_secret

    async def probe(self, statement: Statement) -> Any:
        """Return a statement's value, or raise psycopg's errors.

        It has a connection to itself: in the queue of the calls, a database that is busy would look like a dead one.
        """
        try:
            self._probe = self._probe or await AsyncConnection.connect(
                self._conninfo, autocommit=True
            )
            value = await fetch_value(self._probe, statement)
        except (psycopg.Error, asyncio.CancelledError):
            self.reachable = False
            await self._close_probe()
            raise
        self.reachable = True
        return value

    async def _close_probe(self) -> None:
        conn, self._probe = self._probe, None
        if conn:
            await conn.close()
