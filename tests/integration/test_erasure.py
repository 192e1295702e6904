"""Erasure by message, conversation, subject, author and note, with everything derived from them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import grpc
import pytest
import pytest_asyncio

from everword.v1 import erasure_service_pb2 as pb
from everword.v1 import ingest_service_pb2 as ingest
from everword.v1 import note_pb2
from everword.v1 import search_service_pb2 as search
from support.background import embed_everything
from support.calls import append, append_request, message
from support.compaction import ScriptedComposer, compact_everything, roll_up_everything
from support.corpus import search_request
from support.databases import cloned
from support.erasure_checks import count, erase, rows_with
from support.notes import write
from support.refusals import refused
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    """Run one stack for all tests: each test has conversations and tokens of its own."""
    with cloned(postgres_url) as database:
        async with running_stack(database) as stack:
            yield stack


async def finds(stack: Stack, token: str) -> bool:
    """Return whether a search finds a token, in any mode."""
    for mode in ("LEXICAL", "SEMANTIC", "HYBRID", "TRIGRAM", "REGEX"):
        response = await stack.search.Search(search_request(token, mode))
        if any(token in result.memory.content for result in response.results):
            return True
    return False


async def summed_up(stack: Stack) -> None:
    await compact_everything(stack, ScriptedComposer())
    await roll_up_everything(stack, ScriptedComposer(), datetime.now(UTC) + timedelta(days=400))
    await embed_everything(stack)


async def test_erase_of_message_deletes_everything_derived_from_it(stack: Stack) -> None:
    token = "zqmessage7k"
    said = await append(
        stack,
        message(f"The ferry with {token} is late.", author=f"Ann{token}", external_id=f"x-{token}"),
        *(f"The ferry leaves at {n} past noon." for n in range(14)),
        session_key="ferry",
    )
    await summed_up(stack)
    before = rows_with(stack, token)
    assert {"messages", "memories", "summaries", "author_names", "conversations"} <= set(before)
    assert await finds(stack, token)
    erased = await erase(stack, request_id="r1", message_id=said.messages[0].message_id)
    assert (erased.erasure.state, erased.messages_left) == (pb.ERASURE_STATE_DONE, 0)
    assert erased.erasure.row_counts["messages"] == 1
    assert rows_with(stack, token) == {}
    assert not await finds(stack, token)
    # Summaries of erased messages are hidden, and are written again without them.
    assert count(stack, "SELECT count(*) FROM summaries WHERE hidden") > 0
    await summed_up(stack)
    assert rows_with(stack, token) == {}
    assert count(stack, "SELECT count(*) FROM summaries WHERE hidden OR content = '[erased]'") == 0
    sources = """SELECT count(*) FROM summary_sources s
                   JOIN messages m ON m.namespace_id = s.namespace_id AND m.id = s.message_id
                  WHERE s.axis = 1 AND m.conversation_id = %s"""
    assert count(stack, sources, said.conversation_id) == 14
    again = await erase(stack, request_id="r1", message_id=said.messages[0].message_id)
    assert (again.replayed, again.erasure.id) == (True, erased.erasure.id)
    gone = await refused(erase(stack, message_id=said.messages[0].message_id))
    assert (gone.code, gone.reason) == (grpc.StatusCode.NOT_FOUND, "MESSAGE_NOT_FOUND")


async def test_erased_message_is_not_imported_again(stack: Stack) -> None:
    token = "zqimport7k"
    request = append_request(
        message(f"I keep {token} in the drawer.", external_id="d1"),
        "And nothing else.",
        session_key="drawer",
        request_id="import-1",
    )
    said = await stack.ingest.AppendMessages(request)
    await erase(stack, message_id=said.messages[0].message_id)
    repeated = await refused(stack.ingest.AppendMessages(request))
    assert (repeated.code, repeated.reason) == (
        grpc.StatusCode.FAILED_PRECONDITION,
        "CONTENT_ERASED",
    )
    request.request_id = ""
    repeat = await refused(stack.ingest.AppendMessages(request))
    assert (repeat.reason, repeat.metadata["external_id"]) == ("CONTENT_ERASED", "d1")
    assert rows_with(stack, token) == {}
    request.allow_erased = True
    await stack.ingest.AppendMessages(request)
    assert "messages" in rows_with(stack, token)
    whole = await erase(stack, conversation_id=said.conversation_id)
    assert whole.erasure.state == pb.ERASURE_STATE_DONE
    assert rows_with(stack, token) == {}


async def test_erased_conversation_is_hidden_at_once_and_deleted_in_batches(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("everword_ingest.erasure.erase.BATCH", 5)
    monkeypatch.setattr("everword_ingest.erasure.resumer.ErasureResumer.wake", lambda self: None)
    token = "zqwhole7k"
    said = await append(
        stack,
        *(message(f"The {token} number {n}.", external_id=f"w{n}") for n in range(30)),
        session_key=f"key-{token}",
    )
    kept = await append(stack, "The lamp is green.", session_key="lamp")
    in_conversation = note_pb2.NoteScope(conversation_id=said.conversation_id)
    await write(stack, f"A note about {token}.", "whole", scope=in_conversation)
    await summed_up(stack)
    wanted = pb.ErasureTarget(conversation_id=said.conversation_id)
    preview = await stack.erasures.PreviewErasure(pb.PreviewErasureRequest(target=wanted))
    erased = await erase(stack, conversation_id=said.conversation_id)
    assert (erased.erasure.state, erased.messages_left) == (pb.ERASURE_STATE_RUNNING, 30)
    # The messages are not deleted yet, but hidden.
    assert "messages" in rows_with(stack, token)
    assert not await finds(stack, token)
    message_id = said.messages[3].message_id
    unknown = await refused(stack.search.GetMemory(search.GetMemoryRequest(memory_id=message_id)))
    assert unknown.reason == "MEMORY_NOT_FOUND"
    missing = ingest.AppendMessagesRequest(
        conversation_id=said.conversation_id, messages=[message("more")]
    )
    assert (await refused(stack.ingest.AppendMessages(missing))).reason == "CONVERSATION_NOT_FOUND"
    # A new conversation may use the key, and does not contain the erased messages.
    begun = await append(stack, "Hello again.", session_key=f"key-{token}")
    assert begun.conversation_id != said.conversation_id
    again = append_request(message("back", external_id="w3"), session_key=f"key-{token}")
    done = await finish(stack, erased.erasure.id)
    assert dict(preview.row_counts) == dict(done.row_counts)
    assert (await refused(stack.ingest.AppendMessages(again))).reason == "CONTENT_ERASED"
    assert set(rows_with(stack, token)) == {"conversations"}, "the new one has the key"
    assert count(stack, "SELECT hides FROM tenants WHERE namespace_id = 1") == 0
    assert await finds(stack, "lamp")
    await summed_up(stack)
    assert set(rows_with(stack, token)) == {"conversations"}
    assert kept.messages


async def finish(stack: Stack, erasure_id: str) -> pb.Erasure:
    """Resume erasures as a process does, until this one is done."""
    from everword.db.pool import Database
    from everword_ingest.erasure.resumer import ErasureResumer

    database = Database(stack.database.settings("ingest"), "ingest")
    await database.open()
    try:
        await ErasureResumer(database).resume()
    finally:
        await database.close()
    response = await stack.erasures.GetErasure(pb.GetErasureRequest(erasure_id=erasure_id))
    assert response.erasure.state == pb.ERASURE_STATE_DONE, response.erasure
    return response.erasure
