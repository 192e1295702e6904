"""GraphService: translates requests, calls the use case of the same name, translates the result."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope, current_namespace
from everword.domain.tokens import ConsistencyToken
from everword.graph.model import GraphSource, GraphWrite
from everword.graph.store import End
from everword.graph.translate import edge_to_proto, node_to_proto
from everword.rpc.interceptors.base import Context
from everword.rpc.translate import masked_fields
from everword.v1 import graph_service_pb2 as pb
from everword.v1.graph_service_pb2_grpc import GraphServiceServicer
from everword_ingest.graph.change_graph import (
    delete_edge,
    delete_node,
    merge_nodes,
    update_edge,
    update_node,
)
from everword_ingest.graph.translate import (
    Request,
    ensure_node_lasts,
    to_edge_changes,
    to_graph_write,
    to_node_changes,
)
from everword_ingest.graph.write_graph import create_edge, create_node, write_graph
from everword_ingest.request_ids.claims import hash_body

#: Columns that an update may change, by field path.
_NODE_FIELDS = {name: name for name in ("label", "type", "description", "confidence")}
_EDGE_FIELDS = {
    "label": "label",
    "confidence": "confidence",
    "valid_from_time": "valid_from",
    "valid_until_time": "valid_until",
}


class GraphServicer(GraphServiceServicer):
    """Writes of nodes and relations."""

    def __init__(self, database: Database, wake: Callable[[], None]) -> None:
        self._database = database
        self._wake = wake

    async def CreateNode(
        self, request: pb.CreateNodeRequest, context: Context
    ) -> pb.CreateNodeResponse:
        requested = to_graph_write(request, [("node", request.node)])
        written = await create_node(*self._write(request, requested))
        return pb.CreateNodeResponse(
            node=node_to_proto(written.nodes[0]) if written.nodes else None,
            existed=not written.created_nodes,
            consistency_token=await self._seal(written.consistency_token),
            replayed=written.replayed,
        )

    async def CreateEdge(
        self, request: pb.CreateEdgeRequest, context: Context
    ) -> pb.CreateEdgeResponse:
        requested = to_graph_write(request, edges=[("edge", request.edge)])
        written = await create_edge(*self._write(request, requested))
        return pb.CreateEdgeResponse(
            edge=edge_to_proto(written.edges[0]) if written.edges else None,
            existed=not written.created_edges,
            consistency_token=await self._seal(written.consistency_token),
            replayed=written.replayed,
        )

    async def WriteGraph(
        self, request: pb.WriteGraphRequest, context: Context
    ) -> pb.WriteGraphResponse:
        nodes = [(f"nodes[{place}]", node) for place, node in enumerate(request.nodes)]
        edges = [(f"edges[{place}]", edge) for place, edge in enumerate(request.edges)]
        requested = to_graph_write(request, nodes, edges)
        written = await write_graph(*self._write(request, requested))
        return pb.WriteGraphResponse(
            nodes=[node_to_proto(node) for node in written.nodes],
            edges=[edge_to_proto(edge) for edge in written.edges],
            created_nodes=written.created_nodes,
            created_edges=written.created_edges,
            consistency_token=await self._seal(written.consistency_token),
            replayed=written.replayed,
        )

    async def UpdateNode(
        self, request: pb.UpdateNodeRequest, context: Context
    ) -> pb.UpdateNodeResponse:
        fields = masked_fields(request.update_mask, _NODE_FIELDS)
        values = to_node_changes(request.node)
        changes = {field: values[field] for field in fields}
        ensure_node_lasts(changes)
        node, token = await update_node(
            self._database,
            current_namespace(),
            UUID(request.node.id),
            changes,
            self._wake,
        )
        return pb.UpdateNodeResponse(
            node=node_to_proto(node), consistency_token=await self._seal(token)
        )

    async def UpdateEdge(
        self, request: pb.UpdateEdgeRequest, context: Context
    ) -> pb.UpdateEdgeResponse:
        fields = masked_fields(request.update_mask, _EDGE_FIELDS)
        values = to_edge_changes(request.edge)
        edge, token = await update_edge(
            self._database,
            current_namespace(),
            UUID(request.edge.id),
            {field: values[field] for field in fields},
        )
        return pb.UpdateEdgeResponse(
            edge=edge_to_proto(edge), consistency_token=await self._seal(token)
        )

    async def DeleteNode(
        self, request: pb.DeleteNodeRequest, context: Context
    ) -> pb.DeleteNodeResponse:
        edges, token = await delete_node(
            self._database,
            current_namespace(),
            UUID(request.node_id),
            GraphSource(request.source or GraphSource.AGENT),
            request.reason,
        )
        return pb.DeleteNodeResponse(deleted_edges=edges, consistency_token=await self._seal(token))

    async def DeleteEdge(
        self, request: pb.DeleteEdgeRequest, context: Context
    ) -> pb.DeleteEdgeResponse:
        token = await delete_edge(
            self._database,
            current_namespace(),
            UUID(request.edge_id),
            GraphSource(request.source or GraphSource.AGENT),
            request.reason,
        )
        return pb.DeleteEdgeResponse(consistency_token=await self._seal(token))

    async def MergeNodes(
        self, request: pb.MergeNodesRequest, context: Context
    ) -> pb.MergeNodesResponse:
        node, moved, token = await merge_nodes(
            self._database,
            current_namespace(),
            UUID(request.node_id),
            [UUID(id_) for id_ in request.merged_node_ids],
            End(
                datetime.now(UTC), GraphSource(request.source or GraphSource.AGENT), request.reason
            ),
            self._wake,
        )
        return pb.MergeNodesResponse(
            node=node_to_proto(node), moved_edges=moved, consistency_token=await self._seal(token)
        )

    def _write(
        self, request: Request, write: GraphWrite
    ) -> tuple[Database, NamespaceScope, GraphWrite, str, bytes, Callable[[], None]]:
        """Return the arguments of a writing use case."""
        body = hash_body(request)
        return self._database, current_namespace(), write, request.request_id, body, self._wake

    async def _seal(self, token: ConsistencyToken) -> str:
        return token.seal(await self._database.token_secret())
