"""Everword works with 64 partitions as with four, and a call touches one of them, with generic and custom plans."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from dataclasses import fields
from typing import Any
from uuid import UUID

import psycopg
import pytest
import pytest_asyncio

from everword.v1 import admin_service_pb2 as admin_pb
from everword.v1 import search_service_pb2 as search_pb
from everword.v1.conversation_pb2 import ConversationKey
from support.background import embed_everything
from support.callers import make_namespaces, within
from support.calls import append
from support.compaction import compact_everything
from support.databases import DatabaseUnderTest, migrated
from support.isolation import ISOLATED, all_statements, role_of, tables_of
from support.query_trees import prepare
from support.stack import Stack, running_stack
from support.statement_parameters import Filled, parameters_of
from support.summary_rows import SummaryRows

SHARED = pytest.mark.asyncio(loop_scope="module")
PARTITIONS = 64
#: A namespace for plans, which need no rows.
NAMESPACE = 2
NAMESPACES = [f"tenant-{number}" for number in range(12)]
PARTITIONED = ("conversations", "messages", "memories", "memory_vectors_1", "summaries")
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


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(database: DatabaseUnderTest) -> AsyncIterator[Stack]:
    """A stack in which each namespace has a conversation with vectors and summaries."""
    async with running_stack(database) as stack:
        await make_namespaces(stack, *NAMESPACES)
        for name in NAMESPACES:
            said = [f"The {name} gauge shows {number} metres." for number in range(10)]
            await append(stack, *said, metadata=within(name))
        await compact_everything(stack)
        await embed_everything(stack)
        yield stack


@SHARED
async def test_search_and_summaries_return_only_their_namespace_with_64_partitions(
    stack: Stack,
) -> None:
    for name in NAMESPACES:
        request = search_pb.SearchRequest(query=f"{name} gauge", page_size=50)
        found = await stack.search.Search(request, metadata=within(name))
        arms = {report.arm: report.state for report in found.arms}
        assert arms[search_pb.SEARCH_ARM_SEMANTIC] == search_pb.ArmReport.STATE_RAN
        assert found.results
        assert all(name in result.passage for result in found.results)
        listed = await stack.search.ListSummaries(
            search_pb.ListSummariesRequest(), metadata=within(name)
        )
        assert [summary.message_count for summary in listed.summaries] == [10]
        key = ConversationKey(session_key="s")
        conversation = await stack.search.GetConversation(
            search_pb.GetConversationRequest(key=key), metadata=within(name)
        )
        assert conversation.conversation.message_count == 10


@SHARED
async def test_namespaces_are_spread_over_the_partitions(stack: Stack) -> None:
    used = {table: partitions_with_rows(stack.database, table) for table in PARTITIONED}
    for table, of_namespace in used.items():
        assert of_namespace.keys() >= set(NAMESPACES), table
        assert all(len(names) == 1 for names in of_namespace.values()), table
        # By the hash: of 12 in 64, hardly two share one.
        assert len({min(names) for names in of_namespace.values()}) > 6, table


def partitions_with_rows(database: DatabaseUnderTest, table: str) -> dict[str, set[str]]:
    """Return the non-empty partitions of a table, by namespace."""
    with database.connect() as conn:
        rows = conn.execute(
            f"SELECT n.name, array_agg(DISTINCT t.tableoid::regclass::text) "
            f"  FROM {table} t JOIN namespaces n ON n.id = t.namespace_id GROUP BY 1".encode()
        ).fetchall()
    return {name: set(partitions) for name, partitions in rows}


@SHARED
async def test_deleted_namespace_has_no_rows_in_any_partition(stack: Stack) -> None:
    await make_namespaces(stack, "to-go")
    await append(stack, "The gauge is gone.", metadata=within("to-go"))
    before = partitions_with_rows(stack.database, "messages")
    assert "to-go" in before
    await stack.admin.DeleteNamespace(admin_pb.DeleteNamespaceRequest(name="to-go"))
    after = partitions_with_rows(stack.database, "messages")
    assert after == {name: names for name, names in before.items() if name != "to-go"}


# Plans


#: A connection with each service's role; a new one would read the catalogue of all partitions for each statement.
Connections = dict[str, psycopg.Connection]


@pytest.fixture(scope="module")
def connections(database: DatabaseUnderTest) -> Iterator[Connections]:
    with ExitStack() as resources:
        yield {
            role: resources.enter_context(_connect(database, role))
            for role in sorted({role_of(name) for name in STATEMENTS})
        }


def _connect(database: DatabaseUnderTest, role: str) -> psycopg.Connection:
    options = f"-c role={role} -c search_path=everword,public"
    return psycopg.connect(
        database.service_url, options=options, cursor_factory=psycopg.ClientCursor
    )


@pytest.fixture
def parameters(database: DatabaseUnderTest, name: str) -> dict[str, Any]:
    """Return parameters of the right types; a plan needs no rows."""
    ids = [UUID(int=number) for number in range(1, 8)]
    summaries = SummaryRows(*ids[: len(fields(SummaryRows))])
    filled = Filled(database, database, 1, NAMESPACE, ids[0], ids[1:3], [1, 2], summaries)
    return parameters_of(name, filled)


@pytest.mark.parametrize(
    "mode",
    # A generic plan is the harder case.
    [pytest.param("force_custom_plan", marks=pytest.mark.long), "force_generic_plan"],
)
@pytest.mark.parametrize("name", STATEMENTS)
def test_statement_reads_one_partition_of_each_table(
    connections: Connections, name: str, mode: str, parameters: dict[str, Any]
) -> None:
    conn = connections[role_of(name)]
    with conn.transaction(force_rollback=True):
        conn.execute("DEALLOCATE ALL")
        conn.execute("SELECT set_config('everword.namespace_id', %s, true)", [str(NAMESPACE)])
        conn.execute("SELECT set_config('plan_cache_mode', %s, true)", [mode])
        names = prepare(conn, "planned", STATEMENTS[name])
        given = ", ".join(f"%({each})s" for each in names)
        query = f"EXPLAIN (FORMAT JSON) EXECUTE planned ({given})"
        row = conn.execute(query.encode(), parameters).fetchone()
    assert row
    partitions = partitions_in(row[0][0]["Plan"])
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
