"""Notes are written under keys, replaced, appended to, listed and deleted; their history keeps earlier versions."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import grpc
import pytest
import pytest_asyncio
from google.protobuf.field_mask_pb2 import FieldMask

from everword.v1 import conversation_pb2, memory_pb2, note_pb2
from everword.v1 import ingest_service_pb2 as ingest
from everword.v1 import note_service_pb2 as pb
from everword.v1 import search_service_pb2 as search
from support.calls import append
from support.corpus import search_request
from support.databases import cloned
from support.notes import history, log, named, new_note, read, write
from support.refusals import refused
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")

NOTES = memory_pb2.MemoryFilter(kinds=[memory_pb2.MEMORY_KIND_NOTE])


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    """Run one stack for all tests: each test has keys and words of its own."""
    with cloned(postgres_url) as database:
        async with running_stack(database, embedder=False) as stack:
            yield stack


async def found(stack: Stack, query: str, **fields: object) -> list[search.SearchResult]:
    response = await stack.search.Search(search_request(query, "LEXICAL", **fields))
    return list(response.results)


async def test_note_is_found_by_key_and_by_content_until_deleted(stack: Stack) -> None:
    steps = "1. Run tests 2. Build the image 3. Push to the registry"
    written = await write(stack, steps, "deploy_process", tags=["ops"], kind="procedure")
    note = await read(stack, "deploy_process")
    assert (note.id, note.version, note.version_id) == (written.note_id, 1, written.version_id)
    assert (note.body.content, note.body.importance) == (steps, 3)
    for query in ("deploy process", "registry image"):
        [hit] = await found(stack, query, filter=NOTES, page_size=5)
        assert hit.score > 0
        memory = hit.memory
        assert (memory.id, memory.content, memory.note_key) == (note.id, steps, "deploy_process")
        assert (memory.kind, memory.note_kind) == (memory_pb2.MEMORY_KIND_NOTE, "procedure")
        assert list(memory.tags) == ["ops", "procedure"]
    deleted = await stack.notes.DeleteNote(pb.DeleteNoteRequest(key=named("deploy_process")))
    assert (deleted.note_id, deleted.version) == (note.id, 2)
    gone = await refused(stack.notes.GetNote(pb.GetNoteRequest(key=named("deploy_process"))))
    assert (gone.code, gone.reason) == (grpc.StatusCode.NOT_FOUND, "NOTE_NOT_FOUND")
    again = await refused(stack.notes.DeleteNote(pb.DeleteNoteRequest(note_id=note.id)))
    assert again.reason == "NOTE_NOT_FOUND"
    assert not await found(stack, "deploy process")
    first, last = await history(stack, "deploy_process")
    assert (first.content, first.deleted, last.content, last.deleted) == (steps, False, "", True)


async def test_search_ranks_notes_and_messages_on_one_scale(stack: Stack) -> None:
    await append(stack, "The zeppelin lands on Friday.", session_key="zeppelin")
    await write(stack, "Zeppelins need a mast, and the zeppelin lands with a rope.", "mast")
    hits = await found(stack, "zeppelin rope")
    assert [hit.memory.kind for hit in hits] == [
        memory_pb2.MEMORY_KIND_NOTE,
        memory_pb2.MEMORY_KIND_MESSAGE,
    ]
    assert hits[0].score > hits[1].score > 0
    assert await found(
        stack,
        "zeppelin",
        filter=memory_pb2.MemoryFilter(excluded_kinds=[memory_pb2.MEMORY_KIND_NOTE]),
    )


async def test_note_version_conflict_reports_expected_and_current_versions(stack: Stack) -> None:
    first = await write(stack, "one", "conflict", expected=0)
    second = await write(stack, "two", "conflict", expected=1)
    lost = await refused(write(stack, "three", "conflict", expected=1))
    assert (lost.code, lost.reason) == (grpc.StatusCode.ABORTED, "NOTE_VERSION_CONFLICT")
    assert {**lost.metadata, "request_id": ""} == {
        "request_id": "",
        "expected_version": "1",
        "expected_version_id": first.version_id,
        "current_version": "2",
        "current_version_id": second.version_id,
    }
    made = await refused(write(stack, "three", "conflict", expected=0))
    assert (made.metadata["expected_version_id"], made.metadata["current_version"]) == ("", "2")
    stale = pb.DeleteNoteRequest(key=named("conflict"), expected_version=1)
    assert (await refused(stack.notes.DeleteNote(stale))).reason == "NOTE_VERSION_CONFLICT"
    assert [each.content for each in await history(stack, "conflict")] == ["one", "two"]
    assert (await read(stack, "conflict")).body.content == "two"
    # A deleted note can be created again under its key, and its history continues.
    await stack.notes.DeleteNote(pb.DeleteNoteRequest(key=named("conflict"), author="ann"))
    revived = await write(stack, "four", "conflict", expected=0)
    assert (revived.version, revived.note_id) == (4, first.note_id)
    assert [each.author for each in await history(stack, "conflict")] == ["", "", "ann", ""]


async def test_fifty_concurrent_note_writers_lose_no_accepted_version(stack: Stack) -> None:
    """Some replace without a condition, some append, some require the version that they read."""
    accepted: dict[int, str] = {}
    conflicts = 0

    async def one(number: int) -> None:
        nonlocal conflicts
        way = number % 3
        text = f"writer {number}"
        seen = None
        if way == 2:
            try:
                seen = (await read(stack, "crowd")).version
            except grpc.aio.AioRpcError:
                seen = 0
            await asyncio.sleep(random.Random(number).random() / 10)
        try:
            written = await write(
                stack, text, "crowd", append=way == 1, expected=seen, author=str(number)
            )
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.ABORTED:
                raise
            conflicts += 1
            return
        assert written.version not in accepted
        accepted[written.version] = text

    await asyncio.gather(*(one(number) for number in range(50)))
    versions = await history(stack, "crowd")
    assert [each.version for each in versions] == list(range(1, len(versions) + 1))
    assert len(versions) == len(accepted) == 50 - conflicts >= 34
    before = ""
    for each in versions:
        text = accepted[each.version]
        appended = int(each.author) % 3 == 1 and before
        assert each.content == (f"{before}\n{text}" if appended else text)
        before = each.content
    assert (await read(stack, "crowd")).body.content == before
    [hit] = await found(stack, "crowd")
    assert hit.memory.content == before
    counted = await stack.search.GetStats(search.GetStatsRequest())
    with stack.database.connect() as conn:
        [passages] = conn.execute("SELECT count(*) FROM memories").fetchone() or ()
    assert counted.corpus.passages == passages


async def test_repeated_request_id_writes_note_once(stack: Stack) -> None:
    first = await write(stack, "once", "repeat", request_id="r-1")
    again = await write(stack, "once", "repeat", request_id="r-1")
    assert (again.replayed, again.version_id, again.note_id) == (
        True,
        first.version_id,
        first.note_id,
    )
    other = await refused(write(stack, "other", "repeat", request_id="r-1"))
    assert other.reason == "REQUEST_ID_CONFLICT"
    gone = pb.DeleteNoteRequest(key=named("repeat"), request_id="r-2")
    deleted = await stack.notes.DeleteNote(gone)
    repeated = await stack.notes.DeleteNote(gone)
    assert (repeated.replayed, repeated.version) == (True, deleted.version)
    entry = await log(stack, "An entry.", request_id="r-3")
    twice = await log(stack, "An entry.", request_id="r-3")
    assert (twice.replayed, twice.note_id, twice.log_date) == (True, entry.note_id, entry.log_date)
    captured = await asyncio.gather(
        *(write(stack, "captured", request_id="r-4", tags=["r4"]) for _ in range(5))
    )
    assert len({each.note_id for each in captured}) == 1


async def test_append_to_note_adds_a_line_up_to_the_size_limit(stack: Stack) -> None:
    await write(stack, "First.", "vault", append=True, kind="doc")
    await write(stack, "Second.", "vault", append=True, tags=["vpn"], importance=5)
    assert (await read(stack, "vault")).body.content == "First.\nSecond."
    long = "x" * 262_000
    await write(stack, long, "vault", append=True)
    refusal = await refused(write(stack, "y" * 1000, "vault", append=True))
    assert (refusal.code, refusal.fields) == (
        grpc.StatusCode.INVALID_ARGUMENT,
        {"note.content"},
    )
    kept = await read(stack, "vault")
    assert (kept.version, kept.body.kind, kept.body.importance) == (3, "doc", 5)
    assert kept.body.tags == ["vpn"]


async def test_note_key_is_unique_within_its_scope(stack: Stack) -> None:
    key = conversation_pb2.ConversationKey(session_key="scoped", agent="opus")
    made = await stack.ingest.EnsureConversation(ingest.EnsureConversationRequest(key=key))
    conversation = made.conversation.id
    scopes = [{}, {"agent": "opus"}, {"subject": "emi"}, {"conversation_id": conversation}]
    for scope in scopes:
        await write(stack, f"scope {sorted(scope)}", "scoped", scope=note_pb2.NoteScope(**scope))
    for scope in scopes:
        assert (await read(stack, "scoped", **scope)).body.content == f"scope {sorted(scope)}"
    [inside] = await found(
        stack,
        "scoped",
        filter=memory_pb2.MemoryFilter(
            conversation_ids=[conversation], kinds=[memory_pb2.MEMORY_KIND_NOTE]
        ),
    )
    assert (inside.memory.agent, inside.memory.conversation_id) == ("opus", conversation)
    agents = memory_pb2.MemoryFilter(agents=["opus"], kinds=[memory_pb2.MEMORY_KIND_NOTE])
    assert len(await found(stack, "scoped", filter=agents)) == 2
    wrong = await refused(
        write(
            stack,
            "no",
            "scoped",
            scope=note_pb2.NoteScope(agent="other", conversation_id=conversation),
        )
    )
    assert wrong.fields == {"scope.agent"}
    nowhere = note_pb2.NoteScope(conversation_id="01900000-0000-7000-8000-000000000000")
    assert (await refused(write(stack, "no", scope=nowhere))).reason == "CONVERSATION_NOT_FOUND"


async def test_list_notes_filters_by_tag_kind_importance_agent_and_key_prefix(stack: Stack) -> None:
    for number in range(1, 6):
        await write(
            stack,
            f"Insight {number}",
            tags=["list-me", f"n{number}"],
            kind="insight" if number % 2 else "todo",
            importance=number,
        )

    async def listed(**fields: object) -> list[str]:
        wanted = pb.NoteFilter(**{"tags": ["list-me"], **fields})  # type: ignore[arg-type]
        request = pb.ListNotesRequest(filter=wanted, page_size=2)
        contents: list[str] = []
        while True:
            page = await stack.notes.ListNotes(request)
            contents += [note.body.content[-1] for note in page.notes]
            if not page.next_page_token:
                return contents
            request.page_token = page.next_page_token

    assert await listed() == ["5", "4", "3", "2", "1"]
    assert await listed(kinds=["todo"]) == ["4", "2"]
    assert await listed(min_importance=4) == ["5", "4"]
    assert await listed(tags=["n1", "n3"]) == ["3", "1"]
    assert await listed(agents=["nobody"]) == []
    await write(stack, "by its key", "prefix/50%", tags=["list-me"])
    assert await listed(key_prefix="prefix/") == ["y"]
    assert await listed(key_prefix="prefix/5_") == []
    tagged = memory_pb2.MemoryFilter(tags=["todo"])
    assert {hit.memory.content for hit in await found(stack, "insight", filter=tagged)} == {
        "Insight 2",
        "Insight 4",
    }


async def test_importance_class_overrides_note_importance_in_balanced_profile(stack: Stack) -> None:
    for importance in (1, 3, 5):
        await write(stack, "The quokka smiles.", f"quokka-{importance}", importance=importance)

    async def importances() -> dict[str, float]:
        request = search.SearchRequest(query="quokka", profile="balanced", explain=True)
        results = (await stack.search.Search(request)).results
        return {
            each.memory.note_key: signal.value
            for each in results
            for signal in each.explanation.signals
            if signal.name == "importance"
        }

    assert await importances() == {"quokka-5": 0.9, "quokka-3": 0.5, "quokka-1": 0.3}
    assert list(await importances()) == ["quokka-5", "quokka-3", "quokka-1"]
    memory = memory_pb2.Memory(
        id=(await read(stack, "quokka-1")).id,
        importance_class=memory_pb2.IMPORTANCE_CLASS_CORRECTION,
    )
    mask = FieldMask(paths=["importance_class"])
    request = ingest.UpdateMemoryRequest(memory=memory, update_mask=mask)
    await stack.ingest.UpdateMemory(request)
    assert (await importances())["quokka-1"] == 0.9
    # It persists through the next version.
    await write(stack, "The quokka smiles again.", "quokka-1", importance=1)
    assert (await importances())["quokka-1"] == 0.9


@pytest.mark.parametrize(
    "key",
    [
        "../../etc/passwd",
        "'; DROP TABLE notes; --",
        "50%_\\",
        "ключ 鍵 🔑",
        "a\nb\tc",
        "\u202egnp.exe",
        "k" * 512,
        "🔑" * 512,
        "%(key)s {0} $1",
    ],
)
async def test_note_key_accepts_any_text_and_matches_exactly(stack: Stack, key: str) -> None:
    value = f"{key}\x1b[31m\ufeff <script>{{}}</script> \r\n👩‍👩‍👧"
    await write(stack, value, key)
    assert (await read(stack, key)).body.content == value
    near = await refused(stack.notes.GetNote(pb.GetNoteRequest(key=named(key[:-1] or "x"))))
    assert near.reason == "NOTE_NOT_FOUND"
    assert [each.content for each in await history(stack, key)] == [value]


@pytest.mark.parametrize(
    ("note", "field"),
    [
        (note_pb2.NewNote(content=""), "note.content"),
        (note_pb2.NewNote(content="a\0b"), "note.content"),
        (note_pb2.NewNote(content="a", key="a\0b"), "note.key"),
        (note_pb2.NewNote(content="a", key="k" * 513), "note.key"),
        (note_pb2.NewNote(content="x" * 262_145), "note.content"),
        (note_pb2.NewNote(content="a", kind="Not A Kind"), "note.kind"),
        (note_pb2.NewNote(content="a", kind="daily_log"), "note.kind"),
        (note_pb2.NewNote(content="a", importance=6), "note.importance"),
        (note_pb2.NewNote(content="a", tags=["t", "t"]), "note.tags"),
        (
            note_pb2.NewNote(content="a", scope=note_pb2.NoteScope(conversation_id="no")),
            "note.scope.conversation_id",
        ),
        (new_note("a", expires=datetime.now(UTC) - timedelta(seconds=1)), "note.expire_time"),
        (new_note("a", expires=None), ""),
    ],
)
async def test_write_note_rejects_invalid_field_by_name(
    stack: Stack, note: note_pb2.NewNote, field: str
) -> None:
    request = pb.WriteNoteRequest(note=note)
    if not field:
        request.append = True  # Appending requires a key.
        field = "note.key"
    refusal = await refused(stack.notes.WriteNote(request))
    assert refusal.code is grpc.StatusCode.INVALID_ARGUMENT
    assert {each.partition("[")[0] for each in refusal.fields} == {field}
