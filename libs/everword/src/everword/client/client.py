"""The client: stubs of every public service, and short forms of the most common calls."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Self, cast

import grpc
from google.protobuf import field_mask_pb2

from everword.client.channel import SplitChannel, open_channel
from everword.client.interceptors import client_interceptors
from everword.client.pages import PAGE_SIZE, pages
from everword.client.settings import ClientSettings
from everword.v1 import (
    context_service_pb2,
    conversation_pb2,
    cost_pb2,
    cost_service_pb2,
    ingest_service_pb2,
    memory_pb2,
    note_pb2,
    note_service_pb2,
    search_service_pb2,
)
from everword.v1.admin_service_pb2_grpc import AdminServiceStub
from everword.v1.context_service_pb2_grpc import ContextServiceStub
from everword.v1.cost_service_pb2_grpc import CostServiceStub
from everword.v1.document_service_pb2_grpc import DocumentServiceStub
from everword.v1.erasure_service_pb2_grpc import ErasureServiceStub
from everword.v1.fact_query_service_pb2_grpc import FactQueryServiceStub
from everword.v1.fact_service_pb2_grpc import FactServiceStub
from everword.v1.graph_query_service_pb2_grpc import GraphQueryServiceStub
from everword.v1.graph_service_pb2_grpc import GraphServiceStub
from everword.v1.ingest_service_pb2_grpc import IngestServiceStub
from everword.v1.lore_service_pb2_grpc import LoreServiceStub
from everword.v1.maintenance_service_pb2_grpc import MaintenanceServiceStub
from everword.v1.note_service_pb2_grpc import NoteServiceStub
from everword.v1.pattern_service_pb2_grpc import PatternServiceStub
from everword.v1.search_service_pb2_grpc import SearchServiceStub


class Client:
    """A connection to Everword.

    The stubs take and return the messages of `everword.v1`. Every call has a deadline and the caller's key and
    namespace, is retried if that is safe, and raises only CallError.
    """

    def __init__(
        self, ingest: grpc.aio.Channel, search: grpc.aio.Channel, compactor: grpc.aio.Channel
    ) -> None:
        self.ingest_service = IngestServiceStub(ingest)
        self.admin_service = AdminServiceStub(ingest)
        self.fact_service = FactServiceStub(ingest)
        self.pattern_service = PatternServiceStub(ingest)
        self.graph_service = GraphServiceStub(ingest)
        self.note_service = NoteServiceStub(ingest)
        self.lore_service = LoreServiceStub(ingest)
        self.cost_service = CostServiceStub(ingest)
        self.document_service = DocumentServiceStub(ingest)
        self.erasure_service = ErasureServiceStub(ingest)
        self.search_service = SearchServiceStub(search)
        self.context_service = ContextServiceStub(search)
        self.fact_query_service = FactQueryServiceStub(search)
        self.graph_query_service = GraphQueryServiceStub(search)
        self.maintenance_service = MaintenanceServiceStub(compactor)

    @classmethod
    @asynccontextmanager
    async def connect(cls, settings: ClientSettings | None = None) -> AsyncIterator[Self]:
        """Keep a client open while the block lasts. Without settings, they come from the environment."""
        settings = settings or ClientSettings.from_environment()
        addresses = settings.ingest_address, settings.search_address, settings.compactor_address
        async with AsyncExitStack() as stack:

            async def channel(address: str, own_connection: bool) -> grpc.aio.Channel:
                interceptors = client_interceptors(address, settings)
                opened = open_channel(
                    address, settings.tls, interceptors, own_connection=own_connection
                )
                return await stack.enter_async_context(opened)

            # Servers behind one address share channels.
            channels = {
                address: SplitChannel(await channel(address, False), await channel(address, True))
                for address in dict.fromkeys(addresses)
            }
            ingest, search, compactor = (
                cast("grpc.aio.Channel", channels[address]) for address in addresses
            )
            yield cls(ingest, search, compactor)

    async def append(
        self,
        key: conversation_pb2.ConversationKey,
        messages: Iterable[memory_pb2.NewMessage],
        *,
        details: conversation_pb2.ConversationDetails | None = None,
        request_id: str = "",
    ) -> ingest_service_pb2.AppendMessagesResponse:
        """Store messages at the end of a conversation, which is created if it does not exist."""
        target = ingest_service_pb2.ConversationTarget(key=key, details=details)
        request = ingest_service_pb2.AppendMessagesRequest(
            conversation=target, messages=messages, request_id=request_id
        )
        return await self.ingest_service.AppendMessages(request)

    async def write_note(
        self,
        content: str,
        key: str = "",
        *,
        scope: note_pb2.NoteScope | None = None,
        append: bool = False,
        expected_version: int | None = None,
        request_id: str = "",
    ) -> note_service_pb2.WriteNoteResponse:
        """Write a note under `key`, in place of the existing one; without a key, another note each time.

        For other fields of a note, call `note_service.WriteNote` with a NewNote.
        """
        request = note_service_pb2.WriteNoteRequest(
            note=note_pb2.NewNote(key=key, content=content, scope=scope),
            append=append,
            expected_version=expected_version,
            request_id=request_id,
        )
        return await self.note_service.WriteNote(request)

    async def search(
        self,
        query: str,
        *,
        filter: memory_pb2.MemoryFilter | None = None,
        mode: search_service_pb2.SearchMode.ValueType = search_service_pb2.SEARCH_MODE_UNSPECIFIED,
        limit: int = 10,
        profile: str = "",
        min_relevance: float = 0.0,
        at_least_as_fresh: str = "",
    ) -> search_service_pb2.SearchResponse:
        """Return the memories most relevant to `query`: at most `limit`, and at most 200.

        `profile` selects the ranking of a hybrid search, `recall` if empty; results with a relevance below
        `min_relevance`, from 0 to 1, are left out. For other options, call `search_service.Search`.
        """
        request = search_service_pb2.SearchRequest(
            query=query,
            mode=mode,
            filter=filter,
            page_size=limit,
            profile=profile,
            min_relevance=min_relevance,
            at_least_as_fresh=at_least_as_fresh,
        )
        return await self.search_service.Search(request)

    async def build_context(
        self,
        query: str = "",
        *,
        conversation_id: str = "",
        conversation: context_service_pb2.ContextConversation | None = None,
        token_budget: int = 0,
        at_least_as_fresh: str = "",
    ) -> context_service_pb2.BuildContextResponse:
        """Return what an agent should have in mind, within a token budget; its `text` belongs into a prompt.

        `conversation` names the conversation by the caller's own key instead of its id. It need not exist.
        """
        request = context_service_pb2.BuildContextRequest(
            query=query,
            conversation_id=conversation_id,
            conversation=conversation,
            token_budget=token_budget,
            at_least_as_fresh=at_least_as_fresh,
        )
        return await self.context_service.BuildContext(request)

    async def stream_context(
        self, request: context_service_pb2.BuildContextRequest
    ) -> AsyncIterator[context_service_pb2.StreamContextResponse]:
        """Iterate over the blocks of a context as soon as each is complete; the last part is the end."""
        requested = context_service_pb2.StreamContextRequest(context=request)
        async for part in self.context_service.StreamContext(requested):
            yield part

    async def mark_used(self, *memory_ids: str, request_id: str = "") -> None:
        """Count a use of memories that were shown to a model without BuildContext, which counts on its own."""
        request = ingest_service_pb2.MarkUsedRequest(memory_ids=memory_ids, request_id=request_id)
        await self.ingest_service.MarkUsed(request)

    async def set_importance(
        self, memory_id: str, importance_class: memory_pb2.ImportanceClass.ValueType
    ) -> None:
        """Set the importance class of a memory; IMPORTANCE_CLASS_UNSPECIFIED removes it."""
        memory = memory_pb2.Memory(id=memory_id, importance_class=importance_class)
        mask = field_mask_pb2.FieldMask(paths=["importance_class"])
        request = ingest_service_pb2.UpdateMemoryRequest(memory=memory, update_mask=mask)
        await self.ingest_service.UpdateMemory(request)

    async def record_usage(
        self, *usages: cost_pb2.ModelUsage, request_id: str = ""
    ) -> cost_service_pb2.RecordUsageResponse:
        """Add calls of models to the ledger of costs; budgets that count them are charged."""
        request = cost_service_pb2.RecordUsageRequest(usages=usages, request_id=request_id)
        return await self.cost_service.RecordUsage(request)

    async def get_conversation(
        self, key: conversation_pb2.ConversationKey
    ) -> conversation_pb2.Conversation:
        """Return the conversation that the caller knows by `key`."""
        request = search_service_pb2.GetConversationRequest(key=key)
        return (await self.search_service.GetConversation(request)).conversation

    async def iter_browse(
        self,
        filter: memory_pb2.MemoryFilter | None = None,
        order: memory_pb2.Order.ValueType = memory_pb2.ORDER_NEWEST_FIRST,
        *,
        page_size: int = PAGE_SIZE,
    ) -> AsyncIterator[memory_pb2.Memory]:
        """Iterate over the memories by time, page by page."""
        request = search_service_pb2.BrowseRequest(filter=filter, order=order, page_size=page_size)
        async for page in pages(self.search_service.Browse, request):
            for memory in page.memories:
                yield memory

    async def iter_messages(
        self,
        conversation_id: str,
        order: memory_pb2.Order.ValueType = memory_pb2.ORDER_OLDEST_FIRST,
        *,
        page_size: int = PAGE_SIZE,
    ) -> AsyncIterator[memory_pb2.Message]:
        """Iterate over the messages of a conversation by sequence, page by page."""
        request = search_service_pb2.ListMessagesRequest(
            conversation_id=conversation_id, order=order, page_size=page_size
        )
        async for page in pages(self.search_service.ListMessages, request):
            for message in page.messages:
                yield message
