"""Appends are atomic, idempotent, ordered, and searchable at once."""

from __future__ import annotations

import asyncio
import random
from collections import defaultdict
from collections.abc import AsyncIterator

import grpc
import psycopg
import pytest
from google.protobuf import struct_pb2, timestamp_pb2

from everword.v1 import ingest_service_pb2 as pb
from everword.v1 import memory_pb2, search_service_pb2
from everword_ingest.housekeeping.housekeeping import SQL
from support.calls import TOOL, append, append_request, message, reason
from support.foreign_namespaces import class_request
from support.spans import exporter, trace_of
from support.stack import Stack


def rows(stack: Stack, statement: str) -> list[tuple[object, ...]]:
    with stack.database.connect() as conn:
        return conn.execute(statement.encode()).fetchall()


async def test_append_stores_every_field_unchanged(stack: Stack) -> None:
    question = (await append(stack, "before", session_key="another")).messages[0].message_id
    metadata = struct_pb2.Struct()
    metadata.update({"phase": "plan", "protected": True, "nested": {"keys": ["a", 1, None]}})
    sent = memory_pb2.NewMessage(
        content="Grüezi 世界 🎉\n\ttabs and \u200b odd ones",
        role=memory_pb2.ROLE_ASSISTANT,
        author="Opus",
        instance="laptop",
        tags=["b", "a"],
        importance_class=memory_pb2.IMPORTANCE_CLASS_CORRECTION,
        automated=True,
        tool_name="shell",
        tool_args='{"n": 12345678901234567890, "z": 1, "a": 2}',
        tool_result="ok",
        metadata=metadata,
        create_time=timestamp_pb2.Timestamp(seconds=1_700_000_000, nanos=123_456_000),
        token_count=7,
        external_id="D1:1",
        parent_id=question,
        content_blocks=[memory_pb2.ContentBlock(type="text", text="more", json='{"x": 1.0}')],
    )
    appended = await append(stack, sent)
    response = await stack.search.ListMessages(
        search_service_pb2.ListMessagesRequest(
            conversation_id=appended.conversation_id, at_least_as_fresh=appended.consistency_token
        )
    )
    assert [entry.body for entry in response.messages] == [sent]
    assert response.messages[0].id == appended.messages[0].message_id


async def test_a_second_request_with_the_same_id_writes_nothing(stack: Stack) -> None:
    request = append_request("one", "two", request_id="r1")
    first = await stack.ingest.AppendMessages(request)
    second = await stack.ingest.AppendMessages(request)
    assert [entry.message_id for entry in first.messages] == [
        entry.message_id for entry in second.messages
    ]
    assert (first.replayed, second.replayed) == (False, True)
    assert rows(stack, "SELECT count(*) FROM messages") == [(2,)]


async def test_a_request_id_with_another_body_is_refused(stack: Stack) -> None:
    await stack.ingest.AppendMessages(append_request("one", request_id="r1"))
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await stack.ingest.AppendMessages(append_request("other", request_id="r1"))
    assert caught.value.code() is grpc.StatusCode.ALREADY_EXISTS
    assert reason(caught.value) == "REQUEST_ID_CONFLICT"
    assert rows(stack, "SELECT content FROM messages") == [("one",)]


async def test_message_with_existing_external_id_is_not_stored_again(stack: Stack) -> None:
    first = await append(stack, message("one", external_id="1"))
    again = await append(stack, message("one", external_id="1"), message("two", external_id="2"))
    assert again.messages[0].message_id == first.messages[0].message_id
    assert [(entry.seq, entry.existed) for entry in again.messages] == [(1, True), (2, False)]
    assert rows(stack, "SELECT content FROM messages ORDER BY seq") == [("one",), ("two",)]


async def test_existing_external_id_with_other_content_is_refused(stack: Stack) -> None:
    await append(stack, message("one", external_id="1"))
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await append(stack, message("new"), message("changed", external_id="1"))
    assert reason(caught.value) == "EXTERNAL_ID_CONFLICT"
    assert rows(stack, "SELECT content FROM messages") == [("one",)]


async def test_sequences_are_gapless_under_concurrent_duplicate_appends(
    stack: Stack,
) -> None:
    """64 callers on 8 conversations."""
    placed: dict[str, list[int]] = defaultdict(list)
    shuffler = random.Random(1)

    async def call(caller: int) -> None:
        for number in range(3):
            size = shuffler.randint(1, 4)
            request = append_request(
                *[f"caller {caller} request {number} message {i}" for i in range(size)],
                session_key=f"conversation {caller % 8}",
                request_id=f"{caller}-{number}",
            )
            answers = await asyncio.gather(
                stack.ingest.AppendMessages(request), stack.ingest.AppendMessages(request)
            )
            assert answers[0].messages[0].message_id == answers[1].messages[0].message_id
            assert sorted(answer.replayed for answer in answers) == [False, True]
            sequence = [entry.seq for entry in answers[0].messages]
            assert sequence == list(range(sequence[0], sequence[0] + size))
            placed[answers[0].conversation_id] += sequence

    await asyncio.gather(*(call(caller) for caller in range(64)))
    assert len(placed) == 8
    for sequence in placed.values():
        assert sorted(sequence) == list(range(1, len(sequence) + 1))
    stored = rows(
        stack, "SELECT conversation_id::text, array_agg(seq ORDER BY seq) FROM messages GROUP BY 1"
    )
    assert {str(key): sequence for key, sequence in stored} == {
        key: sorted(sequence) for key, sequence in placed.items()
    }
    assert rows(stack, "SELECT count(DISTINCT content) = count(*) FROM messages") == [(True,)]


