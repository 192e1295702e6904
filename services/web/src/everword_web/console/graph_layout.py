"""Layout of a node and its neighbours in rings around it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from everword.v1 import graph_pb2

WIDTH = 880
#: Half axes of a single ring, and of the first and second of two rings.
_ONE_RING = (310, 155)
_TWO_RINGS = ((185, 125), (360, 250))
#: Above and below the outermost ring, for labels.
_MARGIN = 45
#: With more nodes a drawing is unreadable; the list below the drawing has all of them.
_MOST_NODES = 36
_MOST_LABELS = 18


@dataclass(frozen=True)
class NodePosition:
    """A node and its position."""

    node: graph_pb2.Node
    x: float
    y: float
    ring: int


@dataclass(frozen=True)
class NodeLine:
    """The relations between two nodes."""

    start: NodePosition
    end: NodePosition
    words: str
    labelled: bool

    @property
    def middle(self) -> tuple[float, float]:
        """Return the position of the label: nearer to the outer end, because lines are further apart there."""
        inner, outer = sorted((self.start, self.end), key=lambda spot: spot.ring)
        return inner.x + 0.58 * (outer.x - inner.x), inner.y + 0.58 * (outer.y - inner.y)


@dataclass(frozen=True)
class GraphDrawing:
    """Positions of the drawn nodes and lines, and the number of nodes left out."""

    spots: list[NodePosition]
    lines: list[NodeLine]
    height: int
    omitted: int
    """Nodes that are not drawn."""


def lay_out(
    center_id: str, nodes: Sequence[graph_pb2.Node], edges: Sequence[graph_pb2.Edge]
) -> GraphDrawing:
    """Return nodes, nearest first, in rings by their distance from the center, and their relations."""
    drawn = nodes[:_MOST_NODES]
    near = _neighbours(edges)
    first = [node for node in drawn if node.id in near.get(center_id, ())]
    inner = {center_id, *(node.id for node in first)}
    second = [node for node in drawn if node.id not in inner]
    inner_axes = _TWO_RINGS[0] if second else _ONE_RING
    spots = {node.id: NodePosition(node, 0, 0, 0) for node in drawn if node.id == center_id}
    spots |= {spot.node.id: spot for spot in _ring(first, inner_axes, 1)}
    # Place nodes of the second ring behind the nodes that lead to them.
    angles = {id_: math.atan2(spot.y, spot.x) for id_, spot in spots.items() if spot.ring}
    second.sort(
        key=lambda node: min((angles.get(id_, 9.0) for id_ in near.get(node.id, ())), default=9.0)
    )
    if second:
        spots |= {spot.node.id: spot for spot in _ring(second, _TWO_RINGS[1], 2)}
    outer = _TWO_RINGS[1] if second else inner_axes
    height = 2 * (outer[1] + _MARGIN)
    return GraphDrawing([*spots.values()], _lines(spots, edges), height, len(nodes) - len(drawn))


def _neighbours(edges: Sequence[graph_pb2.Edge]) -> dict[str, set[str]]:
    near: dict[str, set[str]] = {}
    for edge in edges:
        near.setdefault(edge.from_node_id, set()).add(edge.to_node_id)
        near.setdefault(edge.to_node_id, set()).add(edge.from_node_id)
    return near


def _ring(nodes: Sequence[graph_pb2.Node], axes: tuple[int, int], ring: int) -> list[NodePosition]:
    """Return nodes spread evenly over an ellipse, beginning at the left."""
    step = 2 * math.pi / max(1, len(nodes))
    angles = [-math.pi + step * (place + 0.5) for place in range(len(nodes))]
    return [
        NodePosition(
            node, round(axes[0] * math.cos(angle), 1), round(axes[1] * math.sin(angle), 1), ring
        )
        for node, angle in zip(nodes, angles, strict=True)
    ]


def _lines(spots: dict[str, NodePosition], edges: Sequence[graph_pb2.Edge]) -> list[NodeLine]:
    words: dict[tuple[str, str], list[str]] = {}
    for edge in edges:
        if edge.from_node_id in spots and edge.to_node_id in spots:
            said = edge.label or edge.type.replace("_", " ")
            words.setdefault((edge.from_node_id, edge.to_node_id), []).append(said)
    return [
        NodeLine(spots[start], spots[end], ", ".join(said), len(words) <= _MOST_LABELS)
        for (start, end), said in words.items()
    ]
