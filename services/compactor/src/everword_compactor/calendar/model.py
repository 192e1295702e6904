"""The calendar of summaries, free of SQL."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from uuid import UUID

from everword.domain.periods import Calendar, Period, PeriodLevel
from everword_compactor.compose.model import Source, Voice
from everword_compactor.nodes.model import NodeRow


@dataclass(frozen=True)
class VoiceSettings:
    """Whose memories the calendar summaries of a namespace are; nobody's in particular without an identity."""

    identity: str = ""
    user_name: str = ""
    pronouns: str = ""
    #: What to know of a channel, by its name.
    channel_instructions: dict[str, str] = field(default_factory=dict)

    @property
    def voice(self) -> Voice | None:
        if not self.identity:
            return None
        return Voice(self.identity, self.user_name, self.pronouns)

    def instructions(self, channels: Iterable[str]) -> str:
        """Return what to know of these channels, a line each."""
        known = sorted(set(channels) & set(self.channel_instructions))
        return "\n".join(f"{channel}: {self.channel_instructions[channel]}" for channel in known)


@dataclass(frozen=True)
class PeriodMaterial:
    """The material of a node, as it was read."""

    #: The stored node; None where there is none yet.
    node: NodeRow | None
    #: Messages of a day, or the nodes of what is in a longer period, in order.
    sources: Sequence[Source]
    #: Rows that are completed with the node.
    pending_ids: Sequence[int]
    #: Whether there is something that the stored node was not made from.
    is_new: bool
    #: What the sources are known to say without support of their own.
    unsupported: Sequence[str] = ()


@dataclass(frozen=True)
class PendingPeriod:
    """A period of any namespace with something pending, and how the namespace counts its days."""

    namespace_id: int
    time_zone: str
    day_cutoff_minutes: int
    level: int
    period: date

    @property
    def calendar(self) -> Calendar:
        return Calendar(self.time_zone, self.day_cutoff_minutes)

    @property
    def pending(self) -> Period:
        return Period(PeriodLevel(self.level), self.period)


@dataclass(frozen=True)
class RollUpJob:
    """The job of a period that somebody is at, or is going to be, or that was given up."""

    subject: str
    is_parked: bool


@dataclass(frozen=True)
class PagedMessage:
    """A message, and whether the calendar has missed it."""

    id: UUID
    conversation_id: UUID
    seq: int
    instance: str
    occurred_at: datetime
    is_missing: bool