async def test_append_enqueues_jobs_and_pending_vectors(stack: Stack) -> None:
    await append(stack, "one", "two")
    await append(stack, "three")
    assert rows(stack, "SELECT task, state, dirty_seq FROM jobs ORDER BY task") == [
        ("compact", "pending", 2),
        ("embed", "pending", 2),
        ("learn", "pending", 2),
        ("sleep", "pending", 2),
    ]
    pending = """SELECT count(*) FROM embedding_queue q
                   JOIN memories m ON m.namespace_id = q.namespace_id AND m.id = q.memory_id
                  WHERE q.state = 'pending'"""
    assert rows(stack, pending) == [(3,)]


async def test_append_that_fails_during_indexing_is_rolled_back(stack: Stack) -> None:
    """The insert into the index fails, so the preceding inserts must be rolled back."""
    with stack.database.connect() as conn:
        conn.execute("ALTER TABLE memories ADD CHECK (content <> 'poison') NOT VALID")
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await append(stack, "fine", "poison")
    assert caught.value.code() is grpc.StatusCode.INTERNAL
    for table in (
        "messages",
        "conversations",
        "memories",
        "jobs",
        "corpus_counts",
        "embedding_queue",
    ):
        assert rows(stack, f"SELECT count(*) FROM {table}") == [(0,)], table


async def test_conversation_title_is_first_user_message(stack: Stack) -> None:
    await append(
        stack,
        message("heartbeat", automated=True),
        message("working", role=memory_pb2.ROLE_ASSISTANT),
        message("Please   plan\nthe offsite " + "x" * 100),
        message("something else"),
    )
    [(title,)] = rows(stack, "SELECT title FROM conversations")
    assert str(title).startswith("Please plan the offsite xxx")
    assert len(str(title)) == 80


async def test_automated_messages_are_stored_but_not_counted_as_turns(stack: Stack) -> None:
    await append(stack, message("beat", automated=True), message("hi"))
    assert rows(stack, "SELECT last_seq, turn_count FROM conversations") == [(2, 1)]


