"""The seam of blocks: what each is asked, and what it says of itself."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from everword.domain.caller import NamespaceScope
from everword.domain.records import ConversationRecord
from everword.lore.model import Omission
from everword_search.context.chat_history import Start
from everword_search.context.model import BlockSource, ContextCandidate, ContextRequest
from everword_search.context.present import Present
from everword_search.context.text import Layout
from everword_search.records.model import MemoryFilter
from everword_search.retrieval.sources import Sources


@dataclass(frozen=True)
class BlockRequest:
    """What a block is asked for."""

    sources: Sources
    namespace: NamespaceScope
    request: ContextRequest
    start: Start
    #: What is looked for: the query, or the latest message of a user; empty where there is nothing.
    text: str
    #: The form that items will have, with what each costs.
    layout: Layout
    #: Called with the lorebook entries that may be missing because searching for them takes too long.
    lore_omissions: list[Omission]

    @property
    def record(self) -> ConversationRecord | None:
        """The conversation, where there is one."""
        return self.start.conversation.record if self.start.conversation else None

    @property
    def filter(self) -> MemoryFilter:
        """The request's filter, within the conversation's agent and subject where it keeps to these."""
        return self.request.filter_for(self.record)


@dataclass(frozen=True)
class BlockKind:
    """A kind of block with a share of its own."""

    source: BlockSource
    #: The most of the budget that it may cost.
    share: float
    #: Returns candidates, the most important first. It knows all limits of scope: what it returns may be shown.
    find: Callable[[BlockRequest], Awaitable[Sequence[ContextCandidate]]]
    #: Whether a namespace with these rows may have any: where it cannot, the block is not asked for.
    is_possible: Callable[[Present], bool] = lambda present: True
    #: Whether it is shown as it is, also where it repeats what the context says.
    verbatim: bool = False
