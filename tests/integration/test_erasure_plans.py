"""A batch of an erasure, or a step of retention, reads only the rows that it deletes, not the whole namespace."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from everword.domain.ids import new_id
from support.databases import cloned
from support.plans import nodes

#: Every fiftieth message is by the erased author.
MESSAGES = 8_000
#: Maximal number of rows read by one node of a plan for a batch of `BATCH` messages.
BATCH, MOST_ROWS = 40, 500
LOAD = """
SET session_replication_role = replica;
INSERT INTO conversations (namespace_id, id, channel, agent, session_key)
SELECT 1, ('00000001-0000-7000-8000-' || lpad(c::text, 12, '0'))::uuid, '', '', 's' || c
  FROM generate_series(1, 160) AS c;
INSERT INTO messages (namespace_id, id, conversation_id, seq, role, author, content, occurred_at)
SELECT 1, gen_random_uuid(), ('00000001-0000-7000-8000-' || lpad(((n - 1) / 50 + 1)::text, 12, '0'))::uuid, n, 2,
       CASE n % 50 WHEN 7 THEN 'Zed' ELSE 'Ann' END, 'The mill turns.', now() FROM generate_series(1, {messages}) AS n;
INSERT INTO memories (namespace_id, kind, source_id, conversation_id, seq, author, occurred_at, content, lexemes,
                      lexeme_count)
SELECT 1, 1, id, conversation_id, seq, author, occurred_at, content, 'mill', 1 FROM messages;
INSERT INTO graph_edges (namespace_id, id, edge_id, from_id, to_id, type, confidence, source, fact_id, known_from)
SELECT 1, gen_random_uuid(), id, id, id, 'knows', 1, 1, id, now() FROM messages LIMIT 2000;
INSERT INTO fact_evidence (namespace_id, id, fact_id, message_id, contradicts, source, said_at, recorded_at)
SELECT 1, gen_random_uuid(), id, id, false, 1, now(), now() FROM messages LIMIT 2000;
SET session_replication_role = origin;
ANALYZE
"""


@pytest.fixture
def conn(postgres_url: str) -> Iterator[psycopg.Connection]:
    """A session that reports the plan of every statement, including those in functions."""
    with cloned(postgres_url) as database, database.connect() as conn:
        for statement in LOAD.format(messages=MESSAGES).split(";\n"):
            conn.execute(statement.encode())
        conn.execute("LOAD 'auto_explain'")
        settings = {"log_min_duration": "0", "log_analyze": "on", "log_nested_statements": "on"}
        for name, value in {**settings, "log_format": "json", "log_level": "notice"}.items():
            conn.execute(f"SET auto_explain.{name} = '{value}'".encode())
        conn.execute("SET client_min_messages = notice")
        conn.execute("SELECT set_config('everword.namespace_id', '1', false)")
        yield conn


def _large(conn: psycopg.Connection, query: str, *parameters: object) -> tuple[Any, list[str]]:
    """Return a query's result, and the relations of which its statements read many rows."""
    plans: list[dict[str, Any]] = []

    def keep(notice: psycopg.errors.Diagnostic) -> None:
        _, _, plan = (notice.message_primary or "").partition("plan:")
        if plan:
            plans.append(json.loads(plan))

    conn.add_notice_handler(keep)
    try:
        row = conn.execute(query.encode(), parameters).fetchone()
    finally:
        conn.remove_notice_handler(keep)
    assert row is not None
    assert plans, "auto_explain tells them"
    large = [
        f"{node['Relation Name']}: {plan['Query Text']}"
        for plan in plans
        for node in nodes(plan["Plan"])
        if "Relation Name" in node
        and (node["Actual Rows"] + node.get("Rows Removed by Filter", 0)) * node["Actual Loops"]
        > MOST_ROWS
    ]
    return row[0], large


def test_erasure_batch_reads_only_the_rows_it_deletes(conn: psycopg.Connection) -> None:
    erasure_id = new_id()
    begin = "SELECT begin_erasure(1, %s, 4::smallint, NULL, 'Zed', 'test', 1000000)"
    begun, large = _large(conn, begin, erasure_id)
    assert begun["messages_left"] == MESSAGES // 50
    assert not [each for each in large if each.startswith(("messages", "memories"))]
    for _ in range(MESSAGES // 50 // BATCH):
        did, large = _large(conn, "SELECT erase_batch(1, %s, %s)", erasure_id, BATCH)
        assert (did["messages"], did["done"]) == (BATCH, False)
        assert large == []
    did, large = _large(conn, "SELECT erase_batch(1, %s, %s)", erasure_id, BATCH)
    assert did["done"]
    assert large == []
    old = conn.execute("SELECT array_agg(id) FROM (SELECT id FROM messages LIMIT 40) AS m")
    did, large = _large(conn, "SELECT retire(1, 1::smallint, %s, false)", *(old.fetchone() or ()))
    assert did["messages"] == BATCH
    assert large == []