async def test_message_of_one_megabyte_is_stored_whatever_its_content(stack: Stack) -> None:
    """Neither the tsvector limit nor long words make an insert fail."""
    limit = 1_048_576
    words = " ".join(f"w{number}" for number in range(200_000))[:limit]
    for content in ("a" * limit, words, "ab/-." * (limit // 5), "世" * (limit // 3)):
        appended = await append(stack, message(content))
        assert appended.messages[0].seq > 0
    [(stored,)] = rows(stack, "SELECT count(*) FROM messages WHERE octet_length(content) > 1048000")
    assert stored == 4


async def test_concatenated_passages_equal_message(stack: Stack) -> None:
    text = "\n\n".join(
        f"Paragraph {n}. " + "It says one thing or another. " * 12 for n in range(30)
    )
    await append(stack, message(text))
    [(joined, parts)] = rows(
        stack, "SELECT string_agg(content, '' ORDER BY part), count(*) FROM memories"
    )
    assert joined == text
    assert int(str(parts)) > 5


async def test_folding_corpus_counts_keeps_their_sums(stack: Stack) -> None:
    for number in range(5):
        await append(stack, "one two three", session_key=f"{number}")
    sums = (
        "SELECT sum(conversations), sum(messages), sum(passages), sum(lexemes) FROM corpus_counts"
    )
    before = rows(stack, sums)
    with psycopg.connect(
        stack.database.service_url, options="-c role=everword_ingest -c search_path=everword"
    ) as conn:
        conn.execute(SQL["fold_corpus_counts"].sql, {"namespace_id": 1, "limit": 100})
    assert rows(stack, "SELECT count(*) FROM corpus_counts") == [(1,)]
    assert rows(stack, sums) == before
    [(passages, lexemes)] = rows(stack, "SELECT count(*), sum(lexeme_count) FROM memories")
    assert before == [(5, 5, passages, lexemes)]


async def test_channel_policy_excludes_messages_from_index(stack: Stack) -> None:
    with stack.database.connect() as conn:
        conn.execute("""UPDATE namespaces SET channel_policies = '{"discord": {"index": false}}'""")
    request = pb.AppendMessagesRequest(messages=[message("secret plan")])
    request.conversation.key.session_key = "d"
    request.conversation.key.channel = "discord"
    await stack.ingest.AppendMessages(request)
    assert rows(stack, "SELECT count(*) FROM messages") == [(1,)]
    assert rows(stack, "SELECT count(*) FROM memories") == [(0,)]


async def test_an_import_stores_each_batch_and_resumes(stack: Stack) -> None:
    def batch(*numbers: int) -> pb.ImportMessagesRequest:
        messages = [message(f"line {number}", external_id=str(number)) for number in numbers]
        return pb.ImportMessagesRequest(batch=append_request(*messages))

    async def broken() -> AsyncIterator[pb.ImportMessagesRequest]:
        yield batch(1, 2)
        yield pb.ImportMessagesRequest(batch=append_request())

    async def whole() -> AsyncIterator[pb.ImportMessagesRequest]:
        yield batch(1, 2)
        yield batch(3)

    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await stack.ingest.ImportMessages(broken())
    assert reason(caught.value) == "VALIDATION_FAILED"
    result = await stack.ingest.ImportMessages(whole())
    assert (result.batches, result.messages_written, result.messages_existing) == (2, 1, 2)
    assert rows(stack, "SELECT content FROM messages ORDER BY seq") == [
        ("line 1",),
        ("line 2",),
        ("line 3",),
    ]


async def test_wait_for_indexing_is_immediate_for_lexical_and_waits_for_vectors(
    stack: Stack,
) -> None:
    token = (await append(stack, "one")).consistency_token
    lexical = pb.WaitForIndexingRequest(consistency_token=token, stage=pb.INDEXING_STAGE_LEXICAL)
    assert (await stack.ingest.WaitForIndexing(lexical)).waited.seconds == 0
    embedded = pb.WaitForIndexingRequest(consistency_token=token, stage=pb.INDEXING_STAGE_EMBEDDED)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await stack.ingest.WaitForIndexing(embedded, timeout=0.3)
    assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    with stack.database.connect() as conn:
        conn.execute("DELETE FROM embedding_queue")
    await stack.ingest.WaitForIndexing(embedded, timeout=60)


async def test_mark_used_counts_each_request_id_once(stack: Stack) -> None:
    appended = await append(stack, "one", "two")
    ids = [entry.message_id for entry in appended.messages]
    request = pb.MarkUsedRequest(memory_ids=ids, request_id="u1")
    assert not (await stack.ingest.MarkUsed(request)).replayed
    assert (await stack.ingest.MarkUsed(request)).replayed
    await stack.ingest.MarkUsed(pb.MarkUsedRequest(memory_ids=ids[:1], request_id="u2"))
    assert rows(stack, "SELECT use_count FROM memory_use ORDER BY memory_id") == [(2,), (1,)]


async def test_update_memory_changes_class_in_index_but_not_in_message(stack: Stack) -> None:
    appended = await append(stack, message("no meat", role=TOOL))
    request = class_request(appended.messages[0].message_id, memory_pb2.IMPORTANCE_CLASS_PREFERENCE)
    await stack.ingest.UpdateMemory(request)
    joined = """SELECT m.importance_class, i.importance_class
                  FROM messages m JOIN memories i ON i.namespace_id = m.namespace_id AND i.source_id = m.id"""
    assert rows(stack, joined) == [(0, memory_pb2.IMPORTANCE_CLASS_PREFERENCE)]
    assert rows(stack, "SELECT importance_class FROM memory_classes") == [(3,)]


async def test_token_of_repeated_append_covers_existing_messages(stack: Stack) -> None:
    """Otherwise a resumed import would appear to be embedded while its beginning is not."""
    first = append_request(message("one", external_id="1"))
    second = append_request(message("two", external_id="2"))
    await stack.ingest.AppendMessages(first)

    async def resumed() -> AsyncIterator[pb.ImportMessagesRequest]:
        yield pb.ImportMessagesRequest(batch=second)
        yield pb.ImportMessagesRequest(batch=first)

    appended = await stack.ingest.AppendMessages(first)
    imported = await stack.ingest.ImportMessages(resumed())
    for token in (appended.consistency_token, imported.consistency_token):
        wait = pb.WaitForIndexingRequest(consistency_token=token, stage=pb.INDEXING_STAGE_EMBEDDED)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await stack.ingest.WaitForIndexing(wait, timeout=0.3)
        assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
        with stack.database.connect() as conn:
            conn.execute("DELETE FROM embedding_queue WHERE memory_id = 1")


async def test_span_of_pipelined_insert_ends_after_commit(stack: Stack) -> None:
    memory = exporter()
    memory.clear()
    await append(stack, "Hello.")
    spans = {span.name: span for span in trace_of(memory.get_finished_spans(), "insert_passages")}
    inserted, committed = spans["insert_passages"], spans["commit_position"]
    times = [inserted.start_time, committed.start_time, committed.end_time, inserted.end_time]
    assert None not in times
    assert times == sorted(times, key=lambda time: time or 0)
