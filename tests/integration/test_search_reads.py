"""Reading single memories, conversations and their messages."""

from __future__ import annotations

import asyncio
from unittest.mock import patch
from uuid import uuid4

import grpc
import pytest

from everword.db.statements import Statement
from everword.v1 import conversation_pb2, ingest_service_pb2, memory_pb2
from everword.v1 import search_service_pb2 as pb
from everword_search.memories import batch_get_memories
from everword_search.records import read_messages
from everword_search.records.store import SQL
from support.callers import make_namespaces, within
from support.calls import TOOL, append, append_request, message, target
from support.corpus import import_sample, sample
from support.foreign_namespaces import class_request
from support.refusals import refused
from support.stack import Stack

MEBIBYTE = 1024 * 1024


async def one(stack: Stack, sent: memory_pb2.NewMessage | str) -> memory_pb2.Memory:
    """Store a message, and return its memory."""
    appended = await append(stack, sent)
    get = pb.GetMemoryRequest(memory_id=appended.messages[0].message_id)
    return (await stack.search.GetMemory(get)).memory


async def conversation_ids(stack: Stack, **fields: object) -> list[str]:
    """Return the session keys on all pages of two."""
    keys: list[str] = []
    token = ""
    while True:
        request = pb.ListConversationsRequest(
            filter=conversation_pb2.ConversationFilter(**fields),  # type: ignore[arg-type]
            page_size=2,
            page_token=token,
        )
        page = await stack.search.ListConversations(request)
        keys += [entry.key.session_key for entry in page.conversations]
        token = page.next_page_token
        if not token:
            return keys


# Memories


async def test_get_memory_returns_every_field_of_the_message(stack: Stack) -> None:
    request = append_request(
        message(
            "Grüezi 世界",
            author="Marta",
            tags=["b", "a"],
            importance_class=memory_pb2.IMPORTANCE_CLASS_FACT,
            content_blocks=[memory_pb2.ContentBlock(type="text", text="more")],
        )
    )
    request.conversation.CopyFrom(
        target("s", agent="opus", channel="cli", subject="marta", instance="laptop")
    )
    appended = await stack.ingest.AppendMessages(request)
    get = pb.GetMemoryRequest(memory_id=appended.messages[0].message_id)
    found = (await stack.search.GetMemory(get)).memory
    assert found.occur_time.ToSeconds() > 0
    found.ClearField("occur_time")
    assert found == memory_pb2.Memory(
        id=get.memory_id,
        kind=memory_pb2.MEMORY_KIND_MESSAGE,
        content="Grüezi 世界\nmore",
        conversation_id=appended.conversation_id,
        seq=1,
        agent="opus",
        subject="marta",
        channel="cli",
        instance="laptop",
        author="Marta",
        role=memory_pb2.ROLE_USER,
        tags=["b", "a"],
        importance_class=memory_pb2.IMPORTANCE_CLASS_FACT,
        address=f"viking://default/conversations/{appended.conversation_id}/messages/1",
        conversation_label="Grüezi 世界",
    )


@pytest.mark.parametrize(
    "text",
    ["word " * 60_000, "a" * 100_000, "数据库。" * 20_000, "line\n" * 50_000, "a b c d " * 20_000],
)
async def test_get_memory_returns_long_content_unchanged(stack: Stack, text: str) -> None:
    found = await one(stack, text)
    assert found.content == text
    assert not found.content_truncated


@pytest.mark.parametrize(
    "text", ["word " * 2000, "数据库。" * 2000, "a b c d " * 2000, "1.\n" * 4000]
)
async def test_browse_truncates_content_to_max_content_chars(stack: Stack, text: str) -> None:
    await append(stack, text)
    for chars in (1, 1000, 5000, len(text) - 1, len(text)):
        page = await stack.search.Browse(pb.BrowseRequest(max_content_chars=chars))
        (memory,) = page.memories
        assert memory.content == text[:chars]
        assert memory.content_truncated == (chars < len(text))


