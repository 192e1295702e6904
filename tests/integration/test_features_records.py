"""Conversations and messages are stored completely and never changed."""

from __future__ import annotations

from contextlib import closing

import psycopg
import pytest
from google.protobuf import struct_pb2

from everword.db.blocking import BlockingDatabase
from everword.jobs.sweep import sweep
from everword.v1 import conversation_pb2, memory_pb2
from everword.v1 import ingest_service_pb2 as pb
from everword.v1 import search_service_pb2 as search_pb
from everword_embedder.queue.schedule import backfill_generations, schedule_pending
from everword_ingest.housekeeping.housekeeping import SQL
from support.background import embed_everything
from support.calls import append, append_request, message, target
from support.corpus import moment, search_request
from support.stack import Stack

KEY = conversation_pb2.ConversationKey(session_key="thread-7", agent="opus", channel="discord")


def details() -> conversation_pb2.ConversationDetails:
    settings = struct_pb2.Struct()
    settings.update({"tone": "dry", "limits": {"turns": 5}})
    return conversation_pb2.ConversationDetails(
        channel_id="guild-1/general",
        bot_identity="opus#1234",
        instance="laptop",
        subject="marta",
        client_session_id="cli-42",
        title="Winter plans",
        settings=settings,
    )


async def read(
    stack: Stack, key: conversation_pb2.ConversationKey
) -> conversation_pb2.Conversation:
    request = search_pb.GetConversationRequest(key=key)
    return (await stack.search.GetConversation(request)).conversation


async def test_conversation_is_stored_with_all_details(stack: Stack) -> None:
    made = await stack.ingest.EnsureConversation(
        pb.EnsureConversationRequest(key=KEY, details=details())
    )
    found = await read(stack, KEY)
    assert found == made.conversation
    assert (found.key, found.details, found.active) == (KEY, details(), True)
    assert (found.message_count, found.turn_count) == (0, 0)
    assert found.create_time.ToSeconds() > 0
    assert not found.HasField("last_message_time")


async def test_conversation_counts_and_title_follow_its_messages(stack: Stack) -> None:
    made = await stack.ingest.EnsureConversation(pb.EnsureConversationRequest(key=KEY))
    said_at = moment("2026-03-01T10:00:00+00:00")
    await stack.ingest.AppendMessages(
        pb.AppendMessagesRequest(
            conversation_id=made.conversation.id,
            messages=[
                message("Where shall we go in winter?", create_time=said_at),
                message("ping", automated=True, create_time=said_at),
            ],
        )
    )
    found = await read(stack, KEY)
    assert found.details.title == "Where shall we go in winter?"
    assert (found.message_count, found.turn_count) == (2, 1)
    assert found.last_message_time == said_at
    assert found.update_time.ToNanoseconds() > made.conversation.update_time.ToNanoseconds()
    details = conversation_pb2.ConversationDetails(title="Winter", client_session_id="cli-43")
    change = pb.EnsureConversationRequest(conversation_id=found.id, details=details, active=False)
    change.update_mask.paths.extend(["details.title", "details.client_session_id", "active"])
    await stack.ingest.EnsureConversation(change)
    changed = await read(stack, KEY)
    assert (changed.details.title, changed.details.client_session_id) == ("Winter", "cli-43")
    assert not changed.active
    assert changed.create_time == found.create_time


async def test_conversation_is_unique_per_session_agent_and_channel(stack: Stack) -> None:
    async def ensure(session_key: str, agent: str, channel: str) -> tuple[str, bool]:
        key = conversation_pb2.ConversationKey(
            session_key=session_key, agent=agent, channel=channel
        )
        answer = await stack.ingest.EnsureConversation(pb.EnsureConversationRequest(key=key))
        return answer.conversation.id, answer.created

    keys = [("1", "opus", "discord"), ("2", "opus", "discord")]
    keys += [("1", "atlas", "discord"), ("1", "opus", "telegram")]
    first = [await ensure(*key) for key in keys]
    again = [await ensure(*key) for key in keys]
    assert len({id_ for id_, _ in first}) == 4
    assert [created for _, created in first] == [True] * 4
    assert again == [(id_, False) for id_, _ in first]


async def test_every_message_role_is_stored_and_filterable(stack: Stack) -> None:
    roles = memory_pb2.Role.values()[1:]
    for role in roles:
        await append(stack, message(f"said by {role}", role=role))
    [conversation] = (
        await stack.search.ListConversations(search_pb.ListConversationsRequest())
    ).conversations
    request = search_pb.ListMessagesRequest(conversation_id=conversation.id)
    listed = (await stack.search.ListMessages(request)).messages
    assert [entry.body.role for entry in reversed(listed)] == roles
    assert len(roles) == 4
    for role in roles:
        only = memory_pb2.MemoryFilter(roles=[role])
        found = await stack.search.Search(search_request("said", filter=only))
        assert [result.memory.content for result in found.results] == [f"said by {role}"]


