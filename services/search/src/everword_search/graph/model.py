"""What callers ask of the graph, free of protobuf."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from everword.graph.rows import EdgeView, NodeView

DEFAULT_DEPTH, DEFAULT_FAN_OUT, DEFAULT_EDGES = 2, 25, 30
#: Of what is reached from nodes, at the least that may be asked for.
_MOST_NODES, _MOST_EDGES = 50, 100


@dataclass(frozen=True)
class View:
    """The part of the graph that is looked at, and as of when; None lets everything through, and is now."""

    agents: list[str] | None = None
    subjects: list[str] | None = None
    valid_at: datetime | None = None
    known_at: datetime | None = None

    @property
    def is_scoped(self) -> bool:
        """Tell whether it leaves out any node."""
        return self.agents is not None or self.subjects is not None

    @property
    def parameters(self) -> dict[str, Any]:
        return dict(vars(self))


@dataclass(frozen=True)
class Steps:
    """How far relations are followed."""

    depth: int = DEFAULT_DEPTH
    #: Relations of a node, in each direction.
    fan_out: int = DEFAULT_FAN_OUT
    #: None for all.
    types: list[str] | None = None

    @property
    def most_nodes(self) -> int:
        return max(_MOST_NODES, 2 * self.fan_out)

    @property
    def most_edges(self) -> int:
        return max(_MOST_EDGES, 4 * self.fan_out)


@dataclass(frozen=True)
class Subgraph:
    """Nodes, nearest first, and the relations between them."""

    nodes: Sequence[NodeView] = ()
    edges: Sequence[EdgeView] = ()
    #: Whether there was more.
    is_cut: bool = False


@dataclass(frozen=True)
class NodeHistory:
    """A node in its latest version, and all of these."""

    node: NodeView
    versions: Sequence[NodeView]


@dataclass(frozen=True)
class ListedNodes:
    """Which nodes are listed."""

    view: View
    types: list[str] | None
    node_ids: Sequence[UUID] | None
