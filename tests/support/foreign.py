"""Calls with ids and tokens of another namespace."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from google.protobuf.field_mask_pb2 import FieldMask

from everword.v1 import admin_service_pb2 as admin
from everword.v1 import conversation_pb2 as conversation
from everword.v1 import ingest_service_pb2 as ingest
from everword.v1 import maintenance_service_pb2 as maintenance
from everword.v1 import memory_pb2 as memory
from everword.v1 import search_service_pb2 as search
from everword.v1 import summary_pb2 as summary
from everword.v1.stats_pb2 import SummaryBacklog
from support.calls import message, target
from support.stack import Stack


@dataclass(frozen=True)
class Theirs:
    """Ids and tokens of another namespace."""

    conversation_id: str
    message_id: str
    summary_id: str
    fact_id: str
    pattern_id: str
    #: Ids for `foreign_people`.
    learned: Any
    node_id: str
    edge_id: str
    note_id: str
    book_id: str
    entry_id: str
    document_id: str
    grant_id: str
    budget_id: str
    checkpoint_id: str
    consistency_token: str
    #: By RPC.
    page_tokens: dict[str, str]
    erasure_id: str = ""

    @property
    def filter(self) -> memory.MemoryFilter:
        return memory.MemoryFilter(conversation_ids=[self.conversation_id])


def search_request(**fields: Any) -> search.SearchRequest:
    return search.SearchRequest(
        query="words", mode=search.SEARCH_MODE_LEXICAL, page_size=1, **fields
    )


def browse_request(**fields: Any) -> search.BrowseRequest:
    return search.BrowseRequest(page_size=1, **fields)


def conversations_request(**fields: Any) -> search.ListConversationsRequest:
    return search.ListConversationsRequest(page_size=1, **fields)


def messages_request(conversation_id: str, **fields: Any) -> search.ListMessagesRequest:
    return search.ListMessagesRequest(conversation_id=conversation_id, page_size=1, **fields)


def external_request(**conversation: Any) -> search.GetMemoryRequest:
    """Return a request for a message by its external id."""
    external = search.ExternalMessageKey(external_id="external", **conversation)
    return search.GetMemoryRequest(external=external)


def ensure_request() -> ingest.EnsureConversationRequest:
    """Return a request for a conversation with the same key as one in the other namespace."""
    return ingest.EnsureConversationRequest(key=conversation.ConversationKey(session_key="s"))


def update_request(conversation_id: str) -> ingest.EnsureConversationRequest:
    return ingest.EnsureConversationRequest(
        conversation_id=conversation_id,
        details=conversation.ConversationDetails(title="Taken over"),
        update_mask=FieldMask(paths=["details.title"]),
    )


def append_request(conversation_id: str) -> ingest.AppendMessagesRequest:
    return ingest.AppendMessagesRequest(
        conversation_id=conversation_id, messages=[message("Smuggled in.")]
    )


def answer_request(parent_id: str) -> ingest.AppendMessagesRequest:
    return ingest.AppendMessagesRequest(
        conversation=target("mine"), messages=[message("An answer.", parent_id=parent_id)]
    )


async def import_batch(stack: Stack, batch: ingest.AppendMessagesRequest) -> Any:
    return await stack.ingest.ImportMessages(iter([ingest.ImportMessagesRequest(batch=batch)]))


def voice_request(namespace: str) -> admin.UpdateNamespaceRequest:
    voice = admin.Voice(identity=namespace)
    return admin.UpdateNamespaceRequest(
        namespace=admin.Namespace(name=namespace, settings=admin.NamespaceSettings(voice=voice)),
        update_mask=FieldMask(paths=["settings.voice"]),
    )


def significant_request() -> ingest.RecordSignificantRequest:
    return ingest.RecordSignificantRequest(request_id="significant", content="It was told.")


def class_request(
    memory_id: str,
    importance_class: memory.ImportanceClass.ValueType = memory.IMPORTANCE_CLASS_FACT,
) -> ingest.UpdateMemoryRequest:
    return ingest.UpdateMemoryRequest(
        memory=memory.Memory(id=memory_id, importance_class=importance_class),
        update_mask=FieldMask(paths=["importance_class"]),
    )


def wait_request(token: str) -> ingest.WaitForIndexingRequest:
    return ingest.WaitForIndexingRequest(
        consistency_token=token, stage=ingest.INDEXING_STAGE_LEXICAL
    )


def list_request(**fields: Any) -> search.ListSummariesRequest:
    return search.ListSummariesRequest(page_size=1, **fields)


def expand_request(summary_id: str, **fields: Any) -> search.ExpandSummaryRequest:
    return search.ExpandSummaryRequest(summary_id=summary_id, page_size=1, **fields)


def audit_request(**fields: Any) -> maintenance.AuditSummariesRequest:
    return maintenance.AuditSummariesRequest(page_size=1, **fields)


Call = Callable[[Stack, Theirs], Awaitable[Any]]
NO_CONVERSATION = "CONVERSATION_NOT_FOUND"
NO_MESSAGE = "MESSAGE_NOT_FOUND"
NO_MEMORY = "MEMORY_NOT_FOUND"
NO_SUMMARY = "SUMMARY_NOT_FOUND"
NO_PAGE = "PAGE_TOKEN_INVALID"
NO_TOKEN = "CONSISTENCY_TOKEN_INVALID"

#: The model that writes summaries and answers; these calls never reach it.
MODEL = "scripted"

#: Like `REFUSED` and `EMPTY` of the test, for RPCs that read summaries.
SUMMARIES_REFUSED: dict[str, tuple[str, Call]] = {
    "FlushConversation conversation_id": (
        NO_CONVERSATION,
        lambda s, t: s.maintenance.FlushConversation(
            maintenance.FlushConversationRequest(
                conversation_id=t.conversation_id, context_size=1, notes_saved=True
            )
        ),
    ),
    "FlushConversation protected_message_ids": (
        NO_CONVERSATION,
        lambda s, t: s.maintenance.FlushConversation(
            maintenance.FlushConversationRequest(
                conversation_id=t.conversation_id,
                context_size=1,
                protected_message_ids=[t.message_id],
            )
        ),
    ),
    "ExpandSummary summary_id": (
        NO_SUMMARY,
        lambda s, t: s.search.ExpandSummary(search.ExpandSummaryRequest(summary_id=t.summary_id)),
    ),
    "ExpandSummary at_least_as_fresh": (
        NO_TOKEN,
        lambda s, t: s.search.ExpandSummary(
            search.ExpandSummaryRequest(
                summary_id=t.summary_id, at_least_as_fresh=t.consistency_token
            )
        ),
    ),
    "ListSummaries at_least_as_fresh": (
        NO_TOKEN,
        lambda s, t: s.search.ListSummaries(list_request(at_least_as_fresh=t.consistency_token)),
    ),
    "ExpandSummary page_token": (
        NO_PAGE,
        lambda s, t: s.search.ExpandSummary(
            expand_request(t.summary_id, page_token=t.page_tokens["ExpandSummary"])
        ),
    ),
    "ListSummaries page_token": (
        NO_PAGE,
        lambda s, t: s.search.ListSummaries(
            list_request(page_token=t.page_tokens["ListSummaries"])
        ),
    ),
    "AuditSummaries page_token": (
        NO_PAGE,
        lambda s, t: s.maintenance.AuditSummaries(
            audit_request(page_token=t.page_tokens["AuditSummaries"])
        ),
    ),
    "Answer at_least_as_fresh": (
        NO_TOKEN,
        lambda s, t: s.search.Answer(
            search.AnswerRequest(query="words", at_least_as_fresh=t.consistency_token)
        ),
    ),
}
NOTHING = search.AnswerResponse(verdict=search.VERDICT_NOTHING_RELEVANT)
SUMMARIES_EMPTY: dict[str, tuple[Call, Callable[[Any], bool]]] = {
    "ListSummaries": (
        lambda s, t: s.search.ListSummaries(list_request()),
        lambda answer: not answer.summaries,
    ),
    "ListSummaries filter.conversation_id": (
        lambda s, t: s.search.ListSummaries(
            list_request(filter=summary.SummaryFilter(conversation_id=t.conversation_id))
        ),
        lambda answer: not answer.summaries,
    ),
    "AuditSummaries": (
        lambda s, t: s.maintenance.AuditSummaries(audit_request()),
        lambda answer: (answer.audited, answer.next_page_token) == (0, ""),
    ),
    "AuditSummaries conversation_id": (
        lambda s, t: s.maintenance.AuditSummaries(audit_request(conversation_id=t.conversation_id)),
        lambda answer: (answer.audited, answer.next_page_token) == (0, ""),
    ),
    "GetCompactionStatus": (
        lambda s, t: s.maintenance.GetCompactionStatus(maintenance.GetCompactionStatusRequest()),
        lambda answer: (
            answer
            == maintenance.GetCompactionStatusResponse(
                mode=maintenance.COMPACTION_MODE_MODEL, model=MODEL, backlog=SummaryBacklog()
            )
        ),
    ),
    "Answer": (
        lambda s, t: s.search.Answer(search.AnswerRequest(query="words")),
        lambda answer: answer == NOTHING,
    ),
}