async def test_get_memory_renders_tool_call_as_text(stack: Stack) -> None:
    call = message("", role=TOOL, tool_name="ls", tool_args='{"path": "/"}', tool_result="bin\nusr")
    assert (await one(stack, call)).content == 'ls {"path": "/"}\nbin\nusr'


async def test_batch_get_memories_keeps_the_requested_order(stack: Stack) -> None:
    appended = await append(stack, *(f"number {n}" for n in range(5)))
    ids = [appended.messages[n].message_id for n in (3, 0, 4)]
    got = await stack.search.BatchGetMemories(pb.BatchGetMemoriesRequest(memory_ids=ids))
    assert [memory.content for memory in got.memories] == ["number 3", "number 0", "number 4"]


async def test_missing_memory_is_not_found_with_its_id(stack: Stack) -> None:
    appended = await append(stack, "there")
    missing = str(uuid4())
    ids = [appended.messages[0].message_id, missing]
    batch = stack.search.BatchGetMemories(pb.BatchGetMemoriesRequest(memory_ids=ids))
    for call in (batch, stack.search.GetMemory(pb.GetMemoryRequest(memory_id=missing))):
        refusal = await refused(call)
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "MEMORY_NOT_FOUND")
        assert refusal.metadata["memory_id"] == missing


async def test_batch_get_memories_over_the_size_limit_is_refused(
    stack: Stack,
) -> None:
    appended = await append(stack, *(letter * 1000 for letter in "abc"))
    get = pb.BatchGetMemoriesRequest(memory_ids=[entry.message_id for entry in appended.messages])
    with patch.object(batch_get_memories, "MAX_BYTES", 2500):
        refusal = await refused(stack.search.BatchGetMemories(get))
        assert refusal.code is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert (refusal.metadata["bytes"], refusal.metadata["limit_bytes"]) == ("3000", "2500")
        del get.memory_ids[2:]
        assert len((await stack.search.BatchGetMemories(get)).memories) == 2


async def test_ids_of_another_namespace_are_not_found(stack: Stack) -> None:
    await make_namespaces(stack, "theirs")
    appended = await append(stack, "secret", metadata=within("theirs"))
    memory_id, conversation_id = appended.messages[0].message_id, appended.conversation_id
    for call in (
        stack.search.GetMemory(pb.GetMemoryRequest(memory_id=memory_id)),
        stack.search.BatchGetMemories(pb.BatchGetMemoriesRequest(memory_ids=[memory_id])),
        stack.search.GetConversation(pb.GetConversationRequest(conversation_id=conversation_id)),
        stack.search.ListMessages(pb.ListMessagesRequest(conversation_id=conversation_id)),
    ):
        assert (await refused(call)).code is grpc.StatusCode.NOT_FOUND
    key = conversation_pb2.ConversationKey(session_key="s")
    by_key = stack.search.GetConversation(pb.GetConversationRequest(key=key))
    assert (await refused(by_key)).reason == "CONVERSATION_NOT_FOUND"
    assert not (await stack.search.Search(pb.SearchRequest(query="secret"))).results
    assert not (await stack.search.Browse(pb.BrowseRequest())).memories
    assert not await conversation_ids(stack)


async def test_get_memory_returns_use_count_and_importance_class(stack: Stack) -> None:
    appended = await append(stack, "remember")
    id_ = appended.messages[0].message_id
    await stack.ingest.MarkUsed(ingest_service_pb2.MarkUsedRequest(memory_ids=[id_]))
    await stack.ingest.UpdateMemory(class_request(id_, memory_pb2.IMPORTANCE_CLASS_CORRECTION))
    found = (await stack.search.GetMemory(pb.GetMemoryRequest(memory_id=id_))).memory
    assert found.use_count == 1
    assert found.HasField("last_use_time")
    assert found.importance_class == memory_pb2.IMPORTANCE_CLASS_CORRECTION


# Conversations


