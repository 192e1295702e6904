"""The candidates of a block in the order in which they enter a context."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from everword_search.context.item import ContextItem
from everword_search.context.model import BlockSource, ContextCandidate
from everword_search.context.text import Layout

#: Part of a group's share that is reserved for it in any case.
FLOOR = 0.3


@dataclass(frozen=True)
class BlockGroup:
    """Candidates of a block with a share of their own."""

    #: Value of `ContextCandidate.group`.
    name: str
    #: Share of the budget while others compete for it, from 0 to 1.
    share: float
    #: True if it continues beyond its share before memories do.
    precedes: bool = False
    #: True if its items are added even if they repeat the context: "I can't eat nuts" repeats "I can't eat celery".
    verbatim: bool = False


@dataclass
class BlockQueue:
    """Candidates of one group of a block, most important first; items are made when they are needed.

    No candidate overtakes one before it: if one does not fit, it is shortened, and the others wait until it is whole.
    """

    source: BlockSource
    candidates: Sequence[ContextCandidate]
    layout: Layout
    group: BlockGroup
    #: True if items are added even if they repeat the context.
    verbatim: bool = False
    #: Tokens that it may use in the first round, and tokens used.
    limit: int = 0
    used: int = 0
    #: The item in the context that is shown in part, because it did not fit.
    shortened: ContextItem | None = None
    _place: int = 0
    _made: list[ContextItem] = field(default_factory=list)
    _postponed: list[ContextCandidate] = field(default_factory=list)

    @property
    def share(self) -> float:
        return self.group.share

    @property
    def floor(self) -> float:
        return FLOOR * self.group.share

    @property
    def precedes(self) -> bool:
        return self.group.precedes

    def next(self) -> ContextItem | None:
        """Return the next item; None at the end."""
        return self._item(self._place) if self._place < len(self.candidates) else None

    def advance(self) -> None:
        self._place += 1

    def postpone(self) -> None:
        """Let the others pass the next item."""
        self._postponed.append(self.candidates[self._place])
        self._place += 1

    def restore_postponed(self) -> None:
        """Add the postponed candidates to the end of the queue."""
        self.candidates = [*self.candidates, *self._postponed]
        self._postponed = []

    @property
    def waiting(self) -> Sequence[ContextCandidate]:
        """The candidates that did not enter the context."""
        return [*self.candidates[self._place :], *self._postponed]

    def items(self) -> Iterator[ContextItem]:
        """Yield all items in order, each made once."""
        for place in range(len(self.candidates)):
            yield self._item(place)

    def source_messages(self) -> dict[UUID | str, tuple[tuple[UUID, str], ...]]:
        """Return the messages that state the same as a candidate, by the candidate's key."""
        return {each.key: each.source_messages for each in self.candidates}

    def _item(self, place: int) -> ContextItem:
        while len(self._made) <= place:
            self._made.append(self.layout.candidate(self.candidates[len(self._made)]))
        return self._made[place]
