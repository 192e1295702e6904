"""Reads return the written content: in lists up to the limit, by id completely."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from google.protobuf.struct_pb2 import Struct

from everword.v1 import conversation_pb2, memory_pb2, summary_pb2
from everword.v1 import search_service_pb2 as pb
from support.calendar_calls import at, said
from support.calls import TOOL, append, append_request, message, target
from support.compaction import compact_everything, roll_up
from support.refusals import refused
from support.stack import Stack


def struct(**values: Any) -> Struct:
    made = Struct()
    made.update(values)
    return made


async def search(stack: Stack, query: str, **fields: Any) -> list[memory_pb2.Memory]:
    found = await stack.search.Search(pb.SearchRequest(query=query, **fields))
    return [result.memory for result in found.results]


async def browse(stack: Stack, **fields: Any) -> list[memory_pb2.Memory]:
    return [*(await stack.search.Browse(pb.BrowseRequest(**fields))).memories]


async def get(stack: Stack, memory_id: str) -> memory_pb2.Memory:
    request = pb.GetMemoryRequest(memory_id=memory_id)
    return (await stack.search.GetMemory(request)).memory


async def test_every_read_returns_external_id_tool_name_and_metadata_of_a_message(
    stack: Stack,
) -> None:
    kept = struct(url="https://x.org/a?b=1", ids=[1.5, None, {"ü": True}], empty={})
    call = message(
        "Reads the xylophone's log.",
        role=TOOL,
        tool_name="cat",
        tool_result="E42",
        external_id="evt-1",
        metadata=kept,
    )
    bare = message("A xylophone without anything.", metadata=struct())
    sent = await append(stack, call, bare, *["Fills the leaf."] * 8)
    await compact_everything(stack)
    id_ = sent.messages[0].message_id
    whole = await get(stack, id_)
    assert (whole.external_id, whole.tool_name, whole.metadata) == ("evt-1", "cat", kept)
    assert not whole.metadata_omitted
    batch = pb.BatchGetMemoriesRequest(memory_ids=[id_])
    of_messages = memory_pb2.MemoryFilter(kinds=[memory_pb2.MEMORY_KIND_MESSAGE])
    leaf = (await stack.search.ListSummaries(pb.ListSummariesRequest())).summaries[0]
    expand = pb.ExpandSummaryRequest(summary_id=leaf.id)
    expansion = (await stack.search.ExpandSummary(expand)).expansion
    for memory in (
        (await search(stack, "xylophone log", filter=of_messages))[0],
        next(each for each in await browse(stack) if each.id == id_),
        (await stack.search.BatchGetMemories(batch)).memories[0],
        expansion.sources[0],
    ):
        assert memory == whole
    # Empty metadata that was sent is present, unlike metadata that was not sent.
    second = await get(stack, sent.messages[1].message_id)
    assert second.HasField("metadata")
    assert not (await get(stack, sent.messages[2].message_id)).HasField("metadata")
    of_leaf = await get(stack, leaf.id)
    assert of_leaf.summary_level == summary_pb2.SUMMARY_LEVEL_LEAF
    assert not of_leaf.period_start


async def test_lists_omit_long_metadata_with_a_flag_unless_requested(
    stack: Stack,
) -> None:
    kept = struct(note="x" * 3000)
    sent = await append(stack, message("A xylophone.", metadata=kept))
    for listed in (await search(stack, "xylophone"), await browse(stack)):
        (memory,) = listed
        assert memory.metadata_omitted
        assert not memory.HasField("metadata")
    for asked in (
        await search(stack, "xylophone", max_content_chars=4000),
        await browse(stack, max_content_chars=4000),
        [await get(stack, sent.messages[0].message_id)],
    ):
        assert asked[0].metadata == kept
        assert not asked[0].metadata_omitted
    # A request for short texts still gets short texts completely.
    await append(stack, message("A tuba.", metadata=struct(note="x" * 1000)))
    tuba = (await search(stack, "tuba", max_content_chars=10))[0]
    assert tuba.metadata == struct(note="x" * 1000)


async def test_tool_result_too_long_for_the_index_is_read_completely(stack: Stack) -> None:
    result = "".join(f"line {n}: größe {n * n}\n" for n in range(4000))
    assert len(result) > 60_000
    call = message("Lists.", role=TOOL, tool_name="ls", tool_args="-R", tool_result=result)
    sent = await append(stack, call)
    text = f"Lists.\nls -R\n{result}"
    whole = await get(stack, sent.messages[0].message_id)
    assert whole.content == text
    assert not whole.content_truncated
    for chars in (2000, 32_768, 50_000, len(text) - 1, len(text)):
        (memory,) = await browse(stack, max_content_chars=chars)
        assert memory.content == text[:chars]
        assert memory.content_truncated == (chars < len(text))


async def test_browsed_summary_has_its_level_and_period_start(stack: Stack) -> None:
    await append(stack, said("2026-04-17T12:00", "The xylophone is tuned."))
    roll_up(stack.database, now=at("2027-02-01T00:00"))
    only = memory_pb2.MemoryFilter(kinds=[memory_pb2.MEMORY_KIND_SUMMARY])
    places = {
        (summary_pb2.SummaryLevel.Name(each.summary_level), each.period_start)
        for each in await browse(stack, filter=only)
    }
    assert places == {
        ("SUMMARY_LEVEL_DAY", "2026-04-17"),
        ("SUMMARY_LEVEL_WEEK", "2026-04-13"),
        ("SUMMARY_LEVEL_MONTH", "2026-04-01"),
        ("SUMMARY_LEVEL_YEAR", "2026-01-01"),
    }


async def test_message_is_read_unchanged_by_id_and_by_external_id(
    stack: Stack,
) -> None:
    first = await append(stack, message("The question.", external_id="q"))
    sent = message(
        "Grüezi 世界",
        role=TOOL,
        author="Marta",
        instance="laptop",
        tags=["b", "a"],
        importance_class=memory_pb2.IMPORTANCE_CLASS_FACT,
        tool_name="cat",
        tool_args='{"path": "/var/log"}',
        tool_result="E42 " * 20_000,
        metadata=struct(url="https://x.org", deep={"list": [1, 2.5, None]}),
        token_count=77,
        external_id="evt/1 ü",
        parent_id=first.messages[0].message_id,
        content_blocks=[memory_pb2.ContentBlock(type="image", text="a cat", json='{"a": [1]}')],
    )
    sent.create_time.FromNanoseconds(1_700_000_000_123_456_000)
    stored = await append(stack, sent)
    id_ = stored.messages[0].message_id
    by_id = (await stack.search.GetMemory(pb.GetMemoryRequest(memory_id=id_))).message
    assert by_id.body == sent
    assert (by_id.id, by_id.conversation_id, by_id.seq) == (id_, stored.conversation_id, 2)
    for place in (
        {"conversation_id": stored.conversation_id},
        {"key": conversation_pb2.ConversationKey(session_key="s")},
    ):
        external = pb.ExternalMessageKey(external_id="evt/1 ü", **place)
        request = pb.GetMemoryRequest(external=external, at_least_as_fresh=stored.consistency_token)
        assert (await stack.search.GetMemory(request)).message == by_id
    whole = await stack.search.GetMemory(pb.GetMemoryRequest(memory_id=id_))
    assert whole.message == by_id
    assert not whole.HasField("summary")


async def test_get_memory_without_matching_message_is_refused_with_a_reason(stack: Stack) -> None:
    await append(stack, message("One.", external_id="here"))
    key = conversation_pb2.ConversationKey(session_key="s")
    elsewhere = conversation_pb2.ConversationKey(session_key="s", agent="another")
    for request, reason in (
        (pb.GetMemoryRequest(memory_id=str(uuid4())), "MEMORY_NOT_FOUND"),
        (by_key(key, "gone"), "MESSAGE_NOT_FOUND"),
        (by_key(elsewhere, "here"), "CONVERSATION_NOT_FOUND"),
        (by_key(key, ""), "VALIDATION_FAILED"),
        (pb.GetMemoryRequest(), "VALIDATION_FAILED"),
        (
            pb.GetMemoryRequest(external=pb.ExternalMessageKey(external_id="here")),
            "VALIDATION_FAILED",
        ),
    ):
        refusal = await refused(stack.search.GetMemory(request))
        assert refusal.reason == reason, request
    refusal = await refused(stack.search.GetMemory(by_key(key, "gone")))
    assert refusal.metadata["external_id"] == "gone"


def by_key(key: conversation_pb2.ConversationKey, external_id: str) -> pb.GetMemoryRequest:
    return pb.GetMemoryRequest(external=pb.ExternalMessageKey(key=key, external_id=external_id))


async def test_get_memory_of_summary_returns_the_listed_summary(stack: Stack) -> None:
    await append(stack, *["The xylophone is tuned."] * 10)
    await compact_everything(stack)
    (leaf,) = (await stack.search.ListSummaries(pb.ListSummariesRequest())).summaries
    whole = await stack.search.GetMemory(pb.GetMemoryRequest(memory_id=leaf.id))
    assert whole.summary == leaf
    assert not whole.HasField("message")


async def test_list_conversations_filters_by_client_session_id(stack: Stack) -> None:
    for number, kept in enumerate(["tab-1", "tab-2", "", "tab-1"]):
        request = append_request("Hi.")
        request.conversation.CopyFrom(target(f"s{number}", client_session_id=kept))
        await stack.ingest.AppendMessages(request)

    async def found(*ids: str, **fields: Any) -> list[str]:
        only = conversation_pb2.ConversationFilter(client_session_ids=ids, **fields)
        asked = pb.ListConversationsRequest(filter=only)
        listed = await stack.search.ListConversations(asked)
        return [each.key.session_key for each in listed.conversations]

    assert await found("tab-1") == ["s3", "s0"]
    assert await found("tab-2", "tab-1") == ["s3", "s1", "s0"]
    assert await found("tab") == []
    assert await found("tab-1", active=False) == []
    assert await found() == ["s3", "s2", "s1", "s0"]
