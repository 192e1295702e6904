"""Read one node with its history, list nodes, and export the graph."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.not_found import NodeNotFound
from everword.graph.labels import label_hash
from everword.graph.rows import NodeView
from everword.graph.store import show_nodes
from everword.rpc.pages import PageRequest, open_cursor
from everword_search.graph import store
from everword_search.graph.model import NodeHistory, NodeSelection, Subgraph, View
from everword_search.graph.traverse import read_ends
from everword_search.records.freshness import fresh_transaction

#: Maximum versions of a node and nodes of one label, and the size of one part of an export.
_VERSIONS, _NAMED, _PART = 1_000, 1_000, 500


async def get_node(
    database: Database,
    namespace: NamespaceScope,
    node_id: UUID,
    at_least_as_fresh: str = "",
) -> NodeHistory:
    """Return a node in its latest version with all versions. Raises NodeNotFound.

    A merged node resolves to the node that it was merged into.
    """
    async with fresh_transaction(database, namespace, at_least_as_fresh) as conn:
        requested = node_id
        while node := (await show_nodes(conn, namespace.id, [requested])).get(requested):
            if node.merged_into is None:
                versions = await store.list_versions(conn, namespace.id, node.id, _VERSIONS)
                return NodeHistory(node, versions)
            requested = node.merged_into
    raise NodeNotFound(node_id=node_id)


async def list_nodes(
    database: Database,
    namespace: NamespaceScope,
    view: View,
    types: list[str] | None,
    label: str,
    page: PageRequest,
    at_least_as_fresh: str = "",
) -> tuple[Sequence[NodeView], str]:
    """Return a page of nodes and the token of the next page. Raises InvalidPageToken."""
    cursor = await open_cursor(database, namespace, "ListNodes", page)
    async with fresh_transaction(database, namespace, at_least_as_fresh) as conn:
        requested = NodeSelection(view, types, None)
        if label:
            hashes = [label_hash(label)]
            named = await store.find_named(conn, namespace.id, view, hashes, _NAMED)
            requested = replace(requested, node_ids=[row.node_id for row in named])
        found = await store.list_nodes(conn, namespace.id, requested, cursor.after_id, cursor.limit)
    return cursor.cut(found, lambda last: [str(last.id)])


async def export_graph(
    database: Database,
    namespace: NamespaceScope,
    view: View,
    include_ended: bool,
    at_least_as_fresh: str = "",
) -> AsyncIterator[Subgraph]:
    """Yield all nodes and then all relations, in parts of `_PART`, as of one moment."""
    async with fresh_transaction(database, namespace, at_least_as_fresh) as conn:
        moment = await store.now(conn)
    view = replace(view, known_at=view.known_at or moment, valid_at=view.valid_at or moment)
    after: UUID | None = None
    while True:
        async with database.transaction(namespace.id) as conn:
            everything = NodeSelection(view, None, None)
            nodes = await store.list_nodes(conn, namespace.id, everything, after, _PART)
        if nodes:
            yield Subgraph(nodes=nodes)
        if len(nodes) < _PART:
            break
        after = nodes[-1].id
    after = None
    while True:
        async with database.transaction(namespace.id) as conn:
            rows = await store.list_edges(conn, namespace.id, view, include_ended, after, _PART)
            _, edges = await read_ends(conn, namespace.id, view, [], rows)
        if edges:
            yield Subgraph(edges=edges)
        if len(rows) < _PART:
            break
        after = rows[-1].id
