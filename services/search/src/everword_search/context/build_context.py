"""Put together what an agent should have in mind: relevant memories and recent turns, within a token budget."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from everword.db.namespaces import get_namespace_settings
from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.errors import ConversationNotFound, InvalidArgument
from everword.domain.records import MessageRecord
from everword_search.context.budget import SEPARATOR, Block, Plan, divide_budget
from everword_search.context.reliable import find_reliable
from everword_search.context.text import Item, memory_item, turn_item
from everword_search.ranking.profiles import find_profile
from everword_search.records import store
from everword_search.records.freshness import ensure_fresh
from everword_search.records.model import EVERYTHING, MemoryFilter, PageRequest
from everword_search.records.pages import MAX_PAGE
from everword_search.records.use import count_use
from everword_search.retrieval.model import BalancedOptions, SearchRequest, SearchResult
from everword_search.retrieval.sources import Sources

DEFAULT_BUDGET = 4000
DEFAULT_TURNS = 20
DEFAULT_MEMORIES = 10
DEFAULT_PROFILE = "balanced"
#: Turns of a context together, in bytes: more than the largest budget has tokens for.
MAX_TURN_BYTES = 16 * 1024 * 1024
#: A query that is taken from a message is its beginning.
MAX_QUERY_BYTES = 8192
#: At least one passage, so that a memory of one passage is seen to be whole.
_CONTENT_CHARS = 4000
_USER = 2


@dataclass(frozen=True)
class ContextRequest:
    """The request for a context."""

    query: str = ""
    conversation_id: UUID | None = None
    token_budget: int = DEFAULT_BUDGET
    max_recent_turns: int = DEFAULT_TURNS
    max_memories: int = DEFAULT_MEMORIES
    filter: MemoryFilter = EVERYTHING
    min_score: float = 0.0
    min_relevance: float = 0.0
    skip_use_count: bool = False
    at_least_as_fresh: str = ""
    #: How memories are ranked, by name.
    profile: str = DEFAULT_PROFILE
    balanced: BalancedOptions | None = None


@dataclass(frozen=True)
class BuiltContext:
    """A context and its parts."""

    memories: Block
    turns: Block
    text: str
    tokens: int
    omitted: int


@dataclass(frozen=True)
class _Conversation:
    """The part of a context that comes from its conversation."""

    #: Newest first.
    turns: Sequence[Item] = ()
    #: Turns that were not even read, for their size.
    unread: int = 0
    latest_user_text: str = ""
    #: What needs not be remembered, for it is there.
    known: frozenset[UUID] = frozenset()


async def build_context(
    sources: Sources, namespace: NamespaceScope, request: ContextRequest
) -> BuiltContext:
    """Return what fits into the budget. Memories that are put in count as used; turns are there for being recent.

    Raises InvalidArgument without query and conversation and for a profile that there is not, ConversationNotFound,
    InvalidConsistencyToken.
    """
    query = request.query.strip()
    if not query and request.conversation_id is None:
        text = "is needed where there is no conversation_id"
        raise InvalidArgument(violations=(("query", text),))
    # Also where there is nothing to look for.
    find_profile(request.profile, request.balanced)
    conversation = await _read_conversation(sources.database, namespace, request)
    memories = await _find(sources, namespace, request, conversation)
    plan = divide_budget(request.token_budget, conversation.turns, memories, request.max_memories)
    if not request.skip_use_count:
        await count_use(
            sources.database, namespace, [item.memory_id for item in plan.memories.items]
        )
    return _built(plan, conversation.unread)


async def _read_conversation(
    database: Database, namespace: NamespaceScope, request: ContextRequest
) -> _Conversation:
    conversation_id = request.conversation_id
    if conversation_id is None:
        return _Conversation()
    async with database.transaction(namespace.id) as conn:
        await ensure_fresh(database, conn, namespace, request.at_least_as_fresh)
        record = await store.get_conversation(conn, namespace.id, conversation_id)
        if record is None:
            raise ConversationNotFound(conversation_id=conversation_id)
        turns = await store.recent_turns(
            conn, namespace.id, conversation_id, request.max_recent_turns, MAX_TURN_BYTES
        )
        latest = await store.latest_user_message(conn, namespace.id, conversation_id, _USER)
        masks = (await get_namespace_settings(conn, namespace.id)).masks_credentials
    # Turns may be long: the loop goes on meanwhile.
    items = await asyncio.to_thread(_turn_items, turns, record.agent, masks)
    known = {turn.id for turn in turns} | ({latest.id} if latest else set())
    return _Conversation(
        items,
        unread=turns[0].available - len(turns) if turns else 0,
        latest_user_text=latest.content if latest else "",
        known=frozenset(known),
    )


async def _find(
    sources: Sources,
    namespace: NamespaceScope,
    request: ContextRequest,
    conversation: _Conversation,
) -> list[Item]:
    """Return memories, best first, without those that the recent turns hold."""
    asked = request.query.strip()
    text = asked or _beginning(conversation.latest_user_text)
    if not text or not request.max_memories:
        return []
    # As many more as may be known already.
    size = min(MAX_PAGE, request.max_memories + len(conversation.known))
    search = SearchRequest(
        text=text,
        filter=request.filter,
        page=PageRequest(size),
        at_least_as_fresh=request.at_least_as_fresh,
        min_score=request.min_score,
        min_relevance=request.min_relevance,
        max_content_chars=_CONTENT_CHARS,
        operators=bool(asked),
        profile=request.profile,
        balanced=request.balanced,
    )
    found = await find_reliable(sources, namespace, search)
    new = [result for result in found.results if result.memory.id not in conversation.known]
    return await _items(sources.database, namespace, new)


async def _items(
    database: Database, namespace: NamespaceScope, results: Sequence[SearchResult]
) -> list[Item]:
    ids = [result.memory.id for result in results]
    async with database.transaction(namespace.id) as conn:
        tokens = await store.message_token_counts(conn, namespace.id, ids)
        masks = (await get_namespace_settings(conn, namespace.id)).masks_credentials
    return await asyncio.to_thread(_memory_items, results, tokens, masks)


def _turn_items(turns: Sequence[MessageRecord], agent: str, masks: bool) -> list[Item]:
    return [turn_item(turn, agent, masks=masks) for turn in turns]


def _memory_items(
    results: Sequence[SearchResult], tokens: Mapping[UUID, int], masks: bool
) -> list[Item]:
    return [
        memory_item(
            result.memory,
            result.passage,
            tokens.get(result.memory.id, 0),
            result.hit.score,
            masks=masks,
        )
        for result in results
    ]


def _beginning(text: str) -> str:
    return text.encode()[:MAX_QUERY_BYTES].decode(errors="ignore").strip()


def _built(plan: Plan, unread: int) -> BuiltContext:
    blocks = [block for block in (plan.memories, plan.turns) if block.items]
    text = SEPARATOR.join(block.text for block in blocks)
    return BuiltContext(plan.memories, plan.turns, text, plan.tokens, plan.omitted + unread)
