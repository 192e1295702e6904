"""SearchService: translates requests, calls the use case of the same name, translates the result."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TypeVar
from uuid import UUID

from opentelemetry import trace

from everword.domain.caller import current_caller, current_namespace
from everword.domain.records import MessageRecord
from everword.rpc.interceptors.base import Context
from everword.rpc.interceptors.request_id import send_request_id
from everword.rpc.pages import to_page
from everword.rpc.translate import (
    conversation_to_proto,
    memory_to_proto,
    message_to_proto,
    summary_to_proto,
)
from everword.telemetry import names
from everword.v1 import address_pb2, memory_pb2, watch_pb2
from everword.v1 import search_service_pb2 as pb
from everword.v1.search_service_pb2_grpc import SearchServiceServicer
from everword_search.addresses.list_address import list_address
from everword_search.addresses.read_address import read_address
from everword_search.addresses.translate import entry_to_proto, read_response
from everword_search.answers.answer import answer
from everword_search.answers.answer_model import AnswerModel
from everword_search.answers.translate import answer_response, to_answer_request
from everword_search.context.tokens import Tokens
from everword_search.memories.batch_get_memories import batch_get_memories
from everword_search.memories.browse import browse
from everword_search.memories.get_memory import get_memory
from everword_search.memories.translate import batch_response, browse_response, to_browse_request
from everword_search.records.read_conversations import get_conversation, list_conversations
from everword_search.records.read_messages import list_messages
from everword_search.records.tiers import Tier, in_tier
from everword_search.records.translate import (
    is_newest_first,
    to_conversation,
    to_conversation_filter,
    to_filter,
    to_memory_key,
)
from everword_search.retrieval.search import search
from everword_search.retrieval.sources import Sources
from everword_search.retrieval.translate import search_response, to_search_request
from everword_search.stats.get_stats import get_stats
from everword_search.stats.translate import stats_response
from everword_search.watch.translate import events_to_proto
from everword_search.watch.watch_memories import watch_memories

_Shown = TypeVar("_Shown")
#: Counting the tokens of a megabyte takes 70 ms, so longer texts are counted in a thread.
_LONG_CHARS = 20_000


class SearchServicer(SearchServiceServicer):
    """SearchService without its summary RPCs."""

    def __init__(
        self,
        sources: Sources,
        answer_model: AnswerModel | None,
        stopping: asyncio.Event,
        tokens: Tokens,
    ) -> None:
        """Without `answer_model`, Answer fails. Watch streams end once `stopping` is set."""
        self._stopping = stopping
        self._sources = sources
        self._database = sources.database
        self._asking = answer_model
        self._tokens = tokens

    async def Search(self, request: pb.SearchRequest, context: Context) -> pb.SearchResponse:
        namespace = current_namespace()
        response = await search(self._sources, namespace, to_search_request(request, namespace))
        trace.get_current_span().set_attributes(
            {
                names.GEN_AI_OPERATION: "search_memory",
                names.GEN_AI_STORE: namespace.name,
                names.GEN_AI_RECORDS: len(response.results),
            }
        )
        tier = Tier(request.tier)
        return await _cut(tier, partial(search_response, response, request.explain, tier))

    async def Browse(self, request: pb.BrowseRequest, context: Context) -> pb.BrowseResponse:
        requested = to_browse_request(request)
        browsed = await browse(self._database, current_namespace(), requested)
        tier = Tier(request.tier)
        return await _cut(tier, partial(browse_response, browsed, tier))

    async def GetMemory(
        self, request: pb.GetMemoryRequest, context: Context
    ) -> pb.GetMemoryResponse:
        tier = Tier(request.tier)
        found = await get_memory(
            self._database,
            current_namespace(),
            to_memory_key(request),
            request.at_least_as_fresh,
            tier,
            include_unindexed=request.include_unindexed or request.HasField("external"),
        )
        memory = found.memory and await _cut(tier, partial(in_tier, found.memory, tier))
        return pb.GetMemoryResponse(
            memory=memory_to_proto(memory) if memory else None,
            message=await self._to_message(found.message) if found.message else None,
            summary=summary_to_proto(found.summary) if found.summary else None,
        )

    async def BatchGetMemories(
        self, request: pb.BatchGetMemoriesRequest, context: Context
    ) -> pb.BatchGetMemoriesResponse:
        memory_ids = [UUID(memory_id) for memory_id in request.memory_ids]
        tier = Tier(request.tier)
        memories = await batch_get_memories(
            self._database, current_namespace(), memory_ids, request.at_least_as_fresh, tier
        )
        return await _cut(tier, partial(batch_response, memories, tier))

    async def ReadAddress(
        self, request: address_pb2.ReadAddressRequest, context: Context
    ) -> address_pb2.ReadAddressResponse:
        namespace, tier = current_namespace(), Tier(request.tier)
        entry = await read_address(
            self._database, namespace, request.address, tier, request.at_least_as_fresh
        )
        return await _cut(tier, partial(read_response, namespace, entry, tier))

    async def ListAddress(
        self, request: address_pb2.ListAddressRequest, context: Context
    ) -> address_pb2.ListAddressResponse:
        namespace = current_namespace()
        entries, token = await list_address(
            self._database, namespace, request.address, to_page(request), request.at_least_as_fresh
        )
        return address_pb2.ListAddressResponse(
            entries=[entry_to_proto(namespace, entry) for entry in entries], next_page_token=token
        )

    async def WatchMemories(  # type: ignore[override]
        self, request: watch_pb2.WatchMemoriesRequest, context: Context
    ) -> None:
        """Write events as they happen; the next page is read once the client has taken the previous one.

        The interceptors around each call await a coroutine, so this writes to the context and is no async generator.
        """
        tier = Tier(request.tier or Tier.ABSTRACT)
        told = watch_memories(
            self._database,
            current_namespace(),
            to_filter(request.filter),
            tier,
            request.resume_token,
            self._stopping,
        )
        async for events, token in told:
            await send_request_id(context)
            await context.write(await _cut(tier, partial(events_to_proto, events, token, tier)))

    async def GetConversation(
        self, request: pb.GetConversationRequest, context: Context
    ) -> pb.GetConversationResponse:
        record = await get_conversation(
            self._database,
            current_namespace(),
            to_conversation(request),
            request.at_least_as_fresh,
        )
        return pb.GetConversationResponse(conversation=conversation_to_proto(record))

    async def ListConversations(
        self, request: pb.ListConversationsRequest, context: Context
    ) -> pb.ListConversationsResponse:
        conversations, token = await list_conversations(
            self._database,
            current_namespace(),
            to_conversation_filter(request.filter),
            to_page(request),
            request.at_least_as_fresh,
        )
        return pb.ListConversationsResponse(
            conversations=[conversation_to_proto(record) for record in conversations],
            next_page_token=token,
        )

    async def ListMessages(
        self, request: pb.ListMessagesRequest, context: Context
    ) -> pb.ListMessagesResponse:
        messages, token = await list_messages(
            self._database,
            current_namespace(),
            UUID(request.conversation_id),
            is_newest_first(request.order),
            to_page(request),
            request.start_seq,
            request.at_least_as_fresh,
        )
        return pb.ListMessagesResponse(
            messages=[await self._to_message(record) for record in messages], next_page_token=token
        )

    async def _to_message(self, record: MessageRecord) -> memory_pb2.Message:
        message = message_to_proto(record)
        message.token_count = record.token_count
        if not message.token_count:
            counter = await self._tokens.ready()
            text = record.whole_text
            is_long = len(text) > _LONG_CHARS
            message.token_count = (
                await asyncio.to_thread(counter.count, text) if is_long else counter.count(text)
            )
        return message

    async def Answer(self, request: pb.AnswerRequest, context: Context) -> pb.AnswerResponse:
        requested = to_answer_request(request, current_namespace())
        found = await answer(self._sources, self._asking, current_namespace(), requested)
        return answer_response(found)

    async def GetStats(self, request: pb.GetStatsRequest, context: Context) -> pb.GetStatsResponse:
        found = await get_stats(
            self._database,
            self._sources.embedder,
            current_namespace(),
            current_caller().role,
            request.at_least_as_fresh,
        )
        return stats_response(found)


async def _cut(tier: Tier, show: Callable[..., _Shown]) -> _Shown:
    """Return `show(masks=…)`, with `masks` if the namespace masks credentials.

    For a short tier it runs in a thread, because each shortened text is scanned for credentials.
    """
    masks = current_namespace().masks_credentials
    return await asyncio.to_thread(show, masks=masks) if tier.is_short else show(masks=masks)
