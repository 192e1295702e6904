"""BuildContext: what matters now, word for word, within the budget."""

from __future__ import annotations

from typing import Any

import grpc
import pytest

from everword.v1 import context_service_pb2 as pb
from everword.v1 import memory_pb2, search_service_pb2
from support.callers import make_namespaces, within
from support.calls import ASSISTANT, TOOL, append, append_request, message, target
from support.corpus import import_sample, moment
from support.refusals import refused
from support.stack import Stack

MEMORIES = pb.CONTEXT_SOURCE_MEMORIES
TURNS = pb.CONTEXT_SOURCE_CHAT_HISTORY
NOON = moment("2026-04-18T12:00:30+00:00")


async def build(stack: Stack, **fields: Any) -> pb.BuildContextResponse:
    return await stack.context.BuildContext(pb.BuildContextRequest(**fields))


def block(response: pb.BuildContextResponse, source: pb.ContextSource.ValueType) -> list[str]:
    """Return the texts of a block's items; none where there is no such block."""
    return [i.text for b in response.blocks if b.source == source for i in b.items]


async def conversation(stack: Stack, *messages: memory_pb2.NewMessage) -> str:
    """Store a conversation of the agent opus, and return its id."""
    request = append_request(*messages)
    request.conversation.CopyFrom(target("now", agent="opus", channel="cli"))
    return (await stack.ingest.AppendMessages(request)).conversation_id


async def use_counts(stack: Stack, ids: list[str]) -> list[int]:
    request = search_service_pb2.BatchGetMemoriesRequest(memory_ids=ids)
    return [m.use_count for m in (await stack.search.BatchGetMemories(request)).memories]


async def test_memories_come_first_then_the_recent_turns_oldest_first(stack: Stack) -> None:
    await append(
        stack,
        message("The cutover is on Thursday.", author="Mara", create_time=NOON),
        message("Lunch was good.", create_time=NOON),
    )
    id_ = await conversation(
        stack,
        message("Hello!", author="Marta", create_time=NOON),
        message("Hi, what can I do?", role=ASSISTANT, create_time=NOON),
        message("When is the cutover?", author="Marta", create_time=NOON),
    )
    response = await build(stack, conversation_id=id_)
    assert [entry.source for entry in response.blocks] == [MEMORIES, TURNS]
    assert block(response, MEMORIES) == [
        "[2026-04-18T12:00Z user Mara] The cutover is on Thursday."
    ]
    assert block(response, TURNS) == [
        "[2026-04-18T12:00Z opus/user Marta] Hello!",
        "[2026-04-18T12:00Z opus/assistant] Hi, what can I do?",
        "[2026-04-18T12:00Z opus/user Marta] When is the cutover?",
    ]
    assert response.text == "\n\n".join(entry.text for entry in response.blocks)
    for entry in response.blocks:
        assert entry.text.startswith("## ")
        assert all(item.text in entry.text for item in entry.items)
    assert response.omitted == 0


async def test_a_query_takes_the_place_of_the_latest_user_message(stack: Stack) -> None:
    await append(stack, "Apples are red.", "Bananas are yellow.")
    id_ = await conversation(stack, message("Tell me about apples."))
    asked = await build(stack, conversation_id=id_, query="bananas")
    assert ["Bananas" in text for text in block(asked, MEMORIES)] == [True]
    latest = await build(stack, conversation_id=id_)
    assert ["Apples" in text for text in block(latest, MEMORIES)] == [True]


async def test_a_message_is_no_query_language(stack: Stack) -> None:
    """What a person writes to an agent is not written for a search: its quotes and dashes demand nothing."""
    await append(stack, "The tap drips.")
    id_ = await conversation(stack, message('Why does the "dripping tap" -tap NOT tap stop?'))
    assert len(block(await build(stack, conversation_id=id_), MEMORIES)) == 1


async def test_without_a_conversation_there_are_memories_alone(stack: Stack) -> None:
    await append(stack, "The tap drips.")
    response = await build(stack, query="tap")
    assert [entry.source for entry in response.blocks] == [MEMORIES]


async def test_nothing_to_build_from_is_an_empty_context(stack: Stack) -> None:
    response = await build(stack, query="nothing of the kind")
    assert response == pb.BuildContextResponse()


@pytest.mark.parametrize("fields", [{}, {"query": "  "}])
async def test_neither_query_nor_conversation_is_refused(
    stack: Stack, fields: dict[str, Any]
) -> None:
    refusal = await refused(build(stack, **fields))
    assert refusal.code is grpc.StatusCode.INVALID_ARGUMENT
    assert refusal.fields == {"query"}


async def test_another_namespaces_conversation_is_not_found(stack: Stack) -> None:
    await make_namespaces(stack, "theirs")
    theirs = await append(stack, "secret", metadata=within("theirs"))
    refusal = await refused(build(stack, conversation_id=theirs.conversation_id))
    assert refusal.reason == "CONVERSATION_NOT_FOUND"
    assert await build(stack, query="secret") == pb.BuildContextResponse()


async def test_automated_messages_are_neither_turns_nor_memories(stack: Stack) -> None:
    id_ = await conversation(stack, message("tap ok", automated=True), message("The tap drips."))
    await append(stack, message("tap ok", automated=True))
    response = await build(stack, conversation_id=id_, query="tap")
    assert len(block(response, TURNS)) == 1
    assert block(response, MEMORIES) == []


