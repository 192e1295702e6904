"""Helpers for writing and reading the graph."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from everword.v1 import graph_pb2 as graph
from everword.v1 import graph_query_service_pb2 as queries
from everword.v1 import graph_service_pb2 as writes
from support.stack import Stack


def node(label: str, type_: str = "person", **fields: Any) -> graph.NewNode:
    return graph.NewNode(label=label, type=type_, **fields)


def edge(start: str, type_: str, end: str, **fields: Any) -> graph.NewEdge:
    """Return a relation between nodes named by their labels; `since` is its start."""
    since: datetime | None = fields.pop("since", None)
    from_node, to_node = graph.NodeReference(label=start), graph.NodeReference(label=end)
    new = graph.NewEdge(type=type_, from_node=from_node, to_node=to_node, **fields)
    if since is not None:
        new.valid_from_time.FromDatetime(since)
    return new


async def write(
    stack: Stack,
    *parts: graph.NewNode | graph.NewEdge,
    metadata: Sequence[tuple[str, str]] = (),
    **fields: Any,
) -> writes.WriteGraphResponse:
    request = writes.WriteGraphRequest(
        nodes=[part for part in parts if isinstance(part, graph.NewNode)],
        edges=[part for part in parts if isinstance(part, graph.NewEdge)],
        **fields,
    )
    return await stack.graph.WriteGraph(request, metadata=tuple(metadata))


async def lines(
    stack: Stack,
    query: str,
    at: datetime | None = None,
    known: datetime | None = None,
    subjects: Sequence[str] = (),
) -> list[str]:
    """Return the relations of a topic."""
    request = queries.SearchGraphRequest(query=query)
    request.view.subjects.extend(subjects)
    if at is not None:
        request.view.valid_at_time.FromDatetime(at)
    if known is not None:
        request.view.known_at_time.FromDatetime(known)
    return (await stack.graph_queries.SearchGraph(request)).text.splitlines()
