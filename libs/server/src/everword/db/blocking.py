"""The database as threads and workers use it: the same statements, pool and transactions, without an event loop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from psycopg import Connection as PsycopgConnection
from psycopg.rows import scalar_row
from psycopg_pool import ConnectionPool

from everword.db.pool import POOL_TIMEOUT_S, SQL, STATEMENT_CAP_S, connection_string
from everword.db.rows import dataclass_row
from everword.db.settings import DatabaseSettings
from everword.db.statements import Parameters, Statement, statement_span

T = TypeVar("T")
Connection = PsycopgConnection[Any]
#: As `MAX_IDLE_S` of the other pool. It is shorter since no caller waits for a new connection here.
_MAX_IDLE_S = 20.0


class BlockingDatabase:
    """A small pool of connections that act as a service's role."""

    def __init__(self, settings: DatabaseSettings, service: str, max_size: int = 4) -> None:
        #: For those that need a connection of another kind.
        self.settings = settings
        self._pool: ConnectionPool[Connection] = ConnectionPool(
            connection_string(settings, service),
            kwargs={"autocommit": True},
            min_size=0,
            max_size=max_size,
            max_idle=_MAX_IDLE_S,
            timeout=POOL_TIMEOUT_S,
            check=ConnectionPool.check_connection,
            open=False,
            configure=self._inspect,
            name=f"{service}-blocking",
        )
        #: True if nodes need the settings of each transaction; None before the first connection.
        self._distributed: bool | None = None

    def _inspect(self, conn: Connection) -> None:
        """Find out over the first connection whether the database is distributed."""
        if self._distributed is None:
            found = conn.execute(SQL["is_distributed"].sql).fetchone()
            self._distributed = found == (True,)

    def open(self) -> None:
        """Start the pool's threads; it does not wait for the database."""
        self._pool.open()

    def close(self) -> None:
        self._pool.close()

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """Lend a connection in autocommit mode, for statements outside of any namespace."""
        with self._pool.connection() as conn:
            yield conn

    @contextmanager
    def transaction(self, namespace_id: int) -> Iterator[Connection]:
        """Lend a connection in a transaction that sees the rows of one namespace only."""
        with self.connection() as conn, conn.transaction():
            bound = {
                "namespace_id": namespace_id,
                "statement_timeout": f"{int(STATEMENT_CAP_S * 1000)}ms",
            }
            execute(conn, SQL["begin_namespace"], bound)
            if self._distributed:
                execute(conn, SQL["send_settings"])
            yield conn


def execute(conn: Connection, statement: Statement, parameters: Parameters | None = None) -> int:
    """Run a statement and return the number of rows that it touched."""
    with statement_span(statement):
        return conn.execute(statement.sql, parameters).rowcount


def execute_each(conn: Connection, statement: Statement, each: Sequence[Parameters]) -> int:
    """Run a statement with each of several parameters, in one round trip and transaction; return the rows touched."""
    if not each:
        return 0
    with statement_span(statement), conn.cursor() as cursor:
        cursor.executemany(statement.sql, each)
        return cursor.rowcount


def fetch_each(
    conn: Connection, statement: Statement, each: Sequence[Parameters], row: type[T]
) -> list[T]:
    """Run a statement with each of several parameters, in one round trip and transaction; return the rows of all."""
    if not each:
        return []
    with statement_span(statement), conn.cursor(row_factory=dataclass_row(row)) as cursor:
        cursor.executemany(statement.sql, each, returning=True)
        return [found for result in cursor.results() for found in result]


def fetch_all(
    conn: Connection, statement: Statement, parameters: Parameters | None, row: type[T]
) -> list[T]:
    """Run a statement and return its rows as `row`, a dataclass with a field for each column."""
    with statement_span(statement), conn.cursor(row_factory=dataclass_row(row)) as cursor:
        return cursor.execute(statement.sql, parameters).fetchall()


def fetch_values(
    conn: Connection, statement: Statement, parameters: Parameters | None = None
) -> list[Any]:
    """Run a statement and return the first column of its rows."""
    with statement_span(statement), conn.cursor(row_factory=scalar_row) as cursor:
        return cursor.execute(statement.sql, parameters).fetchall()


def fetch_optional(
    conn: Connection, statement: Statement, parameters: Parameters | None, row: type[T]
) -> T | None:
    """Run a statement and return its first row, or None."""
    with statement_span(statement), conn.cursor(row_factory=dataclass_row(row)) as cursor:
        return cursor.execute(statement.sql, parameters).fetchone()


def fetch_value(
    conn: Connection, statement: Statement, parameters: Parameters | None = None
) -> Any:
    """Run a statement and return the first column of its first row, or None."""
    with statement_span(statement), conn.cursor(row_factory=scalar_row) as cursor:
        return cursor.execute(statement.sql, parameters).fetchone()
