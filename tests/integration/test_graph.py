"""The graph: nodes and relations are written, change, end, merge and are found, and nothing of their history goes."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from everword.v1 import fact_service_pb2 as facts
from everword.v1 import graph_pb2 as graph
from everword.v1 import graph_query_service_pb2 as queries
from everword.v1 import graph_service_pb2 as writes
from everword.v1 import search_service_pb2 as search
from support.calls import append
from support.refusals import refused
from support.stack import Stack

MAY = datetime(2024, 5, 3, tzinfo=UTC)


def node(label: str, type_: str = "person", **fields: Any) -> graph.NewNode:
    return graph.NewNode(label=label, type=type_, **fields)


def edge(start: str, type_: str, end: str, **fields: Any) -> graph.NewEdge:
    names = {
        side: graph.NodeReference(label=label)
        for side, label in (("from_node", start), ("to_node", end))
    }
    return graph.NewEdge(type=type_, **names, **fields)


async def write(stack: Stack, *parts: graph.NewNode | graph.NewEdge, **fields: Any) -> Any:
    request = writes.WriteGraphRequest(
        nodes=[part for part in parts if isinstance(part, graph.NewNode)],
        edges=[part for part in parts if isinstance(part, graph.NewEdge)],
        **fields,
    )
    return await stack.graph.WriteGraph(request)


async def lines(
    stack: Stack, query: str, at: datetime | None = None, known: datetime | None = None
) -> list[str]:
    """Return the relations that a topic touches."""
    request = queries.SearchGraphRequest(query=query)
    if at is not None:
        request.view.valid_at_time.FromDatetime(at)
    if known is not None:
        request.view.known_at_time.FromDatetime(known)
    return (await stack.graph_queries.SearchGraph(request)).text.splitlines()


async def test_a_batch_names_nodes_by_their_labels_and_a_topic_finds_a_line_each(
    stack: Stack,
) -> None:
    works = edge("Ana", "works at", "Initech")
    works.valid_from_time.FromDatetime(MAY)
    written = await write(
        stack,
        node("Ana", description="A colleague from Lisbon."),
        node("Initech", "company"),
        works,
        edge("user", "sister of", "Ana"),
        subject="emi",
    )
    assert (written.created_nodes, written.created_edges) == (2, 2)
    assert await lines(stack, "Where does Ana work?") == [
        "Ana —works at→ Initech (since 2024-05)",
        "user —sister of→ Ana",
    ]
    assert "user —sister of→ Ana" in await lines(stack, "What does my sister do?")
    assert await lines(stack, "What is the weather like?") == []
