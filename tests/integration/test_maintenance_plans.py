"""Statements over a whole namespace look each row up once, with any planner statistics."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import psycopg
from psycopg.types.json import Jsonb

from everword.db.statements import Statement
from everword_compactor.calendar.requests import SQL as CALENDAR
from everword_compactor.conversations.requests import SQL as COMPACTION
from support.databases import DatabaseUnderTest

CONVERSATIONS = 2_000
#: A nested loop would compare all pairs.
FEW = 10 * CONVERSATIONS
FILL = """
INSERT INTO conversations (namespace_id, id, session_key, agent, channel, last_seq, turn_count)
SELECT 1, uuid_in(md5(n::text)::cstring), 'k' || n, '', '', 5, 5
  FROM generate_series(%(first)s::int, %(last)s::int) AS n;
INSERT INTO messages (namespace_id, conversation_id, id, seq, role, content, occurred_at)
SELECT 1, uuid_in(md5(n::text)::cstring), uuid_in(md5(n || '-' || seq)::cstring), seq, 2, 'words',
       '2026-01-01'::timestamptz + n * interval '1 minute'
  FROM generate_series(%(first)s::int, %(last)s::int) AS n CROSS JOIN generate_series(1, 2) AS seq;
INSERT INTO calendar_pending (namespace_id, level, period, conversation_id, seqs)
SELECT namespace_id, 4, occurred_at::date, conversation_id, ARRAY[seq] FROM messages
 WHERE occurred_at >= '2026-01-01'::timestamptz + %(first)s::int * interval '1 minute';
"""
SCHEDULE = """
INSERT INTO jobs (namespace_id, task, subject)
SELECT namespace_id, 'compact', id::text FROM conversations ORDER BY id LIMIT %s ON CONFLICT DO NOTHING
"""


def _fill(conn: psycopg.Connection, first: int, last: int) -> None:
    for statement in FILL.split(";\n"):
        if statement.strip():
            conn.execute(statement, {"first": first, "last": last})


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for below in plan.get("Plans", ()):
        yield from _nodes(below)


def _compared(database: DatabaseUnderTest, statement: Statement, parameters: dict[str, Any]) -> int:
    """Return the number of rows that a statement reads and discards, over all loops."""
    with database.connect() as conn, conn.transaction():
        conn.execute("SET LOCAL ROLE everword_compactor")
        conn.execute("SELECT set_config('everword.namespace_id', '1', true)")
        row = conn.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement.sql}", parameters).fetchone()
    assert row
    [explained] = row[0] if isinstance(row[0], list) else json.loads(row[0])
    removed = ("Rows Removed by Join Filter", "Rows Removed by Filter")
    return sum(
        int(node.get(name, 0)) * int(node["Actual Loops"])
        for node in _nodes(explained["Plan"])
        for name in removed
    )


def test_page_conversations_does_not_compare_all_jobs_with_outdated_statistics(
    database: DatabaseUnderTest,
) -> None:
    with database.connect() as conn:
        _fill(conn, 1, CONVERSATIONS)
        conn.execute(SCHEDULE, (1,))
        conn.execute("ANALYZE")
        conn.execute(SCHEDULE, (CONVERSATIONS,))
    parameters = {"namespace_id": 1, "after": UUID(int=0), "limit": 1_000}
    assert _compared(database, COMPACTION["page_conversations"], parameters) < FEW


def test_page_messages_does_not_compare_all_messages_with_outdated_statistics(
    database: DatabaseUnderTest,
) -> None:
    with database.connect() as conn:
        _fill(conn, 1, CONVERSATIONS)
        conn.execute("ANALYZE")
        _fill(conn, CONVERSATIONS + 1, 2 * CONVERSATIONS)
        [late] = conn.execute(
            "SELECT '2026-01-01'::timestamptz + %s::int * interval '1 minute'", (CONVERSATIONS,)
        ).fetchone() or [None]
    parameters: dict[str, Any] = {
        "namespace_id": 1,
        "after_occurred_at": late,
        "after_id": UUID(int=2**128 - 1),
        "before": datetime(2027, 1, 1, tzinfo=UTC),
        "policies": Jsonb({}),
        "limit": 5_000,
    }
    assert _compared(database, CALENDAR["page_messages"], parameters) < FEW
