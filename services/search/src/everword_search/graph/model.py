"""Requests to the graph, free of protobuf."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from everword.graph.rows import EdgeView, NodeView

DEFAULT_DEPTH, DEFAULT_FAN_OUT, DEFAULT_EDGES = 2, 25, 30
#: Caps on the nodes and relations of a traversal; a `fan_out` above 25 raises them.
_MOST_NODES, _MOST_EDGES = 50, 100


@dataclass(frozen=True)
class View:
    """The visible part of the graph, and the moments it is viewed at.

    None admits every agent or subject; for the moments, None is now.
    """

    agents: list[str] | None = None
    subjects: list[str] | None = None
    valid_at: datetime | None = None
    known_at: datetime | None = None

    @property
    def is_scoped(self) -> bool:
        """True if the view may exclude nodes."""
        return self.agents is not None or self.subjects is not None

    @property
    def parameters(self) -> dict[str, Any]:
        return dict(vars(self))


@dataclass(frozen=True)
class Steps:
    """Limits of a traversal."""

    depth: int = DEFAULT_DEPTH
    #: Relations followed per node and direction.
    fan_out: int = DEFAULT_FAN_OUT
    #: Types of relations to follow; all if None.
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
    #: True if a limit omitted nodes or relations.
    is_cut: bool = False


@dataclass(frozen=True)
class NodeHistory:
    """A node in its latest version, with all versions."""

    node: NodeView
    versions: Sequence[NodeView]


@dataclass(frozen=True)
class NodeSelection:
    """Filter of a list of nodes; None admits every value."""

    view: View
    types: list[str] | None
    node_ids: Sequence[UUID] | None
