"""Build a context block by block, and end before the deadline with the parts found by then."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from everword.domain.caller import NamespaceScope
from everword.domain.deadline import remaining
from everword.lore.model import Omission
from everword.text.tokens.counter import TokenCounter
from everword_search.context.budgeted_block import BudgetedBlock
from everword_search.context.build_context import begin
from everword_search.context.context_builder import ContextBuilder
from everword_search.context.earlier_conversations import EarlierConversations
from everword_search.context.memories import FoundMemories
from everword_search.context.model import ORDER, BlockSource, ContextRequest
from everword_search.retrieval.arms.base import ArmReport
from everword_search.retrieval.model import Verdict
from everword_search.retrieval.sources import Sources

#: Maximum seconds to wait for blocks, and the share of a shorter deadline; the rest is for the response.
MOST_S, SHARE_OF_DEADLINE = 60.0, 0.8


@dataclass(frozen=True)
class StreamedEnd:
    """The result of a streamed context, without the blocks."""

    tokens: int
    omitted: int
    #: None if nothing was searched, or if the search for memories did not end in time.
    verdict: Verdict | None
    missing: tuple[BlockSource, ...]
    #: Arms of the memory search that failed.
    degraded: Sequence[ArmReport]
    #: Lorebook entries that may be missing.
    lore_omissions: Sequence[Omission]
    #: Number of items of which a part is shown.
    shortened: int


async def stream_context(
    sources: Sources, counter: TokenCounter, namespace: NamespaceScope, request: ContextRequest
) -> AsyncIterator[tuple[BudgetedBlock, int] | StreamedEnd]:
    """Yield non-empty blocks, each with the number of its first item, and finally StreamedEnd.

    Raises the errors of `build_context`.
    """
    # The limit covers the whole call, including the first block.
    loop = asyncio.get_running_loop()
    until = loop.time() + SHARE_OF_DEADLINE * remaining(MOST_S)
    building = await begin(sources, counter, namespace, request)
    history = building.draft.blocks[BlockSource.CHAT_HISTORY]
    if history.items:
        yield history, 1
    finders = {
        BlockSource.MEMORIES: _find_memories(building),
        BlockSource.EARLIER_CONVERSATIONS: building.find_earlier(),
        **building.finders(),
    }
    there = await _in_time(finders, until)
    missing = tuple(source for source in ORDER if source in finders and source not in there)
    found: FoundMemories = there.pop(BlockSource.MEMORIES, FoundMemories())
    earlier = there.pop(BlockSource.EARLIER_CONVERSATIONS, EarlierConversations())
    found = await asyncio.to_thread(building.add_earlier, earlier, found)
    await building.add_found_memories(found, there, until)
    # The chat history was already sent, so further turns go to the memories block.
    await asyncio.to_thread(building.finish, BlockSource.MEMORIES)
    first = 1 + len(history.items)
    for block in building.draft.blocks.values():
        if block.items and block is not history:
            yield block, first
            first += len(block.items)
    await building.count_uses()
    built = building.built(found)
    yield StreamedEnd(
        built.tokens,
        built.omitted,
        found.verdict,
        missing,
        built.degraded,
        built.lore_omissions,
        built.shortened,
    )


async def _in_time(
    finders: Mapping[BlockSource, Awaitable[Any]], until: float
) -> dict[BlockSource, Any]:
    """Return the results available by the event-loop time `until`, and cancel the rest.

    Raises the first error that occurs by then.
    """
    tasks = {source: asyncio.ensure_future(finder) for source, finder in finders.items()}
    left = max(0.0, until - asyncio.get_running_loop().time())
    done = set[asyncio.Future[Any]]()
    try:
        done, _ = await asyncio.wait(
            tasks.values(), timeout=left, return_when=asyncio.FIRST_EXCEPTION
        )
    finally:
        for task in tasks.values():
            task.cancel()
        await asyncio.gather(*tasks.values(), return_exceptions=True)
    return {source: task.result() for source, task in tasks.items() if task in done}


async def _find_memories(building: ContextBuilder) -> FoundMemories:
    """Return the search results, including recalled older turns.

    The chat history was already sent, so recalled turns go to the memories block.
    """
    recalled, found = await asyncio.gather(building.recall(), building.search())
    return found.after(recalled.results).degraded_by(recalled.degraded)
