"""Statements of lorebooks use their indexes, under the services' own roles, among many books and messages."""

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

BOOKS, MESSAGES = 5_000, 30_000
READING, WRITING = load_statements("everword.lore"), load_statements("everword_ingest.lore")
_BOOK, _CONVERSATION = UUID(int=5), UUID(int=77)
_READ = {"limit": 1000, "most_chars": 32_768, "max_bytes": 2**22}
#: By statement: the role that runs it, its parameters, and parts of the expected indexes' names.
CASES: dict[str, tuple[str, dict[str, Any], set[str]]] = {
    "find_books": (
        "everword_search",
        {
            "agents": ["", "a7"],
            "subjects": ["", "s7"],
            "conversation_id": _CONVERSATION,
            "limit": 50,
        },
        {"agent_subject", "conversation_id"},
    ),
    "read_rules": ("everword_search", {"book_ids": [_BOOK]}, {"book_id"}),
    "read_contents": ("everword_search", {"entry_ids": [_BOOK]}, {"pkey"}),
    "read_lines": (
        "everword_search",
        {"conversation_id": _CONVERSATION, "depth": 5, "turns": 3, **_READ},
        {"conversation_id_seq"},
    ),
    "find_book": ("everword_ingest", {"key_hash": b"5"}, {"key_hash"}),
    "get_book": ("everword_ingest", {"book_id": _BOOK}, {"pkey"}),
    "find_entry": ("everword_ingest", {"book_id": _BOOK, "title": "e1"}, {"book_id_title"}),
    "count_entries": ("everword_ingest", {"book_id": _BOOK}, {"book_id"}),
    "list_entries": (
        "everword_ingest",
        {"book_id": _BOOK, "after_id": None, "limit": 50},
        {"book_id"},
    ),
}


@pytest.fixture(scope="module")
def database(postgres_url: str) -> Iterator[DatabaseUnderTest]:
    """A database for all tests: many books of ten entries each, and a conversation of many messages."""
    with cloned(postgres_url) as database:
        with database.connect() as conn:
            conn.execute(
                "INSERT INTO conversations (namespace_id, id, channel, agent, session_key) "
                "VALUES (1, %s, '', '', 's')",
                [_CONVERSATION],
            )
            conn.execute(
                "INSERT INTO messages "
                "(namespace_id, id, conversation_id, seq, role, content, occurred_at, recorded_at) "
                "SELECT 1, gen_random_uuid(), %s, n, 2 + n %% 3, repeat('word ', 40), now(), now() "
                "  FROM generate_series(1, %s) n",
                [_CONVERSATION, MESSAGES],
            )
            conn.execute(
                "INSERT INTO lore_books (namespace_id, id, name, agent, subject, key_hash) "
                "SELECT 1, lpad(to_hex(n), 32, '0')::uuid, n::text, 'a' || n %% 50, 's' || n %% 70, n::text::bytea "
                "  FROM generate_series(1, %s) n",
                [BOOKS],
            )
            conn.execute(
                "INSERT INTO lore_entries (namespace_id, id, book_id, title, content, triggers) "
                "SELECT 1, gen_random_uuid(), b.id, 'e' || n, repeat('lore ', 100), '[{}]' "
                "  FROM lore_books b, generate_series(1, 10) n"
            )
            for table in ("messages", "lore_books", "lore_entries"):
                conn.execute(f"ANALYZE {table}".encode())
        yield database


@pytest.mark.parametrize("name", CASES)
def test_lore_statement_uses_its_index(database: DatabaseUnderTest, name: str) -> None:
    role, asked, wanted = CASES[name]
    statement = READING[name] if name in READING else WRITING[name]
    options = f"-c role={role} -c search_path=everword,public"
    with psycopg.connect(database.service_url, options=options) as conn:
        conn.execute("SELECT set_config('everword.namespace_id', '1', true)")
        found = conn.execute(
            f"EXPLAIN (ANALYZE, FORMAT JSON) {statement.sql}".encode(),
            {"namespace_id": Int8(1), **asked},
        ).fetchone()
    assert found is not None
    plan = found[0][0]["Plan"]
    read = [node for node in nodes(plan) if "Relation Name" in node]
    assert not [node for node in read if node["Node Type"] == "Seq Scan" and node["Actual Loops"]]
    used = indexes(plan)
    assert all(any(part in index for index in used) for part in wanted), used
    assert all(node["Actual Rows"] * node["Actual Loops"] <= 200 for node in read), read
