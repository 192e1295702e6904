"""An item of a context: a memory, a turn, or a line of another block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from everword.domain.memory_kinds import MemoryKind
from everword.domain.records import MemoryRecord
from everword_search.endings.model import Ending
from everword_search.retrieval.confidence import Confidence
from everword_search.retrieval.full_text import FullText

#: An item of at least this relevance has to do with the query; most others have not.
RELEVANT = 0.1
_NO_TIME = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True)
class ItemContext:
    """Properties of an item other than its text; see ContextItem."""

    score: float = 0.0
    relevance: float | None = None
    confidence: Confidence = Confidence.UNSPECIFIED
    endings: Sequence[Ending] = ()
    source_messages: tuple[tuple[UUID, str], ...] = ()
    trust: str = ""
    full: FullText | None = None
    is_uncertain: bool = False


NOTHING = ItemContext()


@dataclass(frozen=True)
class ContextItem:
    """A memory, a turn, or a line of another block, as it appears in a context."""

    #: The memory's id; None if the line is no memory.
    memory_id: UUID | None
    #: In the namespace's time zone; None for an item without a time of its own.
    occurred_at: datetime | None
    #: Position in its conversation or block; 0 outside of these.
    seq: int
    speaker: str
    words: str
    #: Tokens of the whole line, with the widest item number and the line end.
    tokens: int
    #: True if the caller gave the token count of the text.
    is_supplied: bool = False
    score: float = 0.0
    #: Probability that it answers the query; None if unknown.
    relevance: float | None = None
    confidence: Confidence = Confidence.UNSPECIFIED
    #: The memory without the text; None for a line that is no memory.
    about: MemoryRecord | None = None
    #: Outdated facts that it states.
    endings: Sequence[Ending] = ()
    #: Messages that state the same, each with the quote; the item is skipped if one of them is shown.
    source_messages: tuple[tuple[UUID, str], ...] = ()
    #: Bonus for its link to the query; see ContextCandidate.
    lift: float = 0.0
    #: Id of the strategy behind the question that it offers.
    strategy_id: UUID | None = None
    #: `untrusted`, `suspicious`, or empty.
    trust: str = ""
    #: True if it is left out as a suspected prompt injection.
    is_withheld: bool = False
    #: The text compared for repetition, if it differs from `words`.
    substance: str = ""
    #: The text that `words` are a part of; None for items that are shown as they are.
    full: FullText | None = None
    #: True if the context shows a part of its text.
    is_shortened: bool = False
    #: Kind and level in the text form; empty for messages, and in a block whose heading names the kind.
    kind: str = ""
    #: Name of the conversation that it is from, if it is another one than the context's.
    conversation: str = ""
    #: True for a result of a search that found nothing relevant.
    is_uncertain: bool = False

    @property
    def says(self) -> str:
        return self.substance or self.words

    @property
    def is_summary(self) -> bool:
        return self.about is not None and self.about.kind == MemoryKind.SUMMARY

    @property
    def key(self) -> UUID | str:
        """Identifies the item within a context: the memory's id, or its text."""
        return self.memory_id or f"{self.speaker}: {self.words}"

    @property
    def place(self) -> tuple[bool, datetime, int]:
        """Sort key within its block; items without a time come first, and uncertain ones last."""
        return self.is_uncertain, self.occurred_at or _NO_TIME, self.seq