async def test_what_is_among_the_recent_turns_is_not_repeated_as_a_memory(stack: Stack) -> None:
    id_ = await conversation(stack, *(message(f"tap number {n}") for n in range(5)))
    response = await build(stack, conversation_id=id_, max_recent_turns=2)
    assert [text[-1] for text in block(response, TURNS)] == ["3", "4"]
    assert sorted(text[-1] for text in block(response, MEMORIES)) == ["0", "1", "2"]


async def test_the_message_that_is_asked_with_does_not_answer_itself(stack: Stack) -> None:
    id_ = await conversation(stack, message("Why does the tap drip?"))
    response = await build(stack, conversation_id=id_, max_recent_turns=0)
    assert response == pb.BuildContextResponse()


async def test_of_a_long_memory_the_passage_that_matters_goes_in(stack: Stack) -> None:
    long = " ".join(f"Sentence {n} says little." for n in range(300)) + " The tap drips."
    await append(stack, long)
    (text,) = block(await build(stack, query="tap"), MEMORIES)
    assert "… " in text
    assert text.endswith("The tap drips. …")
    assert len(text) < 2000


async def test_turns_are_word_for_word_tool_calls_included(stack: Stack) -> None:
    result = "line\n" * 8000
    id_ = await conversation(
        stack, message("", role=TOOL, tool_name="cat", tool_args="{}", tool_result=result)
    )
    (text,) = block(await build(stack, conversation_id=id_, token_budget=50_000), TURNS)
    assert text.endswith(f"opus/tool] cat {{}}\n{result}")


@pytest.mark.parametrize("budget", [1, 20, 60, 200, 600, 4000, 100_000])
async def test_the_budget_is_never_exceeded(stack: Stack, budget: int) -> None:
    ids = await import_sample(stack)
    get = search_service_pb2.GetMemoryRequest(memory_id=ids["mig-074"])
    id_ = (await stack.search.GetMemory(get)).memory.conversation_id
    response = await build(
        stack, conversation_id=id_, query="When do orders move to PostgreSQL?", token_budget=budget
    )
    assert response.token_count <= budget
    assert len(response.text.encode()) / 4 <= response.token_count
    assert response.token_count == sum(entry.token_count for entry in response.blocks)
    for entry in response.blocks:
        assert entry.token_count > sum(item.token_count for item in entry.items)
    items = [item for entry in response.blocks for item in entry.items]
    assert len({item.memory_id for item in items}) == len(items)
    assert len(items) == 30 if budget >= 4000 else response.omitted > 0


async def test_what_does_not_fit_is_skipped_and_the_next_one_may(stack: Stack) -> None:
    await append(stack, "tap tap tap " + "x" * 3000, "the tap of the kitchen")
    response = await build(stack, query="tap", token_budget=60)
    assert len(block(response, MEMORIES)) == 1
    assert response.omitted == 1


async def test_the_callers_token_counts_are_taken(stack: Stack) -> None:
    await append(stack, message("The tap drips.", token_count=500))
    assert (await build(stack, query="tap", token_budget=400)).omitted == 1
    response = await build(stack, query="tap", token_budget=600)
    assert 500 < response.token_count < 540


async def test_most_memories_and_turns_are_as_many_as_asked_for(stack: Stack) -> None:
    await append(stack, *(f"tap number {n}" for n in range(30)))
    id_ = await conversation(stack, *(message(f"turn {n}") for n in range(30)))
    response = await build(stack, conversation_id=id_, query="tap")
    assert [len(block(response, source)) for source in (MEMORIES, TURNS)] == [10, 20]
    fields = {"max_memories": 3, "max_recent_turns": 0}
    response = await build(stack, conversation_id=id_, query="tap", **fields)
    assert [len(block(response, source)) for source in (MEMORIES, TURNS)] == [3, 0]
    none = await build(stack, conversation_id=id_, query="tap", max_memories=0)
    assert [len(block(none, source)) for source in (MEMORIES, TURNS)] == [0, 20]


async def test_filter_and_min_score_hold_for_memories(stack: Stack) -> None:
    await append(
        stack, message("The tap drips.", author="Mara"), message("The tap is fine.", author="Inés")
    )
    only = memory_pb2.MemoryFilter(authors=["Mara"])
    assert len(block(await build(stack, query="tap", filter=only), MEMORIES)) == 1
    assert await build(stack, query="tap", min_score=0.99) == pb.BuildContextResponse()


async def test_memories_that_are_put_in_count_as_used_and_others_do_not(stack: Stack) -> None:
    appended = await append(stack, "The tap drips.", "tap " + "x" * 5000, "Lunch was good.")
    ids = [entry.message_id for entry in appended.messages]
    await build(stack, query="tap", token_budget=100, skip_use_count=True)
    assert await use_counts(stack, ids) == [0, 0, 0]
    for _ in range(2):
        await build(stack, query="tap", token_budget=100)
    assert await use_counts(stack, ids) == [2, 0, 0]


async def test_turns_are_there_for_being_recent_and_are_not_counted(stack: Stack) -> None:
    id_ = await conversation(stack, message("The tap drips."))
    response = await build(stack, conversation_id=id_)
    ids = [item.memory_id for entry in response.blocks for item in entry.items]
    assert len(ids) == 1
    assert await use_counts(stack, ids) == [0]


async def test_a_context_can_be_built_on_a_write_that_it_must_see(stack: Stack) -> None:
    appended = await append(stack, "The tap drips.")
    token = appended.consistency_token
    assert (await build(stack, query="tap", at_least_as_fresh=token)).blocks
    refusal = await refused(build(stack, query="tap", at_least_as_fresh="made up"))
    assert refusal.reason == "CONSISTENCY_TOKEN_INVALID"
