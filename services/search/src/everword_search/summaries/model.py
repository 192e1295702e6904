"""Requests to the summary DAG and their results, free of protobuf."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from uuid import UUID

from everword.domain.records import MemoryRecord, SummaryRecord


class ExpandMode(IntEnum):
    """Which summaries among results are expanded. Values equal proto `ExpandMode`."""

    TOP = 1
    NONE = 2
    ALL = 3


@dataclass(frozen=True)
class ExpansionLimits:
    """The limits of an expansion."""

    #: Levels below the summary.
    depth: int = 2
    #: Nodes directly below each node.
    max_children: int = 5
    #: Messages directly below each node.
    max_sources: int = 4
    #: Characters of each text.
    max_content_chars: int = 300


DEFAULT_LIMITS = ExpansionLimits()


@dataclass(frozen=True)
class Expansion:
    """A summary with the nodes or messages below it."""

    summary: SummaryRecord
    #: In order.
    children: Sequence[Expansion]
    #: Messages, in order.
    sources: Sequence[MemoryRecord]
    #: Number of items directly below the summary, shown or not.
    below: int
    #: Position of the last shown item, from 1; 0 if none is shown.
    last_place: int

    @property
    def omitted(self) -> int:
        """Number of items directly below the summary that are not shown."""
        return self.below - len(self.children) - len(self.sources)


@dataclass(frozen=True)
class SummaryFilter:
    """Filter of a list of summaries; None admits every value."""

    #: Values equal proto `SummaryLevel`.
    levels: list[int]
    conversation_id: UUID | None = None
    #: Inclusive, by the times that a summary covers.
    since: datetime | None = None
    #: Exclusive, by the times that a summary covers.
    before: datetime | None = None
    only_needing_review: bool = False
    subjects: list[str] | None = None
