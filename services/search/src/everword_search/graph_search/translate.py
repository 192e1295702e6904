"""GraphQueryService requests from protos, and results to protos."""

from __future__ import annotations

from everword.graph.labels import type_name
from everword.graph.translate import edge_to_proto, node_to_proto
from everword.rpc.translate import optional_time
from everword.v1 import graph_pb2
from everword.v1 import graph_query_service_pb2 as pb
from everword_search.graph.model import (
    DEFAULT_DEPTH,
    DEFAULT_EDGES,
    DEFAULT_FAN_OUT,
    Steps,
    Subgraph,
    View,
)
from everword_search.graph_search.search_graph import TopicNeighbourhood, TopicRequest
from everword_search.graph_search.suggest_merges import Suggestion


def to_view(view: graph_pb2.GraphView) -> View:
    return View(
        list(view.agents) or None,
        list(view.subjects) or None,
        optional_time(view, "valid_at_time", "view."),
        optional_time(view, "known_at_time", "view."),
    )


def to_types(types: list[str]) -> list[str] | None:
    return [type_name(each) for each in types] or None


def to_steps(request: pb.TraverseRequest) -> Steps:
    return Steps(
        request.depth or DEFAULT_DEPTH,
        request.fan_out or DEFAULT_FAN_OUT,
        to_types(list(request.edge_types)),
    )


def to_topic_request(request: pb.SearchGraphRequest) -> TopicRequest:
    return TopicRequest(
        request.query,
        to_view(request.view),
        request.depth or DEFAULT_DEPTH,
        request.max_edges or DEFAULT_EDGES,
        request.at_least_as_fresh,
    )


def traversed_to_proto(found: Subgraph) -> pb.TraverseResponse:
    return pb.TraverseResponse(
        nodes=[node_to_proto(node) for node in found.nodes],
        edges=[edge_to_proto(edge) for edge in found.edges],
        truncated=found.is_cut,
    )


def topic_to_proto(found: TopicNeighbourhood) -> pb.SearchGraphResponse:
    edges = [each.edge for each in found.edges]
    return pb.SearchGraphResponse(
        nodes=[node_to_proto(node) for node in found.nodes],
        edges=[edge_to_proto(edge) for edge in edges],
        text="\n".join(edge.text() for edge in edges),
    )


def part_to_proto(part: Subgraph) -> pb.ExportGraphResponse:
    return pb.ExportGraphResponse(
        nodes=[node_to_proto(node) for node in part.nodes],
        edges=[edge_to_proto(edge) for edge in part.edges],
    )


def suggestion_to_proto(suggestion: Suggestion) -> pb.MergeSuggestion:
    return pb.MergeSuggestion(
        node=node_to_proto(suggestion.node),
        label_likeness=suggestion.label_likeness,
        cosine=suggestion.cosine,
    )
