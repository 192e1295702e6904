"""Invalid reads are refused with reason and field."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any
from uuid import uuid4

import grpc
import pytest
import pytest_asyncio
from google.protobuf.timestamp_pb2 import Timestamp

from everword.v1 import context_service_pb2 as context
from everword.v1 import conversation_pb2 as conversation
from everword.v1 import maintenance_service_pb2 as maintenance
from everword.v1 import memory_pb2 as memory
from everword.v1 import search_service_pb2 as search
from support.calls import append
from support.cases import Case
from support.databases import cloned
from support.refusals import refused
from support.stack import Stack, running_stack

SHARED = pytest.mark.asyncio(loop_scope="module")
YEAR_10000 = Timestamp(seconds=253_402_300_800)
NAN = float("nan")


def _search(field: str | None, reason: str = "VALIDATION_FAILED", **fields: Any) -> Case:
    request = search.SearchRequest(
        **{"query": "words", "mode": search.SEARCH_MODE_LEXICAL, **fields}
    )
    return Case(lambda s: s.search.Search(request), field, reason=reason)


def _filter(field: str, **fields: Any) -> Case:
    return _search(f"filter.{field}", filter=memory.MemoryFilter(**fields))


def _browse(field: str | None, reason: str = "VALIDATION_FAILED", **fields: Any) -> Case:
    request = search.BrowseRequest(**fields)
    return Case(lambda s: s.search.Browse(request), field, reason=reason)


def _messages(field: str | None, reason: str = "VALIDATION_FAILED", **fields: Any) -> Case:
    request = search.ListMessagesRequest(**{"conversation_id": str(uuid4()), **fields})
    return Case(lambda s: s.search.ListMessages(request), field, reason=reason)


def _conversations(field: str | None, reason: str = "VALIDATION_FAILED", **fields: Any) -> Case:
    request = search.ListConversationsRequest(**fields)
    return Case(lambda s: s.search.ListConversations(request), field, reason=reason)


def _memories(*ids: str) -> Callable[[Stack], Awaitable[Any]]:
    request = search.BatchGetMemoriesRequest(memory_ids=ids)
    return lambda s: s.search.BatchGetMemories(request)


def _context(field: str | None, **fields: Any) -> Case:
    request = context.BuildContextRequest(**fields)
    return Case(lambda s: s.context.BuildContext(request), field)


NOWHERE = "bm93aGVyZQ"
SEARCHES: dict[str, Case] = {
    "an empty query": _search("query", query=""),
    "a query of white space": _search("query", query=" \t\n "),
    "a query over 8 KiB": _search("query", query="x" * 8193),
    "a query over 8 KiB in bytes, not characters": _search("query", query="ä" * 4097),
    "NUL in the query": _search("query", query="a\0b"),
    "a mode that there is not": _search("mode", mode=99),
    "a negative page size": _search("page_size", page_size=-1),
    "a score over 1": _search("min_score", min_score=1.5),
    "a score that is not a number": _search("min_score", min_score=NAN),
    "a negative length": _search("max_content_chars", max_content_chars=-1),
    "a page token from nowhere": _search(None, "PAGE_TOKEN_INVALID", page_token=NOWHERE),
    "a page token that is no base64": _search(None, "PAGE_TOKEN_INVALID", page_token="¿?"),
    "a consistency token from nowhere": _search(
        None, "CONSISTENCY_TOKEN_INVALID", at_least_as_fresh=NOWHERE
    ),
    "a regex of 501 characters": _search("query", mode=search.SEARCH_MODE_REGEX, query="x" * 501),
    "a regex that does not compile": _search(
        None, "REGEX_INVALID", mode=search.SEARCH_MODE_REGEX, query="(unclosed"
    ),
    "a malformed conversation id in the filter": _filter(
        "conversation_ids[0]", conversation_ids=["1"]
    ),
    "a role in the filter that there is not": _filter("roles[0]", roles=[99]),
    "a kind in the filter that there is not": _filter("kinds[0]", kinds=[0]),
    "NUL in the filter": _filter("agents", agents=["a\0b"]),
    "a filter by 101 agents": _filter("agents", agents=[str(number) for number in range(101)]),
    "a filter from a time after the year 9999": _filter("start_time", start_time=YEAR_10000),
    "a filter up to a time with too many nanoseconds": _filter(
        "end_time", end_time=Timestamp(nanos=-1)
    ),
    "a filter that ends before it begins": _filter(
        "end_time", start_time=Timestamp(seconds=2), end_time=Timestamp(seconds=1)
    ),
    "a period that ends before it begins": _filter("period", period="since 2023-06 until 2023-05"),
}
OTHERS: dict[str, Case] = {
    "a negative page size of Browse": _browse("page_size", page_size=-1),
    "an order that there is not": _browse("order", order=99),
    "a page token of Browse from nowhere": _browse(None, "PAGE_TOKEN_INVALID", page_token=NOWHERE),
    "a consistency token of Browse from nowhere": _browse(
        None, "CONSISTENCY_TOKEN_INVALID", at_least_as_fresh=NOWHERE
    ),
    "a time of Browse before the year 1": _browse(
        "filter.start_time",
        filter=memory.MemoryFilter(start_time=Timestamp(seconds=-62_135_596_801)),
    ),
    "the messages of what is no id": _messages("conversation_id", conversation_id="1"),
    "the messages of an unknown conversation": Case(
        lambda s: s.search.ListMessages(search.ListMessagesRequest(conversation_id=str(uuid4()))),
        None,
        grpc.StatusCode.NOT_FOUND,
        "CONVERSATION_NOT_FOUND",
    ),
    "a negative page size of ListMessages": _messages("page_size", page_size=-1),
    "a page token of ListMessages from nowhere": _messages(
        None, "PAGE_TOKEN_INVALID", page_token=NOWHERE
    ),
    "a negative page size of ListConversations": _conversations("page_size", page_size=-1),
    "a page token of ListConversations from nowhere": _conversations(
        None, "PAGE_TOKEN_INVALID", page_token=NOWHERE
    ),
    "NUL in an agent of ListConversations": _conversations(
        "filter.agents", filter=conversation.ConversationFilter(agents=["\0"])
    ),
    "a conversation by nothing": Case(
        lambda s: s.search.GetConversation(search.GetConversationRequest()), "conversation"
    ),
    "a conversation by an empty key": Case(
        lambda s: s.search.GetConversation(
            search.GetConversationRequest(key=conversation.ConversationKey())
        ),
        "key.session_key",
    ),
    "a conversation by an unknown key": Case(
        lambda s: s.search.GetConversation(
            search.GetConversationRequest(key=conversation.ConversationKey(session_key="nobody's"))
        ),
        None,
        grpc.StatusCode.NOT_FOUND,
        "CONVERSATION_NOT_FOUND",
    ),
    "a memory by what is no id": Case(
        lambda s: s.search.GetMemory(search.GetMemoryRequest(memory_id="1")), "memory_id"
    ),
    "an unknown memory": Case(
        lambda s: s.search.GetMemory(search.GetMemoryRequest(memory_id=str(uuid4()))),
        None,
        grpc.StatusCode.NOT_FOUND,
        "MEMORY_NOT_FOUND",
    ),
    "unknown memories": Case(
        _memories(str(uuid4()), str(uuid4())),
        None,
        grpc.StatusCode.NOT_FOUND,
        "MEMORY_NOT_FOUND",
    ),
    "no memories": Case(_memories(), "memory_ids"),
    "one memory twice": Case(_memories(*[str(uuid4())] * 2), "memory_ids"),
    "201 memories": Case(_memories(*(str(uuid4()) for _ in range(201))), "memory_ids"),
    "a context of nothing": _context("query"),
    "a context of a malformed conversation": _context("conversation_id", conversation_id="1"),
    "a context of a negative size": _context("token_budget", query="words", token_budget=-1),
    "a context of 201 memories": _context("max_memories", query="words", max_memories=201),
    "jobs of a task with a long name": Case(
        lambda s: s.maintenance.GetQueueStatus(maintenance.GetQueueStatusRequest(task="x" * 65)),
        "task",
    ),
    "jobs with NUL in their error": Case(
        lambda s: s.maintenance.RetryJobs(maintenance.RetryJobsRequest(error_contains="\0")),
        "error_contains",
    ),
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    """Run one stack for all tests, since reads change nothing."""
    with cloned(postgres_url) as database:
        async with running_stack(database, embedder=False) as stack:
            await append(stack, *[f"Words of message {number}." for number in range(5)])
            yield stack


@SHARED
@pytest.mark.parametrize("name", [*SEARCHES, *OTHERS])
async def test_invalid_read_requests_are_refused(stack: Stack, name: str) -> None:
    await {**SEARCHES, **OTHERS}[name].check(stack)


@SHARED
async def test_batch_get_memories_names_missing_id(stack: Stack) -> None:
    known = await stack.search.Browse(search.BrowseRequest(page_size=1))
    missing = str(uuid4())
    refusal = await refused(_memories(known.memories[0].id, missing)(stack))
    assert refusal.metadata["memory_id"] == missing
    assert "ResourceInfo" in refusal.details


@SHARED
async def test_page_token_of_another_request_is_refused(stack: Stack) -> None:
    """Tokens of another query, of another RPC, and changed tokens are refused."""
    request = search.SearchRequest(query="words", mode=search.SEARCH_MODE_LEXICAL, page_size=1)
    token = (await stack.search.Search(request)).next_page_token
    changed = ("A" if token[-10] != "A" else "B").join((token[:-10], token[-9:]))
    for call in (
        stack.search.Search(
            search.SearchRequest(
                query="message", mode=search.SEARCH_MODE_LEXICAL, page_size=1, page_token=token
            )
        ),
        stack.search.Browse(search.BrowseRequest(page_size=1, page_token=token)),
        stack.search.Search(
            search.SearchRequest(
                query="words", mode=search.SEARCH_MODE_LEXICAL, page_size=1, page_token=changed
            )
        ),
    ):
        assert (await refused(call)).reason == "PAGE_TOKEN_INVALID"
