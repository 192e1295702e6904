"""Nodes and relations to protos."""

from __future__ import annotations

from everword.graph.rows import EdgeView, NodeView
from everword.rpc.translate import to_timestamp
from everword.v1 import graph_pb2


def node_to_proto(view: NodeView) -> graph_pb2.Node:
    return graph_pb2.Node(
        id=str(view.id),
        label=view.label,
        type=view.type,
        description=view.description,
        confidence=view.confidence,
        source=graph_pb2.GraphSource.ValueType(view.source),
        agent=view.agent,
        subject=view.subject,
        aliases=view.aliases,
        first_seen_time=to_timestamp(view.first_seen_at),
        last_seen_time=to_timestamp(view.last_seen_at),
        known_from_time=to_timestamp(view.known_from),
        known_until_time=to_timestamp(view.known_until),
        memory_id=str(view.memory_id),
    )


def edge_to_proto(view: EdgeView) -> graph_pb2.Edge:
    return graph_pb2.Edge(
        id=str(view.edge_id),
        from_node_id=str(view.from_id),
        to_node_id=str(view.to_id),
        type=view.type,
        label=view.label,
        confidence=view.confidence,
        source=graph_pb2.GraphSource.ValueType(view.source),
        message_id=str(view.message_id or ""),
        quote=view.quote,
        fact_id=str(view.fact_id or ""),
        valid_from_time=to_timestamp(view.valid_from),
        valid_until_time=to_timestamp(view.valid_until),
        known_from_time=to_timestamp(view.known_from),
        known_until_time=to_timestamp(view.known_until),
        text=view.text(),
    )
