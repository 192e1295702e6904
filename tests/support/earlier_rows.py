"""Rows of today, in the tables and columns that a database of an earlier schema has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import psycopg

Tables = Mapping[str, Sequence[str]]
#: From this schema on migrations only add; 0021 renames.
ADDING = 21
#: What migrations fill themselves.
KEPT = frozenset(
    {"schema_migrations", "deployment", "model_generations", "erasure_rules", "transfer_rules"}
)
#: What 0021 gave another name, and what rows of queues said until then.
_RENAMED = {"calendar_owed": "calendar_pending", "owed_at": "enqueued_at"}
_QUEUES = ("embedding_queue", "tool_sentence_queue")
#: The tables of the kinds of memories, in the order of their numbers.
_KINDS = (
    *("messages", "summaries", "notes", "facts"),
    *("documents", "graph_nodes", "lore_entries", "topic_pages"),
)
_COLUMNS = """
SELECT c.relname, array_agg(a.attname::text ORDER BY a.attnum)
  FROM pg_class c
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
 WHERE c.relnamespace = 'everword'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
 GROUP BY c.relname ORDER BY c.relname
"""
#: Before there were erasures, no place was empty.
_FILL_PLACES = r"""
WITH said AS (
    INSERT INTO messages (namespace_id, id, conversation_id, seq, role, content, automated, occurred_at)
    SELECT c.namespace_id, gen_random_uuid(), c.id, place, 2, '', true, now()
      FROM conversations c CROSS JOIN LATERAL generate_series(1, c.last_seq) AS place
     WHERE NOT EXISTS (SELECT FROM messages m
                        WHERE m.namespace_id = c.namespace_id AND m.conversation_id = c.id AND m.seq = place)
    RETURNING namespace_id, id, conversation_id, seq, occurred_at
), indexed AS (
    INSERT INTO memories (namespace_id, kind, source_id, conversation_id, seq, automated, occurred_at, content, lexemes,
                          lexeme_count, ranking)
    SELECT namespace_id, 1, id, conversation_id, seq, true, occurred_at, '', '', 0, '\x00' FROM said
)
INSERT INTO corpus_counts (namespace_id, messages, passages)
SELECT namespace_id, count(*), count(*) FROM said GROUP BY 1
"""
#: Numbers that the database gives out go on.
_GO_ON = """
SELECT setval('memory_ids', (SELECT max(id) FROM memories)),
       setval(pg_get_serial_sequence('corpus_counts', 'id'), (SELECT max(id) FROM corpus_counts))
"""


def read_tables(conn: psycopg.Connection) -> dict[str, list[str]]:
    """Return the columns of each table."""
    return dict(conn.execute(_COLUMNS).fetchall())


def today(name: str) -> str:
    """Return the name of a table or column of an earlier schema."""
    return _RENAMED.get(name, name)


def put_rows(source: psycopg.Connection, target: psycopg.Connection, tables: Tables) -> None:
    """Put the rows of a database of today into tables of another one, in place of what is there."""
    kinds = [number for number, name in enumerate(_KINDS, 1) if name in tables]
    indexed = f"SELECT id FROM memories WHERE kind = ANY('{{{','.join(map(str, kinds))}}}')"
    which = {
        "memories": f"WHERE id IN ({indexed})",
        "embedding_queue": f"WHERE memory_id IN ({indexed})",
        "memory_vectors_1": f"WHERE memory_id IN ({indexed})",
    }
    known = read_tables(source)
    for table in tables.keys() - KEPT:
        columns = [name for name in tables[table] if today(name) in known[today(table)]]
        state = "replace(state, 'pending', 'owed')" if "calendar_owed" in tables else "state"
        values = [
            state if name == "state" and table in _QUEUES else today(name) for name in columns
        ]
        rows = f"SELECT {', '.join(values)} FROM {today(table)} {which.get(table, '')}"
        target.execute(f"DELETE FROM {table}".encode())
        with (
            source.cursor().copy(f"COPY ({rows}) TO STDOUT".encode()) as out,
            target.cursor().copy(
                f"COPY {table} ({', '.join(columns)}) FROM STDIN".encode()
            ) as into,
        ):
            for block in out:
                into.write(block)
    target.execute(_GO_ON)
    target.cursor().executemany(
        "INSERT INTO corpus_counts (namespace_id, passages, lexemes) VALUES (%s, %s, %s)",
        source.execute(
            "SELECT namespace_id, -count(*), -sum(lexeme_count) FROM memories "
            f"WHERE id NOT IN ({indexed}) GROUP BY 1".encode()
        ).fetchall(),
    )
    if "erasures" not in tables:
        target.execute(_FILL_PLACES.encode())


def digest_rows(conn: psycopg.Connection, tables: Tables) -> dict[str, tuple[int, str | None]]:
    """Return how many rows each table has, and a checksum over what its columns hold."""
    found = {}
    for table, columns in tables.items():
        row = conn.execute(
            "SELECT count(*), md5(string_agg(md5(r::text), '' ORDER BY md5(r::text))) "
            f"FROM (SELECT {', '.join(columns)} FROM {table}) AS r".encode()
        ).fetchone()
        assert row is not None
        found[today(table)] = row
    return found
