"""Follow relations from nodes, breadth first, within caps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from everword.db.pool import Connection, Database
from everword.domain.caller import NamespaceScope
from everword.domain.not_found import NodeNotFound
from everword.graph.labels import Anchor
from everword.graph.rows import EdgeView, NodeView
from everword_search.graph import store
from everword_search.graph.model import Steps, Subgraph, View
from everword_search.graph.store import StepRow
from everword_search.records.freshness import fresh_transaction

#: After each step, at most `_FRONTIER` nodes are followed further, and the fan-out shrinks by `_NARROWER` down to
#: `_NARROWEST`, because distant relations matter less.
_FRONTIER, _NARROWER, _NARROWEST = 10, 0.4, 5


_COLUMNS = tuple(
    name for name in EdgeView.__dataclass_fields__ if name not in ("from_label", "to_label")
)


@dataclass
class TraversalState:
    """State of a traversal: nodes with their distance in steps, and relations, nearest first."""

    depths: dict[UUID, int]
    steps: dict[UUID, tuple[int, StepRow]] = field(default_factory=dict)
    is_cut: bool = False


async def traverse(
    database: Database,
    namespace: NamespaceScope,
    node_ids: Sequence[UUID],
    view: View,
    steps: Steps,
    at_least_as_fresh: str = "",
) -> Subgraph:
    """Return the nodes and relations that can be reached from `node_ids`, these included.

    Raises NodeNotFound and InvalidConsistencyToken.
    """
    async with fresh_transaction(database, namespace, at_least_as_fresh) as conn:
        found = await store.read_nodes(conn, namespace.id, view, node_ids)
        for id_ in node_ids:
            if id_ not in found:
                raise NodeNotFound(node_id=id_)
        reached = await reach(conn, namespace.id, list(dict.fromkeys(node_ids)), view, steps)
        rows = [row for _, row in reached.steps.values()]
        nodes, edges = await read_ends(conn, namespace.id, view, list(reached.depths), rows)
    return Subgraph(nodes, edges, reached.is_cut)


async def reach(
    conn: Connection,
    namespace_id: int,
    starts: Sequence[UUID],
    view: View,
    steps: Steps,
    *,
    through_anchors: bool = True,
) -> TraversalState:
    """Follow relations from `starts`.

    Without `through_anchors`, the anchors `me` and `user` are reached but not followed further.
    """
    reached = TraversalState(dict.fromkeys(starts, 0))
    frontier, most = list(starts), steps
    for depth in range(1, steps.depth + 1):
        if not frontier or len(reached.steps) >= most.most_edges:
            break
        rows = await store.follow_edges(conn, namespace_id, view, frontier, steps)
        further = _add(reached, rows, depth, steps.fan_out, most, through_anchors)
        reached.is_cut |= len(further) > _FRONTIER and depth < steps.depth
        frontier = further[:_FRONTIER]
        narrower = max(_NARROWEST, int(steps.fan_out * _NARROWER))
        steps = replace(steps, fan_out=min(steps.fan_out, narrower))
    return reached


def _add(
    reached: TraversalState,
    rows: Sequence[StepRow],
    depth: int,
    fan_out: int,
    most: Steps,
    through_anchors: bool,
) -> list[UUID]:
    """Add relations to `reached`, and return the new nodes that may be followed further."""
    further = list[UUID]()
    counts = dict[tuple[int, bool], int]()
    for row in rows:
        leads = (row.place, row.other_id == row.to_id)
        counts[leads] = counts.get(leads, 0) + 1
        if counts[leads] > fan_out:
            reached.is_cut = True
            continue
        is_new = row.other_id not in reached.depths
        # Anchors are exempt from the cap on nodes, because they are the persons that the relations are about.
        has_capacity = len(reached.depths) < most.most_nodes or row.other_anchor is not None
        if len(reached.steps) >= most.most_edges or (is_new and not has_capacity):
            reached.is_cut = True
            continue
        reached.steps.setdefault(row.id, (depth, row))
        if is_new:
            reached.depths[row.other_id] = depth
            if through_anchors or row.other_anchor is None:
                further.append(row.other_id)
    return further


async def read_ends(
    conn: Connection,
    namespace_id: int,
    view: View,
    node_ids: Sequence[UUID],
    rows: Sequence[StepRow],
) -> tuple[list[NodeView], list[EdgeView]]:
    """Return the given nodes, and relations with the labels of their ends, in the order given.

    Nodes that the view does not show, and relations to them, are left out.
    """
    requested = dict.fromkeys(
        [*node_ids, *(id_ for row in rows for id_ in (row.from_id, row.to_id))]
    )
    nodes = await store.read_nodes(conn, namespace_id, view, list(requested)) if requested else {}
    names = {id_: _name(node, view) for id_, node in nodes.items()}
    edges = [_edge_view(row, names) for row in rows if {row.from_id, row.to_id} <= names.keys()]
    return [nodes[id_] for id_ in node_ids if id_ in nodes], edges


def _edge_view(row: StepRow, names: Mapping[UUID, str]) -> EdgeView:
    values: dict[str, Any] = {name: getattr(row, name) for name in _COLUMNS}
    return EdgeView(**values, from_label=names[row.from_id], to_label=names[row.to_id])


def _name(node: NodeView, view: View) -> str:
    """Return the label of a node within a relation; an anchor is `user (emi)` if the view includes several users."""
    if node.anchor is None:
        return node.label
    shown = view.agents if node.anchor == Anchor.ME else view.subjects
    owner = node.agent if node.anchor == Anchor.ME else node.subject
    is_alone = shown is not None and len(set(shown) - {""}) <= 1
    return node.label if is_alone or not owner else f"{node.label} ({owner})"
