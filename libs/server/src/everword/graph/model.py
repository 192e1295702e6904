"""The graph, as values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from uuid import UUID

from everword.graph.labels import label_hash

#: Default confidence of a node or a relation.
DEFAULT_CONFIDENCE = 0.8


class GraphSource(IntEnum):
    """The writer of a row. Values equal proto GraphSource."""

    AGENT = 1
    PERSON = 2
    MACHINE = 3


@dataclass(frozen=True)
class GraphScope:
    """Whose part of the graph it is; empty for that of all."""

    agent: str = ""
    subject: str = ""

    @property
    def widening(self) -> tuple[GraphScope, ...]:
        """This scope and those around it, the nearest first."""
        around = (GraphScope("", self.subject), GraphScope(self.agent, ""), GraphScope())
        return tuple(dict.fromkeys((self, *around)))


@dataclass(frozen=True, order=True)
class NodeKey:
    """The identity of a node."""

    label_hash: bytes
    type: str
    agent: str
    subject: str

    @classmethod
    def of(cls, label: str, type_: str, scope: GraphScope) -> NodeKey:
        return cls(label_hash(label), type_, scope.agent, scope.subject)

    @property
    def scope(self) -> GraphScope:
        return GraphScope(self.agent, self.subject)


@dataclass(frozen=True)
class NewGraphNode:
    """A node to write down; label and type are clean."""

    label: str
    type: str
    description: str = ""
    confidence: float | None = None


@dataclass(frozen=True)
class NodeReference:
    """A node by its id, or by its label and, if it is not empty, its type."""

    id: UUID | None = None
    label: str = ""
    type: str = ""


@dataclass(frozen=True)
class NewGraphEdge:
    """A relation to write down; type and label are clean."""

    from_node: NodeReference
    to_node: NodeReference
    type: str
    label: str = ""
    confidence: float | None = None
    message_id: UUID | None = None
    quote: str = ""
    since: datetime | None = None
    until: datetime | None = None
    fact_id: UUID | None = None


@dataclass(frozen=True)
class GraphWrite:
    """Nodes and relations that are written down together."""

    scope: GraphScope
    source: GraphSource
    nodes: Sequence[NewGraphNode] = ()
    edges: Sequence[NewGraphEdge] = ()
