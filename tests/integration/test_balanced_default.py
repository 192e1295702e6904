"""The ranking profile `balanced` as the default of a namespace, and token counts, with default settings otherwise."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest
from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.timestamp_pb2 import Timestamp

from everword.rpc.authentication import OPEN_CACHE_S
from everword.v1 import admin_service_pb2, context_service_pb2
from everword.v1 import search_service_pb2 as pb
from support.background import embed_everything
from support.calls import append, message
from support.databases import DatabaseUnderTest
from support.stack import Stack, running_stack

ANSWER = (
    "The cutover of the billing database is on Saturday the 14th of March at 21:30, because the freight team closes "
    "its books on Thursday and cannot be without invoices before that."
)
REMARKS = (
    "Still there? The cutover?",
    "Hello, is anybody going to say something about the cutover?",
    "I had a sandwich with far too much mustard for lunch.",
    "Thanks, that helps a lot, I will read it on the train.",
)


def days_ago(days: float) -> Timestamp:
    stamp = Timestamp()
    stamp.FromDatetime(datetime.now(UTC) - timedelta(days=days))
    return stamp


@pytest.fixture
async def stack(database: DatabaseUnderTest) -> AsyncIterator[Stack]:
    async with running_stack(database) as stack:
        yield stack


async def set_profile(stack: Stack, profile: str) -> None:
    settings = admin_service_pb2.NamespaceSettings(ranking_profile=profile)
    await stack.admin.UpdateNamespace(
        admin_service_pb2.UpdateNamespaceRequest(
            namespace=admin_service_pb2.Namespace(name="default", settings=settings),
            update_mask=FieldMask(paths=["settings.ranking_profile"]),
        )
    )
    # Search reads the setting of a namespace again after a second.
    await asyncio.sleep(OPEN_CACHE_S)


async def profile_of(stack: Stack) -> str:
    """Return the profile of a search that names none: only `balanced` explains a temporal signal."""
    request = pb.SearchRequest(query="cutover of the billing database", explain=True)
    [best, *_] = (await stack.search.Search(request)).results
    names = {each.name for each in best.explanation.signals}
    return "balanced" if "temporal" in names else "recall"


async def test_profile_of_the_namespace_applies_to_requests_that_name_none(stack: Stack) -> None:
    await append(stack, message(ANSWER, create_time=days_ago(40)))
    await embed_everything(stack)
    assert await profile_of(stack) == "recall"
    await set_profile(stack, "balanced")
    assert await profile_of(stack) == "balanced"
    named = pb.SearchRequest(query="cutover", profile="recall", explain=True)
    [found] = (await stack.search.Search(named)).results
    assert "temporal" not in {each.name for each in found.explanation.signals}
    await set_profile(stack, "")
    assert await profile_of(stack) == "recall"


async def test_fresh_remarks_rank_below_an_old_answer_in_balanced(stack: Stack) -> None:
    await set_profile(stack, "balanced")
    await append(stack, message(ANSWER, create_time=days_ago(90)))
    await append(stack, *(message(text, create_time=days_ago(0.01)) for text in REMARKS))
    await embed_everything(stack)
    for query in ("When is the cutover?", "Why is the cutover of the database on a Saturday?"):
        results = (await stack.search.Search(pb.SearchRequest(query=query))).results
        assert results[0].memory.content == ANSWER, query
        context = await stack.context.BuildContext(
            context_service_pb2.BuildContextRequest(query=query, max_memories=1)
        )
        assert "14th of March" in context.text


async def test_time_counts_from_the_last_use(stack: Stack) -> None:
    await set_profile(stack, "balanced")
    await append(stack, message(ANSWER, create_time=days_ago(90)))
    await embed_everything(stack)
    request = pb.SearchRequest(query="When is the cutover?", explain=True)

    async def temporal() -> float:
        [found] = (await stack.search.Search(request)).results
        return next(each.value for each in found.explanation.signals if each.name == "temporal")

    assert await temporal() == pytest.approx(0.0111, abs=1e-3)  # e^(-0.05 · 90)
    await stack.context.BuildContext(
        context_service_pb2.BuildContextRequest(query="When is the cutover?")
    )
    assert await temporal() == pytest.approx(1.0, abs=1e-3)


async def test_messages_have_token_counts_of_the_server_unless_the_caller_gave_one(
    stack: Stack,
) -> None:
    appended = await append(stack, message(ANSWER), message(ANSWER, token_count=12))
    listed = await stack.search.ListMessages(
        pb.ListMessagesRequest(conversation_id=appended.conversation_id)
    )
    # Newest first.
    assert [each.token_count for each in listed.messages] == [12, 39]
    assert [each.body.token_count for each in listed.messages] == [12, 0]
    got = await stack.search.GetMemory(
        pb.GetMemoryRequest(memory_id=appended.messages[0].message_id)
    )
    assert got.message.token_count == 39
