"""The interface of blocks: the request to a block, and the description of a kind of block."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from everword.domain.caller import NamespaceScope
from everword.domain.records import ConversationRecord
from everword.lore.model import Omission
from everword_search.context.block_queue import BlockGroup
from everword_search.context.chat_history import Start
from everword_search.context.model import BlockSource, ContextCandidate, ContextRequest
from everword_search.context.nonempty_kinds import NonemptyKinds
from everword_search.context.text import Layout
from everword_search.records.model import MemoryFilter
from everword_search.retrieval.sources import Sources


@dataclass(frozen=True)
class BlockRequest:
    """The input of a block."""

    sources: Sources
    namespace: NamespaceScope
    request: ContextRequest
    start: Start
    #: The query, or else the latest user message; empty if there is neither.
    text: str
    #: Renders items and computes their tokens.
    layout: Layout
    #: Output: lorebook entries that may be missing because their patterns took too long to match.
    lore_omissions: list[Omission]

    @property
    def record(self) -> ConversationRecord | None:
        """The conversation; None if the request names none."""
        return self.start.conversation.record if self.start.conversation else None

    @property
    def filter(self) -> MemoryFilter:
        """The request's filter, limited to the conversation's agent and subject if the scope is the conversation."""
        return self.request.filter_for(self.record)


@dataclass(frozen=True)
class BlockKind:
    """A kind of block with a share of the budget."""

    source: BlockSource
    #: Share of the token budget while others compete for it, from 0 to 1.
    share: float
    #: Returns candidates, most important first; it must apply the scope itself, since every candidate may be shown.
    find: Callable[[BlockRequest], Awaitable[Sequence[ContextCandidate]]]
    #: Returns False if a namespace with these kinds of rows cannot have candidates; the block is then skipped.
    is_possible: Callable[[NonemptyKinds], bool] = lambda present: True
    #: True if items are shown even if they repeat the context.
    verbatim: bool = False
    #: True if it continues beyond its share before memories do.
    precedes: bool = False
    #: Groups of candidates with a share of their own, in addition to `share`, which is for candidates without a group.
    groups: tuple[BlockGroup, ...] = ()

    @property
    def all_groups(self) -> tuple[BlockGroup, ...]:
        return (*self.groups, BlockGroup("", self.share, self.precedes))
