"""Statements and functions follow the rules of a distributed database, by PostgreSQL's own parse tree.

docs/citus.md lists the rules. `tests/citus` runs the statements on a cluster.
"""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from everword.db.distribution import DELEGATED_FUNCTIONS, STEPS
from support.citus_rules import OF_ONE_NODE, Database, broken_by_function, broken_rules
from support.databases import cloned
from support.isolation import all_statements

#: Statements that break a rule, with the reason.
EXCEPTIONS = {
    "everword.db.commit_position": "positions of the log are read where the namespace is (ADR 43)",
    "everword_search.records.caught_up": "as commit_position",
    "everword_ingest.costs.lock_prices": "prices belong to the deployment; the coordinator locks them",
    "everword_ingest.housekeeping.fold_corpus_counts": "housekeeping of one namespace, every few minutes",
}
#: Its namespace is text, so that it cannot be parsed with the others.
UNTYPED = "everword.db.begin_namespace"
STATEMENTS = {
    f"{package}.{entry.name}": entry.sql
    for package, entry in all_statements()
    if not entry.name.endswith("_arrays") and f"{package}.{entry.name}" != UNTYPED
}
#: Functions with the rights of the owner that touch rows of namespaces and do not run on the node of one: each is the
#: only statement of its transaction, or the first one.
ON_THE_COORDINATOR = {
    **dict.fromkeys(
        (
            *("old_append_requests", "old_memory_changes", "namespaces_with_old_usage"),
            *("unnumbered_namespaces", "running_erasures", "running_retention", "idle_retention"),
            *("nightless_namespaces", "changed_topics", "pending_periods", "outdated_summaries"),
        ),
        "a sweep over namespaces, which only reads",
    ),
    **dict.fromkeys(
        ("prune_append_requests", "prune_memory_changes", "prune_usage"), "housekeeping"
    ),
    **dict.fromkeys(
        ("import_rows", "export_rows", "advance_import", "is_erasing", "newer_erasure"),
        "transfer: statements over tables of transfer_rules, which is on the coordinator",
    ),
    **dict.fromkeys(
        ("erase_namespace_rows", "count_namespace_rows", "find_namespace_hold"),
        "the deletion of a namespace",
    ),
    "backfill_generation": "a step for all namespaces",
}


@pytest.fixture(scope="module")
def conn(postgres_url: str) -> Iterator[psycopg.Connection]:
    with cloned(postgres_url) as database, database.connect() as conn:
        yield conn


@pytest.fixture(scope="module")
def database(conn: psycopg.Connection) -> Database:
    return Database.of(conn)


@pytest.mark.parametrize("name", STATEMENTS)
def test_statement_follows_the_rules(
    conn: psycopg.Connection, database: Database, name: str
) -> None:
    broken = broken_rules(conn, database, STATEMENTS[name])
    if name in EXCEPTIONS:
        assert broken, "it follows the rules: take it off the list"
    else:
        assert broken == []


def test_functions_in_sql_follow_the_rules(conn: psycopg.Connection, database: Database) -> None:
    rows = conn.execute(
        "SELECT p.oid::regprocedure::text FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang "
        "WHERE p.pronamespace = 'everword'::regnamespace AND l.lanname = 'sql' AND p.proname <> ALL(%s)",
        [[*STEPS]],
    ).fetchall()
    assert len(rows) > 10
    for (signature,) in rows:
        assert broken_by_function(conn, database, signature) == [], signature


def test_functions_use_no_value_of_one_node(conn: psycopg.Connection) -> None:
    rows = conn.execute(
        "SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'everword'::regnamespace"
    ).fetchall()
    assert [name for name, body in rows if OF_ONE_NODE.search(body)] == []


