"""What there is in another namespace, and requests that make it or ask for it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from google.protobuf.field_mask_pb2 import FieldMask

from everword.v1 import admin_service_pb2 as admin
from everword.v1 import conversation_pb2 as conversation
from everword.v1 import ingest_service_pb2 as ingest
from everword.v1 import memory_pb2 as memory
from everword.v1 import search_service_pb2 as search
from support.stack import Stack

#: What writes summaries, and answers: nobody answers in these calls.
MODEL = "scripted"
NO_CONVERSATION = "CONVERSATION_NOT_FOUND"
NO_MEMORY = "MEMORY_NOT_FOUND"
NO_PAGE = "PAGE_TOKEN_INVALID"
NO_TOKEN = "CONSISTENCY_TOKEN_INVALID"


@dataclass(frozen=True)
class Written:
    """What was written into a namespace: ids by their names, and by RPC the token of a second page."""

    ids: dict[str, str]
    page_tokens: dict[str, str]


@dataclass(frozen=True)
class Learned:
    """What was learned in another namespace."""

    person_id: str
    event_id: str
    strategy_id: str
    #: By RPC.
    page_tokens: dict[str, str]


@dataclass(frozen=True)
class Theirs:
    """Ids and tokens of another namespace."""

    conversation_id: str
    message_id: str
    summary_id: str
    fact_id: str
    pattern_id: str
    learned: Learned
    node_id: str
    edge_id: str
    note_id: str
    document_id: str
    grant_id: str
    budget_id: str
    checkpoint_id: str
    consistency_token: str
    #: By RPC.
    page_tokens: dict[str, str]
    #: Ids that modules of `support.kinds` return, by name.
    written: dict[str, str]
    erasure_id: str = ""
    hold_id: str = ""

    @property
    def filter(self) -> memory.MemoryFilter:
        return memory.MemoryFilter(conversation_ids=[self.conversation_id])


Call = Callable[[Stack, Theirs], Awaitable[Any]]


def search_request(**fields: Any) -> search.SearchRequest:
    return search.SearchRequest(
        query="words", mode=search.SEARCH_MODE_LEXICAL, page_size=1, **fields
    )


def ensure_request() -> ingest.EnsureConversationRequest:
    """Return a request for a conversation with the same key as one in the other namespace."""
    return ingest.EnsureConversationRequest(key=conversation.ConversationKey(session_key="s"))


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
