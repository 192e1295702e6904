"""Rows of the graph, as statements return them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, tzinfo
from uuid import UUID

from everword.graph.graph_text import relation_text
from everword.graph.model import NodeKey


@dataclass(frozen=True)
class NodeNameRow:
    """The node that a name means."""

    label_hash: bytes
    type: str
    agent: str
    subject: str
    node_id: UUID

    @property
    def key(self) -> NodeKey:
        return NodeKey(self.label_hash, self.type, self.agent, self.subject)


@dataclass(frozen=True)
class LockedNode:
    """A node that this transaction holds."""

    id: UUID
    agent: str
    subject: str
    anchor: int | None
    merged_into: UUID | None


@dataclass(frozen=True)
class NodeVersionRow:
    """A version of a node."""

    id: UUID
    node_id: UUID
    label: str
    type: str
    description: str
    aliases: list[str]
    confidence: float
    source: int


@dataclass(frozen=True)
class NodeView:
    """A node in one of its versions."""

    id: UUID
    memory_id: UUID
    label: str
    type: str
    description: str
    aliases: list[str]
    confidence: float
    source: int
    agent: str
    subject: str
    anchor: int | None
    merged_into: UUID | None
    first_seen_at: datetime
    last_seen_at: datetime
    known_from: datetime
    known_until: datetime | None


@dataclass(frozen=True)
class EdgeView:
    """A relation in one of the times in which it holds, with the labels of its ends."""

    id: UUID
    edge_id: UUID
    from_id: UUID
    to_id: UUID
    type: str
    label: str
    confidence: float
    source: int
    message_id: UUID | None
    quote: str
    fact_id: UUID | None
    valid_from: datetime | None
    valid_until: datetime | None
    known_from: datetime
    known_until: datetime | None
    from_label: str
    to_label: str

    def text(self, zone: tzinfo | None = None) -> str:
        """Return the relation as one line; months are those of a time zone."""
        ends, times = (self.from_label, self.to_label), (self.valid_from, self.valid_until)
        return relation_text(ends[0], self.type, self.label, ends[1], *times, zone=zone)
