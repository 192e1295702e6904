"""Requests of GraphService to the model; temporary descriptions are refused."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, TypeAlias
from uuid import UUID

from everword.domain.errors import InvalidArgument
from everword.graph.admissible_types import MIN_CONFIDENCE, edge_refusal_reason, node_refusal_reason
from everword.graph.labels import clean_label, find_anchor, type_name
from everword.graph.model import (
    DEFAULT_CONFIDENCE,
    GraphScope,
    GraphSource,
    GraphWrite,
    NewGraphEdge,
    NewGraphNode,
    NodeReference,
)
from everword.rpc.translate import optional_time
from everword.v1 import graph_pb2
from everword.v1 import graph_service_pb2 as pb

Request: TypeAlias = pb.CreateNodeRequest | pb.CreateEdgeRequest | pb.WriteGraphRequest
Violations: TypeAlias = list[tuple[str, str]]


def to_graph_write(
    request: Request,
    nodes: Sequence[tuple[str, graph_pb2.NewNode]] = (),
    edges: Sequence[tuple[str, graph_pb2.NewEdge]] = (),
) -> GraphWrite:
    """Return the write of a request; `nodes` and `edges` come with their field paths. Raises InvalidArgument."""
    source, violations = GraphSource(request.source or GraphSource.AGENT), Violations()
    write = GraphWrite(
        GraphScope(request.agent, request.subject),
        source,
        [_to_node(field, node, source, violations) for field, node in nodes],
        [_to_edge(field, edge, source, violations) for field, edge in edges],
    )
    if violations:
        raise InvalidArgument(violations=tuple(violations))
    return write


def to_node_changes(node: graph_pb2.Node) -> dict[str, Any]:
    """Return the values that a node may be given, by its columns. Raises InvalidArgument."""
    return {
        "label": clean_label(node.label),
        "type": type_name(node.type),
        "description": node.description.strip(),
        "confidence": node.confidence,
    }


def ensure_node_lasts(changes: dict[str, Any]) -> None:
    """Raise InvalidArgument where new values of a node cannot stand."""
    violations = [
        (f"node.{field}", "is empty") for field in ("label", "type") if not changes.get(field, "x")
    ]
    why = node_refusal_reason(changes.get("type", ""))
    if violations or why:
        raise InvalidArgument(violations=tuple(violations) or (("node.type", why),))


def to_edge_changes(edge: graph_pb2.Edge) -> dict[str, Any]:
    """Return the values that an edge may be given, by its columns."""
    return {
        "label": clean_label(edge.label),
        "confidence": edge.confidence,
        "valid_from": optional_time(edge, "valid_from_time", "edge."),
        "valid_until": optional_time(edge, "valid_until_time", "edge."),
    }


def _to_node(
    field: str, node: graph_pb2.NewNode, source: GraphSource, violations: Violations
) -> NewGraphNode:
    label, type_ = clean_label(node.label), type_name(node.type)
    if not label:
        violations.append((f"{field}.label", "contains no visible character"))
    if not type_:
        violations.append((f"{field}.type", "must contain a letter or a digit"))
    if why := node_refusal_reason(type_):
        violations.append((f"{field}.type", why))
    confidence = node.confidence if node.HasField("confidence") else None
    _check_confidence(field, confidence, source, violations)
    return NewGraphNode(label, type_, node.description.strip(), confidence)


def _to_edge(
    field: str, edge: graph_pb2.NewEdge, source: GraphSource, violations: Violations
) -> NewGraphEdge:
    type_ = type_name(edge.type)
    if not type_:
        violations.append((f"{field}.type", "must contain a letter or a digit"))
    if why := edge_refusal_reason(type_):
        violations.append((f"{field}.type", why))
    confidence = edge.confidence if edge.HasField("confidence") else None
    _check_confidence(field, confidence, source, violations)
    since = optional_time(edge, "valid_from_time", f"{field}.")
    until = optional_time(edge, "valid_until_time", f"{field}.")
    _check_times(field, edge, since, until, violations)
    return NewGraphEdge(
        _to_reference(f"{field}.from_node", edge.from_node, violations),
        _to_reference(f"{field}.to_node", edge.to_node, violations),
        type_,
        clean_label(edge.label),
        confidence,
        UUID(edge.message_id) if edge.message_id else None,
        edge.quote,
        since,
        until,
        UUID(edge.fact_id) if edge.fact_id else None,
    )


def _to_reference(
    field: str, reference: graph_pb2.NodeReference, violations: Violations
) -> NodeReference:
    if reference.node_id:
        return NodeReference(UUID(reference.node_id))
    label = clean_label(reference.label)
    if not label:
        violations.append((field, "needs a node_id or a label"))
    type_ = "" if find_anchor(label) else type_name(reference.type)
    return NodeReference(None, label, type_)


def _check_confidence(
    field: str, confidence: float | None, source: GraphSource, violations: Violations
) -> None:
    sure = DEFAULT_CONFIDENCE if confidence is None else confidence
    if source is GraphSource.MACHINE and sure < MIN_CONFIDENCE:
        text = f"must be at least {MIN_CONFIDENCE} of what a program writes"
        violations.append((f"{field}.confidence", text))


def _check_times(
    field: str,
    edge: graph_pb2.NewEdge,
    since: datetime | None,
    until: datetime | None,
    violations: Violations,
) -> None:
    if edge.fact_id and (since or until):
        violations.append((f"{field}.fact_id", "determines the time: omit both times"))
    elif since and until and until <= since:
        violations.append((f"{field}.valid_until_time", "must be after valid_from_time"))
