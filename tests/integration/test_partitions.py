"""Everword works with 64 partitions as with four, and a call touches one of them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

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
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")
PARTITIONS = 64
NAMESPACES = [f"tenant-{number}" for number in range(12)]
PARTITIONED = ("conversations", "messages", "memories", "memory_vectors_1", "summaries")


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


async def test_deleted_namespace_has_no_rows_in_any_partition(stack: Stack) -> None:
    await make_namespaces(stack, "to-go")
    await append(stack, "The gauge is gone.", metadata=within("to-go"))
    before = partitions_with_rows(stack.database, "messages")
    assert "to-go" in before
    await stack.admin.DeleteNamespace(admin_pb.DeleteNamespaceRequest(name="to-go"))
    after = partitions_with_rows(stack.database, "messages")
    assert after == {name: names for name, names in before.items() if name != "to-go"}
