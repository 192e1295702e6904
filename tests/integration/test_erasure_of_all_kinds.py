"""Memories written by callers are erased with their conversation, subject or author; documents by id; pages are
rebuilt.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from typing import Any

import grpc
import pytest
import pytest_asyncio

from everword.v1 import erasure_service_pb2 as pb
from everword.v1 import graph_query_service_pb2 as topics
from everword.v1 import ingest_service_pb2 as checkpoints
from everword.v1 import search_service_pb2 as search
from everword_compactor.compose.extractive.composer import ExtractiveComposer
from everword_ingest.erasure.resumer import ErasureResumer
from support.background import embed_everything
from support.cached_search import warm_up
from support.command_line import everword
from support.compaction import ScriptedComposer, compact_everything
from support.databases import cloned
from support.document_calls import write as write_document
from support.erasable_data import ErasableData, delete_authorless_data, write_everything
from support.erasure_checks import count, erase, rows_with
from support.every_read import answers, known_values, read_methods, watch_token
from support.learning import learn, say
from support.refusals import refused
from support.stack import Stack, running_stack
from support.waits import until

pytestmark = pytest.mark.asyncio(loop_scope="module")

DOCUMENTS = {"documents", "document_versions"}
NOTES = {"notes", "note_versions"}
LORE = {"lore_books", "lore_entries"}
#: By target: fields of the erasure, and the tables that still contain the token afterwards, the index excepted.
TARGETS: dict[str, tuple[Callable[[ErasableData], dict[str, str]], set[str]]] = {
    "conversation": (
        lambda written: {"conversation_id": written.conversation_id},
        {"note_versions", "document_versions", "document_chunks", "lore_entries", "author_names"},
    ),
    "subject": (lambda written: {"subject": written.subject}, {"note_versions", "author_names"}),
    "author": (
        lambda written: {"author": written.author},
        {"conversations", "usage_ledger", "checkpoints", *LORE},
    ),
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    """Run one stack for all tests: each test has a token of its own."""
    with cloned(postgres_url) as database:
        async with running_stack(database) as stack:
            yield stack


async def who_tells(stack: Stack, written: ErasableData, since: str) -> set[str]:
    """Return the names of RPCs whose answers contain the token, with any of several ids."""
    telling = set[str]()
    for id_ in (written.message_id, written.note_ids[-1], written.document_ids[0]):
        known = known_values(
            written.token,
            id_,
            written.conversation_id,
            named="none",
            book_id=written.book_ids[1],
            resume_token=since,
            checkpoint_id=written.checkpoint_id,
            subject=written.subject,
        )
        found = await answers(stack, known)
        assert {name.split()[0] for name in found} == {method.name for method in read_methods()}
        telling |= {name.split()[0] for name, answer in found.items() if written.token in answer}
    return telling


@pytest.mark.parametrize("kind", TARGETS)
async def test_written_memories_are_erased_with_their_conversation_subject_or_author(
    stack: Stack, kind: str
) -> None:
    target, left = TARGETS[kind]
    since = await watch_token(stack)
    written = await write_everything(stack, f"zq{kind}5k")
    await embed_everything(stack)
    token = written.token
    everything = DOCUMENTS | NOTES | LORE
    everything |= {"checkpoints", "usage_ledger", "memories", "messages", "conversations"}
    assert everything <= set(rows_with(stack, token))
    await warm_up(stack)
    wanted = pb.ErasureTarget(**target(written))
    preview = await stack.erasures.PreviewErasure(pb.PreviewErasureRequest(target=wanted))
    erased = await erase(stack, **target(written))
    assert dict(preview.row_counts) == dict(erased.erasure.row_counts)
    assert set(rows_with(stack, token)) - {"memories"} == left
    if kind != "author":
        assert erased.erasure.row_counts["checkpoints"] == 1
        spent = "SELECT sum(input_tokens) FROM usage_ledger WHERE session_key = '' AND conversation_id IS NULL"
        assert count(stack, f"{spent} AND (run_id = %s OR agent = 'kit')", written.subject) >= 12
        again = checkpoints.SaveCheckpointRequest(
            conversation_id=written.conversation_id,
            state=b"again",
            request_id=f"checkpoint {written.subject}",
        )
        unsaved = await refused(stack.ingest.SaveCheckpoint(again))
        assert unsaved.reason == "CONTENT_ERASED"
    repeated = write_document(stack, "again", "again", request_id=f"doc {written.subject}")
    assert (await refused(repeated)).reason == "CONTENT_ERASED"
    for note_id in written.note_ids:
        if kind != "author" and note_id == written.note_ids[-1]:
            await erase(stack, note_id=note_id)
    if kind == "author":
        await delete_authorless_data(stack, written)
        await erase(stack, conversation_id=written.conversation_id)
    elif kind == "conversation":
        await erase(stack, subject=written.subject)
    assert rows_with(stack, token) == {}
    await compact_everything(stack, ScriptedComposer())
    await embed_everything(stack)
    assert rows_with(stack, token) == {}
    assert await who_tells(stack, written, since) == set()


async def test_erase_of_a_document_deletes_all_versions(stack: Stack) -> None:
    since = await watch_token(stack)
    written = await write_everything(stack, "zqdocument5k")
    await embed_everything(stack)
    [first, second] = written.document_ids
    assert {"ReadDocument", "GetDocumentHistory"} <= await who_tells(stack, written, since)
    preview = await everword(stack, "erase", "document", first, "--dry-run", "--json")
    assert preview.json()["row_counts"]["document_versions"] == 2
    erased = await everword(stack, "erase", "document", first, "--yes", "--json")
    assert erased.json()["row_counts"]["document_versions"] == 2
    for document_id in (second, written.file_id):
        await erase(stack, document_id=document_id)
    left = rows_with(stack, written.token)
    assert not left.keys() & {*DOCUMENTS, "document_chunks"}
    assert not await who_tells(stack, written, since) & {
        *("ReadDocument", "GetDocument", "GetDocumentHistory", "ListDocuments"),
        *("GetWorkspaceFile", "GetWorkspaceFileHistory"),
    }
    unknown = await refused(erase(stack, document_id=first))
    assert unknown.code is grpc.StatusCode.NOT_FOUND
    await erase(stack, subject=written.subject)


MODEL = "Ana brings the {} on 12 March; Bruno built it in Lisbon, and it weighs 45 kilos."
SLIDES = "Ana showed the slides about the harbour: its breakwater is 340 metres long and costs 11 million."

OTHERS = (
    "The ferry timetable changes on 5 October, and the night boat to Split is cancelled until the dock is repaired.",
    "The new crane arrived with a broken hook, two missing manuals and an invoice over 12,400 that nobody expected.",
    "Radio channel 16 was silent for forty minutes because the antenna on the lighthouse had rusted through at last.",
)


async def talk(stack: Stack, session: str, line: str, at: int) -> list[str]:
    """Append Ana's employer and another line among filler, and summarise them; return the messages' ids."""
    lines = ["Ana works at Initech.", line, *(OTHERS[n % len(OTHERS)] for n in range(8))]
    said = [await say(stack, text, at, subject="emi", session=session) for text in lines]
    await compact_everything(stack, ExtractiveComposer())
    return said


async def ana(stack: Stack) -> str:
    request = topics.GetTopicRequest(name="Ana", subject="emi")
    return str((await stack.graph_queries.GetTopic(request)).topic.content)


async def _nothing(self: Any) -> None:
    """Delete nothing, so that hidden rows remain."""


async def test_topic_page_is_erased_with_a_source_and_rebuilt_without_it(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = "zqone5k", "zqtwo5k"
    await talk(stack, "slides", SLIDES, 0)
    said = await talk(stack, "model", MODEL.format(one), 1)
    whole = await talk(stack, "whole", MODEL.format(two), 2)
    await talk(stack, "breakwater", SLIDES.replace("showed", "drew"), 3)
    await learn(stack)
    assert {one, two} <= set(re.findall(r"zq\w+", await ana(stack)))
    wanted = pb.ErasureTarget(message_id=said[1])
    preview = await stack.erasures.PreviewErasure(pb.PreviewErasureRequest(target=wanted))
    assert {one, two} <= set(re.findall(r"zq\w+", await ana(stack)))
    erased = await erase(stack, message_id=said[1])
    assert dict(preview.row_counts) == dict(erased.erasure.row_counts)
    assert rows_with(stack, one) == {}
    assert (await refused(ana(stack))).reason == "TOPIC_NOT_FOUND"
    await compact_everything(stack, ExtractiveComposer())
    await learn(stack)
    assert two in await ana(stack)
    assert rows_with(stack, one) == {}
    # A large document is hidden at once, from its parts too.
    monkeypatch.setattr("everword_ingest.erasure.erase.BATCH", 1)
    monkeypatch.setattr(ErasureResumer, "resume", _nothing)
    request = search.GetMemoryRequest(memory_id=whole[0], include_unindexed=True)
    conversation_id = (await stack.search.GetMemory(request)).message.conversation_id
    erased = await erase(stack, conversation_id=conversation_id)
    assert erased.messages_left == 10
    assert "messages" in rows_with(stack, two)
    assert (await refused(ana(stack))).reason == "TOPIC_NOT_FOUND"
    await learn(stack)
    page = await ana(stack)
    assert two not in page
    assert "slides" in page
    # The next erasure resumes this one, so no hidden rows remain for other tests.
    monkeypatch.undo()
    await erase(stack, message_id=said[2])
    await until(lambda: rows_with(stack, two) == {})
