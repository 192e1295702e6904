"""Update, delete and merge nodes and relations. Their history is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from uuid import UUID

from everword.db.namespaces import get_namespace_settings
from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.tokens import ConsistencyToken
from everword.graph import edits, store
from everword.graph import writer as edges
from everword.graph.model import GraphSource
from everword.graph.rows import EdgeView, NodeView
from everword.graph.store import End
from everword_ingest.request_ids.claims import highest_passage


async def update_node(
    database: Database,
    namespace: NamespaceScope,
    node_id: UUID,
    changes: Mapping[str, Any],
    wake: Callable[[], None],
) -> tuple[NodeView, ConsistencyToken]:
    """Change a node and return it. Raises NodeNotFound, and InvalidArgument if another node has its new name."""
    async with database.write(namespace.id) as write:
        conn = write.conn
        node, known = await edits.lock_node(conn, namespace.id, node_id)
        settings = await get_namespace_settings(conn, namespace.id)
        end = End(await store.known_since(conn), GraphSource.AGENT)
        await edits.update_node(conn, namespace.id, settings, (node, known), changes, end)
        [shown] = (await store.show_nodes(conn, namespace.id, [node.id])).values()
        highest = await highest_passage(conn, namespace.id, [shown.memory_id])
    wake()
    return shown, ConsistencyToken(namespace.id, write.position, highest)


async def update_edge(
    database: Database,
    namespace: NamespaceScope,
    edge_id: UUID,
    changes: Mapping[str, Any],
) -> tuple[EdgeView, ConsistencyToken]:
    """Change the latest time of an edge and return it. Raises EdgeNotFound and InvalidArgument."""
    async with database.write(namespace.id) as write:
        conn = write.conn
        await edits.lock_edge(conn, namespace.id, edge_id)
        end = End(await store.known_since(conn), GraphSource.AGENT)
        await edges.update_edge(conn, namespace.id, edge_id, changes, end)
        shown = (await store.show_edges(conn, namespace.id, [edge_id]))[edge_id]
    return shown, ConsistencyToken(namespace.id, write.position, 0)


async def delete_node(
    database: Database, namespace: NamespaceScope, node_id: UUID, source: GraphSource, reason: str
) -> tuple[int, ConsistencyToken]:
    """Take a node out of the graph; return how many edges went with it. Raises NodeNotFound."""
    async with database.write(namespace.id) as write:
        conn = write.conn
        _, known = await edits.lock_node(conn, namespace.id, node_id)
        end = End(await store.known_since(conn), source, reason)
        deleted = await edits.delete_node(conn, namespace.id, known, end)
    return deleted, ConsistencyToken(namespace.id, write.position, 0)


async def delete_edge(
    database: Database, namespace: NamespaceScope, edge_id: UUID, source: GraphSource, reason: str
) -> ConsistencyToken:
    """Take an edge out of the graph. Raises EdgeNotFound."""
    async with database.write(namespace.id) as write:
        conn = write.conn
        rows = await edits.lock_edge(conn, namespace.id, edge_id)
        end = End(await store.known_since(conn), source, reason)
        await store.end_edges(conn, namespace.id, [row.id for row in rows if row.id], end)
    return ConsistencyToken(namespace.id, write.position, 0)


async def merge_nodes(
    database: Database,
    namespace: NamespaceScope,
    node_id: UUID,
    merged_ids: Sequence[UUID],
    by: End,
    wake: Callable[[], None],
) -> tuple[NodeView, int, ConsistencyToken]:
    """Let nodes become one; return it, and how many edges became its own. Raises NodeNotFound and InvalidArgument."""
    async with database.write(namespace.id) as write:
        conn = write.conn
        settings = await get_namespace_settings(conn, namespace.id)
        kept_id, moved = await edits.merge_nodes(
            conn, namespace.id, settings, node_id, merged_ids, by
        )
        [shown] = (await store.show_nodes(conn, namespace.id, [kept_id])).values()
        highest = await highest_passage(conn, namespace.id, [shown.memory_id])
    wake()
    return shown, moved, ConsistencyToken(namespace.id, write.position, highest)
