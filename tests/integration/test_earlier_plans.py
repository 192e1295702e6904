"""The start of a session is read by index among 100,000 conversations, under the service's own role."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import psycopg
import pytest

from everword_search.passages.store import SQL
from everword_search.records.model import EVERYTHING
from support.databases import DatabaseUnderTest, cloned
from support.plans import as_search, buffers, generic_plan_of, indexes, nodes, plan_of

NAMESPACE = 1
FILTER: dict[str, Any] = {**vars(EVERYTHING), "constraint": None, "limit": 5}
OWN = {"agents": ["a1"], "subjects": ["s7"]}
#: Conversations of the subject `s7`.
EARLIER = {"earlier_ids": [UUID(int=n) for n in (7, 1007, 2007, 3007, 4007)]}
#: Statement, its parameters, and the required index.
HOT: dict[str, tuple[dict[str, Any], str]] = {
    "find_earlier_conversations": ({**OWN, "conversation_id": UUID(int=7)}, "last_message_at"),
    "find_earlier_turns": (EARLIER, "conversation_id_seq"),
    "find_earlier_summaries": (EARLIER, "conversation_id_level_first"),
    "find_open_tasks": (OWN, "subject_agent"),
}


@pytest.fixture(scope="module")
def database(postgres_url: str) -> Iterator[DatabaseUnderTest]:
    """100,000 conversations of 1,000 subjects, each with a message, a leaf and a task."""
    with cloned(postgres_url) as database:
        with database.connect() as conn:
            _fill(conn)
        yield database


def _fill(conn: psycopg.Connection) -> None:
    of_all = "FROM (SELECT n, lpad(to_hex(n), 32, '0')::uuid AS id FROM generate_series(1, 100000) AS n) AS of"
    for statement in (
        "INSERT INTO conversations (namespace_id, id, session_key, agent, subject, last_seq, turn_count, "
        "                           last_message_at) "
        "SELECT 1, id, 'k' || n, 'a1', 's' || n % 1000, 1, (n % 10 > 0)::int, now() - n * interval '1 minute' ",
        "INSERT INTO messages (namespace_id, id, conversation_id, seq, role, content, occurred_at, agent, subject) "
        "SELECT 1, id, id, 1, 2, 'one word', now(), 'a1', 's' || n % 1000 ",
        "INSERT INTO memories (namespace_id, kind, source_id, conversation_id, seq, agent, subject, role, occurred_at, "
        "                      content, lexemes, lexeme_count) "
        "SELECT 1, 1, id, id, 1, 'a1', 's' || n % 1000, 2, now(), 'one word', to_tsvector('english', 'word'), 2 ",
        "INSERT INTO summaries (namespace_id, id, level, conversation_id, first_seq, last_seq, agent, subject, "
        "                       content, message_count, earliest_at, latest_at) "
        "SELECT 1, id, 1, id, 1, 1, 'a1', 's' || n % 1000, 'one word', 1, now(), now() ",
        "INSERT INTO notes (namespace_id, id, agent, subject, kind, version) "
        "SELECT 1, id, 'a1', 's' || n % 1000, 'task', 1 ",
    ):
        conn.execute((statement + of_all).encode())
    conn.execute("ANALYZE conversations, messages, memories, summaries, notes")


@pytest.mark.parametrize("name", list(HOT))
def test_start_of_a_session_reads_by_index(database: DatabaseUnderTest, name: str) -> None:
    parameters, index = HOT[name]
    with as_search(database, NAMESPACE) as cursor:
        plan = plan_of(cursor, SQL[name], {**FILTER, **parameters})
        for_any = generic_plan_of(cursor, SQL[name])
    assert plan["Actual Rows"] > 0
    for each in (plan, for_any):
        assert any(index in used for used in indexes(each)), indexes(each)
    scanned = {node["Relation Name"] for node in nodes(plan) if node["Node Type"] == "Seq Scan"}
    assert scanned <= {"namespaces"}
    # At most ten rows, each through a few levels of two indexes.
    assert buffers(plan) < 300, buffers(plan)
