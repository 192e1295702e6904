"""The floor of ingest: COPY, as the owner, of the same rows into the same tables.

Rows of a namespace are read out of every table that holds one for each message or more, and copied back under another
namespace: a transaction for each batch, committed to disk as the service's are.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import psycopg
from psycopg import sql

from everword.bench.speed.bench_stack import BenchStack
from everword.bench.speed.timers import Times

#: Header size and trailer of a binary COPY.
_HEADER_BYTES = 19
_TRAILER = b"\xff\xff"
#: A table with fewer rows than this for each message is not one that messages are stored in.
_ROWS_PER_MESSAGE = 0.9


@dataclass(frozen=True)
class Table:
    """The rows of a namespace in one table, ready to be copied into another namespace."""

    name: str
    columns: Sequence[str]
    header: bytes
    rows: Sequence[bytes]

    def batch(self, index: int, batches: int) -> bytes:
        """Return one of `batches` equal batches."""
        start, end = (len(self.rows) * at // batches for at in (index, index + 1))
        return b"".join((self.header, *self.rows[start:end], _TRAILER))

    @property
    def statement(self) -> sql.Composed:
        columns = sql.SQL(", ").join(map(sql.Identifier, self.columns))
        return sql.SQL("COPY {} ({}) FROM STDIN (FORMAT BINARY)").format(
            sql.Identifier(self.name), columns
        )


def copy_rows(
    bench: BenchStack, source: str, target: str, batch: int, callers: int
) -> tuple[Times, list[str]]:
    """Copy the messages of namespace `source` into namespace `target`, in batches.

    Returns the times of the batches, and the names of the tables that were written.
    """
    with bench.connect() as conn:
        source_id, target_id = _id(conn, source), _id(conn, target)
        # Messages refer to conversations, which ingest writes once each; their cost is left out here.
        conversations = _read(conn, "conversations", source_id, target_id)
        messages = _read(conn, "messages", source_id, target_id)
        least = _ROWS_PER_MESSAGE * len(messages.rows)
        tables = [messages]
        tables += [
            table
            for name in _tables(conn)
            if name not in {"conversations", "messages"}
            and len((table := _read(conn, name, source_id, target_id)).rows) >= least
        ]
        _write(conn, [conversations], 0, 1)
    batches = max(1, round(len(messages.rows) / batch))
    return _copied(bench, tables, batches, callers), [table.name for table in tables]


def _copied(bench: BenchStack, tables: Sequence[Table], batches: int, callers: int) -> Times:
    rest = iter(range(batches))
    lock = threading.Lock()
    each: list[float] = []

    def caller() -> None:
        with bench.connect() as conn:
            while True:
                with lock:
                    index = next(rest, None)
                if index is None:
                    return
                started = time.perf_counter()
                _write(conn, tables, index, batches)
                each.append(time.perf_counter() - started)

    begun = time.perf_counter()
    with ThreadPoolExecutor(callers) as pool:
        for future in [pool.submit(caller) for _ in range(callers)]:
            future.result()
    return Times(each, time.perf_counter() - begun)


def _write(conn: psycopg.Connection, tables: Sequence[Table], index: int, batches: int) -> None:
    with conn.transaction():
        for table in tables:
            with conn.cursor().copy(table.statement) as copy:
                copy.write(table.batch(index, batches))


def _id(conn: psycopg.Connection, name: str) -> int:
    row = conn.execute("SELECT id FROM namespaces WHERE name = %s", [name]).fetchone()
    assert row is not None
    return int(row[0])


def _tables(conn: psycopg.Connection) -> list[str]:
    """Return the tables whose rows can be copied from one namespace into another: their keys name it.

    Vectors come later, from the background.
    """
    rows = conn.execute(
        "SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid"
        " WHERE c.relnamespace = 'everword'::regnamespace AND c.relkind IN ('r', 'p')"
        "   AND NOT c.relispartition AND a.attname = 'namespace_id'"
        "   AND c.relname NOT LIKE 'memory\\_vectors\\_%'"
        "   AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisunique"
        "                      AND a.attnum <> ALL (i.indkey::smallint[])) ORDER BY 1"
    ).fetchall()
    return [name for (name,) in rows]


def _read(conn: psycopg.Connection, table: str, source_id: int, target_id: int) -> Table:
    columns = list(_columns(conn, table))
    values = sql.SQL(", ").join(
        sql.SQL("{}::bigint").format(sql.Literal(target_id))
        if column == "namespace_id"
        else sql.Identifier(column)
        for column in columns
    )
    statement = sql.SQL(
        "COPY (SELECT {} FROM {} WHERE namespace_id = {} ORDER BY {}) TO STDOUT (FORMAT BINARY)"
    ).format(values, sql.Identifier(table), sql.Literal(source_id), _order(columns))
    with conn.cursor().copy(statement) as copy:
        read = [bytes(data) for data in copy]
    # The server sends a message for each row; the header comes with the first, and the trailer is the last.
    header, first = read[0][:_HEADER_BYTES], read[0][_HEADER_BYTES:]
    rows = [row for row in (first, *read[1:]) if row and row != _TRAILER]
    return Table(table, columns, header, rows)


def _order(columns: Sequence[str]) -> sql.Composable:
    """Return the ORDER BY expression that puts rows in the order of their messages."""
    found = [name for name in ("id", "memory_id", "message_id") if name in columns]
    return sql.Identifier(found[0]) if found else sql.Literal(1)


def _columns(conn: psycopg.Connection, table: str) -> Iterator[str]:
    rows = conn.execute(
        "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0"
        " AND NOT attisdropped AND attgenerated = '' ORDER BY attnum",
        [table],
    ).fetchall()
    return (name for (name,) in rows)
