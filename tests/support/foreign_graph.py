"""Calls on the graph with ids of another namespace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from google.protobuf.field_mask_pb2 import FieldMask

from everword.v1 import graph_pb2 as graph
from everword.v1 import graph_query_service_pb2 as queries
from everword.v1 import graph_service_pb2 as writes
from support.callers import within
from support.foreign import NO_MEMORY, NO_PAGE, NO_TOKEN, Call
from support.foreign_facts import NO_FACT
from support.graphs import edge, node
from support.stack import Stack

NO_NODE, NO_EDGE = "NODE_NOT_FOUND", "EDGE_NOT_FOUND"
MASK = FieldMask(paths=["label"])


def graph_request(request_id: str = "graph") -> writes.WriteGraphRequest:
    return writes.WriteGraphRequest(
        nodes=[node("Theirs"), node("Thing", "thing")],
        edges=[edge("Theirs", "owns", "Thing")],
        request_id=request_id,
    )


def nodes_request(**fields: Any) -> queries.ListNodesRequest:
    return queries.ListNodesRequest(page_size=1, **fields)


def _create(**fields: Any) -> writes.CreateEdgeRequest:
    return writes.CreateEdgeRequest(edge=graph.NewEdge(type="knows", **fields))


def _write(**fields: Any) -> writes.WriteGraphRequest:
    return writes.WriteGraphRequest(edges=[graph.NewEdge(type="knows", **fields)])


def _user(**fields: Any) -> dict[str, Any]:
    both = graph.NodeReference(label="user")
    return {"from_node": both, "to_node": both, **fields}


async def _export(stack: Stack, **fields: Any) -> list[queries.ExportGraphResponse]:
    request = queries.ExportGraphRequest(**fields)
    return [part async for part in stack.graph_queries.ExportGraph(request)]


def _ends(name: str, request: Callable[..., Any]) -> dict[str, tuple[str, Call]]:
    """Return the calls of an RPC that writes an edge, by the field that holds the foreign id."""
    prefix = "edge" if name == "CreateEdge" else "edges"

    def call(fields: Callable[[Any], dict[str, Any]]) -> Call:
        return lambda s, t: getattr(s.graph, name)(request(**_user(**fields(t))))

    def their(side: str) -> Callable[[Any], dict[str, Any]]:
        return lambda t: {side: graph.NodeReference(node_id=t.node_id)}

    return {
        f"{name} {prefix}.from_node.node_id": (NO_NODE, call(their("from_node"))),
        f"{name} {prefix}.to_node.node_id": (NO_NODE, call(their("to_node"))),
        f"{name} {prefix}.message_id": (NO_MEMORY, call(lambda t: {"message_id": t.message_id})),
        f"{name} {prefix}.fact_id": (NO_FACT, call(lambda t: {"fact_id": t.fact_id})),
    }


#: Like `REFUSED` and `EMPTY` of the test.
GRAPH_REFUSED: dict[str, tuple[str, Call]] = {
    **_ends("CreateEdge", _create),
    **_ends("WriteGraph", _write),
    "UpdateNode node.id": (
        NO_NODE,
        lambda s, t: s.graph.UpdateNode(
            writes.UpdateNodeRequest(node=graph.Node(id=t.node_id, label="Ours"), update_mask=MASK)
        ),
    ),
    "UpdateEdge edge.id": (
        NO_EDGE,
        lambda s, t: s.graph.UpdateEdge(
            writes.UpdateEdgeRequest(edge=graph.Edge(id=t.edge_id, label="ours"), update_mask=MASK)
        ),
    ),
    "DeleteNode node_id": (
        NO_NODE,
        lambda s, t: s.graph.DeleteNode(writes.DeleteNodeRequest(node_id=t.node_id)),
    ),
    "DeleteEdge edge_id": (
        NO_EDGE,
        lambda s, t: s.graph.DeleteEdge(writes.DeleteEdgeRequest(edge_id=t.edge_id)),
    ),
    "MergeNodes node_id": (
        NO_NODE,
        lambda s, t: s.graph.MergeNodes(
            writes.MergeNodesRequest(node_id=t.node_id, merged_node_ids=[t.node_id])
        ),
    ),
    "MergeNodes merged_node_ids": (
        NO_NODE,
        lambda s, t: s.graph.MergeNodes(
            writes.MergeNodesRequest(node_id=t.message_id, merged_node_ids=[t.node_id])
        ),
    ),
    "GetNode node_id": (
        NO_NODE,
        lambda s, t: s.graph_queries.GetNode(queries.GetNodeRequest(node_id=t.node_id)),
    ),
    "SuggestMerges node_id": (
        NO_NODE,
        lambda s, t: s.graph_queries.SuggestMerges(queries.SuggestMergesRequest(node_id=t.node_id)),
    ),
    "Traverse node_ids": (
        NO_NODE,
        lambda s, t: s.graph_queries.Traverse(queries.TraverseRequest(node_ids=[t.node_id])),
    ),
    "Traverse at_least_as_fresh": (
        NO_TOKEN,
        lambda s, t: s.graph_queries.Traverse(
            queries.TraverseRequest(node_ids=[t.message_id], at_least_as_fresh=t.consistency_token)
        ),
    ),
    "SearchGraph at_least_as_fresh": (
        NO_TOKEN,
        lambda s, t: s.graph_queries.SearchGraph(
            queries.SearchGraphRequest(query="Theirs", at_least_as_fresh=t.consistency_token)
        ),
    ),
    "ListNodes page_token": (
        NO_PAGE,
        lambda s, t: s.graph_queries.ListNodes(
            nodes_request(page_token=t.page_tokens["ListNodes"])
        ),
    ),
    "GetNode at_least_as_fresh": (
        NO_TOKEN,
        lambda s, t: s.graph_queries.GetNode(
            queries.GetNodeRequest(node_id=t.node_id, at_least_as_fresh=t.consistency_token)
        ),
    ),
    "ListNodes at_least_as_fresh": (
        NO_TOKEN,
        lambda s, t: s.graph_queries.ListNodes(
            nodes_request(at_least_as_fresh=t.consistency_token)
        ),
    ),
    "SuggestMerges at_least_as_fresh": (
        NO_TOKEN,
        lambda s, t: s.graph_queries.SuggestMerges(
            queries.SuggestMergesRequest(node_id=t.node_id, at_least_as_fresh=t.consistency_token)
        ),
    ),
    "ExportGraph at_least_as_fresh": (
        NO_TOKEN,
        lambda s, t: _export(s, at_least_as_fresh=t.consistency_token),
    ),
}
GRAPH_EMPTY: dict[str, tuple[Call, Callable[[Any], bool]]] = {
    "CreateNode": (
        lambda s, t: s.graph.CreateNode(
            writes.CreateNodeRequest(node=node("Own"), request_id="node"), metadata=within("third")
        ),
        lambda answer: answer.replayed,
    ),
    "WriteGraph": (
        lambda s, t: s.graph.WriteGraph(graph_request(), metadata=within("third")),
        lambda answer: answer.replayed,
    ),
    "SearchGraph": (
        lambda s, t: s.graph_queries.SearchGraph(queries.SearchGraphRequest(query="Theirs")),
        lambda answer: not answer.nodes,
    ),
    "ListNodes": (
        lambda s, t: s.graph_queries.ListNodes(nodes_request()),
        lambda answer: not answer.nodes,
    ),
    "ExportGraph": (lambda s, t: _export(s), lambda answer: not answer),
}