def test_functions_with_the_rights_of_the_owner_run_where_the_rows_are(
    conn: psycopg.Connection, database: Database
) -> None:
    """After a write of the caller, the coordinator cannot write to the same rows as the owner."""
    rows = conn.execute(
        "SELECT oid::text, proname FROM pg_proc WHERE pronamespace = 'everword'::regnamespace AND prosecdef"
    ).fetchall()
    touching = {name for oid, name in rows if oid in database.reading}
    assert touching - {*DELEGATED_FUNCTIONS, *STEPS} == {*ON_THE_COORDINATOR}


def test_delegated_functions_take_the_namespace_first(conn: psycopg.Connection) -> None:
    rows = conn.execute(
        "SELECT proname, proargnames[1], format_type(proargtypes[0], NULL) FROM pg_proc "
        "WHERE pronamespace = 'everword'::regnamespace AND proname = ANY(%s)",
        [[*DELEGATED_FUNCTIONS]],
    ).fetchall()
    assert {name for name, *_ in rows} == {*DELEGATED_FUNCTIONS}
    assert {(argument, type_) for _, argument, type_ in rows} == {("namespace", "bigint")}


def test_exceptions_exist() -> None:
    assert {*EXCEPTIONS} <= {*STATEMENTS}


OWN = "namespace_id = %(namespace_id)s"
SAMPLES = {
    f"UPDATE jobs SET error = coalesce(error, now()::text) WHERE {OWN}": [
        "function that is not immutable in CASE or COALESCE"
    ],
    "INSERT INTO memory_use (namespace_id, memory_id, last_used_at) VALUES (%(namespace_id)s, %(id)s, %(now)s) "
    "ON CONFLICT (namespace_id, memory_id) DO UPDATE SET last_used_at = now()": [
        "function that is not immutable in DO UPDATE"
    ],
    "INSERT INTO memory_use (namespace_id, memory_id, last_used_at) "
    "SELECT %(namespace_id)s, unnest(%(ids)s::uuid[]), %(now)s::timestamptz": [
        "INSERT ... SELECT without a table of the namespace",
        "namespace of INSERT ... SELECT from a parameter",
    ],
    "INSERT INTO memory_use (namespace_id, memory_id, last_used_at) "
    f"SELECT t.namespace_id, gen_random_uuid(), %(now)s::timestamptz FROM tenants t WHERE t.{OWN}": [
        "volatile function in INSERT ... SELECT"
    ],
    "INSERT INTO memory_use (namespace_id, memory_id, last_used_at) "
    "SELECT t.namespace_id, u.id, %(now)s::timestamptz "
    f"FROM tenants t CROSS JOIN unnest(%(ids)s::uuid[]) u (id) WHERE t.{OWN}": [],
    "INSERT INTO memory_use (namespace_id, memory_id, last_used_at) VALUES (%(namespace_id)s, "
    f"(SELECT id FROM messages WHERE {OWN} LIMIT 1), %(now)s)": ["subquery in VALUES"],
    "WITH RECURSIVE x AS (SELECT min(namespace_id) AS n FROM jobs UNION ALL "
    "SELECT (SELECT min(namespace_id) FROM jobs WHERE namespace_id > x.n) FROM x WHERE x.n IS NOT NULL) "
    "SELECT n FROM x": [
        "correlated subquery over namespaces",
        "recursion over namespaces",
    ],
    "SELECT FROM jobs j JOIN messages m ON m.seq = j.id": ["join over namespaces"],
    "SELECT namespace_id, count(*) FROM jobs GROUP BY 1": [],
    "SELECT FROM jobs j WHERE EXISTS (SELECT 1 FROM messages m WHERE m.namespace_id = j.namespace_id)": [],
    f"SELECT needs_vector(namespace_id, kind, source_id, part, content) FROM memories WHERE {OWN}": [
        "needs_vector reads tables on a node"
    ],
    "SELECT pg_advisory_xact_lock(1)": ["value of one node"],
}


@pytest.mark.parametrize("statement", SAMPLES)
def test_check_finds_broken_rules(
    conn: psycopg.Connection, database: Database, statement: str
) -> None:
    assert broken_rules(conn, database, statement) == SAMPLES[statement]
