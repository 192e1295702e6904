"""An item of a context: a memory, a turn or a line of another block, and what is known beside its words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from everword.domain.records import MemoryRecord
from everword_search.endings.model import Ending
from everword_search.retrieval.confidence import Confidence

_NO_TIME = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True)
class ItemContext:
    """What is known of an item beside its words; as of the item."""

    score: float = 0.0
    relevance: float | None = None
    confidence: Confidence = Confidence.UNSPECIFIED
    endings: Sequence[Ending] = ()
    told_by: tuple[tuple[UUID, str], ...] = ()
    trust: str = ""


NOTHING = ItemContext()


@dataclass(frozen=True)
class ContextItem:
    """One memory, turn or line of another block as it stands in a context."""

    #: None for what is no memory.
    memory_id: UUID | None
    #: In the namespace's time zone; None for what has no time of its own.
    occurred_at: datetime | None
    #: In its conversation, or in its block; 0 outside of any.
    seq: int
    speaker: str
    words: str
    #: Of the whole line, with the widest number and its end.
    tokens: int
    #: Whether the caller said what the words cost.
    is_given: bool = False
    score: float = 0.0
    #: None where it cannot be told.
    relevance: float | None = None
    confidence: Confidence = Confidence.UNSPECIFIED
    #: What it is of; its words are those above.
    about: MemoryRecord | None = None
    #: What it says and does not hold any more.
    endings: Sequence[Ending] = ()
    #: The words of messages that say the same, each with its message: where one is there, this is not.
    told_by: tuple[tuple[UUID, str], ...] = ()
    #: As of the candidate.
    lift: float = 0.0
    #: The strategy that it offers.
    strategy_id: UUID | None = None
    #: `untrusted`, `suspicious`, or nothing.
    trust: str = ""
    #: Whether it is left out, since it speaks to models.
    is_withheld: bool = False
    #: What it says in substance, where that is not its words: by this, repetitions are known.
    substance: str = ""

    @property
    def says(self) -> str:
        return self.substance or self.words

    @property
    def key(self) -> UUID | str:
        """What it is told from others by: the memory, or its words."""
        return self.memory_id or f"{self.speaker}: {self.words}"

    @property
    def day(self) -> str:
        """The day above it; empty where it stands under none."""
        return self.occurred_at.date().isoformat() if self.occurred_at else ""

    @property
    def place(self) -> tuple[datetime, int]:
        """Where it stands in its block: what has no time comes first."""
        return self.occurred_at or _NO_TIME, self.seq
