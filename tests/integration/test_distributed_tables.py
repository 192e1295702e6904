"""Requirements of distribution by namespace for tables: keys, no triggers, policies without look-ups.

docs/citus.md lists the rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import psycopg
import pytest

from everword.db.distribution import DISTRIBUTED, LOCAL, REFERENCE, placement
from support.databases import cloned
from support.distribution import Catalogue, called_functions, writes
from support.isolation import all_statements
from support.query_trees import nodes, read

STATEMENTS = {f"{package}.{entry.name}": entry.sql for package, entry in all_statements()}

#: Additional writes of a statement or function that writes a table, since no trigger makes them: a table that gets
#: rows, or a called function.
COMPANIONS = {
    ("memories", "INSERT"): "memory_changes",
    ("memories", "UPDATE"): "memory_changes",
    ("memories", "DELETE"): "memory_changes",
    ("api_keys", "INSERT"): "close_deployment",
}
WRITES_COMPANIONED = re.compile(
    rf"(INTO|UPDATE|DELETE FROM) ({'|'.join(sorted({table for table, _ in COMPANIONS}))})\b"
)
#: Functions that write tables of any name, and how they satisfy COMPANIONS.
WRITE_ANY_TABLE = {
    "import_rows": "logs passages; no message of a namespace that is being imported is erased",
    "erase_rows": "tables of erasure_rules: it inserts nothing, and `memories` is none of them",
    "retire": "versions and changes: it inserts nothing",
    "erase_namespace_rows": "nobody watches a namespace that is being deleted",
    "drop_derived_passages": "vectors",
    "remove_passages": "vectors",
    "upgrade_vector_tables": "vectors",
}

#: Tables whose rows are part of a row of a table in WHOLES, or of another part.
PARTS = {
    *("messages", "tool_sentences", "summary_sources"),
    *("fact_intervals", "fact_evidence", "fact_changes", "graph_node_versions"),
    *("note_versions", "document_versions", "document_chunks", "lore_entries"),
}
WHOLES = {
    *("conversations", "summaries", "facts", "graph_nodes", "notes", "documents", "lore_books"),
}
CHANGES_WHOLES = re.compile(rf"UPDATE ({'|'.join(sorted(WHOLES | PARTS))})\b")
ADDS_PARTS = re.compile(rf"INSERT INTO ({'|'.join(sorted(PARTS))})\b")


@pytest.fixture(scope="module")
def conn(postgres_url: str) -> Iterator[psycopg.Connection]:
    with cloned(postgres_url) as database, database.connect() as conn:
        yield conn


def test_every_table_has_a_placement(conn: psycopg.Connection) -> None:
    """Distributed tables have a namespace column."""
    rows = conn.execute(
        """SELECT c.relname, EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'namespace_id')
             FROM pg_class c
            WHERE c.relnamespace = 'everword'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition"""
    ).fetchall()
    tables = {name for name, _ in rows}
    assert LOCAL | REFERENCE | DISTRIBUTED | {"memory_vectors_1"} == tables
    assert {placement(name) for name in tables} == {"local", "reference", "distributed"}
    assert len(LOCAL) + len(REFERENCE) + len(DISTRIBUTED) == len(tables) - 1
    of_namespace = {name for name, has_namespace in rows if has_namespace}
    assert of_namespace - {"api_keys", "advisor_grants"} == DISTRIBUTED | {"memory_vectors_1"}


def test_unique_indexes_include_the_namespace(conn: psycopg.Connection) -> None:
    rows = conn.execute(
        """SELECT c.relname, i.indexrelid::regclass::text
             FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
             JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'namespace_id'
            WHERE c.relnamespace = 'everword'::regnamespace AND NOT c.relispartition
              AND (i.indisunique OR i.indisexclusion) AND NOT a.attnum = ANY (i.indkey)"""
    ).fetchall()
    assert [index for table, index in rows if placement(table) == "distributed"] == []


def test_foreign_keys_include_the_namespace_or_refer_to_reference_tables(
    conn: psycopg.Connection,
) -> None:
    rows = conn.execute(
        """SELECT c.relname, r.relname, conkey::text[], confkey::text[], conname, k.conrelid::text, k.confrelid::text
             FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class r ON r.oid = k.confrelid
            WHERE k.contype = 'f' AND k.conparentid = 0 AND c.relnamespace = 'everword'::regnamespace"""
    ).fetchall()
    assert len(rows) > 80
    columns = Catalogue.of(conn).columns
    for table, referred, keys, others, name, oid, referred_oid in rows:
        if referred not in REFERENCE:
            assert table in DISTRIBUTED, name
            pairs = set(zip(keys, others, strict=True))
            assert (columns[oid], columns[referred_oid]) in pairs, name


@pytest.mark.parametrize(
    "name", [name for name in STATEMENTS if WRITES_COMPANIONED.search(STATEMENTS[name])]
)
def test_statement_performs_the_companion_writes_of_its_table(
    conn: psycopg.Connection, name: str
) -> None:
    written = {(table, command) for table, command, _ in writes(conn, STATEMENTS[name])}
    done = {table for table, command in written if command == "INSERT"}
    done |= called_functions(conn, STATEMENTS[name])
    assert {COMPANIONS[each] for each in written & set(COMPANIONS)} <= done


def test_statement_without_its_companion_write_is_detected(conn: psycopg.Connection) -> None:
    for (table, command), companion in COMPANIONS.items():
        statement = {
            "INSERT": f"INSERT INTO {table} SELECT * FROM {table}",
            "UPDATE": f"UPDATE {table} SET namespace_id = 1",
            "DELETE": f"DELETE FROM {table}",
        }[command]
        assert WRITES_COMPANIONED.search(statement)
        assert [write[:2] for write in writes(conn, statement)] == [(table, command)]
        assert companion not in called_functions(conn, statement)


def test_function_performs_the_companion_writes_of_its_tables(conn: psycopg.Connection) -> None:
    rows = conn.execute(
        "SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'everword'::regnamespace"
    ).fetchall()
    writing_any = set()
    for name, body in rows:
        if re.search(r"(INSERT INTO|UPDATE|DELETE FROM) %", body):
            writing_any.add(name)
        for verb, table in re.findall(r"\b(INSERT INTO|UPDATE|DELETE FROM) (\w+)", body):
            companion = COMPANIONS.get((table, verb.split()[0]))
            if companion:
                calls = "log_memory_changes(" if companion == "memory_changes" else f"{companion}("
                assert calls in body, (name, table)
    assert writing_any == set(WRITE_ANY_TABLE)
    erased = "SELECT relation FROM erasure_rules WHERE target <> 'kept'"
    assert "memories" not in {relation for (relation,) in conn.execute(erased)}


def test_no_table_has_a_trigger(conn: psycopg.Connection) -> None:
    assert conn.execute("SELECT tgname FROM pg_trigger WHERE NOT tgisinternal").fetchall() == []


def test_policies_contain_no_subqueries(conn: psycopg.Connection) -> None:
    """Policies only compare the row's columns with settings of the transaction."""
    rows = conn.execute(
        "SELECT polrelid::regclass::text, polqual::text, polwithcheck::text FROM pg_policy"
    ).fetchall()
    assert len(rows) > 80
    called = set()
    for table, *conditions in rows:
        for condition in filter(None, conditions):
            within = list(nodes(read(condition)))
            assert "SUBLINK" not in {node["node"] for node in within}, table
            called |= {int(node["funcid"]) for node in within if node["node"] == "FUNCEXPR"}
    functions = conn.execute(
        "SELECT proname, prosrc FROM pg_proc WHERE oid = ANY(%s) AND pronamespace = 'everword'::regnamespace",
        [list(called)],
    ).fetchall()
    assert {name for name, _ in functions} == {"in_scope", "is_shown"}
    assert all("FROM" not in body for _, body in functions)


@pytest.mark.parametrize(
    "name", [name for name in STATEMENTS if ADDS_PARTS.search(STATEMENTS[name])]
)
def test_insert_of_a_part_sets_agent_and_subject(conn: psycopg.Connection, name: str) -> None:
    """Otherwise scoped keys would not see the part."""
    for table, command, columns in writes(conn, STATEMENTS[name]):
        if table in PARTS and command == "INSERT":
            assert {"agent", "subject"} <= columns, table


@pytest.mark.parametrize(
    "name", [name for name in STATEMENTS if CHANGES_WHOLES.search(STATEMENTS[name])]
)
def test_statement_never_changes_agent_or_subject(conn: psycopg.Connection, name: str) -> None:
    """Otherwise its parts would keep the former owner."""
    for table, command, columns in writes(conn, STATEMENTS[name]):
        if table in WHOLES | PARTS and command == "UPDATE":
            assert not {"agent", "subject"} & columns, table


def test_function_never_changes_agent_or_subject(conn: psycopg.Connection) -> None:
    rows = conn.execute(
        "SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'everword'::regnamespace"
    ).fetchall()
    assert [
        name for name, body in rows if re.search(r"\bSET [^;]*\b(agent|subject) = '", body)
    ] == []
