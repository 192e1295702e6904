"""By default, a policy removes each message by its own age: a conversation in daily use loses its old messages."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta

import grpc
import pytest
import pytest_asyncio
from google.protobuf.timestamp_pb2 import Timestamp

from everword.integrity.verify import verify_everything
from everword.v1 import erasure_service_pb2 as pb
from everword.v1 import memory_pb2
from everword.v1 import search_service_pb2 as search
from everword_ingest.retention import steps
from support.background import embed_everything
from support.calls import append, message
from support.compaction import compact_everything, roll_up_everything
from support.databases import DatabaseUnderTest
from support.retention import keep, preview, removed, run
from support.stack import Stack, running_stack

SENTENCES = [
    "We looked at the heating in the greenhouse again, and Pavel thinks that the valve on the north side sticks "
    "whenever it is colder than four degrees outside.",
    "The seedlings of the week are the tomatoes from Mira's balcony; I have put forty of them on the second shelf and "
    "labelled the trays with the date.",
    "Please remind me to order potting soil before Friday, because the shop on Harbour Street closes for the holidays.",
    "I watered the orchids this morning and moved the one with the spotted leaves away from the window.",
]


@pytest_asyncio.fixture
async def stack(database: DatabaseUnderTest) -> AsyncIterator[Stack]:
    """Run the services as in production, with the embedder."""
    async with running_stack(database) as stack:
        yield stack


def sent(days_ago: float, text: str = "", protected: bool = False) -> memory_pb2.NewMessage:
    """Return a message of ordinary length that was sent some days ago."""
    at = Timestamp()
    at.FromDatetime(datetime.now(UTC) - timedelta(days=days_ago))
    words = text or f"Day {days_ago:g} ago. {SENTENCES[int(days_ago) % len(SENTENCES)]}"
    made = message(words, create_time=at)
    if protected:
        made.metadata.update({"protected": True})
    return made


def half_days() -> list[float]:
    """Return ages of messages, one every half day, from 60 days to today."""
    return [half / 2 - 0.25 for half in range(120, 0, -1)]


async def listed(stack: Stack, conversation_id: str) -> Sequence[memory_pb2.Message]:
    request = search.ListMessagesRequest(conversation_id=conversation_id, page_size=200)
    found = (await stack.search.ListMessages(request)).messages
    return sorted(found, key=lambda each: each.seq)


async def test_daily_conversation_loses_messages_older_than_the_policy(stack: Stack) -> None:
    """RG-11: the conversation stays with its younger messages; its numbers, summaries and index stay consistent."""
    ages = half_days()
    said = await append(stack, *map(sent, ages), session_key="daily")
    ids = [each.message_id for each in said.messages]
    await compact_everything(stack)
    await roll_up_everything(stack)
    await embed_everything(stack)
    await keep(stack, "MESSAGES", 30)
    would_go = await preview(stack)
    assert would_go == {"MESSAGES": sum(age > 30 for age in ages)}
    ran = await run(stack)
    assert removed(ran) == would_go
    left = await listed(stack, said.conversation_id)
    assert [each.id for each in left] == ids[-60:]
    assert [each.seq for each in left] == list(range(61, 121))
    # Nothing of the old messages is found, and no summary repeats them, neither now nor when they are rewritten.
    for _ in range(2):
        summaries = await stack.search.ListSummaries(search.ListSummariesRequest(page_size=100))
        assert not any("Day 45.25 ago" in each.content for each in summaries.summaries)
        found = await stack.search.Search(
            search.SearchRequest(query="Day 45.25 ago: the greenhouse")
        )
        assert not {hit.memory.id for hit in found.results} & set(ids[:60])
        await compact_everything(stack)
        await roll_up_everything(stack)
        await embed_everything(stack)
    summaries = await stack.search.ListSummaries(search.ListSummariesRequest(page_size=100))
    assert [each for each in summaries.summaries if each.level == 1]
    assert list(verify_everything(stack.database.admin_url)) == []
    more = await append(stack, sent(0), session_key="daily")
    assert (more.conversation_id, more.messages[0].seq) == (said.conversation_id, 121)
    assert await preview(stack) == {}


async def test_whole_conversations_go_by_their_last_activity_if_the_policy_says_so(
    stack: Stack,
) -> None:
    """RG-11: with `whole_conversations`, a conversation in use keeps old messages, and an idle one goes as a whole.

    Messages count from when they were sent, not from their import, and in any order.
    """
    idle = await append(stack, sent(40), sent(39), session_key="idle")
    daily = await append(stack, sent(60), sent(1), sent(40), session_key="daily")
    await keep(stack, "MESSAGES", 30, whole_conversations=True)
    assert await preview(stack) == removed(await run(stack)) == {"MESSAGES": 2}
    with pytest.raises(grpc.aio.AioRpcError):
        await listed(stack, idle.conversation_id)
    by_message = pb.RetentionPolicy(kind=pb.RETENTION_KIND_MESSAGES, keep_days=30)
    assert await preview(stack, by_message) == {"MESSAGES": 2}
    assert len(await listed(stack, daily.conversation_id)) == 3


async def test_pinned_messages_stay_and_the_preview_counts_them(stack: Stack) -> None:
    """RG-11: a message with `protected` metadata stays, in its conversation, whatever its age."""
    rule = "Never open the roof of the greenhouse while the heating is on; the last time it cost us all the seedlings."
    said = await append(
        stack, sent(50), sent(45, rule, protected=True), sent(40), session_key="idle"
    )
    await keep(stack, "MESSAGES", 30)
    found = await stack.erasures.PreviewRetention(pb.PreviewRetentionRequest())
    [counted] = found.removed
    assert (counted.count, counted.pinned) == (2, 1)
    pinned = said.messages[1].message_id
    assert pinned not in counted.sample_ids
    assert removed(await run(stack)) == {"MESSAGES": 2}
    assert [each.id for each in await listed(stack, said.conversation_id)] == [pinned]
    assert await preview(stack) == {}


async def test_step_continues_after_kept_messages(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """RG-12: a step reads a limited number of messages, so that many kept ones do not make it long."""
    await append(
        stack, *(sent(age, protected=age > 40) for age in half_days()), session_key="pinned"
    )
    await keep(stack, "MESSAGES", 30)
    monkeypatch.setattr(steps, "MESSAGES", 7)
    monkeypatch.setattr(steps, "BATCH", 4)
    would_go = await preview(stack)
    assert would_go == removed(await run(stack)) == {"MESSAGES": 20}
