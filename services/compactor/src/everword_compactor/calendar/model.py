"""The calendar of summaries, free of SQL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from everword.domain.periods import Calendar, Period, PeriodLevel
from everword_compactor.compose.model import Source
from everword_compactor.nodes.model import NodeRow


@dataclass(frozen=True)
class PeriodMaterial:
    """The material of a node, as it was read."""

    #: The stored node; None if there is none yet.
    node: NodeRow | None
    #: Messages of a day, or the nodes within a longer period, in order.
    sources: Sequence[Source]
    #: Rows that are completed with the node.
    pending_ids: Sequence[int]
    #: True if the stored node lacks some of the sources.
    is_new: bool
    #: Statements of the sources that are known to lack support.
    unsupported: Sequence[str] = ()


@dataclass(frozen=True)
class PendingPeriod:
    """A period of any namespace with something pending, and how the namespace counts its days."""

    namespace_id: int
    time_zone: str
    day_cutoff_minutes: int
    level: int
    period: date
    subject: str

    @property
    def calendar(self) -> Calendar:
        return Calendar(self.time_zone, self.day_cutoff_minutes)

    @property
    def pending(self) -> Period:
        return Period(PeriodLevel(self.level), self.period, self.subject)


@dataclass(frozen=True)
class RollUpJob:
    """A job that is running, due or parked."""

    subject: str
    is_parked: bool


@dataclass(frozen=True)
class PagedMessage:
    """A message, and whether the calendar has missed it."""

    id: UUID
    conversation_id: UUID
    seq: int
    subject: str
    instance: str
    occurred_at: datetime
    is_missing: bool
