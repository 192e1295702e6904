"""A context that is being built: what is found for it, and in which order that goes in.

The newest turns are there from the beginning. Each kind of block with a share keeps room for what it has; memories fill
what is left; then the blocks are filled, without what a message that is shown says already; and what is left over goes
to memories and turns.
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
from everword_search.context.chat_history import MOST_RECALLED, SHARE, Recalled, Start, recall_turns
from everword_search.context.item import ContextItem
from everword_search.context.memories import FoundMemories, ToldBy, search_memories
from everword_search.context.model import ORDER, BlockSource, ContextCandidate, ContextRequest
from everword_search.people.offers import count_offers
from everword_search.records.use import count_use
from everword_search.retrieval.arms.base import ArmReport
from everword_search.retrieval.model import SearchResult, Verdict
from everword_search.retrieval.sources import Sources

#: A context that costs this share of its budget is full.
FULL = 0.95
#: What was found by the query, or is a turn.
_FOUND = (BlockSource.MEMORIES, BlockSource.CHAT_HISTORY)

#: What the blocks with a share would say.
Candidates = Mapping[BlockSource, Sequence[ContextCandidate]]


@dataclass(frozen=True)
class BuiltContext:
    """A context and its parts."""

    #: Each with the number of its first item.
    blocks: Sequence[tuple[BudgetedBlock, int]]
    text: str
    tokens: int
    omitted: int
    verdict: Verdict | None
    #: Arms of the search for memories that could not answer.
    degraded: Sequence[ArmReport]
    #: Entries of lorebooks that may be missing.
    lore_omissions: Sequence[Omission]


@dataclass(frozen=True)
class Building:
    """A context that is being built: it holds the newest turns."""

    sources: Sources
    namespace: NamespaceScope
    request: ContextRequest
    start: Start
    #: What memories are looked for by; empty where there is nothing.
    text: str
    draft: ContextDraft
    #: Turns that were read and did not fit.
    waiting: Sequence[ContextItem]
    #: Entries of lorebooks that may be missing; set while blocks are built.
    lore_omissions: list[Omission] = field(default_factory=list)

    async def recall(self) -> Recalled:
        """Return older turns of this conversation that are near the query."""
        if not self.text or not self.start.conversation:
            return Recalled()
        shown = len(self.draft.ids)
        conversation = self.start.conversation
        return await recall_turns(
            self.sources, self.namespace, self.request, conversation, self.text, shown
        )

    async def search(self, *, all_: bool = False) -> FoundMemories:
        """Return memories that may go in: as many as the budget takes if they are of usual length, or `all_`."""
        if not self.text or self.request.max_memories == 0:
            return FoundMemories()
        record = self.start.conversation.record if self.start.conversation else None
        known = len(self.draft.ids) + 1 + MOST_RECALLED if record else 0
        return await search_memories(
            self.sources,
            self.namespace,
            self.request,
            record,
            self.text,
            MAX_PAGE if all_ else known,
        )

    def finders(self) -> dict[BlockSource, Awaitable[Sequence[ContextCandidate]]]:
        """Return, for each block with a share that may have something, what finds its candidates."""
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
        """Return what the blocks with a share would say."""
        finders = self.finders()
        found = await asyncio.gather(*finders.values())
        return dict(zip(finders, found, strict=True))

    def put_recalled(self, recalled: Sequence[SearchResult]) -> None:
        """Put in older turns of this conversation."""
        limit = int(self.draft.budget * SHARE)
        nearest = FoundMemories().after(recalled)
        self._put(BlockSource.CHAT_HISTORY, nearest, MOST_RECALLED, limit, alone=True)

    async def put_found(
        self, found: FoundMemories, candidates: Candidates, until: float | None = None
    ) -> None:
        """Put in memories, best first, and the blocks with a share.

        Where memories are short, there is room for more than were looked at; these are waited for `until` a time of the
        loop. Items may be many and long: the loop goes on meanwhile.
        """
        told_by = await asyncio.to_thread(self._put_all, found, candidates)
        if found.is_cut and self.draft.tokens < FULL * self.draft.budget:
            try:
                async with asyncio.timeout_at(until):
                    more = await self.search(all_=True)
            except TimeoutError:
                return
            marked = more.told({**more.told_by, **told_by})
            await asyncio.to_thread(self._put_memories, marked)

    def put_waiting(self) -> None:
        """Put in what is left of the turns that wait."""
        draft = self.draft
        there = draft.keys
        wanted = [item for item in self.waiting if item.key not in there]
        draft.fill(BlockSource.CHAT_HISTORY, wanted, most=len(wanted), verbatim=True)
        draft.trim()
        draft.left_out.difference_update(draft.keys)

    def _put_all(self, found: FoundMemories, candidates: Candidates) -> ToldBy:
        """Put in everything once; returns by which messages what the blocks say was told."""
        draft, items = self.draft, self._items(found, candidates)
        limits, theirs = self._reserve(items)
        told_by = {item.key: item.told_by for own in items.values() for item in own}
        marked = found.told({**found.told_by, **told_by})
        self._put_memories(marked, theirs)
        draft.release()
        for source, own in items.items():
            there = draft.keys
            wanted = [item for item in own if item.key not in there]
            limit, verbatim = limits[source], source in registry.VERBATIM
            draft.fill(source, wanted, most=len(wanted), limit=limit, verbatim=verbatim)
        if theirs:
            self._put_memories(marked)
        return told_by

    def _reserve(
        self, items: Mapping[BlockSource, Sequence[ContextItem]]
    ) -> tuple[dict[BlockSource, int], set[UUID | str]]:
        """Keep room for the blocks with a share, in their order; returns the limit of each, and what they will hold."""
        draft, limits, theirs = self.draft, dict[BlockSource, int](), set[UUID | str]()
        together = int(draft.budget * registry.TOGETHER)
        shares = {kind.source: kind.share for kind in registry.KINDS}
        for source in (each for each in ORDER if each in items):
            limits[source] = min(int(draft.budget * shares[source]), together - draft.reserved)
            theirs |= draft.reserve(source, items[source], limits[source])
        return limits, theirs

    def _items(
        self, found: FoundMemories, candidates: Candidates
    ) -> dict[BlockSource, list[ContextItem]]:
        """Return what the blocks would say: of each the best first, by its score, its links and its nearness."""
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

    def _put_memories(
        self, found: FoundMemories, theirs: AbstractSet[UUID | str] = frozenset()
    ) -> None:
        """Put in memories, but for those that a block of its own is to hold."""
        self._put_current(found)
        self._put(BlockSource.MEMORIES, found, self._memories_left(), None, theirs)

    def _memories_left(self) -> int:
        """Return how many more memories are wanted."""
        most = self.request.max_memories
        most = MAX_PAGE if most is None else most
        return most - len(self.draft.blocks[BlockSource.MEMORIES].items)

    def _put_current(self, found: FoundMemories) -> None:
        """Put in what holds instead of what the conversation says, as it was said or in a line."""
        for holding in self.draft.lacking():
            if self._memories_left() > 0:
                said = next((id_ for id_ in holding.memory_ids if id_ in found.results), None)
                if said:
                    self._put(BlockSource.MEMORIES, found.only(said), 1, None)
                if holding in self.draft.lacking():
                    self.draft.put_holding(holding)

    def _put(
        self,
        source: BlockSource,
        found: FoundMemories,
        most: int,
        limit: int | None,
        theirs: AbstractSet[UUID | str] = frozenset(),
        *,
        alone: bool = False,
    ) -> None:
        layout = self.draft.layout
        there = self.draft.keys | self._asked_with() | theirs
        items = [item for item in found.items(layout) if item.key not in there]

        def masked(item: ContextItem) -> ContextItem:
            return found.masked(layout, item) if layout.masks else item

        self.draft.fill(source, items, most=most, limit=limit, alone=alone, finish=masked)

    def _asked_with(self) -> set[UUID | str]:
        """Return the message that is asked with: it does not answer itself."""
        latest = self.start.conversation and self.start.conversation.latest
        return {latest.id} if latest and not self.request.query.strip() else set()

    async def count_uses(self) -> None:
        """Update use counts: hits of the query as used, questions as offered.

        Does nothing for a conversation that does not exist yet.
        """
        conversation = self.start.conversation
        if self.request.skip_use_count or (conversation and not conversation.exists):
            return
        turns = self.start.conversation.turns if self.start.conversation else ()
        blocks = (self.draft.blocks[source] for source in _FOUND)
        found = {item.memory_id for block in blocks for item in block.items if item.memory_id}
        documents = self.draft.blocks[BlockSource.DOCUMENTS].items
        # Entries of daily logs are there for being recent.
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
    """Return how relevant each memory is, where the most relevant one has 1."""
    relevance = {id_: each.relevance or 0.0 for id_, each in found.results.items()}
    best = max(relevance.values(), default=0.0)
    return {id_: each / best for id_, each in relevance.items()} if best else {}
