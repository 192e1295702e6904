"""Statements on costs use their indexes, under the services' own roles, among many calls and many runs."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg.types.numeric import Int8

from everword.db.statements import load_statements
from support.databases import DatabaseUnderTest, cloned
from support.plans import indexes, nodes

CALLS = 20_000
STATEMENTS = load_statements("everword_ingest.costs") | load_statements("everword.costs")
NOW = datetime.now(UTC)
ANY = dict.fromkeys(("models", "providers", "agents", "conversation_ids", "run_ids", "own"))
#: By statement: the role that runs it, its expected index, and its parameters.
CASES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "find_spent_budget": (
        "everword_compactor",
        "budget_spending_pkey",
        {"model": "m", "conversation_id": None, "now": None},
    ),
    "list_budget_usage": (
        "everword_ingest",
        "budget_spending_pkey",
        {
            "budget_id": None,
            "agent": "a",
            "model": "m",
            "run_id": "run-7",
            "month": "2026-03",
            "limit": 10,
            "after": None,
        },
    ),
    "list_recorded": ("everword_ingest", "usage_ledger_batch_id", {"batch_id": UUID(int=7)}),
    "sum_costs": (
        "everword_ingest",
        "usage_ledger_called_at",
        {
            **ANY,
            "start": NOW - timedelta(days=1),
            "end": NOW,
            "group_by": ["day", "model"],
            "time_zone": "Europe/Zurich",
            "after": None,
            "limit": 10,
        },
    ),
}


@pytest.fixture(scope="module")
def database(postgres_url: str) -> Iterator[DatabaseUnderTest]:
    """A database for all tests: a namespace with many calls, each of a run of its own."""
    with cloned(postgres_url) as database:
        with database.connect() as conn:
            conn.execute(
                "INSERT INTO usage_ledger (namespace_id, own, task, model, outcome, seconds, called_at, run_id, "
                "batch_id) SELECT 1, false, 'chat', 'm' || n %% 9, 'ok', 0, now() - make_interval(mins => n * 5), "
                "'run-' || n, lpad(to_hex(n), 32, '0')::uuid FROM generate_series(1, %s) AS n",
                [CALLS],
            )
            for period in (1, 2):
                conn.execute(
                    "INSERT INTO budgets (namespace_id, id, period, scope, max_tokens, warn_percent) "
                    "VALUES (1, %s, %s, 1, 1000, 80)",
                    [UUID(int=period), period],
                )
            conn.execute(
                "INSERT INTO budget_spending (namespace_id, budget_id, period, cost, tokens, calls, unpriced_calls) "
                "SELECT 1, %s, run_id, 0, 1, 1, 1 FROM usage_ledger",
                [UUID(int=1)],
            )
        with database.connect() as conn:
            conn.autocommit = True
            conn.execute("ANALYZE usage_ledger, budgets, budget_spending")
        yield database


@pytest.mark.parametrize("mode", ["force_custom_plan", "force_generic_plan"])
@pytest.mark.parametrize("name", CASES)
def test_cost_statement_uses_its_index(database: DatabaseUnderTest, name: str, mode: str) -> None:
    role, index, parameters = CASES[name]
    options = f"-c role={role} -c search_path=everword,public -c plan_cache_mode={mode}"
    with psycopg.connect(database.service_url, options=options) as conn:
        conn.execute("SELECT set_config('everword.namespace_id', '1', true)")
        query = f"EXPLAIN (FORMAT JSON) {STATEMENTS[name].sql}".encode()
        row = conn.execute(query, {**parameters, "namespace_id": Int8(1)}, prepare=True).fetchone()
    assert row
    plan = row[0][0]["Plan"]
    large = {"usage_ledger", "budget_spending"}
    scans = [node["Node Type"] for node in nodes(plan) if node.get("Relation Name") in large]
    assert not {*scans} & {"Seq Scan"}, scans
    assert index in indexes(plan), indexes(plan)
