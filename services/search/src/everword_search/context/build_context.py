"""Build a context: what an agent should know for its next turn, within a token budget."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from zoneinfo import ZoneInfo

from everword.domain.caller import NamespaceScope
from everword.domain.errors import InvalidArgument
from everword.text.tokens.counter import TokenCounter
from everword_search.context.budget import ContextDraft
from everword_search.context.built_context import BuiltContext
from everword_search.context.chat_history import Start, add_recent_turns, read_start
from everword_search.context.context_builder import ContextBuilder
from everword_search.context.item import ContextItem
from everword_search.context.model import ContextRequest
from everword_search.context.repetition import WordsInContext
from everword_search.context.text import Layout
from everword_search.passages.as_of import find_as_of
from everword_search.retrieval.profiles import find_profile
from everword_search.retrieval.query.follow_up import complete, last_turns, word_list_of
from everword_search.retrieval.sources import Sources

#: Maximum bytes of a query; a longer text is cut.
MAX_QUERY_BYTES = 8192
#: Characters of the beginning and of the end of a longer message that are searched for. More words hardly change the
#: results, and the question about a pasted text is before or after it.
_BEGINNING, _END = 1500, 500


async def build_context(
    sources: Sources, counter: TokenCounter, namespace: NamespaceScope, request: ContextRequest
) -> BuiltContext:
    """Return a context within the budget; results of the query count as used, recent turns do not.

    Raises InvalidArgument without query and conversation or for an unknown profile, ConversationNotFound,
    InvalidConsistencyToken.
    """
    building = await begin(sources, counter, namespace, request)
    recalled, found, candidates, earlier = await asyncio.gather(
        building.recall(), building.search(), building.find_blocks(), building.find_earlier()
    )
    # Memories may be many and long, so add them in a thread.
    found = await asyncio.to_thread(building.add_earlier, earlier, found)
    await asyncio.to_thread(building.add_recalled_turns, recalled.results)
    await building.add_found_memories(found, candidates)
    await asyncio.to_thread(building.finish)
    await building.count_uses()
    return building.built(found.degraded_by(recalled.degraded))


async def begin(
    sources: Sources, counter: TokenCounter, namespace: NamespaceScope, request: ContextRequest
) -> ContextBuilder:
    """Return a context that contains the newest turns. Raises the errors of `build_context`."""
    if not request.query.strip() and not request.names_conversation:
        text = "is required unless conversation_id or conversation is set"
        raise InvalidArgument(violations=(("query", text),))
    # Validate the profile even if nothing will be searched.
    find_profile(request.profile, request.balanced)
    filter_ = await find_as_of(
        sources.database, namespace, request.filter, at_least_as_fresh=request.at_least_as_fresh
    )
    request = replace(request, filter=filter_)
    start = await read_start(sources.database, namespace, request)
    request = replace(request, own_fact_ids=start.own_fact_ids)
    if start.conversation:
        request = replace(request, conversation_id=start.conversation.record.id)
    if start.present.conversation_documents:
        request = request.without_foreign_documents()
    zone, masks = ZoneInfo(start.settings.time_zone), start.settings.masks_credentials
    layout = Layout(
        counter,
        request.format,
        zone,
        masks,
        start.settings.trust,
        request.omit_parts,
        request.conversation_id,
    )
    text = _query_text(request, start)
    draft = ContextDraft(request.token_budget, layout, WordsInContext(text))
    waiting: list[ContextItem] = []
    if start.conversation:
        # Turns may be long, so add them in a thread.
        waiting = await asyncio.to_thread(add_recent_turns, draft, layout, start.conversation)
    search_text = text
    if start.conversation:
        said = last_turns(start.conversation.newest, text)
        await sources.word_lists.ready(word_list_of(said))
        search_text = complete(said)
    return ContextBuilder(sources, namespace, request, start, text, search_text, draft, waiting)


def _query_text(request: ContextRequest, start: Start) -> str:
    """Return the text to search for: the query, cut to `MAX_QUERY_BYTES`, or parts of the latest user message."""
    latest = start.conversation.latest if start.conversation else None
    text = request.query.strip()
    if not text and latest:
        text = latest.content.strip()
        if len(text) > _BEGINNING + _END:
            text = f"{text[:_BEGINNING]}\n{text[-_END:]}"
    return text.encode()[:MAX_QUERY_BYTES].decode(errors="ignore").strip()
