"""Put together what an agent should have in mind: relevant memories and recent turns, within a token budget."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, tzinfo
from enum import IntEnum
from uuid import UUID
from zoneinfo import ZoneInfo

from everword.db.namespaces import NamespaceSettings, get_namespace_settings
from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.errors import ConversationNotFound, InvalidArgument
from everword.domain.records import ConversationRecord, MessageRecord
from everword_search.context.budget import SEPARATOR, Block, fill_memories, fill_turns
from everword_search.context.reliable import find_reliable
from everword_search.context.text import Item, memory_item, turn_item
from everword_search.ranking.profiles import find_profile
from everword_search.records import store
from everword_search.records.freshness import ensure_fresh
from everword_search.records.model import EVERYTHING, MemoryFilter, PageRequest
from everword_search.records.pages import MAX_PAGE
from everword_search.records.use import count_use
from everword_search.retrieval.model import (
    BalancedOptions,
    SearchRequest,
    SearchResult,
    Verdict,
)
from everword_search.retrieval.sources import Sources

DEFAULT_BUDGET = 4000
DEFAULT_TURNS = 20
DEFAULT_PROFILE = "recall"
#: Turns of a context together, in bytes: more than the largest budget has tokens for.
MAX_TURN_BYTES = 16 * 1024 * 1024
#: A query that is taken from a message is its beginning.
MAX_QUERY_BYTES = 8192
#: At least one passage, so that a memory of one passage is seen to be whole.
_CONTENT_CHARS = 4000
_USER = 2
#: Memories that are looked at: some, and one for so many tokens of the budget. Most memories cost more than that.
_SPARE, _SMALL_TOKENS = 10, 35


class ContextScope(IntEnum):
    """Whose memories a context may hold. Values equal proto `ContextScope`."""

    #: Of the conversation's agent and subject, and what has none.
    CONVERSATION = 1
    NAMESPACE = 2


@dataclass(frozen=True)
class ContextRequest:
    """The request for a context."""

    query: str = ""
    conversation_id: UUID | None = None
    token_budget: int = DEFAULT_BUDGET
    max_recent_turns: int = DEFAULT_TURNS
    #: None for as many as the budget holds.
    max_memories: int | None = None
    scope: ContextScope = ContextScope.CONVERSATION
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
    tokens: int
    omitted: int
    verdict: Verdict | None

    @property
    def text(self) -> str:
        """All blocks as one text; items are numbered through."""
        blocks = ((self.memories, 1), (self.turns, 1 + len(self.memories.items)))
        return SEPARATOR.join(block.text(first) for block, first in blocks if block.items)


@dataclass(frozen=True)
class _Conversation:
    """The part of a context that comes from its conversation."""

    #: Newest first.
    turns: Sequence[Item] = ()
    #: Turns that were not even read, for their size.
    unread: int = 0
    latest: MessageRecord | None = None
    record: ConversationRecord | None = None


@dataclass(frozen=True)
class _Found:
    """What a search gives to a context."""

    results: Mapping[UUID, SearchResult] = field(default_factory=dict)
    #: As callers counted them, where they did.
    tokens: Mapping[UUID, int] = field(default_factory=dict)
    verdict: Verdict | None = None
    zone: tzinfo = UTC
    masks: bool = True

    def items(self) -> list[Item]:
        """Return the memories, best first, with their credentials: to look for those takes longer than all the rest."""
        return [self._item(id_, masks=False) for id_ in self.results]

    def masked(self, item: Item) -> Item:
        return self._item(item.memory_id, masks=True) if self.masks else item

    def _item(self, id_: UUID, masks: bool) -> Item:
        result = self.results[id_]
        return memory_item(
            result.memory,
            result.passage,
            self.tokens.get(id_, 0),
            self.zone,
            score=result.hit.score,
            relevance=result.relevance,
            masks=masks,
        )


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
    budget, most = request.token_budget, request.max_memories
    turns, waiting = fill_turns(budget, conversation.turns)
    found = await _find(sources, namespace, request, conversation, turns)
    most = MAX_PAGE if most is None else most
    # Memories may be many and long: the loop goes on meanwhile.
    memories, omitted = await asyncio.to_thread(
        lambda: fill_memories(budget, turns, waiting, found.items(), most, found.masked)
    )
    if not request.skip_use_count:
        await count_use(sources.database, namespace, [item.memory_id for item in memories.items])
    tokens = memories.tokens + turns.tokens
    return BuiltContext(memories, turns, tokens, omitted + conversation.unread, found.verdict)


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
        settings = await get_namespace_settings(conn, namespace.id)
    # Turns may be long: the loop goes on meanwhile.
    items = await asyncio.to_thread(_turn_items, turns, settings)
    unread = turns[0].available - len(turns) if turns else 0
    return _Conversation(items, unread, latest, record)


async def _find(
    sources: Sources,
    namespace: NamespaceScope,
    request: ContextRequest,
    conversation: _Conversation,
    shown: Block,
) -> _Found:
    """Return memories, best first, without the turns that are shown and the message that is asked with."""
    asked, latest = request.query.strip(), conversation.latest
    text = asked or _beginning(latest.content if latest else "")
    if not text or request.max_memories == 0:
        return _Found()
    known = {item.memory_id for item in shown.items}
    if latest and not asked:
        # What is asked with does not answer itself.
        known.add(latest.id)
    most = request.max_memories
    if most is None:
        most = _SPARE + (request.token_budget - shown.tokens) // _SMALL_TOKENS
    record = conversation.record if request.scope is ContextScope.CONVERSATION else None
    search = SearchRequest(
        text=text,
        filter=_scoped(request.filter, record) if record else request.filter,
        # As many more as may be known already.
        page=PageRequest(min(MAX_PAGE, most + len(known))),
        at_least_as_fresh=request.at_least_as_fresh,
        min_score=request.min_score,
        min_relevance=request.min_relevance,
        max_content_chars=_CONTENT_CHARS,
        operators=bool(asked),
        profile=request.profile,
        balanced=request.balanced,
    )
    found = await find_reliable(sources, namespace, search, periods=record is None)
    new = {each.memory.id: each for each in found.results if each.memory.id not in known}
    async with sources.database.transaction(namespace.id) as conn:
        tokens = await store.message_token_counts(conn, namespace.id, list(new))
        settings = await get_namespace_settings(conn, namespace.id)
    zone = ZoneInfo(settings.time_zone)
    return _Found(new, tokens, found.verdict, zone, settings.masks_credentials)


def _scoped(wanted: MemoryFilter, record: ConversationRecord) -> MemoryFilter:
    """Return a filter within the conversation's agent and subject, unless it names others."""
    return replace(
        wanted,
        agents=sorted({record.agent, ""}) if wanted.agents is None else wanted.agents,
        subjects=sorted({record.subject, ""}) if wanted.subjects is None else wanted.subjects,
    )


def _turn_items(turns: Sequence[MessageRecord], settings: NamespaceSettings) -> list[Item]:
    zone, masks = ZoneInfo(settings.time_zone), settings.masks_credentials
    return [turn_item(turn, zone, masks=masks) for turn in turns]


def _beginning(text: str) -> str:
    return text.encode()[:MAX_QUERY_BYTES].decode(errors="ignore").strip()
