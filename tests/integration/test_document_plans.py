"""Statements on documents use their indexes, under the services' own roles, among many documents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg.types.numeric import Int8

from everword.db.statements import load_statements
from support.databases import DatabaseUnderTest, cloned
from support.plans import indexes, nodes
from support.statement_parameters import UNSET

DOCUMENTS, CHUNKS = 10_000, 100_000
INGEST = load_statements("everword_ingest.documents")
SEARCH = load_statements("everword_search.passages")
_ID = UUID(int=5)
#: By statement: the role that runs it, a part of the expected index's name, and the parameters.
CASES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "find_key": ("everword_ingest", "key_hash", {"key_hash": b"key-77"}),
    "lock_document": ("everword_ingest", "pkey", {"document_id": _ID}),
    "get_document": ("everword_ingest", "pkey", {"document_id": _ID}),
    "find_version": ("everword_ingest", "namespace_id_id_idx", {"version_id": _ID}),
    "list_chunks": ("everword_ingest", "place", {"document_id": _ID}),
    "delete_chunks": ("everword_ingest", "document_chunks_p", {"document_id": _ID, "ids": [_ID]}),
    "list_versions": (
        "everword_ingest",
        "pkey",
        {
            "document_id": _ID,
            "version": 0,
            "before_version": None,
            "start": 0,
            "max_chars": 100,
            "limit": 20,
        },
    ),
    "list_documents": (
        "everword_ingest",
        "kind",
        {
            **dict.fromkeys(("agents", "subjects", "conversation_ids", "tags", "after_id")),
            "kind": 2,
            "title_prefix": "",
            "limit": 20,
        },
    ),
    "find_workspace_chunks": (
        "everword_search",
        "kind",
        {
            **dict.fromkeys(UNSET),
            "names": ["SOUL", "MEMORY"],
            "most": 20,
            "conversation_id": None,
            "assistant": 3,
            "include_automated": False,
            "include_superseded": False,
        },
    ),
}


@pytest.fixture(scope="module")
def database(postgres_url: str) -> Iterator[DatabaseUnderTest]:
    """A database for all tests: a namespace with many documents, and a few workspace files."""
    with cloned(postgres_url) as database:
        with database.connect() as conn:
            conn.execute(
                "INSERT INTO documents (namespace_id, id, kind, title, key_hash, agent, version, chunks) "
                "SELECT 1, lpad(to_hex(n), 32, '0')::uuid, CASE WHEN n %% 500 = 0 THEN 2 ELSE 1 END, 'SOUL', "
                "       ('key-' || n)::bytea, 'a' || n %% 10, 1, 10 "
                "  FROM generate_series(1, %s) AS n",
                [DOCUMENTS],
            )
            conn.execute(
                "INSERT INTO document_versions (namespace_id, document_id, version, id, content, chars) "
                "SELECT namespace_id, id, version, id, 'Something.', 10 FROM documents"
            )
            conn.execute(
                "INSERT INTO document_chunks (namespace_id, id, document_id, place, start_char, end_char, digest) "
                "SELECT 1, gen_random_uuid(), lpad(to_hex(1 + n / 10), 32, '0')::uuid, n %% 10, 0, 10, '' "
                "  FROM generate_series(0, %s) AS n",
                [CHUNKS - 1],
            )
        with database.connect() as conn:
            conn.autocommit = True
            conn.execute("ANALYZE documents, document_versions, document_chunks")
        yield database


@pytest.mark.parametrize("mode", ["force_custom_plan", "force_generic_plan"])
@pytest.mark.parametrize("name", CASES)
def test_document_statement_uses_its_index(
    database: DatabaseUnderTest, name: str, mode: str
) -> None:
    role, part, parameters = CASES[name]
    statement = (INGEST | SEARCH)[name]
    options = f"-c role={role} -c search_path=everword,public -c plan_cache_mode={mode}"
    with psycopg.connect(database.service_url, options=options) as conn:
        conn.execute("SELECT set_config('everword.namespace_id', '1', true)")
        query = f"EXPLAIN (FORMAT JSON) {statement.sql}".encode()
        row = conn.execute(query, {**parameters, "namespace_id": Int8(1)}, prepare=True).fetchone()
    assert row
    plan = row[0][0]["Plan"]
    reads = [
        node["Node Type"]
        for node in nodes(plan)
        if node.get("Relation Name", "").startswith("document")
        and node["Node Type"] != "ModifyTable"
    ]
    assert set(reads) <= {"Index Scan", "Index Only Scan"}, reads
    assert any(part in name for name in indexes(plan)), indexes(plan)
