"""The index over a generation's vectors, made while others write: partition by partition, without a long lock.

What is interrupted goes on: partitions that have their index keep it, and one that was not finished is made anew.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import psycopg
from psycopg import sql
from psycopg.rows import class_row

#: The partitions of a generation's vectors, each with its index, as far as there is one.
_PARTS = """
SELECT t.relname AS partition, t.relname || '_embedding_idx' AS index, x.indisvalid AS is_valid
  FROM pg_inherits i
  JOIN pg_class t ON t.oid = i.inhrelid
  LEFT JOIN pg_class c ON c.relnamespace = t.relnamespace AND c.relname = t.relname || '_embedding_idx'
  LEFT JOIN pg_index x ON x.indexrelid = c.oid
 WHERE i.inhparent = to_regclass('memory_vectors_' || %s) ORDER BY t.relname
"""


@dataclass(frozen=True)
class _Part:
    """A partition and the name of its index, whether there is one or not."""

    partition: str
    index: str
    #: None where there is no index, False where it was not finished.
    is_valid: bool | None


def index_partitions(
    conn: psycopg.Connection, generation_id: int, advanced: Callable[[int, int], None]
) -> None:
    """Make the index of each partition; `advanced` is told how many of how many are done.

    The connection is in no transaction; nobody else does this. It waits for transactions that are older.
    """
    with conn.cursor(row_factory=class_row(_Part)) as cursor:
        parts = cursor.execute(_PARTS, [generation_id]).fetchall()
    conn.execute("SET lock_timeout = 0")
    for done, part in enumerate(parts):
        advanced(done, len(parts))
        if part.is_valid:
            continue
        index = sql.Identifier(part.index)
        if part.is_valid is False:
            conn.execute(sql.SQL("DROP INDEX CONCURRENTLY {}").format(index))
        conn.execute(
            sql.SQL(
                "CREATE INDEX CONCURRENTLY {} ON {} USING hnsw (embedding public.halfvec_cosine_ops)"
            ).format(index, sql.Identifier(part.partition))
        )
    advanced(len(parts), len(parts))