async def test_a_conversation_is_found_by_id_and_by_key(stack: Stack) -> None:
    request = append_request("Hello there")
    request.conversation.CopyFrom(target("thread-1", agent="opus", channel="cli", subject="marta"))
    appended = await stack.ingest.AppendMessages(request)
    by_id = pb.GetConversationRequest(conversation_id=appended.conversation_id)
    by_key = pb.GetConversationRequest(key=request.conversation.key)
    first = await stack.search.GetConversation(by_id)
    assert first == await stack.search.GetConversation(by_key)
    assert first.conversation.details.title == "Hello there"
    assert first.conversation.details.subject == "marta"
    assert (first.conversation.message_count, first.conversation.turn_count) == (1, 1)


async def test_conversations_are_listed_newest_first_in_pages(stack: Stack) -> None:
    await import_sample(stack)
    newest_first = [entry["conversation"] for entry in sample()][::-1]
    assert await conversation_ids(stack) == newest_first


async def test_list_conversations_filters_by_agent_channel_subject_and_state(stack: Stack) -> None:
    for key, agent, channel in (("a", "opus", "cli"), ("b", "atlas", "cli"), ("c", "opus", "web")):
        request = append_request("hi")
        request.conversation.CopyFrom(target(key, agent=agent, channel=channel, subject=key * 2))
        appended = await stack.ingest.AppendMessages(request)
    close = ingest_service_pb2.EnsureConversationRequest(
        conversation_id=appended.conversation_id, active=False
    )
    close.update_mask.paths.append("active")
    await stack.ingest.EnsureConversation(close)
    assert await conversation_ids(stack, agents=["opus"]) == ["c", "a"]
    assert await conversation_ids(stack, channels=["cli"]) == ["b", "a"]
    assert await conversation_ids(stack, subjects=["aa", "cc"]) == ["c", "a"]
    assert await conversation_ids(stack, active=True) == ["b", "a"]
    assert await conversation_ids(stack, active=False) == ["c"]


# Messages


async def seqs(stack: Stack, request: pb.ListMessagesRequest) -> list[list[int]]:
    """Return the sequence numbers on each page."""
    pages: list[list[int]] = []
    while True:
        page = await stack.search.ListMessages(request)
        pages.append([entry.seq for entry in page.messages])
        request.page_token = page.next_page_token
        if not request.page_token:
            return pages


async def test_list_messages_starts_with_the_newest_message(stack: Stack) -> None:
    """The oldest hundred messages of a long session would show an agent the past instead of the present."""
    appended = await append(stack, *(f"number {n}" for n in range(1, 251)))
    request = pb.ListMessagesRequest(conversation_id=appended.conversation_id)
    page = await stack.search.ListMessages(request)
    assert [entry.seq for entry in page.messages] == list(range(250, 200, -1))
    assert page.messages[0].body.content == "number 250"


@pytest.mark.parametrize("order", [memory_pb2.ORDER_NEWEST_FIRST, memory_pb2.ORDER_OLDEST_FIRST])
async def test_list_messages_pages_return_the_whole_conversation(
    stack: Stack, order: memory_pb2.Order.ValueType
) -> None:
    appended = await append(stack, *(f"number {n}" for n in range(23)))
    request = pb.ListMessagesRequest(
        conversation_id=appended.conversation_id, order=order, page_size=5
    )
    pages = await seqs(stack, request)
    numbers = [seq for page in pages for seq in page]
    assert sorted(numbers) == list(range(1, 24))
    assert numbers == sorted(numbers, reverse=order == memory_pb2.ORDER_NEWEST_FIRST)
    assert [len(page) for page in pages] == [5, 5, 5, 5, 3]
    request.start_seq = 7
    from_there = await seqs(stack, request)
    assert [seq for page in from_there for seq in page] == numbers[numbers.index(7) :]


@pytest.mark.parametrize("order", [memory_pb2.ORDER_NEWEST_FIRST, memory_pb2.ORDER_OLDEST_FIRST])
async def test_list_messages_page_obeys_byte_limit_with_at_least_one_message(
    stack: Stack, order: memory_pb2.Order.ValueType
) -> None:
    sizes = (400, 400, 400, 2000, 400, 400)
    appended = await append(stack, *("x" * size for size in sizes))
    request = pb.ListMessagesRequest(conversation_id=appended.conversation_id, order=order)
    with patch.object(read_messages, "MAX_PAGE_BYTES", 1000):
        pages = await seqs(stack, request)
    if order == memory_pb2.ORDER_NEWEST_FIRST:
        assert pages == [[6, 5], [4], [3, 2], [1]]
    else:
        assert pages == [[1, 2], [3], [4], [5, 6]]


