"""The order in which a context is filled.

First come the newest turns. Tokens are then reserved for each kind of block with a share; memories fill the rest. Next
the blocks are filled, except for items whose source message is shown, and the remaining tokens go to further memories
and turns.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from uuid import UUID

from everword.domain.caller import NamespaceScope
from everword.lore.model import Omission
from everword.rpc.pages import MAX_PAGE
from everword_search.context.blocks import registry
from everword_search.context.blocks.model import BlockRequest
from everword_search.context.budget import BudgetedBlock, ContextDraft
from everword_search.context.chat_history import (
    SHARE,
    RecalledTurns,
    Start,
    recall_turns,
)
from everword_search.context.earlier_conversations import (
    EarlierConversations,
    add_earlier_conversations,
    is_new,
    read_earlier_conversations,
)
from everword_search.context.item import ContextItem
from everword_search.context.memories import FoundMemories, ToldBy, search_memories
from everword_search.context.model import ORDER, BlockSource, ContextCandidate, ContextRequest
from everword_search.context.named_periods import find_period_summaries
from everword_search.context.repetition import adds_nothing
from everword_search.people.offers import count_offers
from everword_search.records.use import count_use
from everword_search.retrieval.arms.base import ArmReport
from everword_search.retrieval.model import SearchResult, Verdict
from everword_search.retrieval.sources import Sources

#: A context that uses this share of its budget is full.
FULL = 0.95
#: Maximum share of the budget for summaries of the periods that the query names.
PERIODS_SHARE = 0.5
#: Blocks of search results and turns, whose memories count as used.
_FOUND = (BlockSource.MEMORIES, BlockSource.CHAT_HISTORY)

#: Candidates of the blocks with a share.
Candidates = Mapping[BlockSource, Sequence[ContextCandidate]]


@dataclass(frozen=True)
class BuiltContext:
    """A finished context and its parts."""

    #: Each with the number of its first item.
    blocks: Sequence[tuple[BudgetedBlock, int]]
    text: str
    tokens: int
    omitted: int
    verdict: Verdict | None
    #: Arms of the memory search that failed.
    degraded: Sequence[ArmReport]
    #: Lorebook entries that may be missing.
    lore_omissions: Sequence[Omission]


@dataclass(frozen=True)
class ContextBuilder:
    """A context under construction, which already contains the newest turns."""

    sources: Sources
    namespace: NamespaceScope
    request: ContextRequest
    start: Start
    #: The text to search for; empty if there is none.
    text: str
    draft: ContextDraft
    #: Turns that were read but did not fit.
    waiting: Sequence[ContextItem]
    #: Lorebook entries that may be missing; filled while blocks are built.
    lore_omissions: list[Omission] = field(default_factory=list)

    async def recall(self) -> RecalledTurns:
        """Return older turns of this conversation that are similar to the query."""
        if not self.text or not self.start.conversation:
            return RecalledTurns()
        shown = len(self.draft.blocks[BlockSource.CHAT_HISTORY].items)
        return await recall_turns(
            self.sources, self.namespace, self.request, self.start, self.text, shown
        )

    async def search(self, *, all_: bool = False) -> FoundMemories:
        """Return candidate memories.

        Their number is that of memories of usual length that fit the budget, or with `all_` the maximum of a page.
        """
        if not self.text or self.request.max_memories == 0:
            return FoundMemories()
        record = self.start.conversation.record if self.start.conversation else None
        known = len(self.draft.ids) + 1 + self.start.most_recalled if record else 0
        found, periods = await asyncio.gather(
            search_memories(
                self.sources,
                self.namespace,
                self.request,
                record,
                self.text,
                MAX_PAGE if all_ else known,
            ),
            find_period_summaries(
                self.sources.database,
                self.namespace,
                self.start.settings,
                self.request.filter_for(record),
                self.text,
            ),
        )
        return found.with_periods(periods)

    def finders(self) -> dict[BlockSource, Awaitable[Sequence[ContextCandidate]]]:
        """Return, for each block that may have candidates, the awaitable that finds them."""
        layout = self.draft.layout
        asked = BlockRequest(
            self.sources,
            self.namespace,
            self.request,
            self.start,
            self.text,
            layout,
            self.lore_omissions,
        )
        possible = (kind for kind in registry.KINDS if kind.is_possible(self.start.present))
        return {kind.source: kind.find(asked) for kind in possible}

    async def find_blocks(self) -> Candidates:
        """Return the candidates of the blocks with a share."""
        finders = self.finders()
        found = await asyncio.gather(*finders.values())
        return dict(zip(finders, found, strict=True))

    async def find_earlier(self) -> EarlierConversations:
        """Return the end of earlier conversations, if this one is new."""
        conversation, most = self.start.conversation, self.start.most_earlier
        if conversation is None or not is_new(self.request, conversation.record, most):
            return EarlierConversations()
        async with self.sources.database.transaction(self.namespace.id) as conn:
            return await read_earlier_conversations(
                conn,
                self.namespace.id,
                self.request,
                conversation.record,
                most,
                has_facts=self.start.present.facts,
            )

    def add_earlier(self, earlier: EarlierConversations) -> None:
        """Add earlier conversations before all that is found, within what the chat history leaves of its half."""
        left = int(self.draft.budget * SHARE) - self.draft.blocks[BlockSource.CHAT_HISTORY].tokens
        add_earlier_conversations(self.draft, self.draft.layout, earlier, left)

    def add_recalled_turns(self, recalled: Sequence[SearchResult]) -> None:
        """Add older turns of this conversation."""
        limit = int(self.draft.budget * SHARE)
        nearest = FoundMemories().after(recalled)
        most = self.start.most_recalled
        self._add_found(BlockSource.CHAT_HISTORY, nearest, most, limit, alone=True)

    async def add_found_memories(
        self, found: FoundMemories, candidates: Candidates, until: float | None = None
    ) -> None:
        """Add memories, best first, and the blocks with a share.

        If the memories are short and space is left, more of them are searched, until the event-loop time `until`.
        Adding items runs in threads, because they may be many and long.
        """
        source_messages = await asyncio.to_thread(self._add_all, found, candidates)
        if found.is_cut and self.draft.tokens < FULL * self.draft.budget:
            try:
                async with asyncio.timeout_at(until):
                    more = await self.search(all_=True)
            except TimeoutError:
                return
            marked = more.with_sources({**more.source_messages, **source_messages})
            await asyncio.to_thread(self._add_memories, marked)

    def add_waiting_turns(self) -> None:
        """Add the remaining turns that fit."""
        draft = self.draft
        there = draft.keys
        requested = [item for item in self.waiting if item.key not in there]
        draft.fill(BlockSource.CHAT_HISTORY, requested, maximum=len(requested), verbatim=True)
        draft.trim()
        draft.left_out.difference_update(draft.keys)

    def _add_all(self, found: FoundMemories, candidates: Candidates) -> ToldBy:
        """Add memories and blocks once; return the source messages of the blocks' items."""
        draft, items = self.draft, self._items(found, candidates)
        limits, foreign = self._reserve(items)
        source_messages = {item.key: item.source_messages for own in items.values() for item in own}
        marked = found.with_sources({**found.source_messages, **source_messages})
        self._add_memories(marked, foreign)
        draft.release()
        for source, own in items.items():
            there = draft.keys
            requested = [item for item in own if item.key not in there]
            limit, verbatim = limits[source], source in registry.VERBATIM
            draft.fill(source, requested, maximum=len(requested), limit=limit, verbatim=verbatim)
        if foreign:
            self._add_memories(marked)
        return source_messages

    def _reserve(
        self, items: Mapping[BlockSource, Sequence[ContextItem]]
    ) -> tuple[dict[BlockSource, int], set[UUID | str]]:
        """Reserve tokens for the blocks in order of the prompt.

        Return each block's limit, and the keys of the items that the blocks will contain.
        """
        draft, limits, foreign = self.draft, dict[BlockSource, int](), set[UUID | str]()
        together = int(draft.budget * registry.TOGETHER)
        shares = {kind.source: kind.share for kind in registry.KINDS}
        for source in (each for each in ORDER if each in items):
            limits[source] = min(int(draft.budget * shares[source]), together - draft.reserved)
            foreign |= draft.reserve(source, items[source], limits[source])
        return limits, foreign

    def _items(
        self, found: FoundMemories, candidates: Candidates
    ) -> dict[BlockSource, list[ContextItem]]:
        """Return the items of the blocks, the best of each first: by score, link bonus and nearness to the query."""
        near = _nearness(found)

        def value(item: ContextItem) -> float:
            return (
                item.score + item.lift + (near.get(item.memory_id, 0.0) if item.memory_id else 0.0)
            )

        layout = self.draft.layout
        return {
            source: sorted(map(layout.candidate, own), key=value, reverse=True)
            for source, own in candidates.items()
        }

    def _add_memories(
        self, found: FoundMemories, theirs: AbstractSet[UUID | str] = frozenset()
    ) -> None:
        """Add memories, except for those reserved for another block."""
        self._add_current_facts(found)
        if found.periods:
            limit = int(self.draft.budget * PERIODS_SHARE)
            most = min(len(found.periods), self._memories_left())
            periods = FoundMemories().after(found.periods)
            self._add_found(BlockSource.MEMORIES, periods, most, limit, theirs)
        self._add_found(BlockSource.MEMORIES, found, self._memories_left(), None, theirs)

    def _memories_left(self) -> int:
        """Return how many more memories may be added."""
        most = self.request.max_memories
        most = MAX_PAGE if most is None else most
        return most - len(self.draft.blocks[BlockSource.MEMORIES].items)

    def _add_current_facts(self, found: FoundMemories) -> None:
        """Add the current values of outdated facts in the conversation.

        A value is added as a memory that states it, else as a line.
        """
        for holding in self.draft.lacking():
            if self._memories_left() > 0:
                said = next((id_ for id_ in holding.memory_ids if id_ in found.results), None)
                if said:
                    self._add_found(BlockSource.MEMORIES, found.only(said), 1, None)
                if holding in self.draft.lacking():
                    self.draft.add_current_fact(holding)

    def _add_found(
        self,
        source: BlockSource,
        found: FoundMemories,
        maximum: int,
        limit: int | None,
        theirs: AbstractSet[UUID | str] = frozenset(),
        *,
        alone: bool = False,
    ) -> None:
        layout = self.draft.layout
        there = self.draft.keys | self._query_message_ids() | theirs
        items = [
            item
            for item in found.items(layout)
            if item.key not in there and not self._echoes_neighbour(item)
        ]

        def masked(item: ContextItem) -> ContextItem:
            return found.masked(layout, item) if layout.masks else item

        self.draft.fill(source, items, maximum=maximum, limit=limit, alone=alone, finish=masked)

    def _echoes_neighbour(self, item: ContextItem) -> bool:
        """Return whether an item is a turn next to a shown one and says nothing new, such as `Noted, pier nine.`"""
        about = item.about
        if about is None or about.seq is None:
            return False
        shown = self.draft.blocks[BlockSource.CHAT_HISTORY].items
        return any(
            each.about is not None
            and each.about.conversation_id == about.conversation_id
            and each.about.seq is not None
            and abs(each.about.seq - about.seq) == 1
            and adds_nothing(item.words, each.words)
            for each in shown
        )

    def _query_message_ids(self) -> set[UUID | str]:
        """Return the key of the message used as the query, which is no answer to itself."""
        latest = self.start.conversation and self.start.conversation.latest
        return {latest.id} if latest and not self.request.query.strip() else set()

    async def count_uses(self) -> None:
        """Update use counts: search results as used, questions as offered.

        Does nothing for a conversation that does not exist yet.
        """
        conversation = self.start.conversation
        if self.request.skip_use_count or (conversation and not conversation.exists):
            return
        turns = self.start.conversation.turns if self.start.conversation else ()
        blocks = (self.draft.blocks[source] for source in _FOUND)
        found = {item.memory_id for block in blocks for item in block.items if item.memory_id}
        documents = self.draft.blocks[BlockSource.DOCUMENTS].items
        # Entries of daily logs were not found by the query, so they do not count; they have no `about`.
        found |= {item.memory_id for item in documents if item.memory_id and item.about}
        used = found - {turn.id for turn in turns}
        await count_use(self.sources.database, self.namespace, sorted(used))
        questions = self.draft.blocks[BlockSource.QUESTIONS].items
        offered = [item.strategy_id for item in questions if item.strategy_id]
        await count_offers(self.sources.database, self.namespace, offered)

    def built(self, found: FoundMemories) -> BuiltContext:
        draft = self.draft
        unread = self.start.conversation.unread if self.start.conversation else 0
        omitted = len(draft.left_out) + unread
        shown = draft.numbered(), draft.text(), draft.tokens
        return BuiltContext(*shown, omitted, found.verdict, found.degraded, self.lore_omissions)


def _nearness(found: FoundMemories) -> dict[UUID, float]:
    """Return the relevance of each memory relative to the most relevant one, which has 1."""
    relevance = {id_: each.relevance or 0.0 for id_, each in found.results.items()}
    best = max(relevance.values(), default=0.0)
    return {id_: each / best for id_, each in relevance.items()} if best else {}
