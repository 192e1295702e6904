"""Change nodes, take nodes and edges out of the graph, and merge nodes that are one, in the caller's transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from everword.db.namespaces import NamespaceSettings
from everword.db.pool import Connection
from everword.domain.errors import InvalidArgument
from everword.domain.ids import new_id
from everword.domain.not_found import EdgeNotFound, NodeNotFound
from everword.graph import store
from everword.graph.labels import label_key
from everword.graph.model import GraphScope, NodeKey
from everword.graph.nodes import lock_current_nodes, store_node_versions
from everword.graph.placement import EdgeIntervalRow, overlaps
from everword.graph.rows import LockedNode, NodeVersionRow
from everword.graph.store import End
from everword.index.writer import close_passages

#: Limit of a node.
MOST_ALIASES = 1_000


async def lock_node(
    conn: Connection, namespace_id: int, node_id: UUID
) -> tuple[LockedNode, NodeVersionRow]:
    """Lock a node, or the one it was merged into; return it with its current version. Raises NodeNotFound."""
    node = (await lock_current_nodes(conn, namespace_id, [node_id]))[node_id]
    known = await store.find_versions(conn, namespace_id, [node.id])
    if node.id not in known:
        raise NodeNotFound(node_id=node_id)
    return node, known[node.id]


async def lock_edge(conn: Connection, namespace_id: int, edge_id: UUID) -> list[EdgeIntervalRow]:
    """Lock the two nodes of an edge; return the edge's intervals of validity. Raises EdgeNotFound."""
    rows = await store.find_edge(conn, namespace_id, edge_id)
    if rows:
        await lock_current_nodes(conn, namespace_id, [rows[0].from_id, rows[0].to_id])
        rows = await store.find_edge(conn, namespace_id, edge_id)
    if not rows:
        raise EdgeNotFound(edge_id=edge_id)
    return rows


async def update_node(
    conn: Connection,
    namespace_id: int,
    settings: NamespaceSettings,
    held: tuple[LockedNode, NodeVersionRow],
    changes: Mapping[str, Any],
    end: End,
) -> None:
    """Change a node. Raises InvalidArgument if another node has the new name.

    Its old label becomes an alias.
    """
    node, before = held
    after = replace(before, **changes)
    renamed = label_key(after.label) != label_key(before.label)
    if renamed or after.type != before.type:
        if node.anchor:
            raise InvalidArgument(violations=(("node.label", "`me` and `user` keep their names"),))
        key = NodeKey.of(after.label, after.type, GraphScope(node.agent, node.subject))
        await store.claim_names(conn, namespace_id, [(key, node.id)])
        names = await store.find_names(conn, namespace_id, [key.label_hash])
        if any(row.key == key and row.node_id != node.id for row in names):
            text = "is the name of another node: merge them with MergeNodes"
            raise InvalidArgument(violations=(("node.label", text),))
    if renamed:
        after = replace(after, aliases=_joined(before.aliases, [before.label], after.label))
    if after != before:
        nodes, versions = {node.id: node}, [(before, after)]
        await store_node_versions(conn, namespace_id, settings, nodes, versions, end)


async def delete_node(
    conn: Connection, namespace_id: int, version: NodeVersionRow, end: End
) -> int:
    """Take a node that is held out of the graph; return how many edges went with it."""
    edges = await store.end_edges_of_node(conn, namespace_id, version.node_id, end)
    await store.end_versions(conn, namespace_id, [version.id], end)
    await close_passages(conn, namespace_id, [version.id], known_until=end.now)
    await store.enqueue_nodes(conn, namespace_id, [version.node_id])
    return edges


