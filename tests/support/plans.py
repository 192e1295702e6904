"""Query plans of search statements, under the service's own role."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg.types.numeric import Int8

from everword.db.statements import Statement
from support.databases import DatabaseUnderTest


@contextmanager
def as_search(database: DatabaseUnderTest, namespace_id: int) -> Iterator[psycopg.Cursor]:
    """Yield a transaction in which statements are planned as in a search with a custom plan."""
    options = "-c role=everword_search -c search_path=everword,public"
    with psycopg.connect(database.service_url, options=options) as conn, conn.cursor() as cursor:
        cursor.execute(
            "SELECT set_config('everword.namespace_id', %s, true), "
            "       set_config('plan_cache_mode', 'force_custom_plan', true)",
            [str(namespace_id)],
        )
        yield cursor


def plan_of(
    cursor: psycopg.Cursor, statement: Statement, parameters: dict[str, Any]
) -> dict[str, Any]:
    """Execute a statement in the transaction's namespace; return its plan with the buffers read."""
    query = f"EXPLAIN (FORMAT JSON, ANALYZE, BUFFERS) {statement.sql}"
    cursor.execute("SELECT current_setting('everword.namespace_id')::bigint")
    row = cursor.fetchone()
    assert row
    cursor.execute(query.encode(), {**parameters, "namespace_id": Int8(row[0])})
    row = cursor.fetchone()
    assert row
    plan: dict[str, Any] = row[0][0]["Plan"]
    return plan


def generic_plan_of(cursor: psycopg.Cursor, statement: Statement) -> dict[str, Any]:
    """Return a statement's plan for any parameters."""
    names: list[str] = []

    def place(match: re.Match[str]) -> str:
        if match[1] not in names:
            names.append(match[1])
        return f"${names.index(match[1]) + 1}"

    sql = re.sub(r"%\((\w+)\)[sb]", place, statement.sql).replace("%%", "%")
    cursor.execute(f"EXPLAIN (FORMAT JSON, GENERIC_PLAN) {sql}".encode())
    row = cursor.fetchone()
    assert row
    plan: dict[str, Any] = row[0][0]["Plan"]
    return plan


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a plan's node and all nodes below it."""
    yield plan
    for child in plan.get("Plans", []):
        yield from nodes(child)


def indexes(plan: dict[str, Any]) -> set[str]:
    return {node["Index Name"] for node in nodes(plan) if "Index Name" in node}


def buffers(plan: dict[str, Any]) -> int:
    """Return the number of page reads from memory or disk; a page read twice counts twice."""
    return int(plan["Shared Hit Blocks"]) + int(plan["Shared Read Blocks"])
