"""Build a context block by block, and end in time with what there is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

from everword.domain.caller import NamespaceScope
from everword.domain.deadline import remaining
from everword.text.tokens.counter import TokenCounter
from everword_search.context.budget import Block
from everword_search.context.build_context import Building, begin
from everword_search.context.model import BlockSource, ContextRequest
from everword_search.retrieval.model import Verdict
from everword_search.retrieval.sources import Sources

#: The longest that memories are waited for, and the share of a shorter deadline: the rest is for the way back.
MOST_S, SHARE_OF_DEADLINE = 60.0, 0.8


@dataclass(frozen=True)
class StreamedEnd:
    """What a streamed context came to."""

    tokens: int
    omitted: int
    #: None where nothing was looked for, and where memories are missing.
    verdict: Verdict | None
    missing: tuple[BlockSource, ...]


async def stream_context(
    sources: Sources, counter: TokenCounter, namespace: NamespaceScope, request: ContextRequest
) -> AsyncIterator[tuple[Block, int] | StreamedEnd]:
    """Yield blocks, each with the number of its first item, and the end. Raises what `build_context` does."""
    # Of all the time there is, whatever the first block takes of it.
    loop = asyncio.get_running_loop()
    until = loop.time() + SHARE_OF_DEADLINE * remaining(MOST_S)
    building = await begin(sources, counter, namespace, request)
    history = building.draft.blocks[BlockSource.CHAT_HISTORY]
    shown = len(history.items)
    if shown:
        yield history, 1
    missing, verdict = tuple[BlockSource, ...](), None
    try:
        async with asyncio.timeout_at(until):
            verdict = await _put_memories(building)
    except TimeoutError:
        missing = (BlockSource.MEMORIES,)
    memories = building.draft.blocks[BlockSource.MEMORIES]
    if memories.items and not missing:
        yield memories, 1 + shown
        await building.count_uses()
    built = building.built(verdict)
    yield StreamedEnd(built.tokens, built.omitted, verdict, missing)


async def _put_memories(building: Building) -> Verdict | None:
    """Put in what is found by the query. The conversation's block was sent: its older turns go in as memories."""
    recalled, found = await asyncio.gather(building.recall(), building.search())
    await building.put_memories(found.after(recalled))
    return found.verdict
