"""The order in which a context is filled.

First come the newest turns. Tokens are then reserved for the other blocks, at most their shares, and memories are
added. Next the blocks are filled up to their shares, except for items whose source message is shown. What is left goes
to the rest of files and lorebook entries, to further memories, to the rest of other blocks, and to further turns. At
the end, items of which a part is shown grow.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import cached_property
from uuid import UUID

from everword.domain.caller import NamespaceScope
from everword.lore.model import MAX_OMISSIONS, Omission
from everword.rpc.pages import MAX_PAGE
from everword_search.context.block_queue import BlockQueue
from everword_search.context.blocks import registry
from everword_search.context.blocks.model import BlockRequest
from everword_search.context.budget import ContextDraft
from everword_search.context.built_context import BuiltContext
from everword_search.context.chat_history import (
    SHARE,
    RecalledTurns,
    Start,
    recall_turns,
)
from everword_search.context.earlier_conversations import (
    RESUMED_SHARE,
    EarlierConversations,
    add_earlier_conversations,
    is_new,
    read_earlier_conversations,
)
from everword_search.context.earlier_conversations import SHARE as EARLIER_SHARE
from everword_search.context.item import ContextItem
from everword_search.context.memories import FoundMemories, ToldBy, search_memories
from everword_search.context.model import ORDER, BlockSource, ContextCandidate, ContextRequest
from everword_search.context.named_periods import find_period_summaries
from everword_search.context.resumption import asks_to_resume
from everword_search.context.shown_repetitions import (
    echoes_neighbour,
    remove_repeated_sentences,
)
from everword_search.people.offers import count_offers
from everword_search.ranking.words.question_words import QuestionWords
from everword_search.records.use import count_use
from everword_search.retrieval.model import SearchResult
from everword_search.retrieval.sources import Sources

#: A context is full if it uses this share of its budget, or has fewer free tokens than most memories cost.
FULL, _SMALL_TOKENS = 0.95, 35
#: Maximum share of the budget for summaries of the periods that the query names.
PERIODS_SHARE = 0.5
#: Share of the budget that memories get while blocks with more to add come before them, and their part of the budget
#: that blocks cannot reserve.
_MEMORIES_SHARE, _MEMORIES_FLOOR = 0.5, 0.2
#: Blocks of search results and turns, whose memories count as used.
_FOUND = (BlockSource.MEMORIES, BlockSource.CHAT_HISTORY)

#: Candidates of the blocks with a share.
Candidates = Mapping[BlockSource, Sequence[ContextCandidate]]


@dataclass(frozen=True)
class ContextBuilder:
    """A context under construction, which already contains the newest turns."""

    sources: Sources
    namespace: NamespaceScope
    request: ContextRequest
    start: Start
    #: The question, and the same with words of the last turns if it refers to them; empty if there is none.
    text: str
    search_text: str
    draft: ContextDraft
    #: Turns that were read but did not fit.
    waiting: Sequence[ContextItem]
    #: Lorebook entries that may be missing; filled while blocks are built.
    lore_omissions: list[Omission] = field(default_factory=list)

    @cached_property
    def question(self) -> QuestionWords:
        return QuestionWords.of(self.search_text, self.start.settings.text_search_config)

    async def recall(self) -> RecalledTurns:
        """Return older turns of this conversation that are similar to the query."""
        if not self.text or not self.start.conversation:
            return RecalledTurns()
        shown = len(self.draft.blocks[BlockSource.CHAT_HISTORY].items)
        return await recall_turns(
            self.sources, self.namespace, self.request, self.start, self.search_text, shown
        )

    async def search(self, *, all_: bool = False) -> FoundMemories:
        """Return as many memories of usual length as fit the budget, or with `all_` the maximum of a page."""
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
                self.search_text,
                MAX_PAGE if all_ else known,
                is_completed=self.search_text != self.text,
            ),
            find_period_summaries(
                self.sources.database,
                self.namespace,
                self.start.settings,
                self.request.filter_for(record),
                self.text,
            ),
        )
        return replace(found.with_periods(periods), question=self.question)

    def finders(self) -> dict[BlockSource, Awaitable[Sequence[ContextCandidate]]]:
        """Return, for each block that may have candidates, the awaitable that finds them."""
        layout = self.draft.layout
        asked = BlockRequest(
            self.sources,
            self.namespace,
            self.request,
            self.start,
            self.search_text,
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
                has_endings=self.start.present.facts or self.start.present.corrections,
            )

    def add_earlier(self, earlier: EarlierConversations, found: FoundMemories) -> FoundMemories:
        """Add earlier conversations before search results, and return the results that may follow.

        They get a share within the unused tokens of the chat history's half. If the question asks for them and names no
        topic, they get most of the budget, and only results that surely answer may follow.
        """
        draft, conversation = self.draft, self.start.conversation
        left = int(draft.budget * SHARE) - draft.blocks[BlockSource.CHAT_HISTORY].tokens
        limit = min(int(draft.budget * EARLIER_SHARE), left)
        names = [conversation.record.agent, conversation.record.subject] if conversation else []
        if earlier.turns and asks_to_resume(self.text, names):
            limit, found = int(draft.budget * RESUMED_SHARE), found.sure()
        periods = {each.memory.id for each in found.periods}
        add_earlier_conversations(draft, draft.layout, earlier.without_summaries(periods), limit)
        return found

    def add_recalled_turns(self, recalled: Sequence[SearchResult]) -> None:
        """Add older turns of this conversation."""
        limit = int(self.draft.budget * SHARE)
        nearest = FoundMemories(question=self.question).after(recalled)
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
        draft = self.draft
        free = draft.budget - draft.tokens
        if found.is_cut and draft.tokens < FULL * draft.budget and free >= _SMALL_TOKENS:
            try:
                async with asyncio.timeout_at(until):
                    found = await self.search(all_=True)
            except TimeoutError:
                return
        marked = found.with_sources({**found.source_messages, **source_messages})
        await asyncio.to_thread(self._add_rest, marked)

    def finish(self, turns: BlockSource = BlockSource.CHAT_HISTORY) -> None:
        """Add the remaining turns that fit to the block `turns`, and use the remaining tokens for longer items."""
        draft = self.draft
        there = draft.keys
        requested = [item for item in self.waiting if item.key not in there]
        draft.fill(turns, requested, maximum=len(requested), verbatim=True)
        draft.widen()
        draft.trim()
        draft.forget_repetitions_left_out()

    def _add_all(self, found: FoundMemories, candidates: Candidates) -> ToldBy:
        """Add memories and blocks once; return the source messages of the blocks' items."""
        draft, queues = self.draft, self._queues(found, candidates)
        promised = self._reserve(queues, bool(found.results))
        source_messages = {k: v for queue in queues for k, v in queue.source_messages().items()}
        marked = found.with_sources({**found.source_messages, **source_messages}).likely()
        before = [queue for queue in queues if queue.precedes and self._needs_more(queue)]
        promised |= {each.key for queue in before for each in queue.candidates}
        limit = int(draft.budget * _MEMORIES_SHARE) if before else None
        self._add_memories(marked, promised, limit)
        draft.release()
        for queue in queues:
            draft.fill_from(queue, queue.limit)
        for queue in before:
            draft.fill_from(queue)
        if promised or before:
            self._add_memories(marked)
        for queue in queues:
            draft.fill_from(queue)
            self._report(draft.leave_out(queue))
        return source_messages

    def _add_rest(self, found: FoundMemories) -> None:
        """Add further memories up to the last relevant one, let shortened items grow, then add other memories."""
        self._add_memories(found.likely())
        if remove_repeated_sentences(self.draft, {each.memory.id for each in found.periods}):
            self._add_memories(found.likely())
        self.draft.widen()
        self._add_memories(found)

    def _reserve(self, queues: Sequence[BlockQueue], has_memories: bool) -> set[UUID | str]:
        """Reserve tokens for the blocks in order of the prompt: first a floor for each, then up to its share.

        Return the keys of the items that the blocks will contain.
        """
        draft, promised = self.draft, set[UUID | str]()
        floor = int(draft.budget * _MEMORIES_FLOOR) if has_memories else 0
        together = int(draft.budget * registry.TOGETHER)
        together = max(0, min(together, draft.budget - draft.tokens - floor))
        for share in ("floor", "share"):
            for queue in queues:
                most = queue.limit + together - draft.reserved
                most = min(int(draft.budget * getattr(queue, share)), most)
                needed, keys = draft.needed(queue, most)
                draft.reserved += max(0, needed - queue.limit)
                queue.limit = max(queue.limit, needed)
                promised |= keys
        draft.promised |= {key for key in promised if isinstance(key, UUID)}
        return promised

    def _needs_more(self, queue: BlockQueue) -> bool:
        """Return whether a queue has more items than its share of the budget can hold."""
        return self.draft.needed(queue, queue.limit + 1)[0] > queue.limit

    def _report(self, missing: Sequence[ContextCandidate]) -> None:
        """Report lorebook entries that did not fit."""
        available = MAX_OMISSIONS - len(self.lore_omissions)
        self.lore_omissions.extend([each.omission for each in missing if each.omission][:available])

    def _queues(self, found: FoundMemories, candidates: Candidates) -> list[BlockQueue]:
        """Return the queues of the blocks in order of the prompt.

        The best candidates of each come first: by score, link bonus and nearness to the query.
        """
        near = found.nearness()

        def value(each: ContextCandidate) -> float:
            nearness = near.get(each.memory_id, 0.0) if each.memory_id else 0.0
            return each.score + each.lift + nearness

        kinds = {kind.source: kind for kind in registry.KINDS}
        queues = list[BlockQueue]()
        for source in (each for each in ORDER if each in candidates):
            own = sorted(candidates[source], key=value, reverse=True)
            for group in kinds[source].all_groups:
                members = [each for each in own if each.group == group.name]
                verbatim = kinds[source].verbatim or group.verbatim
                queues.append(BlockQueue(source, members, self.draft.layout, group, verbatim))
        return [queue for queue in queues if queue.candidates]

    def _add_memories(
        self,
        found: FoundMemories,
        theirs: AbstractSet[UUID | str] = frozenset(),
        limit: int | None = None,
    ) -> None:
        """Add memories, except for those reserved for another block, at most `limit` tokens."""
        self._add_current_facts(found)
        if found.periods:
            most = min(len(found.periods), self._memories_left())
            # Their words for a time match anything, such as `three weeks late`.
            words = found.question and found.question.without_times()
            periods = FoundMemories(question=words).after(found.periods)
            of_periods = int(self.draft.budget * PERIODS_SHARE)
            # The query asks for them, so they are complete even if turns before them say the same.
            self._add_found(BlockSource.MEMORIES, periods, most, of_periods, theirs, verbatim=True)
        self._add_found(BlockSource.MEMORIES, found, self._memories_left(), limit, theirs)

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
        verbatim: bool = False,
    ) -> None:
        layout = self.draft.layout
        there = self.draft.keys | self._query_message_ids() | theirs
        turns = self.draft.blocks[BlockSource.CHAT_HISTORY].items
        items = [
            item
            for item in found.items(layout)
            if item.key not in there and not echoes_neighbour(item, turns)
        ]

        def masked(item: ContextItem) -> ContextItem:
            return found.masked(layout, item) if layout.masks else item

        self.draft.fill(
            source,
            items,
            maximum=maximum,
            limit=limit,
            verbatim=verbatim,
            alone=alone,
            finish=masked,
        )

    def _query_message_ids(self) -> set[UUID | str]:
        """Return the key of the message used as the query, which is no answer to itself."""
        latest = self.start.conversation and self.start.conversation.latest
        return {latest.id} if latest and not self.request.query.strip() else set()

    async def count_uses(self) -> None:
        """Update use counts: search results as used, except for uncertain ones, and questions as offered.

        Does nothing for a conversation that does not exist yet.
        """
        conversation = self.start.conversation
        if self.request.skip_use_count or (conversation and not conversation.exists):
            return
        turns = self.start.conversation.turns if self.start.conversation else ()
        items = [item for source in _FOUND for item in self.draft.blocks[source].items]
        found = {each.memory_id for each in items if each.memory_id and not each.is_uncertain}
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
        items = (item for block, _ in shown[0] for item in block.items)
        shortened = sum(item.is_shortened for item in items)
        return BuiltContext(
            *shown, omitted, found.verdict, found.degraded, self.lore_omissions, shortened
        )
