"""Statements on notes use their indexes, under the services' own roles, among many notes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg.types.numeric import Int8

from everword.db.statements import load_statements
from support.databases import DatabaseUnderTest, cloned
from support.plans import indexes, nodes
from support.statement_parameters import UNSET

NOTES = 20_000
INGEST = load_statements("everword_ingest.notes")
SEARCH = load_statements("everword_search.passages")
_ID = UUID(int=5)
#: By statement: the role that runs it, a part of the expected index's name, and the parameters.
CASES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "find_key": (
        "everword_ingest",
        "key_hash",
        {"key_hash": b"key-77"},
    ),
    "lock_note": ("everword_ingest", "pkey", {"note_id": _ID}),
    "get_note": ("everword_ingest", "pkey", {"note_id": _ID, "max_chars": None}),
    "find_version": ("everword_ingest", "namespace_id_id_idx", {"version_id": _ID}),
    "list_versions": (
        "everword_ingest",
        "pkey",
        {"note_id": _ID, "before_version": None, "limit": 20},
    ),
    "list_notes": (
        "everword_ingest",
        "kind",
        {
            **dict.fromkeys(("agents", "subjects", "conversation_ids", "since", "before")),
            "kinds": ["advisor_note"],
            "tags": ["acme/shop#41"],
            "key_prefix": "",
            "min_importance": 0,
            "after_id": None,
            "max_chars": 100,
            "limit": 20,
        },
    ),
    "find_present": ("everword_search", "log_date", {}),
    "find_log_entries": (
        "everword_search",
        "log_date",
        {
            **dict.fromkeys(UNSET),
            "first_day": date(2026, 4, 17),
            "limit": 50,
            "include_automated": False,
            "include_superseded": False,
        },
    ),
}


@pytest.fixture(scope="module")
def database(postgres_url: str) -> Iterator[DatabaseUnderTest]:
    """A database for all tests: a namespace with many notes, few of them of a kind or a day."""
    with cloned(postgres_url) as database:
        with database.connect() as conn:
            conn.execute(
                "INSERT INTO notes (namespace_id, id, key, key_hash, agent, kind, version, log_date) "
                "SELECT 1, lpad(to_hex(n), 32, '0')::uuid, 'key-' || n, ('key-' || n)::bytea, 'a' || n %% 10, "
                "       CASE WHEN n %% 500 = 0 THEN 'advisor_note' ELSE '' END, 1, "
                "       CASE WHEN n %% 10 = 0 THEN date '2026-04-18' - n / 100 END "
                "  FROM generate_series(1, %s) AS n",
                [NOTES],
            )
            conn.execute(
                "INSERT INTO note_versions (namespace_id, note_id, version, id, content) "
                "SELECT namespace_id, id, version, id, 'Something.' FROM notes"
            )
        with database.connect() as conn:
            conn.autocommit = True
            conn.execute("ANALYZE notes, note_versions")
        yield database


@pytest.mark.parametrize("mode", ["force_custom_plan", "force_generic_plan"])
@pytest.mark.parametrize("name", CASES)
def test_note_statement_uses_its_index(database: DatabaseUnderTest, name: str, mode: str) -> None:
    role, part, parameters = CASES[name]
    statement = (INGEST | SEARCH)[name]
    options = f"-c role={role} -c search_path=everword,public -c plan_cache_mode={mode}"
    with psycopg.connect(database.service_url, options=options) as conn:
        conn.execute("SELECT set_config('everword.namespace_id', '1', true)")
        query = f"EXPLAIN (FORMAT JSON) {statement.sql}".encode()
        row = conn.execute(query, {**parameters, "namespace_id": Int8(1)}, prepare=True).fetchone()
    assert row
    plan = row[0][0]["Plan"]
    on_notes = [node for node in nodes(plan) if node.get("Relation Name", "").startswith("note")]
    assert {node["Node Type"] for node in on_notes} <= {"Index Scan", "Index Only Scan"}, on_notes
    assert any(part in name for name in indexes(plan)), indexes(plan)
