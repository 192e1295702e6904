"""Write down nodes and relations, in one transaction or not at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import UUID

from everword.db.namespaces import get_namespace_settings
from everword.db.pool import Connection, Database
from everword.domain.caller import NamespaceScope
from everword.domain.tokens import ConsistencyToken
from everword.graph import store
from everword.graph.model import GraphWrite
from everword.graph.rows import EdgeView, NodeView
from everword.graph.writer import write_graph as write_into
from everword_ingest.facts.evidence import check_evidence
from everword_ingest.facts.model import SuppliedEvidence
from everword_ingest.request_ids.claims import claim_request, highest_passage, update_request


@dataclass(frozen=True)
class GraphWriteResult:
    """The written nodes and relations, in the order of the request."""

    nodes: Sequence[NodeView]
    edges: Sequence[EdgeView]
    created_nodes: int
    created_edges: int
    consistency_token: ConsistencyToken
    replayed: bool = False


async def write_graph(
    database: Database,
    namespace: NamespaceScope,
    wanted: GraphWrite,
    request_id: str,
    body_hash: bytes,
    wake: Callable[[], None],
) -> GraphWriteResult:
    """Store nodes and relations, or find that an equal call did.

    Raises RequestIdConflict, NodeNotFound, FactNotFound, MemoryNotFound and InvalidArgument. `wake` is called after the
    commit: there may be work to publish.
    """
    async with database.write(namespace.id) as write:
        conn, created = write.conn, (0, 0)
        earlier = await claim_request(conn, namespace.id, request_id, body_hash)
        if earlier is None:
            await _check_quotes(conn, namespace.id, wanted)
            settings = await get_namespace_settings(conn, namespace.id)
            written = await write_into(conn, namespace.id, settings, wanted)
            node_ids, edge_ids = list(written.node_ids), list(written.edge_ids)
            created = (written.created_nodes, written.created_edges)
            if request_id:
                ids = [*node_ids, *edge_ids]
                await update_request(conn, namespace.id, request_id, ids)
        else:
            node_ids = earlier.message_ids[: len(wanted.nodes)]
            edge_ids = earlier.message_ids[len(wanted.nodes) :]
        nodes, edges = await _show(conn, namespace.id, node_ids, edge_ids)
        memory_ids = sorted({node.memory_id for node in nodes})
        highest = await highest_passage(conn, namespace.id, memory_ids)
    wake()
    token = ConsistencyToken(namespace.id, write.position, highest)
    return GraphWriteResult(nodes, edges, *created, token, replayed=earlier is not None)


async def create_node(
    database: Database,
    namespace: NamespaceScope,
    write: GraphWrite,
    request_id: str,
    body_hash: bytes,
    wake: Callable[[], None],
) -> GraphWriteResult:
    """Store the only node of `write`: a batch of one. Raises what `write_graph` does."""
    assert len(write.nodes) == 1
    assert not write.edges
    return await write_graph(database, namespace, write, request_id, body_hash, wake)


async def create_edge(
    database: Database,
    namespace: NamespaceScope,
    write: GraphWrite,
    request_id: str,
    body_hash: bytes,
    wake: Callable[[], None],
) -> GraphWriteResult:
    """Store the only relation of `write`: a batch of one. Raises what `write_graph` does."""
    assert len(write.edges) == 1
    assert not write.nodes
    return await write_graph(database, namespace, write, request_id, body_hash, wake)


async def _check_quotes(conn: Connection, namespace_id: int, write: GraphWrite) -> None:
    """Raise MemoryNotFound and InvalidArgument if a message does not contain its quote."""
    given = [
        SuppliedEvidence(edge.message_id, edge.quote) for edge in write.edges if edge.message_id
    ]
    await check_evidence(conn, namespace_id, given)


async def _show(
    conn: Connection, namespace_id: int, node_ids: Sequence[UUID], edge_ids: Sequence[UUID]
) -> tuple[list[NodeView], list[EdgeView]]:
    """Return nodes and edges as they are now; those deleted since an earlier call are left out."""
    nodes = await store.show_nodes(conn, namespace_id, node_ids) if node_ids else {}
    edges = await store.show_edges(conn, namespace_id, edge_ids) if edge_ids else {}
    return (
        [nodes[id_] for id_ in node_ids if id_ in nodes],
        [edges[id_] for id_ in edge_ids if id_ in edges],
    )
