"""Reads with ids of another namespace, and the reasons of their refusals."""

from __future__ import annotations

from everword.v1 import conversation_pb2 as conversation
from everword.v1 import search_service_pb2 as search
from support.foreign import (
    NO_CONVERSATION,
    NO_MEMORY,
    NO_PAGE,
    NO_TOKEN,
    Call,
    browse_request,
    conversations_request,
    external_request,
    messages_request,
    search_request,
)

#: Like `REFUSED` of the test, for SearchService.
READS_REFUSED: dict[str, tuple[str, Call]] = {
    "Search page_token": (
        NO_PAGE,
        lambda s, t: s.search.Search(search_request(page_token=t.page_tokens["Search"])),
    ),
    "Search at_least_as_fresh": (
        NO_TOKEN,
        lambda s, t: s.search.Search(search_request(at_least_as_fresh=t.consistency_token)),
    ),
    "Browse page_token": (
        NO_PAGE,
        lambda s, t: s.search.Browse(browse_request(page_token=t.page_tokens["Browse"])),
    ),
    "Browse at_least_as_fresh": (
        NO_TOKEN,
        lambda s, t: s.search.Browse(browse_request(at_least_as_fresh=t.consistency_token)),
    ),
    "GetMemory memory_id": (
        NO_MEMORY,
        lambda s, t: s.search.GetMemory(search.GetMemoryRequest(memory_id=t.message_id)),
    ),
    "BatchGetMemories memory_ids": (
        NO_MEMORY,
        lambda s, t: s.search.BatchGetMemories(
            search.BatchGetMemoriesRequest(memory_ids=[t.message_id])
        ),
    ),
    "GetConversation conversation_id": (
        NO_CONVERSATION,
        lambda s, t: s.search.GetConversation(
            search.GetConversationRequest(conversation_id=t.conversation_id)
        ),
    ),
    "GetConversation key.session_key": (
        NO_CONVERSATION,
        lambda s, t: s.search.GetConversation(
            search.GetConversationRequest(key=conversation.ConversationKey(session_key="s"))
        ),
    ),
    "ListConversations page_token": (
        NO_PAGE,
        lambda s, t: s.search.ListConversations(
            conversations_request(page_token=t.page_tokens["ListConversations"])
        ),
    ),
    "ListMessages conversation_id": (
        NO_CONVERSATION,
        lambda s, t: s.search.ListMessages(messages_request(t.conversation_id)),
    ),
    "ListMessages page_token": (
        NO_PAGE,
        lambda s, t: s.search.ListMessages(
            messages_request(t.conversation_id, page_token=t.page_tokens["ListMessages"])
        ),
    ),
    "ListMessages at_least_as_fresh": (
        NO_TOKEN,
        lambda s, t: s.search.ListMessages(
            messages_request(t.conversation_id, at_least_as_fresh=t.consistency_token)
        ),
    ),
    "GetMemory memory_id, unindexed": (
        NO_MEMORY,
        lambda s, t: s.search.GetMemory(
            search.GetMemoryRequest(memory_id=t.message_id, include_unindexed=True)
        ),
    ),
    "GetMemory at_least_as_fresh": (
        NO_TOKEN,
        lambda s, t: s.search.GetMemory(
            search.GetMemoryRequest(memory_id=t.message_id, at_least_as_fresh=t.consistency_token)
        ),
    ),
    "BatchGetMemories at_least_as_fresh": (
        NO_TOKEN,
        lambda s, t: s.search.BatchGetMemories(
            search.BatchGetMemoriesRequest(
                memory_ids=[t.message_id], at_least_as_fresh=t.consistency_token
            )
        ),
    ),
    "GetMemory external.conversation_id": (
        NO_CONVERSATION,
        lambda s, t: s.search.GetMemory(external_request(conversation_id=t.conversation_id)),
    ),
    "GetMemory external.key": (
        NO_CONVERSATION,
        lambda s, t: s.search.GetMemory(
            external_request(key=conversation.ConversationKey(session_key="s"))
        ),
    ),
    "GetConversation at_least_as_fresh": (
        NO_TOKEN,
        lambda s, t: s.search.GetConversation(
            search.GetConversationRequest(
                conversation_id=t.conversation_id, at_least_as_fresh=t.consistency_token
            )
        ),
    ),
    "ListConversations at_least_as_fresh": (
        NO_TOKEN,
        lambda s, t: s.search.ListConversations(
            conversations_request(at_least_as_fresh=t.consistency_token)
        ),
    ),
    "GetStats at_least_as_fresh": (
        NO_TOKEN,
        lambda s, t: s.search.GetStats(
            search.GetStatsRequest(at_least_as_fresh=t.consistency_token)
        ),
    ),
}
