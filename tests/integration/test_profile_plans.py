"""Cost of a profile compared with a page of Browse, in a namespace with 100,000 facts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg.types.numeric import Int8

from everword.db.statements import Statement
from everword_search.facts.store import SQL as FACTS
from everword_search.passages.store import SQL as SEARCH
from everword_search.records.model import EVERYTHING
from everword_search.records.store import SQL as RECORDS
from support.databases import DatabaseUnderTest, cloned
from support.plans import as_search, indexes, nodes, plan_of

FACTS_STORED, SUBJECTS = 100_000, 20
NOISE_S = 0.002
#: A conversation without a subject.
GROUP = UUID(int=7)
NOTHING = dict.fromkeys(("valid_at", "known_at", "since", "before", "first_seen", "agents"))
PROFILE: dict[str, Any] = {
    **dict.fromkeys(("valid_at", "known_at", "categories", "attributes")),
    "subject": "s7",
    "include_expired": False,
    "limit": 101,
}
KNOWN: dict[str, Any] = {
    **NOTHING,
    "subjects": ["s7"],
    "agents": [""],
    "unnamed": False,
    "user": "user",
    "limit": 200,
    "max_messages": 20,
}
PAGE: dict[str, Any] = {
    **vars(EVERYTHING),
    "include_automated": False,
    "constraint": None,
    "after_occurred_at": "infinity",
    "after_source_id": UUID(int=2**128 - 1),
    "limit": 51,
}
READ: dict[str, Any] = {
    "max_chars": 2000,
    "max_parts": 52,
    "max_metadata_chars": 2000,
    "indexed_chars": 32_768,
    "message": 1,
    "summary": 2,
    "note": 3,
    "chunk": 5,
}


@pytest.fixture(scope="module")
def database(postgres_url: str) -> Iterator[DatabaseUnderTest]:
    with cloned(postgres_url) as database:
        with database.connect() as conn:
            _fill(conn)
        yield database


def _fill(conn: psycopg.Connection) -> None:
    conn.execute(
        "INSERT INTO facts (namespace_id, id, subject, category, attribute, value, value_hash, several, source, "
        "                   state, confidence, lifetime_days, first_seen_at, last_seen_at, supporting) "
        "SELECT 1, ('00000000-0000-0000-0000-' || lpad(to_hex(n), 12, '0'))::uuid, 's' || n %% %(subjects)s, "
        "       'general', 'a' || n / 1000, 'the value of number ' || n, sha256(n::text::bytea), true, 1, 2, random(), "
        "       365, now() - interval '9 days', now(), 1 "
        "  FROM generate_series(1, %(facts)s) AS n",
        {"facts": FACTS_STORED, "subjects": SUBJECTS},
    )
    conn.execute(
        "INSERT INTO fact_intervals (namespace_id, id, fact_id, valid_from, valid_until, known_from) "
        "SELECT 1, gen_random_uuid(), id, now() - p * interval '1 day', "
        "       CASE WHEN p = 2 THEN now() - interval '1 day' END, now() - interval '9 days' "
        "  FROM facts, generate_series(1, 2) AS p"
    )
    conn.execute(
        "INSERT INTO conversations (namespace_id, id, channel, agent, session_key) VALUES (1, %s, '', '', 'group')",
        [GROUP],
    )
    conn.execute(
        "INSERT INTO fact_evidence (namespace_id, id, fact_id, message_id, conversation_id, contradicts, source, "
        "                           quote, said_at, recorded_at) "
        "SELECT 1, gen_random_uuid(), id, NULL, %s, false, 1, value, now(), now() "
        "  FROM facts WHERE subject = 's7'",
        [GROUP],
    )
    conn.execute(
        "INSERT INTO memories (namespace_id, kind, source_id, subject, occurred_at, content, lexemes, lexeme_count) "
        "SELECT 1, 4, i.id, f.subject, i.valid_from, f.value, to_tsvector('english', f.value), 4 "
        "  FROM facts f JOIN fact_intervals i ON i.fact_id = f.id AND i.valid_until IS NULL"
    )
    conn.execute("VACUUM ANALYZE memories")
    conn.execute("ANALYZE facts, fact_intervals, fact_evidence")


def test_get_profile_costs_at_most_one_and_a_half_browse_pages(
    database: DatabaseUnderTest,
) -> None:
    with as_search(database, 1) as cursor:

        def run(statement: Statement, parameters: dict[str, Any]) -> list[Any]:
            cursor.execute(statement.sql.encode(), {**parameters, "namespace_id": Int8(1)})
            return cursor.fetchall()

        def browse() -> None:
            ids = [row[0] for row in run(SEARCH["browse_newest"], PAGE)]
            found = {"source_ids": ids, "passage_ids": [0] * len(ids)}
            run(RECORDS["read_memories"], {**READ, **found})

        assert len(run(FACTS["get_profile"], PROFILE)) == 101
        assert len(run(FACTS["find_known"], KNOWN)) == 200
        page = _seconds(browse)
        # Warm-up and other load affect both alike, so the minima are compared.
        assert _seconds(lambda: run(FACTS["get_profile"], PROFILE)) <= 1.5 * page + NOISE_S
        assert _seconds(lambda: run(FACTS["find_known"], KNOWN)) <= 3 * page + NOISE_S
        for name, parameters, index in (
            ("get_profile", PROFILE, "category_attribute"),
            ("find_known", KNOWN, "confidence_last_seen"),
        ):
            plan = plan_of(cursor, FACTS[name], parameters)
            assert any(index in each for each in indexes(plan))
            # Only the shown part of a profile is read.
            read = max(node["Actual Rows"] for node in nodes(plan) if "Index Name" in node)
            assert read <= 4 * parameters["limit"]


def test_find_own_reads_evidence_only_of_returned_facts(
    database: DatabaseUnderTest,
) -> None:
    with as_search(database, 1) as cursor:
        limit = 200
        own = {"subjects": ["s7"], "user": "user", "known_at": None, "limit": limit}
        plan = plan_of(cursor, FACTS["find_own"], own)
        assert plan["Actual Rows"] == 2 * limit
        evidence = [node for node in nodes(plan) if "evidence" in node.get("Relation Name", "")]
        assert evidence
        for node in evidence:
            assert node["Actual Rows"] * node["Actual Loops"] <= 2 * limit


def _seconds(run: Callable[[], Any]) -> float:
    took = []
    for _ in range(9):
        before = time.perf_counter()
        run()
        took.append(time.perf_counter() - before)
    return min(took)
