"""Write the graph, in the caller's transaction: nodes and relations, their changes, their end, and merges.

A write holds the facts that it names, then the nodes that it is about: two writes about the same node never see half of
each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from everword.db.namespaces import NamespaceSettings
from everword.db.pool import Connection
from everword.domain.errors import InvalidArgument
from everword.domain.ids import new_id
from everword.domain.not_found import EdgeNotFound, FactNotFound, NodeNotFound
from everword.facts import store as facts
from everword.graph import store
from everword.graph.labels import find_anchor
from everword.graph.model import (
    GraphScope,
    GraphWrite,
    NewGraphEdge,
    NewGraphNode,
    NodeKey,
    NodeReference,
)
from everword.graph.nodes import (
    RequiredNode,
    ensure_nodes,
    find_references,
    lock_current_nodes,
    merged_version,
    required_node,
    store_node_versions,
)
from everword.graph.placement import EdgeIntervalRow, EdgePlacement, EdgeStatement, place_edge
from everword.graph.rows import LockedNode, NodeVersionRow
from everword.graph.store import End

#: By fact: the times in which it is believed to hold.
Times = Mapping[UUID, Sequence[tuple[datetime | None, datetime | None]]]


@dataclass(frozen=True)
class WrittenGraph:
    """The result of a write, in the order of its input."""

    node_ids: Sequence[UUID]
    edge_ids: Sequence[UUID]
    created_nodes: int
    created_edges: int


async def write_graph(
    conn: Connection, namespace_id: int, settings: NamespaceSettings, write: GraphWrite
) -> WrittenGraph:
    """Write down nodes and relations. Raises NodeNotFound, FactNotFound and InvalidArgument."""
    times = await _lock_linked_facts(conn, namespace_id, write.edges)
    references = list(
        dict.fromkeys(ref for edge in write.edges for ref in (edge.from_node, edge.to_node))
    )
    own = [required_node(node, write.scope) for node in write.nodes]
    anchors = [
        required_node(NewGraphNode(ref.label, ""), write.scope)
        for ref in references
        if ref.id is None and find_anchor(ref.label)
    ]
    ids, new = await ensure_nodes(conn, namespace_id, [*own, *anchors])
    ends = await _find_ends(conn, namespace_id, write.scope, references, own, ids)
    held = await lock_current_nodes(conn, namespace_id, [*ids.values(), *ends.values()])
    now = await store.known_since(conn)
    end = End(now, int(write.source))
    # Anchors are defined by their label; other referenced nodes exist already.
    said = [(each, ids[each.key]) for each in (*own, *anchors)]
    node_ids = [held[ids[each.key]].id for each in own]
    await _store_nodes(conn, namespace_id, settings, held, said, end)
    await _ensure_nodes_exist(conn, namespace_id, held, ends.values())
    ended = {ref: held[id_].id for ref, id_ in ends.items()}
    edge_ids, created = await _store_edges(conn, namespace_id, write, ended, times, now)
    return WrittenGraph(node_ids, edge_ids, len(new.intersection(node_ids)), created)


async def _lock_linked_facts(
    conn: Connection, namespace_id: int, edges: Sequence[NewGraphEdge]
) -> Times:
    """Hold the facts that edges are to hold with; return when these do. Raises FactNotFound."""
    keys = {}
    for fact_id in {edge.fact_id for edge in edges if edge.fact_id}:
        fact = await facts.get_fact(conn, namespace_id, fact_id)
        if fact is None:
            raise FactNotFound(fact_id=fact_id)
        keys[fact_id] = fact.key
    for key in sorted(set(keys.values()), key=lambda each: (each.subject, each.attribute)):
        await facts.lock_key(conn, namespace_id, key)
    believed = await facts.find_believed_intervals(conn, namespace_id, list(keys)) if keys else []
    return {
        fact_id: [(each.since, each.until) for each in believed if each.fact_id == fact_id]
        for fact_id in keys
    }


async def _find_ends(
    conn: Connection,
    namespace_id: int,
    scope: GraphScope,
    references: Sequence[NodeReference],
    own: Sequence[RequiredNode],
    ids: Mapping[NodeKey, UUID],
) -> dict[NodeReference, UUID]:
    """Return what references mean: nodes of this write first."""
    found: dict[NodeReference, UUID] = {}
    for ref in references:
        if ref.id is not None:
            continue
        anchor = find_anchor(ref.label)
        key = required_node(NewGraphNode(ref.label, ref.type), scope).key
        near = [each.key for each in own if each.key.label_hash == key.label_hash]
        if anchor or (ref.type and key in ids):
            found[ref] = ids[key]
        elif not ref.type and len(set(near)) == 1:
            found[ref] = ids[near[0]]
    others = [ref for ref in references if ref not in found]
    return found | await find_references(conn, namespace_id, others, scope)


async def _store_nodes(
    conn: Connection,
    namespace_id: int,
    settings: NamespaceSettings,
    locked_nodes: Mapping[UUID, LockedNode],
    said: Sequence[tuple[RequiredNode, UUID]],
    end: End,
) -> None:
    """Store new properties of nodes."""
    by_node = dict[UUID, list[NewGraphNode]]()
    for requested, id_ in said:
        by_node.setdefault(locked_nodes[id_].id, []).append(requested.node)
    if not by_node:
        return
    known = await store.find_versions(conn, namespace_id, list(by_node))
    versions = list[tuple[NodeVersionRow | None, NodeVersionRow]]()
    for node_id, nodes in by_node.items():
        before = known.get(node_id)
        after = merged_version(before, node_id, nodes, end.source)
        if after != before:
            versions.append((before, after))
    nodes_by_id = {node.id: node for node in locked_nodes.values()}
    await store.touch_nodes(conn, namespace_id, sorted(by_node), end.now)
    await store_node_versions(conn, namespace_id, settings, nodes_by_id, versions, end)


async def _ensure_nodes_exist(
    conn: Connection, namespace_id: int, locked_nodes: Mapping[UUID, LockedNode], ids: Any
) -> None:
    """Raise NodeNotFound for a node that was deleted."""
    ended = {locked_nodes[id_].id for id_ in ids}
    known = await store.find_versions(conn, namespace_id, list(ended)) if ended else {}
    for id_ in sorted(ended - known.keys()):
        raise NodeNotFound(node_id=id_)


async def _store_edges(
    conn: Connection,
    namespace_id: int,
    write: GraphWrite,
    ends: Mapping[NodeReference, UUID],
    times: Times,
    now: datetime,
) -> tuple[list[UUID], int]:
    """Store relations; return their edges, and how many were not there."""
    relations = [(ends[edge.from_node], ends[edge.to_node], edge.type) for edge in write.edges]
    if not relations:
        return [], 0
    known = dict[tuple[UUID, UUID, str], list[EdgeIntervalRow]]()
    for row in await store.find_edges(conn, namespace_id, list(dict.fromkeys(relations))):
        known.setdefault(row.relation, []).append(row)
    before = {row.id for rows in known.values() for row in rows}
    edge_ids, created = list[UUID](), 0
    for edge, relation in zip(write.edges, relations, strict=True):
        rows = known.setdefault(relation, [])
        created += not rows
        numbered = _place(edge, relation, rows, write, times, now)
        rows[:] = [row for row in rows if row not in numbered.gone] + [
            replace(row, id=new_id()) for row in numbered.come
        ]
        edge_ids.append(rows[0].edge_id)
    after = [row for rows in known.values() for row in rows]
    gone = before - {row.id for row in after}
    come = [row for row in after if row.id not in before]
    if gone:
        ids = sorted(id_ for id_ in gone if id_)
        await store.end_edges(conn, namespace_id, ids, End(now, int(write.source)))
    if come:
        stated_in = [edge.message_id for edge in write.edges]
        await facts.lock_sources(conn, namespace_id, stated_in, may_be_gone=False)
        await store.insert_edges(conn, namespace_id, come, now)
    return edge_ids, created


def _place(
    edge: NewGraphEdge,
    relation: tuple[UUID, UUID, str],
    rows: Sequence[EdgeIntervalRow],
    write: GraphWrite,
    times: Times,
    now: datetime,
) -> EdgePlacement:
    from_id, to_id, type_ = relation
    blank = EdgeIntervalRow(
        None, new_id(), from_id, to_id, type_, "", 0.0, 0, None, "", None, None, None
    )
    told = EdgeStatement(
        edge.label,
        edge.confidence,
        write.source,
        edge.message_id,
        edge.quote,
        edge.fact_id,
        times[edge.fact_id] if edge.fact_id else [(edge.since, edge.until)],
    )
    return place_edge(rows, blank, told, now)


async def update_edge(
    conn: Connection, namespace_id: int, edge_id: UUID, changes: Mapping[str, Any], end: End
) -> None:
    """Change the latest interval of an edge, whose nodes the caller has locked. Raises EdgeNotFound.

    Raises InvalidArgument if it would end before it begins, and for times of an edge that depends on a fact.
    """
    rows = await store.find_edge(conn, namespace_id, edge_id)
    if not rows:
        raise EdgeNotFound(edge_id=edge_id)
    before = rows[-1]
    times = [field for field in ("valid_from", "valid_until") if field in changes]
    if before.fact_id and times:
        violations = [(f"edge.{each}_time", "is that of its fact") for each in times]
        raise InvalidArgument(violations=tuple(violations))
    after = replace(before, **changes)
    if after.valid_from and after.valid_until and after.valid_until <= after.valid_from:
        raise InvalidArgument(
            violations=(("edge.valid_until_time", "must be after its beginning"),)
        )
    changed = [before] if before.fact_id is None else rows
    new = [replace(row, id=new_id(), source=end.source, **changes) for row in changed]
    if after != before:
        await store.end_edges(conn, namespace_id, [row.id for row in changed if row.id], end)
        await store.insert_edges(conn, namespace_id, new, end.now, end.reason)