async def merge_nodes(
    conn: Connection,
    namespace_id: int,
    settings: NamespaceSettings,
    node_id: UUID,
    merged_ids: Sequence[UUID],
    by: End,
) -> tuple[UUID, int]:
    """Let nodes become another one; return that, and how many edges became its own.

    `by` says who merges them, and why; the time is that of the write. Raises NodeNotFound, and InvalidArgument for
    nodes that cannot be one.
    """
    held = await lock_current_nodes(conn, namespace_id, [node_id, *merged_ids])
    retained, end = held[node_id], replace(by, now=await store.known_since(conn))
    others = {node.id: node for id_ in merged_ids if (node := held[id_]).id != retained.id}
    known = await store.find_versions(conn, namespace_id, [retained.id, *others])
    _check_mergeable(retained, list(others.values()), known)
    if not others:
        return retained.id, 0
    moved = await _move_edges(conn, namespace_id, list(others), retained.id, end)
    await store.repoint_names(conn, namespace_id, list(others), retained.id)
    await store.set_merged_into(conn, namespace_id, list(others), retained.id)
    gone = [known[id_].id for id_ in others]
    await store.end_versions(conn, namespace_id, gone, end)
    await close_passages(conn, namespace_id, gone, known_until=end.now)
    await store.enqueue_nodes(conn, namespace_id, [*others, retained.id])
    before = known[retained.id]
    after = _merged(before, [known[id_] for id_ in others])
    if after != before:
        versions = [(before, after)]
        await store_node_versions(
            conn, namespace_id, settings, {retained.id: retained}, versions, end
        )
    return retained.id, moved


async def _move_edges(
    conn: Connection, namespace_id: int, node_ids: Sequence[UUID], node_id: UUID, end: End
) -> int:
    """Move the edges of nodes to another node, and return the number of moved edges.

    An edge ends without a copy if the other node has the same edge in an overlapping interval, or if it would become a
    loop.
    """
    locked = await store.lock_edges_of_nodes(conn, namespace_id, node_ids)
    if not locked:
        return 0
    await store.end_edges(conn, namespace_id, [row.id for row in locked if row.id], end)
    moved = _renamed(locked, set(node_ids), node_id)
    relations = list(dict.fromkeys(row.relation for row in moved))
    known = await store.find_edges(conn, namespace_id, relations)
    new = [
        row
        for row in moved
        if not any(
            each.relation == row.relation and overlaps(each, row.valid_from, row.valid_until)
            for each in known
        )
    ]
    if new:
        await store.insert_edges(conn, namespace_id, new, end.now, end.reason)
    return len({row.edge_id for row in new})


def _renamed(
    rows: Sequence[EdgeIntervalRow], node_ids: set[UUID], node_id: UUID
) -> list[EdgeIntervalRow]:
    """Return new rows of the edges, from and to the other node: of equal ones, the most confident."""
    renamed = dict[Any, EdgeIntervalRow]()
    for row in sorted(rows, key=lambda row: (-row.confidence, row.edge_id)):
        from_id, to_id = (node_id if id_ in node_ids else id_ for id_ in (row.from_id, row.to_id))
        if from_id != to_id or row.from_id == row.to_id:
            new = replace(row, id=new_id(), from_id=from_id, to_id=to_id)
            renamed.setdefault((new.relation, new.valid_from, new.valid_until), new)
    return list(renamed.values())


def _check_mergeable(
    survivor: LockedNode, others: Sequence[LockedNode], known: Mapping[UUID, NodeVersionRow]
) -> None:
    """Raise NodeNotFound for a node that was deleted, and InvalidArgument for nodes that cannot be one."""
    for node in (survivor, *others):
        if node.id not in known:
            raise NodeNotFound(node_id=node.id)
    for node in others:
        text = ""
        if node.anchor:
            text = "contains `me` or `user`, which cannot be merged into another node: make it the survivor"
        elif (node.agent, node.subject) != (
            survivor.agent,
            survivor.subject,
        ) and not survivor.anchor:
            # Merging a private node into a shared one would reveal it.
            text = "contains a node of another agent or subject"
        if text:
            raise InvalidArgument(violations=(("merged_node_ids", text),))


def _merged(before: NodeVersionRow, others: Sequence[NodeVersionRow]) -> NodeVersionRow:
    """Return the version of a node after a merge: with the names of the others, and the properties that it lacked."""
    names = [name for other in others for name in (other.label, *other.aliases)]
    descriptions = [each.description for each in (before, *others) if each.description]
    return replace(
        before,
        aliases=_joined(before.aliases, names, before.label),
        description=descriptions[0] if descriptions else "",
        confidence=max(each.confidence for each in (before, *others)),
    )


def _joined(aliases: Sequence[str], more: Sequence[str], label: str) -> list[str]:
    """Return aliases with more of them, each once, without the label."""
    by_key = {label_key(each): each for each in (*aliases, *more)}
    by_key.pop(label_key(label), None)
    return list(by_key.values())[:MOST_ALIASES]