async def test_list_messages_byte_limit_counts_tool_results_and_blocks(stack: Stack) -> None:
    block = memory_pb2.ContentBlock(type="text", text="x" * 600)
    appended = await append(
        stack,
        message("", role=TOOL, tool_name="cat", tool_result="x" * 600),
        message("", content_blocks=[block]),
        message("x" * 600),
    )
    request = pb.ListMessagesRequest(conversation_id=appended.conversation_id)
    with patch.object(read_messages, "MAX_PAGE_BYTES", 1000):
        assert await seqs(stack, request) == [[3], [2], [1]]


async def test_list_messages_returns_messages_of_one_mebibyte(stack: Stack) -> None:
    for letter in "abc":
        await append(stack, letter * MEBIBYTE)
    newest = (await stack.search.Browse(pb.BrowseRequest(page_size=1))).memories[0]
    request = pb.ListMessagesRequest(conversation_id=newest.conversation_id)
    page = await stack.search.ListMessages(request)
    assert [entry.body.content for entry in page.messages] == [c * MEBIBYTE for c in "cba"]


async def test_an_empty_conversation_has_no_messages_and_an_unknown_one_is_not_found(
    stack: Stack,
) -> None:
    made = await stack.ingest.EnsureConversation(
        ingest_service_pb2.EnsureConversationRequest(
            key=conversation_pb2.ConversationKey(session_key="empty")
        )
    )
    request = pb.ListMessagesRequest(conversation_id=made.conversation.id)
    assert not (await stack.search.ListMessages(request)).messages
    request.conversation_id = str(uuid4())
    refusal = await refused(stack.search.ListMessages(request))
    assert refusal.reason == "CONVERSATION_NOT_FOUND"


# Freshness


async def test_read_with_consistency_token_sees_the_write(stack: Stack) -> None:
    appended = await append(stack, "xylophone")
    token = appended.consistency_token
    request = pb.SearchRequest(query="xylophone", at_least_as_fresh=token)
    assert len((await stack.search.Search(request)).results) == 1
    browse = pb.BrowseRequest(at_least_as_fresh=token)
    assert len((await stack.search.Browse(browse)).memories) == 1


async def test_consistency_token_of_another_namespace_or_forged_is_refused(stack: Stack) -> None:
    await make_namespaces(stack, "theirs")
    appended = await append(stack, "secret", metadata=within("theirs"))
    id_ = (await append(stack, "mine")).conversation_id
    for token in (appended.consistency_token, "made up"):
        for call in (
            stack.search.Search(pb.SearchRequest(query="x", at_least_as_fresh=token)),
            stack.search.Browse(pb.BrowseRequest(at_least_as_fresh=token)),
            stack.search.ListMessages(
                pb.ListMessagesRequest(conversation_id=id_, at_least_as_fresh=token)
            ),
        ):
            refusal = await refused(call)
            assert refusal.reason == "CONSISTENCY_TOKEN_INVALID"


async def test_read_with_token_waits_for_lagging_replica_until_deadline(stack: Stack) -> None:
    """A real replica would need a second server, so the creation of a namespace simulates replay here."""
    token = (await append(stack, "xylophone")).consistency_token
    request = pb.SearchRequest(query="xylophone", at_least_as_fresh=token)
    replayed = Statement("caught_up", "Lags.", "SELECT count(*) > 1 FROM namespaces")
    with patch.dict(SQL, {"caught_up": replayed}):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await stack.search.Search(request, timeout=0.3)
        assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
        waiting = asyncio.ensure_future(stack.search.Search(request, timeout=60))
        await asyncio.sleep(0.1)
        assert not waiting.done()
        await make_namespaces(stack, "replayed")
        assert len((await waiting).results) == 1
