"""Put together what an agent should have in mind, within a token budget."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID
from zoneinfo import ZoneInfo

from everword.domain.caller import NamespaceScope
from everword.domain.errors import InvalidArgument
from everword.text.tokens.counter import TokenCounter
from everword_search.context.budget import Block, Draft
from everword_search.context.chat_history import (
    MOST_RECALLED,
    SHARE,
    Start,
    put_turns,
    read_start,
    recall_turns,
)
from everword_search.context.memories import FoundMemories, search_memories
from everword_search.context.model import BlockSource, ContextRequest
from everword_search.context.repetition import Said
from everword_search.context.text import Item, Layout
from everword_search.ranking.profiles import find_profile
from everword_search.records.pages import MAX_PAGE
from everword_search.records.use import count_use
from everword_search.retrieval.index.as_of import find_as_of
from everword_search.retrieval.model import SearchResult, Verdict
from everword_search.retrieval.sources import Sources

#: A context that costs this share of its budget is full.
FULL = 0.95
#: A query that is taken from a message is its beginning.
MAX_QUERY_BYTES = 8192


@dataclass(frozen=True)
class BuiltContext:
    """A context and its parts."""

    #: Each with the number of its first item.
    blocks: Sequence[tuple[Block, int]]
    text: str
    tokens: int
    omitted: int
    verdict: Verdict | None


async def build_context(
    sources: Sources, counter: TokenCounter, namespace: NamespaceScope, request: ContextRequest
) -> BuiltContext:
    """Return what fits into the budget. What was found by the query counts as used; turns are there for being recent.

    Raises InvalidArgument without query and conversation and for a profile that there is not, ConversationNotFound,
    InvalidConsistencyToken.
    """
    building = await begin(sources, counter, namespace, request)
    recalled, found = await asyncio.gather(building.recall(), building.search())
    # Memories may be many and long: the loop goes on meanwhile.
    await asyncio.to_thread(building.put_recalled, recalled)
    await building.put_memories(found)
    await asyncio.to_thread(building.put_waiting)
    await building.count_uses()
    return building.built(found.verdict)


async def begin(
    sources: Sources, counter: TokenCounter, namespace: NamespaceScope, request: ContextRequest
) -> Building:
    """Return a context that holds the newest turns. Raises what `build_context` does."""
    if not request.query.strip() and request.conversation_id is None:
        text = "is needed where there is no conversation_id"
        raise InvalidArgument(violations=(("query", text),))
    # Also where there is nothing to look for.
    find_profile(request.profile, request.balanced)
    filter_ = await find_as_of(sources.database, namespace, request.filter)
    request = replace(request, filter=filter_)
    start = await read_start(sources.database, namespace, request)
    zone, masks = ZoneInfo(start.settings.time_zone), start.settings.masks_credentials
    layout = Layout(counter, request.format, zone, masks)
    text = _asked(request, start)
    draft = Draft(request.token_budget, layout, Said(text))
    waiting: list[Item] = []
    if start.conversation:
        # Turns may be long: the loop goes on meanwhile.
        waiting = await asyncio.to_thread(put_turns, draft, layout, start.conversation)
    return Building(sources, namespace, request, start, text, draft, waiting)


@dataclass(frozen=True)
class Building:
    """A context that is being built: it holds the newest turns."""

    sources: Sources
    namespace: NamespaceScope
    request: ContextRequest
    start: Start
    #: What memories are looked for by; empty where there is nothing.
    text: str
    draft: Draft
    #: Turns that were read and did not fit.
    waiting: Sequence[Item]

    async def recall(self) -> list[SearchResult]:
        """Return older turns of this conversation that are near the query."""
        if not self.text or not self.start.conversation:
            return []
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

    def put_recalled(self, recalled: Sequence[SearchResult]) -> None:
        """Put in older turns of this conversation."""
        limit = int(self.draft.budget * SHARE)
        nearest = FoundMemories().after(recalled)
        self._put(BlockSource.CHAT_HISTORY, nearest, MOST_RECALLED, limit, alone=True)

    async def put_memories(self, found: FoundMemories) -> None:
        """Put in memories, best first; where these are short, there is room for more than were looked at."""
        await asyncio.to_thread(self._put_found, found)
        if found.is_cut and self.draft.tokens < FULL * self.draft.budget:
            await asyncio.to_thread(self._put_found, await self.search(all_=True))

    def put_waiting(self) -> None:
        """Put in what is left of the turns that wait."""
        draft = self.draft
        there = draft.ids
        wanted = [item for item in self.waiting if item.memory_id not in there]
        draft.fill(BlockSource.CHAT_HISTORY, wanted, most=len(wanted), verbatim=True)
        draft.trim()
        draft.left_out.difference_update(draft.ids)

    def _put_found(self, found: FoundMemories) -> None:
        most = self.request.max_memories
        most = MAX_PAGE if most is None else most
        self._put(BlockSource.MEMORIES, found, most - self._put_current(found, most), None)

    def _put_current(self, found: FoundMemories, most: int) -> int:
        """Put in what holds instead of what the conversation says, as it was said or in a line; return how many."""
        before = len(self.draft.ids)
        for holding in self.draft.lacking():
            if len(self.draft.ids) - before < most:
                said = next((id_ for id_ in holding.memory_ids if id_ in found.results), None)
                if said:
                    self._put(BlockSource.MEMORIES, found.only(said), 1, None)
                if holding in self.draft.lacking():
                    self.draft.put_holding(holding)
        return len(self.draft.ids) - before

    def _put(
        self,
        source: BlockSource,
        found: FoundMemories,
        most: int,
        limit: int | None,
        *,
        alone: bool = False,
    ) -> None:
        layout, there = self.draft.layout, self.draft.ids | self._asked_with()
        items = [item for item in found.items(layout) if item.memory_id not in there]

        def masked(item: Item) -> Item:
            return found.item(layout, item.memory_id, masks=True) if layout.masks else item

        self.draft.fill(source, items, most=most, limit=limit, alone=alone, finish=masked)

    def _asked_with(self) -> set[UUID]:
        """Return the message that is asked with: it does not answer itself."""
        latest = self.start.conversation and self.start.conversation.latest
        return {latest.id} if latest and not self.request.query.strip() else set()

    async def count_uses(self) -> None:
        """Count what was found by the query as used."""
        if self.request.skip_use_count:
            return
        turns = self.start.conversation.turns if self.start.conversation else ()
        used = self.draft.ids - {turn.id for turn in turns}
        await count_use(self.sources.database, self.namespace, sorted(used))

    def built(self, verdict: Verdict | None) -> BuiltContext:
        draft = self.draft
        unread = self.start.conversation.unread if self.start.conversation else 0
        omitted = len(draft.left_out) + unread
        return BuiltContext(draft.numbered(), draft.text(), draft.tokens, omitted, verdict)


def _asked(request: ContextRequest, start: Start) -> str:
    """Return what memories are looked for by: the query, or the latest message of a user."""
    latest = start.conversation.latest if start.conversation else None
    text = request.query.strip() or (latest.content if latest else "")
    return text.encode()[:MAX_QUERY_BYTES].decode(errors="ignore").strip()
