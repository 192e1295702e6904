"""The material of pages, as values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from everword.domain.memory_kinds import MemoryKind

#: Kinds of sources.
LEAF, FACT = MemoryKind.SUMMARY, MemoryKind.FACT
#: A leaf with less text is no source.
LEAST_CHARS = 200
#: Sources that a page needs.
LEAST_SOURCES = 3


@dataclass(frozen=True)
class Change:
    """An unprocessed change of a fact, a leaf or a node."""

    id: UUID
    fact_id: UUID | None
    leaf_id: UUID | None
    node_id: UUID | None


@dataclass(frozen=True)
class TopicFactRow:
    """The content of a fact."""

    id: UUID
    subject: str
    attribute: str
    value: str
    hypothesis: bool
    state: int


@dataclass(frozen=True)
class Leaf:
    """A leaf, with whose it is."""

    id: UUID
    agent: str
    subject: str
    content: str
    earliest_at: datetime
    latest_at: datetime


@dataclass(frozen=True)
class Node:
    """A node of the graph; without a label if it was removed."""

    id: UUID
    agent: str
    subject: str
    anchor: int | None
    merged_into: UUID | None
    label: str
    type: str
    description: str
    aliases: list[str]
    #: Later changes are not in a page made of this node.
    read_at: datetime

    @property
    def names(self) -> list[str]:
        return [self.label, *self.aliases]


@dataclass(frozen=True)
class TopicSourceRow:
    """A source for the page of a graph node: a summary or a fact."""

    source_id: UUID
    kind: int
    changed_at: datetime


@dataclass(frozen=True)
class DatedFact:
    """A fact in one of the times in which it is believed to hold."""

    id: UUID
    subject: str
    attribute: str
    value: str
    state: int
    valid_from: datetime
    valid_until: datetime | None


@dataclass(frozen=True)
class TopicSection:
    """A section about a topic, written by a language model and checked."""

    heading: str
    text: str
    source_ids: Sequence[UUID]

    def to_json(self) -> dict[str, Any]:
        sources = [str(id_) for id_ in self.source_ids]
        return {"heading": self.heading, "text": self.text, "sources": sources}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> TopicSection:
        return cls(value["heading"], value["text"], [UUID(id_) for id_ in value["sources"]])


@dataclass(frozen=True)
class PageRow:
    """The page that a node has."""

    node_id: UUID
    id: UUID
    content: str
    sections: list[dict[str, Any]]
    revision: int
    model: str
    made_at: datetime


@dataclass(frozen=True)
class TopicMaterial:
    """All that a page is made of."""

    node: Node
    facts: Sequence[DatedFact]
    #: The latest first.
    leaves: Sequence[Leaf]
    changed_at: dict[UUID, datetime]
    #: The time zone that days are named in.
    zone: str


@dataclass(frozen=True)
class Page:
    """A page that was written."""

    content: str
    sections: Sequence[TopicSection]
    #: In the order of the numbers by which they are cited.
    cited: Sequence[tuple[UUID, int]]
    #: The language model that wrote sections; empty for none.
    model: str = ""
