"""GraphQueryService: translates requests, calls the use case of the same name, translates the result."""

from __future__ import annotations

from uuid import UUID

from everword.domain.caller import current_namespace
from everword.graph.translate import node_to_proto
from everword.rpc.interceptors.base import Context
from everword.rpc.interceptors.request_id import send_request_id
from everword.rpc.pages import to_page
from everword.v1 import graph_query_service_pb2 as pb
from everword.v1.graph_query_service_pb2_grpc import GraphQueryServiceServicer
from everword_search.graph.read_graph import export_graph, get_node, list_nodes
from everword_search.graph.traverse import traverse
from everword_search.graph_search.search_graph import search_graph
from everword_search.graph_search.suggest_merges import suggest_merges
from everword_search.graph_search.translate import (
    part_to_proto,
    suggestion_to_proto,
    to_steps,
    to_topic_request,
    to_types,
    to_view,
    topic_to_proto,
    traversed_to_proto,
)
from everword_search.retrieval.sources import Sources


class GraphQueryServicer(GraphQueryServiceServicer):
    """GraphQueryService without its RPCs on topic pages."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._database = sources.database

    async def GetNode(self, request: pb.GetNodeRequest, context: Context) -> pb.GetNodeResponse:
        found = await get_node(
            self._database, current_namespace(), UUID(request.node_id), request.at_least_as_fresh
        )
        return pb.GetNodeResponse(
            node=node_to_proto(found.node),
            versions=[node_to_proto(version) for version in found.versions],
        )

    async def ListNodes(
        self, request: pb.ListNodesRequest, context: Context
    ) -> pb.ListNodesResponse:
        nodes, token = await list_nodes(
            self._database,
            current_namespace(),
            to_view(request.view),
            to_types(list(request.types)),
            request.label,
            to_page(request),
            request.at_least_as_fresh,
        )
        return pb.ListNodesResponse(
            nodes=[node_to_proto(node) for node in nodes], next_page_token=token
        )

    async def Traverse(self, request: pb.TraverseRequest, context: Context) -> pb.TraverseResponse:
        found = await traverse(
            self._database,
            current_namespace(),
            [UUID(id_) for id_ in request.node_ids],
            to_view(request.view),
            to_steps(request),
            request.at_least_as_fresh,
        )
        return traversed_to_proto(found)

    async def SearchGraph(
        self, request: pb.SearchGraphRequest, context: Context
    ) -> pb.SearchGraphResponse:
        found = await search_graph(self._sources, current_namespace(), to_topic_request(request))
        return topic_to_proto(found)

    async def SuggestMerges(
        self, request: pb.SuggestMergesRequest, context: Context
    ) -> pb.SuggestMergesResponse:
        found = await suggest_merges(
            self._sources, current_namespace(), UUID(request.node_id), request.at_least_as_fresh
        )
        return pb.SuggestMergesResponse(suggestions=[suggestion_to_proto(each) for each in found])

    async def ExportGraph(  # type: ignore[override]
        self, request: pb.ExportGraphRequest, context: Context
    ) -> None:
        """Write parts to the stream as they are read.

        The interceptors around each call await a coroutine, so this writes to the context and is no async generator.
        """
        view = to_view(request.view)
        async for part in export_graph(
            self._database,
            current_namespace(),
            view,
            request.include_ended,
            request.at_least_as_fresh,
        ):
            await send_request_id(context)
            await context.write(part_to_proto(part))
