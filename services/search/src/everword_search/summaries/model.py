"""The requests that callers make of the summary DAG, and the results they get, free of protobuf."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from uuid import UUID

from everword.domain.records import MemoryRecord, SummaryRecord


class ExpandMode(IntEnum):
    """The summaries among results that are expanded. Values equal proto `ExpandMode`."""

    TOP = 1
    NONE = 2
    ALL = 3


@dataclass(frozen=True)
class ExpansionLimits:
    """The limits of an expansion."""

    #: Levels down.
    depth: int = 2
    #: Nodes right below each node.
    max_children: int = 5
    #: Messages right below each node.
    max_sources: int = 4
    #: Characters of each text.
    max_content_chars: int = 300


DEFAULT_LIMITS = ExpansionLimits()


@dataclass(frozen=True)
class Expansion:
    """The sources of a summary."""

    summary: SummaryRecord
    #: In order.
    children: Sequence[Expansion]
    #: Messages, in order.
    sources: Sequence[MemoryRecord]
    #: Nodes and messages right below the summary, shown or not.
    below: int
    #: The place of the last one shown among these, from 1; 0 where none is.
    last_place: int

    @property
    def omitted(self) -> int:
        """How many right below the summary are not shown."""
        return self.below - len(self.children) - len(self.sources)


@dataclass(frozen=True)
class SummaryFilter:
    """The summaries that are listed; None lets every value through."""

    #: Values equal proto `SummaryLevel`.
    levels: list[int]
    conversation_id: UUID | None = None
    #: Inclusive, of what a summary stands for.
    since: datetime | None = None
    #: Exclusive, of what a summary stands for.
    before: datetime | None = None
    only_needing_review: bool = False
