"""IngestService: translates requests, calls the use case of the same name, translates the result."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any
from uuid import UUID

from google.protobuf import duration_pb2

from everword.db.pool import Database
from everword.domain.caller import current_namespace
from everword.domain.compaction import CompactionSettings
from everword.domain.tokens import ConsistencyToken
from everword.rpc.interceptors.base import Context
from everword.rpc.translate import conversation_to_proto, masked_fields
from everword.v1 import ingest_service_pb2 as pb
from everword.v1 import memory_pb2
from everword.v1.conversation_pb2 import ConversationDetails
from everword.v1.ingest_service_pb2_grpc import IngestServiceServicer
from everword_ingest.conversations.translate import CHANGEABLE, changed_values, to_spec
from everword_ingest.conversations.write_conversation import (
    end_conversation,
    ensure_conversation,
    update_conversation,
)
from everword_ingest.memories.importance import mark_used, update_memory
from everword_ingest.memories.record_significant import record_significant
from everword_ingest.memories.translate import to_significant
from everword_ingest.memories.wait_for_indexing import Stage, wait_for_indexing
from everword_ingest.messages.append_messages import append_messages
from everword_ingest.messages.import_messages import import_messages
from everword_ingest.messages.model import AppendRequest
from everword_ingest.messages.translate import to_append_request
from everword_ingest.request_ids.claims import hash_body


class IngestServicer(IngestServiceServicer):
    """Every write of a namespace."""

    def __init__(
        self, database: Database, compaction: CompactionSettings, wake: Callable[[], None]
    ) -> None:
        self._database = database
        self._compaction = compaction
        self._wake = wake

    async def EnsureConversation(
        self, request: pb.EnsureConversationRequest, context: Context
    ) -> pb.EnsureConversationResponse:
        namespace = current_namespace()
        fields, values = list[str](), dict[str, Any]()
        if request.conversation_id or request.HasField("update_mask"):
            fields = masked_fields(request.update_mask, CHANGEABLE)
            values = changed_values(request)
        if request.conversation_id:
            id_, created = UUID(request.conversation_id), False
        else:
            spec = to_spec(request.key, request.details)
            record, created, token = await ensure_conversation(self._database, namespace, spec)
            id_ = record.id
        if fields:
            record, token = await update_conversation(
                self._database, namespace, id_, fields, values, self._wake
            )
        return pb.EnsureConversationResponse(
            conversation=conversation_to_proto(record),
            created=created,
            consistency_token=await self._seal(token),
        )

    async def EndConversation(
        self, request: pb.EndConversationRequest, context: Context
    ) -> pb.EndConversationResponse:
        target = (
            UUID(request.conversation_id)
            if request.conversation_id
            else to_spec(request.key, ConversationDetails())
        )
        id_ = await end_conversation(self._database, current_namespace(), target, self._wake)
        return pb.EndConversationResponse(conversation_id=str(id_))

    async def AppendMessages(
        self, request: pb.AppendMessagesRequest, context: Context
    ) -> pb.AppendMessagesResponse:
        result = await append_messages(
            self._database,
            current_namespace(),
            await to_append_request(request),
            self._compaction,
            self._wake,
        )
        return pb.AppendMessagesResponse(
            messages=[
                pb.AppendedMessage(message_id=str(entry.id), seq=entry.seq, existed=entry.existed)
                for entry in result.messages
            ],
            conversation_id=str(result.conversation_id),
            consistency_token=await self._seal(result.consistency_token),
            replayed=result.replayed,
        )

    async def ImportMessages(
        self, request_iterator: AsyncIterator[pb.ImportMessagesRequest], context: Context
    ) -> pb.ImportMessagesResponse:
        async def batches() -> AsyncIterator[AppendRequest]:
            async for request in request_iterator:
                yield await to_append_request(request.batch, "batch.")

        result = await import_messages(
            self._database, current_namespace(), batches(), self._compaction, self._wake
        )
        token = result.consistency_token
        sealed = await self._seal(token) if token else ""
        return pb.ImportMessagesResponse(
            batches=result.batches,
            messages_written=result.messages_written,
            messages_existing=result.messages_existing,
            consistency_token=sealed,
        )

    async def MarkUsed(self, request: pb.MarkUsedRequest, context: Context) -> pb.MarkUsedResponse:
        counted = await mark_used(
            self._database,
            current_namespace(),
            [UUID(memory_id) for memory_id in request.memory_ids],
            request.request_id,
            hash_body(request),
        )
        return pb.MarkUsedResponse(replayed=not counted)

    async def UpdateMemory(
        self, request: pb.UpdateMemoryRequest, context: Context
    ) -> pb.UpdateMemoryResponse:
        masked_fields(request.update_mask, {"importance_class": "importance_class"})
        memory = request.memory
        token = await update_memory(
            self._database, current_namespace(), UUID(memory.id), memory.importance_class
        )
        changed = memory_pb2.Memory(id=memory.id, importance_class=memory.importance_class)
        return pb.UpdateMemoryResponse(memory=changed, consistency_token=await self._seal(token))

    async def RecordSignificant(
        self, request: pb.RecordSignificantRequest, context: Context
    ) -> pb.RecordSignificantResponse:
        recorded = await record_significant(
            self._database,
            current_namespace(),
            to_significant(request),
            request.request_id,
            hash_body(request),
            self._wake,
        )
        return pb.RecordSignificantResponse(
            summary_id=str(recorded.summary_id),
            consistency_token=await self._seal(recorded.consistency_token),
            replayed=recorded.replayed,
        )

    async def WaitForIndexing(
        self, request: pb.WaitForIndexingRequest, context: Context
    ) -> pb.WaitForIndexingResponse:
        waited = await wait_for_indexing(
            self._database,
            current_namespace(),
            request.consistency_token,
            Stage(request.stage),
        )
        duration = duration_pb2.Duration()
        duration.FromNanoseconds(int(waited * 1e9))
        return pb.WaitForIndexingResponse(waited=duration)

    async def _seal(self, token: ConsistencyToken) -> str:
        return token.seal(await self._database.token_secret())
