"""Requirements of distribution by namespace for statements, and the statements that do not meet them yet.

docs/citus.md lists the rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import psycopg
import pytest

from support.databases import cloned
from support.distribution import Catalogue, locks_or_changes_rows, untied_tables, written_views
from support.isolation import PREDICATE, all_statements

STATEMENTS = {f"{package}.{entry.name}": entry.sql for package, entry in all_statements()}

#: Statements that read more than one namespace, with the reason. All belong to workers and sweeps, and read ids and
#: counters; rows found are locked and changed by a separate statement for each namespace.
READ_ACROSS = {
    "everword.jobs.find_unpublished": "a publisher sends what is due in any namespace",
    "everword.jobs.find_startable": "a worker goes from namespace to namespace",
    "everword.jobs.other_namespaces_wait": "whether it is another namespace's turn",
    "everword.jobs.find_expired": "a sweep",
    "everword.jobs.count_published": "a sweep",
    "everword.jobs.find_lost": "a sweep",
    "everword.jobs.find_done": "a sweep",
    "everword_ingest.housekeeping.find_crowded": "housekeeping",
    "everword_ingest.housekeeping.list_unmeasured": "housekeeping",
    "everword_embedder.count_pending": "a generation's backlog",
    "everword_compactor.jobs.vectors_are_due": "a job waits for the vectors of all namespaces",
    "everword_embedder.queue.count_backlog": "a metric",
}
#: Statements on small tables that are replicated to each node, with the reason why they name no namespace.
ON_EACH_NODE = {
    "everword_ingest.admin.insert_api_key": "whether an operator's key exists, and it may be one",
    "everword_ingest.admin.list_api_keys": "an operator's keys are all of them",
    "everword_ingest.admin.get_api_keys": "by the keys' ids",
    "everword_ingest.admin.revoke_api_key": "by the key's id",
    "everword_ingest.admin.rotate_api_key": "by the key's id",
}
CROSSING = {**READ_ACROSS, **ON_EACH_NODE}

#: Functions on namespaced tables. Those marked "one:" touch only rows of a single namespace.
FUNCTIONS = {
    **dict.fromkeys(
        ("log_index_change", "log_memory_changes", "import_rows", "advance_import", "is_erasing"),
        "one: the namespace that the transaction is set to",
    ),
    **dict.fromkeys(("erase_namespace_rows", "count_namespace_rows"), "one: its argument"),
    "spend_grant": "as authenticate_key",
    "authenticate_key": "who calls is what it is asked: by the hash of a secret",
    **dict.fromkeys(
        (
            "begin_namespace",
            *("drop_derived_passages", "close_derived_passages", "remove_passages"),
            *("erase_facts", "erase_batch", "hidden_authors", "hidden_conversations"),
            *("withdraw_nodes", "withdraw_summaries", "withdraw_facts", "withdraw_learned"),
            *("withdraw_derived", "forget_requests", "forget_author_names", "fence_jobs"),
            *("begin_erasure", "count_erased", "finish_erasure", "find_erasure_hold"),
            *("preview_erasure", "forget_sessions", "remove_messages", "retire"),
            *("retire_conversations", "erase_rows", "forget_errors", "withdraw_themes"),
            *("withdraw_target", "count_passages", "fact_nodes", "remove_loose_nodes"),
            *("with_merged_nodes", "merged_node", "erase_memories", "withdraw_pages"),
            *("pages_made_of", "plan_summaries", "plan_facts", "plan_learned"),
            *("needs_vector", "missing_vectors", "lock_sources"),
        ),
        "one: its argument",
    ),
    "target_messages": "one: that of its argument",
    "find_namespace_hold": "one: the namespace that its argument names",
    "newer_erasure": "an operator's: the name of a copy where something was erased",
    "running_erasures": "a sweep: ids alone",
    "running_retention": "a sweep: ids alone",
    "idle_retention": "a sweep: ids and times alone",
    "drop_vector_table": "an operator's: a model goes with its vectors",
    "backfill_generation": "an operator's: all passages get vectors of a new model",
    "generation_is_complete": "an operator's: whether all have them",
    "missing_vectors": "one: its argument",
    "divide_batch": "a worker's batch holds passages of any namespace",
    "earliest_pending": "a sweep: ids and times alone",
    "forgotten_namespaces": "a sweep: ids alone",
    "outdated_summaries": "a sweep: ids, dates and subjects, no content",
    "nightless_namespaces": "a sweep: ids alone",
    "changed_topics": "a sweep: ids alone",
    "pending_periods": "a sweep: dates and subjects, no content",
    **dict.fromkeys(
        ("prune_append_requests", "prune_memory_changes", "prune_usage"), "one: its argument"
    ),
    "old_append_requests": "a sweep: ids alone",
    "old_memory_changes": "a sweep: ids alone",
    "namespaces_with_old_usage": "a sweep: ids alone",
    **dict.fromkeys(
        (
            *("number_changes", "hold_lock", "share_lock", "update_memory_class"),
            *("insert_passages", "enqueue_jobs", "enqueue_days", "enqueue_lost_periods"),
        ),
        "one: its argument",
    ),
    "next_turn": "a worker goes from namespace to namespace: ids alone",
    "unnumbered_namespaces": "a sweep: ids alone",
    "price_records": "one: the namespace that the transaction is set to",
    "record_usage": "one: the namespace that the transaction is set to",
    "add_budget_events": "one: the namespace that the transaction is set to",
}


@pytest.fixture(scope="module")
def conn(postgres_url: str) -> Iterator[psycopg.Connection]:
    with cloned(postgres_url) as database, database.connect() as conn:
        yield conn


@pytest.fixture(scope="module")
def plain(postgres_url: str) -> Iterator[psycopg.Connection]:
    """A database as on a server without pgvector."""
    with cloned(postgres_url) as database, database.connect() as conn:
        conn.execute("DROP VIEW visible_vectors_1")
        conn.execute("DROP TABLE memory_vectors_1")
        conn.execute("DROP EXTENSION vector")
        conn.execute("SELECT create_vector_table(1)")
        yield conn


@pytest.fixture
def world(conn: psycopg.Connection, plain: psycopg.Connection, name: str) -> psycopg.Connection:
    """Return the database for which a statement is written."""
    return plain if name.endswith("_arrays") else conn


@pytest.mark.parametrize("name", STATEMENTS)
def test_statement_restricts_every_table_to_its_namespace(
    world: psycopg.Connection, name: str
) -> None:
    found = untied_tables(world, STATEMENTS[name])
    assert written_views(world, STATEMENTS[name]) == [], "through a view, no rows are changed"
    if name in CROSSING:
        assert found, "it names its namespace everywhere: take it off the list"
    else:
        assert not found, f"any namespace's rows of {found}; tie each to %(namespace_id)s"


def test_statements_that_cross_namespaces_exist() -> None:
    assert set(CROSSING) <= set(STATEMENTS)


@pytest.mark.parametrize("name", READ_ACROSS)
def test_cross_namespace_statements_lock_and_change_no_rows(
    conn: psycopg.Connection, name: str
) -> None:
    """Otherwise rows would be locked on one node at a time, and skipped only by that node."""
    assert not locks_or_changes_rows(conn, STATEMENTS[name])


def test_api_key_statements_cross_namespaces_only_in_api_keys(conn: psycopg.Connection) -> None:
    for name in ON_EACH_NODE:
        assert set(untied_tables(conn, STATEMENTS[name])) == {"api_keys"}


TIED = [
    name for name, text in STATEMENTS.items() if name not in CROSSING and PREDICATE.search(text)
]


@pytest.mark.parametrize("name", TIED)
def test_statement_without_namespace_predicate_is_detected(
    world: psycopg.Connection, name: str
) -> None:
    assert untied_tables(world, PREDICATE.sub("TRUE", STATEMENTS[name]))


HELD = "m.namespace_id = %(namespace_id)s"
SAMPLES = {
    f"SELECT FROM messages m WHERE {HELD}": [],
    "SELECT FROM messages m WHERE m.id = %(id)s": ["messages"],
    "SELECT FROM messages m WHERE m.namespace_id = 1": ["messages"],
    "SELECT FROM messages m WHERE m.namespace_id = %(id)s": ["messages"],
    f"SELECT FROM messages m WHERE {HELD} OR m.seq = 1": ["messages"],
    f"SELECT FROM messages m WHERE NOT {HELD}": ["messages"],
    f"SELECT FROM messages m JOIN summaries s ON s.id = m.id WHERE {HELD}": ["summaries"],
    f"SELECT FROM messages m JOIN summaries s ON s.namespace_id = m.namespace_id WHERE {HELD}": [],
    f"SELECT FROM messages m JOIN summaries s USING (namespace_id) WHERE {HELD}": [],
    f"SELECT FROM messages m LEFT JOIN summaries s ON {HELD}": ["messages", "summaries"],
    f"SELECT FROM summaries s RIGHT JOIN messages m ON s.namespace_id = m.namespace_id WHERE {HELD}": [],
    f"SELECT FROM messages m WHERE {HELD} AND EXISTS (SELECT FROM summaries s WHERE s.id = m.id)": [
        "summaries"
    ],
    "SELECT (SELECT max(s.level) FROM summaries s WHERE s.namespace_id = m.namespace_id) "
    f"FROM messages m WHERE {HELD}": [],
    "SELECT FROM visible_memories WHERE id = 1": ["visible_memories"],
    f"WITH x AS (SELECT m.namespace_id AS n FROM messages m WHERE {HELD} GROUP BY 1) "
    "SELECT FROM x JOIN jobs j ON j.namespace_id = x.n": [],
    "WITH x AS (SELECT m.namespace_id AS n FROM messages m) SELECT FROM x JOIN jobs j ON j.namespace_id = x.n": [
        "jobs",
        "messages",
    ],
    "SELECT FROM jobs j WHERE (j.namespace_id, j.id) IN "
    f"(SELECT m.namespace_id, m.seq FROM messages m WHERE {HELD})": [],
    "SELECT FROM jobs j WHERE (j.id, j.namespace_id) IN (SELECT m.namespace_id, m.seq FROM messages m)": [
        "jobs",
        "messages",
    ],
    f"SELECT FROM jobs j JOIN (SELECT m.namespace_id FROM messages m WHERE {HELD} UNION ALL SELECT 7) u "
    "ON u.namespace_id = j.namespace_id": ["jobs"],
    "DELETE FROM jobs WHERE id = %(id)s": ["jobs"],
    "UPDATE jobs SET error = '' FROM messages m WHERE m.namespace_id = jobs.namespace_id": [
        "jobs",
        "messages",
    ],
    f"UPDATE jobs SET error = '' FROM messages m WHERE m.namespace_id = jobs.namespace_id AND {HELD}": [],
    "INSERT INTO memory_use (namespace_id, memory_id, last_used_at) VALUES (%(namespace_id)s, %(id)s, now())": [],
    "INSERT INTO memory_use (namespace_id, memory_id, last_used_at) VALUES (7, %(id)s, now())": [
        "memory_use"
    ],
    f"INSERT INTO memory_use SELECT m.namespace_id, m.id, 1, now() FROM messages m WHERE {HELD}": [],
    "INSERT INTO memory_use SELECT %(namespace_id)s, m.id, 1, now() FROM messages m": ["messages"],
    f"WITH RECURSIVE x AS (SELECT m.namespace_id AS n, m.seq FROM messages m WHERE {HELD} UNION ALL "
    "SELECT x.n, x.seq + 1 FROM x) SELECT FROM x JOIN jobs j ON j.namespace_id = x.n": [],
}


WRITES = {
    "SELECT FROM jobs FOR UPDATE SKIP LOCKED": (True, []),
    "SELECT FROM jobs WHERE id IN (SELECT id FROM jobs FOR NO KEY UPDATE)": (True, []),
    "WITH x AS (DELETE FROM jobs RETURNING id) SELECT id FROM x": (True, []),
    "SELECT namespace_id FROM jobs GROUP BY 1": (False, []),
    "WITH x AS (UPDATE visible_memories SET role = 0 RETURNING id) SELECT id FROM x": (
        True,
        ["visible_memories"],
    ),
    "INSERT INTO visible_vectors_1 SELECT * FROM memory_vectors_1": (True, ["visible_vectors_1"]),
    "DELETE FROM memories USING visible_vectors_1": (True, []),
}


@pytest.mark.parametrize("statement", WRITES)
def test_check_detects_locks_and_writes(conn: psycopg.Connection, statement: str) -> None:
    found = locks_or_changes_rows(conn, statement), written_views(conn, statement)
    assert found == WRITES[statement]


@pytest.mark.parametrize("statement", SAMPLES)
def test_check_follows_namespace_through_joins_and_subqueries(
    conn: psycopg.Connection, statement: str
) -> None:
    assert untied_tables(conn, statement) == SAMPLES[statement]


def test_functions_that_access_namespaced_rows_are_listed(conn: psycopg.Connection) -> None:
    names = "|".join(name for name in Catalogue.of(conn).names.values() if name != "namespaces")
    rows = conn.execute(
        "SELECT p.proname, p.prosrc FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang"
        " WHERE p.pronamespace = 'everword'::regnamespace AND l.lanname IN ('sql', 'plpgsql')"
    ).fetchall()
    touching = {
        name
        for name, body in rows
        if re.search(rf"\b(FROM|JOIN|INTO|UPDATE) ({names}|%1\$I)\b", body)
    }
    assert touching == set(FUNCTIONS)
