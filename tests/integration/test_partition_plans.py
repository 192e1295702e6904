"""A statement reads a single partition of each partitioned table, with generic and custom plans."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import fields
from typing import Any
from uuid import UUID

import psycopg
import pytest

from support.databases import DatabaseUnderTest, migrated
from support.isolation import ISOLATED, all_statements, role_of, tables_of
from support.query_trees import prepare
from support.statement_parameters import Filled, parameters_of
from support.summary_rows import SummaryRows

PARTITIONS = 64
NAMESPACE = 2
#: All partitioned tables are isolated.
STATEMENTS = {
    f"{package}.{entry.name}": entry.sql
    for package, entry in all_statements()
    if tables_of(entry) & ISOLATED and not entry.name.endswith("_arrays")
}


@pytest.fixture(scope="module")
def database(postgres_url: str) -> Iterator[DatabaseUnderTest]:
    with migrated(postgres_url, partitions=PARTITIONS) as database:
        yield database


@pytest.fixture
def parameters(database: DatabaseUnderTest, name: str) -> dict[str, Any]:
    """Return parameters of the right types; a plan needs no rows."""
    ids = [UUID(int=number) for number in range(1, 8)]
    summaries = SummaryRows(*ids[: len(fields(SummaryRows))])
    filled = Filled(database, database, 1, NAMESPACE, ids[0], ids[1:3], [1, 2], summaries)
    return parameters_of(name, filled)


#: Previews of retention read views of all kinds, whose partitions are chosen at run time; operators call them rarely.
PREVIEWS = {
    "everword_ingest.retention.count_retained",
    "everword_ingest.retention.sample_retained",
}


@pytest.mark.parametrize(
    "mode",
    # A generic plan is the harder case.
    [pytest.param("force_custom_plan", marks=pytest.mark.long), "force_generic_plan"],
)
@pytest.mark.parametrize("name", STATEMENTS)
def test_statement_reads_one_partition_of_each_table(
    database: DatabaseUnderTest, name: str, mode: str, parameters: dict[str, Any]
) -> None:
    options = f"-c role={role_of(name)} -c search_path=everword,public -c plan_cache_mode={mode}"
    with psycopg.connect(
        database.service_url, options=options, cursor_factory=psycopg.ClientCursor
    ) as conn:
        conn.execute("SELECT set_config('everword.namespace_id', %s, true)", [str(NAMESPACE)])
        names = prepare(conn, "planned", STATEMENTS[name])
        given = ", ".join(f"%({each})s" for each in names)
        query = f"EXPLAIN (FORMAT JSON) EXECUTE planned ({given})"
        row = conn.execute(query.encode(), parameters).fetchone()
    assert row
    partitions = partitions_in(row[0][0]["Plan"])
    if name in PREVIEWS and mode == "force_generic_plan":
        return
    assert all(len(read) == 1 for read in partitions.values()), partitions


def test_statement_without_namespace_reads_all_partitions(
    database: DatabaseUnderTest,
) -> None:
    """Otherwise the test above would prove nothing."""
    with database.connect() as conn:
        row = conn.execute("EXPLAIN (FORMAT JSON) SELECT FROM messages WHERE seq = 1").fetchone()
    assert row
    assert len(partitions_in(row[0][0]["Plan"])["messages"]) == PARTITIONS


def partitions_in(plan: dict[str, Any]) -> dict[str, set[str]]:
    """Return the partitions that a plan reads, by table."""
    found: dict[str, set[str]] = defaultdict(set)
    for node in nodes(plan):
        relation = node.get("Relation Name", "")
        if match := re.fullmatch(r"(\w+)_p\d+", relation):
            found[match[1]].add(relation)
    return found


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan.get("Plans", []):
        yield from nodes(child)