async def test_old_memories_remain_after_all_background_jobs(
    stack: Stack,
) -> None:
    old = message("the oldest oak", create_time=moment("1970-01-02T00:00:00+00:00"))
    await append(stack, old, "the youngest beech")
    await embed_everything(stack)
    for service in ("compactor", "embedder"):
        with closing(BlockingDatabase(stack.database.settings(service), service)) as jobs:
            jobs.open()
            if service == "compactor":
                sweep(jobs)
            else:
                backfill_generations(jobs)
                schedule_pending(jobs)
    _do_ingests_housekeeping(stack)
    found = await stack.search.Search(search_request("oldest oak"))
    assert found.results[0].memory.content == "the oldest oak"
    [conversation] = (
        await stack.search.ListConversations(search_pb.ListConversationsRequest())
    ).conversations
    request = search_pb.ListMessagesRequest(conversation_id=conversation.id)
    listed = (await stack.search.ListMessages(request)).messages
    assert listed[-1].body == old
    with stack.database.connect() as conn:
        assert conn.execute("SELECT count(*) FROM memory_vectors_1").fetchone() == (2,)
        removing = conn.execute(
            "SELECT conname FROM pg_constraint WHERE contype = 'f' AND confdeltype <> 'a' "
            "AND connamespace = 'everword'::regnamespace "
            # Calibrations belong to a model and contain no text of users.
            "AND conrelid <> 'everword.calibrations'::regclass "
            # Pauses contain only the time until which a model gets no requests.
            "AND conrelid <> 'everword.embedding_pauses'::regclass "
            # Spending of a budget is deleted with the budget.
            "AND confrelid <> 'everword.budgets'::regclass "
            # A message under a summary cannot be deleted; links are deleted with their summary.
            "AND confdeltype <> 'r' AND conrelid::regclass::text NOT LIKE 'summary_sources%'"
        )
        assert removing.fetchall() == [], "a foreign key that deletes"


def _do_ingests_housekeeping(stack: Stack) -> None:
    """Delete all request ids, and fold all counts."""
    options = "-c role=everword_ingest -c search_path=everword"
    with psycopg.connect(stack.database.service_url, options=options) as conn:
        conn.execute(
            "SELECT prune_append_requests(namespace_id, request_ids, '0') FROM old_append_requests('0', 1000)"
        )
        conn.execute(SQL["fold_corpus_counts"].sql, {"namespace_id": 1, "limit": 100})


async def test_relevance_depends_on_the_query_and_search_writes_nothing(stack: Stack) -> None:
    await append(stack, "The oak is older than the beech.", "The beech lost a branch.")
    stored = _rows(stack)
    order = []
    for query in ("how old is the oak?", "which branch broke?"):
        found = await stack.search.Search(search_request(query))
        order.append(found.results[0].memory.content)
    assert order == ["The oak is older than the beech.", "The beech lost a branch."]
    assert _rows(stack) == stored


def _rows(stack: Stack) -> list[tuple[object, ...]]:
    """Return all rows of the transcript and of its index, with their physical positions."""
    with stack.database.connect() as conn:
        messages = conn.execute("SELECT ctid::text, m::text FROM messages m ORDER BY id").fetchall()
        index = conn.execute("SELECT ctid::text, m::text FROM memories m ORDER BY id").fetchall()
    return messages + index


async def test_reads_are_not_blocked_by_a_write_in_progress(stack: Stack) -> None:
    appended = await append(stack, "The ferry leaves at noon.")
    with stack.database.connect() as conn, conn.transaction():
        # Locks of an append until its commit.
        conn.execute("UPDATE conversations SET last_seq = last_seq + 1")
        conn.execute("UPDATE jobs SET dirty_seq = dirty_seq + 1")
        conn.execute("LOCK TABLE messages, memories IN ROW EXCLUSIVE MODE")
        found = await stack.search.Search(search_request("ferry"), timeout=30)
        listing = search_pb.ListMessagesRequest(conversation_id=appended.conversation_id)
        listed = await stack.search.ListMessages(listing, timeout=30)
        by_id = search_pb.GetConversationRequest(conversation_id=appended.conversation_id)
        read = await stack.search.GetConversation(by_id, timeout=30)
    assert [result.memory.content for result in found.results] == ["The ferry leaves at noon."]
    assert [entry.seq for entry in listed.messages] == [1]
    assert read.conversation.message_count == 1


@pytest.mark.parametrize(
    "query",
    ["default", "viking", "thread-7", "opus", "discord", "marta", "laptop", "user", "message"],
)
async def test_tags_and_conversation_keys_are_not_searched_as_text(
    stack: Stack, query: str
) -> None:
    request = append_request(message("The ferry leaves at noon.", tags=["viking"]))
    request.conversation.CopyFrom(
        target("thread-7", agent="opus", channel="discord", instance="laptop", subject="marta")
    )
    await stack.ingest.AppendMessages(request)
    found = await stack.search.Search(search_request(query, "HYBRID"))
    assert [result.memory.content for result in found.results] == []
