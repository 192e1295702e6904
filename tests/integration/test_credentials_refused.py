"""A namespace that refuses credentials: each write names their position, never their text, and stores nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import grpc

from everword.v1 import admin_service_pb2 as admin
from everword.v1 import fact_service_pb2 as facts
from everword.v1 import ingest_service_pb2 as ingest
from everword.v1 import note_pb2
from everword.v1 import note_service_pb2 as notes
from everword.v1 import search_service_pb2 as search
from support.calendar_calls import update_settings
from support.calls import append, append_request, message
from support.document_calls import upload, write
from support.refusals import Refusal, refused
from support.stack import Stack
from support.tool_calls import tool_call

SECRET = "Sommer2026!"
TEXT = f"The wifi password is {SECRET} and the network is Guest."
OFFSET = TEXT.index(SECRET)
STORED = """SELECT (SELECT count(*) FROM messages), (SELECT count(*) FROM notes), (SELECT count(*) FROM facts),
    (SELECT count(*) FROM documents), (SELECT count(*) FROM conversations), (SELECT count(*) FROM append_requests)"""


async def _import(stack: Stack) -> None:
    async def batches() -> AsyncIterator[ingest.ImportMessagesRequest]:
        yield ingest.ImportMessagesRequest(batch=append_request(TEXT))

    await stack.ingest.ImportMessages(batches())


async def _remember(stack: Stack) -> None:
    request = facts.RememberRequest(subject="emi", attribute="note", value=TEXT)
    await stack.facts.Remember(request)


async def _note(stack: Stack) -> None:
    note = note_pb2.NewNote(key="wifi", content=TEXT)
    await stack.notes.WriteNote(notes.WriteNoteRequest(note=note))


async def _append(stack: Stack) -> None:
    request = append_request("Hello.", TEXT, request_id="once")
    await stack.ingest.AppendMessages(request)


async def _call(stack: Stack) -> None:
    metadata = message("Hello.")
    metadata.metadata.update({"password": SECRET})
    await append(stack, metadata)


WRITES: dict[str, Callable[[Stack], Awaitable[object]]] = {
    "messages[1].content": _append,
    "batch.messages[0].content": _import,
    "messages[0].metadata": _call,
    "messages[0].tool_args": lambda stack: append(
        stack, tool_call(tool_args=f'{{"password": "{SECRET}"}}')
    ),
    "value": _remember,
    "note.content": _note,
    "document.title": lambda stack: write(stack, "Plain.", TEXT),
    "content": lambda stack: write(stack, TEXT, "Network"),
    "data": lambda stack: upload(stack, TEXT.encode(), "Network", "network.txt"),
}


async def test_voice_with_credential_is_refused(stack: Stack) -> None:
    await update_settings(stack, credentials=admin.CREDENTIAL_POLICY_REFUSE)
    refusal = await refused(update_settings(stack, voice=admin.Voice(identity=TEXT)))
    assert refusal.reason == "CREDENTIAL_REFUSED"
    assert refusal.fields == {"namespace.settings.voice.identity"}


async def test_writes_with_credentials_are_refused_and_store_nothing(stack: Stack) -> None:
    kept = await append(stack, TEXT, session_key="before")
    await update_settings(stack, credentials=admin.CREDENTIAL_POLICY_REFUSE)
    await asyncio.sleep(1)
    with stack.database.connect() as conn:
        before = conn.execute(STORED).fetchone()
        for field, store in WRITES.items():
            refusal = await refused(store(stack))
            assert (refusal.code, refusal.reason) == (
                grpc.StatusCode.INVALID_ARGUMENT,
                "CREDENTIAL_REFUSED",
            )
            assert refusal.metadata["field"] == field
            assert refusal.fields == {field}
            assert SECRET not in str(refusal)
        assert conn.execute(STORED).fetchone() == before
    offsets = (await refused(_append(stack))).metadata["offset"], _told(await refused(_note(stack)))
    assert offsets == (str(OFFSET), f"contains a credential at character {OFFSET}")
    # The refused call claimed no request id, and messages stored before can be read.
    await stack.ingest.AppendMessages(append_request("Hello.", "It works.", request_id="once"))
    memory_id = kept.messages[0].message_id
    got = await stack.search.GetMemory(search.GetMemoryRequest(memory_id=memory_id))
    assert got.memory.content == TEXT


def _told(refusal: Refusal) -> str:
    [told] = refusal.violations.values()
    return told
