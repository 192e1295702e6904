"""No GIN index has a long pending list, which every search would have to read."""

from __future__ import annotations

from support.databases import DatabaseUnderTest

#: Kilobytes, the unit of the storage parameter.
MOST_KB = 256


def test_gin_indexes_of_memories_limit_their_pending_list(database: DatabaseUnderTest) -> None:
    with database.connect() as conn:
        indexes = conn.execute(
            """SELECT i.relname, coalesce(i.reloptions, '{}')
                 FROM pg_index x
                 JOIN pg_class i ON i.oid = x.indexrelid AND i.relkind = 'i'
                 JOIN pg_class t ON t.oid = x.indrelid
                 JOIN pg_am am ON am.oid = i.relam AND am.amname = 'gin'
                WHERE t.relname LIKE 'memories%'"""
        ).fetchall()
    assert len(indexes) >= 12  # Three for each of four partitions.
    small = {"fastupdate=off", f"gin_pending_list_limit={MOST_KB}"}
    assert [name for name, options in indexes if not small & set(options)] == []
