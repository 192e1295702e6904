"""Creates indexes while other transactions write: partition by partition, without a long lock.

After an interruption, finished partitions keep their index, and an unfinished one is created again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import psycopg

#: The partitions of a table; empty if it is not partitioned.
_PARTITIONS = """
SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
 WHERE i.inhparent = to_regclass(%s) ORDER BY c.relname
"""
#: True if an index was finished; no row if it does not exist.
_IS_VALID = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)"


@dataclass(frozen=True)
class Index:
    """An index, whether there is one or not."""

    name: str
    table: str
    #: The part after the table: the columns, with USING before and WHERE after them.
    form: str
    unique: bool = False

    def created(self, how: str) -> str:
        """Return the statement that creates it; `how` comes before its name."""
        kind = "UNIQUE INDEX" if self.unique else "INDEX"
        return f"CREATE {kind} {how} {self.name} ON {self.table} {self.form}"


def build_parts(
    conn: psycopg.Connection,
    index: Index,
    advanced: Callable[[int, int], None] = lambda done, total: None,
) -> None:
    """Create an index, or those of the partitions of its table; `advanced` receives the number done and the total.

    The statement that later creates the index itself finds equal parts, attaches them, and reads no row. The connection
    is in no transaction, and no other process does this. It waits for older transactions, and sets lock_timeout to 0,
    because no other transaction waits for the locks requested here.
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
