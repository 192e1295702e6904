"""Indexes that are made while others write: partition by partition, without a long lock.

What is interrupted goes on: partitions that have their index keep it, and one that was not finished is made again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import psycopg

#: The partitions of a table; none where it is not partitioned.
_PARTITIONS = """
SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
 WHERE i.inhparent = to_regclass(%s) ORDER BY c.relname
"""
#: Whether an index was finished; no row where there is none.
_IS_VALID = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)"


@dataclass(frozen=True)
class Index:
    """An index, whether there is one or not."""

    name: str
    table: str
    #: What follows the table: the columns, USING before them and WHERE behind.
    form: str
    unique: bool = False

    def created(self, how: str) -> str:
        """Return the statement that makes it; `how` stands before its name."""
        kind = "UNIQUE INDEX" if self.unique else "INDEX"
        return f"CREATE {kind} {how} {self.name} ON {self.table} {self.form}"


def build_parts(
    conn: psycopg.Connection,
    index: Index,
    advanced: Callable[[int, int], None] = lambda done, total: None,
) -> None:
    """Make an index, or those of the partitions of its table; `advanced` is told how many of how many there are.

    What then creates the index itself finds its parts equal, takes them as they are, and reads no row. The connection
    is in no transaction; nobody else does this. It waits for transactions that are older, and has no lock_timeout
    from now on: nobody waits for what waits here.
    """
    conn.execute("SET lock_timeout = 0")
    parts = _parts(conn, index)
    for done, part in enumerate(parts):
        advanced(done, len(parts))
        is_valid = conn.execute(_IS_VALID, [part.name]).fetchone()
        if is_valid == (False,):
            conn.execute(f"DROP INDEX CONCURRENTLY {part.name}".encode())
        if is_valid != (True,):
            conn.execute(part.created("CONCURRENTLY").encode())
    advanced(len(parts), len(parts))


def _parts(conn: psycopg.Connection, index: Index) -> list[Index]:
    partitions = [name for (name,) in conn.execute(_PARTITIONS, [index.table]).fetchall()]
    suffix = index.name.removeprefix(f"{index.table}_")
    return [replace(index, name=f"{name}_{suffix}", table=name) for name in partitions] or [index]
