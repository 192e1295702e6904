"""The services of the fake: each method is the RPC of its name."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import grpc

from everword.client.client import Client
from everword.client.errors import CallError
from everword.client.fake.values import (
    holds,
    is_wanted,
    missing,
    now,
    replace,
    to_message,
    to_service,
    words,
)
from everword.client.kinds import kind_number
from everword.v1 import (
    context_service_pb2,
    conversation_pb2,
    fact_pb2,
    fact_query_service_pb2,
    fact_service_pb2,
    ingest_service_pb2,
    maintenance_service_pb2,
    memory_pb2,
    note_pb2,
    note_service_pb2,
    search_service_pb2,
)

_TOKEN = "fake"


class FakeClient(Client):
    """A client whose services are in this process, and forget everything with it."""

    def __init__(self) -> None:
        self._memories: dict[str, memory_pb2.Memory] = {}
        self._conversations: dict[tuple[str, str, str], conversation_pb2.Conversation] = {}
        self._notes: dict[str, note_pb2.Note] = {}
        self._facts: list[fact_pb2.Fact] = []
        self.ingest_service: Any = to_service(
            self.AppendMessages, self.EnsureConversation, self.EndConversation
        )
        self.search_service: Any = to_service(
            self.Search,
            self.Browse,
            self.GetMemory,
            self.ListMessages,
            self.GetConversation,
            self.ListConversations,
        )
        self.context_service: Any = to_service(self.BuildContext)
        self.maintenance_service: Any = to_service(self.FlushConversation)
        self.note_service: Any = to_service(self.WriteNote, self.GetNote, self.DeleteNote)
        self.fact_service: Any = to_service(self.Remember)
        self.fact_query_service: Any = to_service(self.ListFacts)

    async def AppendMessages(
        self, request: ingest_service_pb2.AppendMessagesRequest
    ) -> ingest_service_pb2.AppendMessagesResponse:
        conversation = self._ensured(request.conversation.key, request.conversation.details)
        ids = [new.external_id for new in request.messages if new.external_id]
        if len(set(ids)) < len(ids):
            text = "Two messages of the request have the same external id."
            raise CallError(grpc.StatusCode.ALREADY_EXISTS, text, reason="EXTERNAL_ID_CONFLICT")
        said = {
            memory.external_id: memory for memory in self._of(conversation.id) if memory.external_id
        }
        appended = []
        for new in request.messages:
            known = said.get(new.external_id)
            memory = known or self._keep_message(conversation, new)
            appended.append(
                ingest_service_pb2.AppendedMessage(
                    message_id=memory.id, seq=memory.seq, existed=known is not None
                )
            )
        return ingest_service_pb2.AppendMessagesResponse(
            messages=appended, conversation_id=conversation.id, consistency_token=_TOKEN
        )

    async def EnsureConversation(
        self, request: ingest_service_pb2.EnsureConversationRequest
    ) -> ingest_service_pb2.EnsureConversationResponse:
        found = self._ensured(request.key, request.details)
        return ingest_service_pb2.EnsureConversationResponse(
            conversation=found, consistency_token=_TOKEN
        )

    async def EndConversation(
        self, request: ingest_service_pb2.EndConversationRequest
    ) -> ingest_service_pb2.EndConversationResponse:
        # Nothing is learned here.
        return ingest_service_pb2.EndConversationResponse()

    def _ensured(
        self,
        key: conversation_pb2.ConversationKey,
        details: conversation_pb2.ConversationDetails,
    ) -> conversation_pb2.Conversation:
        conversation = self._conversations.setdefault(
            (key.session_key, key.agent, key.channel),
            conversation_pb2.Conversation(id=str(uuid4()), key=key),
        )
        known = conversation.details.subject if conversation.HasField("details") else None
        if known is not None and details.subject not in ("", known):
            text = "The conversation is about another user."
            raise CallError(grpc.StatusCode.ALREADY_EXISTS, text, reason="SUBJECT_CONFLICT")
        conversation.details.MergeFrom(details)
        return conversation

    def _keep_message(
        self, conversation: conversation_pb2.Conversation, new: memory_pb2.NewMessage
    ) -> memory_pb2.Memory:
        return self._keep(
            memory_pb2.Memory(
                id=str(uuid4()),
                kind=kind_number("message"),
                content=new.content,
                conversation_id=conversation.id,
                seq=len(self._of(conversation.id)) + 1,
                agent=conversation.key.agent,
                subject=conversation.details.subject,
                channel=conversation.key.channel,
                author=new.author,
                role=new.role,
                tags=new.tags,
                automated=new.automated,
                external_id=new.external_id,
                metadata=new.metadata,
                occur_time=new.create_time if new.HasField("create_time") else now(),
            )
        )

    async def Search(
        self, request: search_service_pb2.SearchRequest
    ) -> search_service_pb2.SearchResponse:
        asked = words(request.query)
        scored = [
            (len(asked & words(memory.content)) / len(asked or {""}), memory)
            for memory in self._filtered(request.filter)
        ]
        best = sorted((pair for pair in scored if pair[0] > 0), key=lambda pair: -pair[0])
        return search_service_pb2.SearchResponse(
            results=[
                search_service_pb2.SearchResult(
                    memory=memory, score=score, relevance=score, passage=memory.content
                )
                for score, memory in best[: request.page_size or 10]
                if score >= request.min_relevance
            ]
        )

    async def Browse(
        self, request: search_service_pb2.BrowseRequest
    ) -> search_service_pb2.BrowseResponse:
        found = sorted(
            self._filtered(request.filter),
            key=lambda memory: memory.occur_time.ToNanoseconds(),
            reverse=request.order != memory_pb2.ORDER_OLDEST_FIRST,
        )
        return search_service_pb2.BrowseResponse(memories=found)

    async def GetMemory(
        self, request: search_service_pb2.GetMemoryRequest
    ) -> search_service_pb2.GetMemoryResponse:
        memory = self._memories.get(request.memory_id)
        if memory is None:
            raise missing("MEMORY_NOT_FOUND", "There is no memory with this id.")
        return search_service_pb2.GetMemoryResponse(memory=memory)

    async def GetConversation(
        self, request: search_service_pb2.GetConversationRequest
    ) -> search_service_pb2.GetConversationResponse:
        key = request.key
        found = self._conversations.get((key.session_key, key.agent, key.channel))
        if found is None:
            raise missing("CONVERSATION_NOT_FOUND", "There is no such conversation.")
        return search_service_pb2.GetConversationResponse(conversation=found)

    async def ListConversations(
        self, request: search_service_pb2.ListConversationsRequest
    ) -> search_service_pb2.ListConversationsResponse:
        subjects = request.filter.subjects
        found = [
            each
            for each in self._conversations.values()
            if not subjects or each.details.subject in subjects
        ]
        return search_service_pb2.ListConversationsResponse(conversations=found)

    async def ListMessages(
        self, request: search_service_pb2.ListMessagesRequest
    ) -> search_service_pb2.ListMessagesResponse:
        step = 1 if request.order == memory_pb2.ORDER_OLDEST_FIRST else -1
        found = [to_message(each) for each in self._of(request.conversation_id)[::step]]
        if request.start_seq:
            found = [each for each in found if step * (each.seq - request.start_seq) >= 0]
        return search_service_pb2.ListMessagesResponse(messages=found)

    async def BuildContext(
        self, request: context_service_pb2.BuildContextRequest
    ) -> context_service_pb2.BuildContextResponse:
        found = await self.Search(search_service_pb2.SearchRequest(query=request.query or " "))
        recalled = [result.memory for result in found.results]
        conversation_id = request.conversation_id or self._id_of(request.conversation.key)
        recent = [each for each in self._of(conversation_id)[-20:] if each not in recalled]
        items = [
            context_service_pb2.ContextItem(memory_id=each.id, text=each.content, memory=each)
            for each in (*recalled, *recent)
        ]
        block = context_service_pb2.ContextBlock(
            source=context_service_pb2.CONTEXT_SOURCE_MEMORIES, items=items
        )
        text = "\n".join(" ".join(item.text.split()) for item in items)
        return context_service_pb2.BuildContextResponse(
            blocks=[block], text=text, token_count=len(text.split())
        )

    async def FlushConversation(
        self, request: maintenance_service_pb2.FlushConversationRequest, timeout: float = 0.0
    ) -> maintenance_service_pb2.FlushConversationResponse:
        # No summaries exist here, so every conversation has room.
        return maintenance_service_pb2.FlushConversationResponse(
            action=maintenance_service_pb2.FLUSH_ACTION_NONE
        )

    async def WriteNote(
        self, request: note_service_pb2.WriteNoteRequest
    ) -> note_service_pb2.WriteNoteResponse:
        key = request.note.key or str(uuid4())
        before = self._notes.get(key)
        version = before.version if before else 0
        if request.HasField("expected_version") and request.expected_version != version:
            said = "The note is not at this version."
            raise CallError(grpc.StatusCode.ABORTED, said, reason="NOTE_VERSION_CONFLICT")
        note = note_pb2.Note(
            id=before.id if before else str(uuid4()),
            version=version + 1,
            body=request.note,
            update_time=now(),
        )
        if request.append and before:
            note.body.content = f"{before.body.content}\n{request.note.content}"
        self._notes[key] = note
        self._keep(
            memory_pb2.Memory(
                id=note.id,
                kind=kind_number("note"),
                content=note.body.content,
                note_key=request.note.key,
                tags=note.body.tags,
                occur_time=now(),
            )
        )
        return note_service_pb2.WriteNoteResponse(
            note_id=note.id, version=note.version, consistency_token=_TOKEN
        )

    async def GetNote(
        self, request: note_service_pb2.GetNoteRequest
    ) -> note_service_pb2.GetNoteResponse:
        return note_service_pb2.GetNoteResponse(note=self._note(request.key.key))

    async def DeleteNote(
        self, request: note_service_pb2.DeleteNoteRequest
    ) -> note_service_pb2.DeleteNoteResponse:
        note = self._note(request.key.key)
        del self._notes[note.body.key], self._memories[note.id]
        return note_service_pb2.DeleteNoteResponse(note_id=note.id, consistency_token=_TOKEN)

    def _note(self, key: str) -> note_pb2.Note:
        if key not in self._notes:
            raise missing("NOTE_NOT_FOUND", "There is no such note.")
        return self._notes[key]

    async def Remember(
        self, request: fact_service_pb2.RememberRequest
    ) -> fact_service_pb2.RememberResponse:
        fact = fact_pb2.Fact(
            id=str(uuid4()),
            subject=request.subject,
            attribute=request.attribute,
            value=request.value,
            state=fact_pb2.FACT_STATE_SUSPECTED,
            valid_from_time=request.valid_from_time
            if request.HasField("valid_from_time")
            else now(),
            valid_until_time=request.valid_until_time
            if request.HasField("valid_until_time")
            else None,
        )
        for other in self._facts:
            if (other.subject, other.attribute) == (fact.subject, fact.attribute):
                replace(other, fact)
        self._facts.append(fact)
        return fact_service_pb2.RememberResponse(fact=fact, consistency_token=_TOKEN)

    async def ListFacts(
        self, request: fact_query_service_pb2.ListFactsRequest
    ) -> fact_query_service_pb2.ListFactsResponse:
        moment = request.valid_at_time if request.HasField("valid_at_time") else now()
        return fact_query_service_pb2.ListFactsResponse(
            facts=[
                fact
                for fact in self._facts
                if fact.subject in (request.subjects or [fact.subject])
                and fact.attribute in (request.attributes or [fact.attribute])
                and (request.include_superseded or holds(fact, moment))
            ]
        )

    def _keep(self, memory: memory_pb2.Memory) -> memory_pb2.Memory:
        self._memories[memory.id] = memory
        return memory

    def _id_of(self, key: conversation_pb2.ConversationKey) -> str:
        """Return the id of the conversation with a key; empty if there is none."""
        found = self._conversations.get((key.session_key, key.agent, key.channel))
        return found.id if found else ""

    def _of(self, conversation_id: str) -> list[memory_pb2.Memory]:
        """Return the messages of a conversation, the oldest first."""
        every = self._memories.values()
        return [
            each for each in every if conversation_id and each.conversation_id == conversation_id
        ]

    def _filtered(self, memory_filter: memory_pb2.MemoryFilter) -> list[memory_pb2.Memory]:
        task_ids = memory_filter.task_ids
        tasks = {each.id: each.details.task_id for each in self._conversations.values()}
        return [
            each
            for each in self._memories.values()
            if is_wanted(each, memory_filter)
            and (not task_ids or tasks.get(each.conversation_id, "") in task_ids)
        ]
