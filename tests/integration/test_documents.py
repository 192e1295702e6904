"""Documents are uploaded, written, appended to, found by their chunks, read in parts, listed and deleted."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable
from itertools import pairwise

import grpc
import pytest
import pytest_asyncio

from everword.client import CallError, Client, ClientSettings
from everword.v1 import conversation_pb2, document_pb2, memory_pb2
from everword.v1 import document_service_pb2 as pb
from everword.v1 import ingest_service_pb2 as ingest
from everword.v1 import search_service_pb2 as search
from support import calls
from support.corpus import search_request
from support.databases import cloned
from support.document_calls import append, history, named, new_document, read, upload, write
from support.files import docx, pdf, pptx, xlsx
from support.refusals import refused
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")

CHUNKS = memory_pb2.MemoryFilter(kinds=[memory_pb2.MEMORY_KIND_CHUNK])
HANDBOOK = """# Handbook

How we work.

## Deployment

Deploys go out on Tuesdays.

### Rollback

Run `revert-release` within an hour; the pager rings if it fails.

## Holidays

The office closes in August.
"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    """Run one stack for all tests: each test has titles and words of its own."""
    with cloned(postgres_url) as database:
        async with running_stack(database, embedder=False) as stack:
            yield stack


async def found(stack: Stack, query: str, **fields: object) -> list[search.SearchResult]:
    response = await stack.search.Search(search_request(query, "LEXICAL", **fields))
    return list(response.results)


async def test_uploaded_file_is_found_by_its_words_and_headings(stack: Stack) -> None:
    written = await upload(
        stack,
        HANDBOOK.encode(),
        "Handbook",
        "handbook.md",
        part_bytes=50,
        tags=["ops"],
        author="Ana",
    )
    assert (written.version, written.chunk_count) == (1, 4)
    for query in ("revert-release pager", "deployment rollback"):
        [hit, *_] = await found(stack, query, filter=CHUNKS)
        memory = hit.memory
        assert memory.content.startswith("Run `revert-release`")
        assert memory.kind == memory_pb2.MEMORY_KIND_CHUNK
        assert (memory.document_id, memory.document_title) == (written.document_id, "Handbook")
        assert list(memory.headings) == ["Handbook", "Deployment", "Rollback"]
        assert (list(memory.tags), memory.author) == (["ops"], "Ana")
    got = await stack.documents.GetDocument(pb.GetDocumentRequest(document_id=written.document_id))
    document = got.document
    assert (document.body.title, document.source.file_name) == ("Handbook", "handbook.md")
    assert (document.source.media_type, document.source.file_bytes) == (
        "text/markdown",
        len(HANDBOOK.encode()),
    )
    assert [list(each.headings)[1:] for each in got.sections] == [
        [],
        ["Deployment"],
        ["Deployment", "Rollback"],
        ["Holidays"],
    ]
    assert await read(stack, "Handbook") == HANDBOOK


@pytest.mark.parametrize(
    ("make", "file_name", "query", "words", "headings"),
    [
        (
            lambda: b"# Llamas\n\nThe llama hums.",
            "llamas.md",
            "llama hums",
            "llama hums",
            ["Llamas"],
        ),
        (lambda: b"The vicuna spits.", "vicunas.txt", "vicuna spits", "vicuna spits", []),
        (
            lambda: b"<h1>Yaks</h1><p>The yak grunts.</p>",
            "yaks.html",
            "yak grunts",
            "yak",
            ["Yaks"],
        ),
        (lambda: b"animal,sound\ntapir,whistle\n", "sounds.csv", "tapir whistle", "whistle", []),
        (lambda: pdf([[(12, "The capybara swims at dusk.")]]), "a.pdf", "capybara", "swims", []),
        (docx, "minutes.docx", "train hotel flights", "Trains only", ["Budget", "Travel"]),
        (xlsx, "stock.xlsx", "valve seal", "valve", ["Stock"]),
        (pptx, "review.pptx", "sales rose", "Sales rose", ["Results"]),
    ],
)
async def test_each_file_format_is_parsed_and_found(
    stack: Stack,
    make: Callable[[], bytes],
    file_name: str,
    query: str,
    words: str,
    headings: list[str],
) -> None:
    data = make()
    written = await upload(stack, data, f"Format of {file_name}", file_name)
    filter_ = memory_pb2.MemoryFilter(document_ids=[written.document_id])
    [hit, *_] = await found(stack, query, filter=filter_)
    assert words in hit.memory.content
    assert list(hit.memory.headings) == headings
    source = (
        await stack.documents.GetDocument(pb.GetDocumentRequest(document_id=written.document_id))
    ).document.source
    assert source.sha256 == hashlib.sha256(data).hexdigest()
    assert source.file_bytes == len(data)


async def test_chunks_and_messages_are_ranked_by_comparable_scores(stack: Stack) -> None:
    await calls.append(stack, "The zeppelin lands on Friday.", session_key="zeppelin")
    await write(stack, "A zeppelin needs a mast. The zeppelin lands with a rope.", "Zeppelins")
    hits = await found(stack, "zeppelin rope")
    assert [hit.memory.kind for hit in hits] == [
        memory_pb2.MEMORY_KIND_CHUNK,
        memory_pb2.MEMORY_KIND_MESSAGE,
    ]
    assert hits[0].score > hits[1].score > 0


async def test_search_filter_by_document_ids_and_tags(stack: Stack) -> None:
    ids = {}
    for title in ("Kiwi one", "Kiwi two", "Kiwi three"):
        ids[title] = (
            await write(stack, f"A kiwi is in {title}.", title, tags=["bird"])
        ).document_id
    wanted = [ids["Kiwi one"], ids["Kiwi three"].upper()]
    for mode in ("LEXICAL", "TRIGRAM", "REGEX"):
        filter_ = memory_pb2.MemoryFilter(document_ids=wanted, tags=["bird"])
        response = await stack.search.Search(search_request("kiwi", mode, filter=filter_))
        assert {each.memory.document_title for each in response.results} == {
            "Kiwi one",
            "Kiwi three",
        }
    nothing = memory_pb2.MemoryFilter(document_ids=wanted, tags=["fish"])
    assert not await found(stack, "kiwi", filter=nothing)


async def test_document_is_read_in_parts_and_by_section(stack: Stack) -> None:
    text = "\n".join(
        f"# Part {n}\n\n{'Wörter 🦉 und mehr. ' * 9}\n\n## Inner\n\nDeep {n}." for n in range(9)
    )
    await write(stack, text, "Parts")
    assert await read(stack, "Parts", max_chars=7) == text
    section = await read(stack, "Parts", headings=["Part 4"], max_chars=50)
    assert section.startswith("Wörter")
    assert section.endswith("Deep 4.")
    assert await read(stack, "Parts", headings=["Part 4", "Inner"]) == "Deep 4."
    no_section = pb.ReadDocumentRequest(key=named("Parts"), headings=["Part 44"])
    assert (await refused(stack.documents.ReadDocument(no_section))).reason == "DOCUMENT_NOT_FOUND"
    beyond = pb.ReadDocumentRequest(key=named("Parts"), start_char=2**31 - 1)
    assert (await stack.documents.ReadDocument(beyond)).content == ""


async def test_document_update_replaces_text_and_checks_the_expected_version(stack: Stack) -> None:
    first = await write(stack, "# Plan\n\nShip the ocelot on Friday.", "Plan", expected=0)
    second = await write(stack, "# Plan\n\nShip the lynx on Monday.", "Plan", expected=1)
    assert (first.document_id, second.version) == (second.document_id, 2)
    assert not await found(stack, "ocelot")
    [hit] = await found(stack, "lynx")
    assert hit.memory.content == "Ship the lynx on Monday."
    lost = await refused(write(stack, "Neither.", "Plan", expected=1))
    assert (lost.code, lost.reason) == (grpc.StatusCode.ABORTED, "DOCUMENT_VERSION_CONFLICT")
    assert {**lost.metadata, "request_id": ""} == {
        "request_id": "",
        "expected_version": "1",
        "expected_version_id": first.version_id,
        "current_version": "2",
        "current_version_id": second.version_id,
    }
    assert [each.content for each in await history(stack, "Plan")] == [
        "# Plan\n\nShip the ocelot on Friday.",
        "# Plan\n\nShip the lynx on Monday.",
    ]
    stale = pb.DeleteDocumentRequest(key=named("Plan"), expected_version=1)
    refusal = await refused(stack.documents.DeleteDocument(stale))
    assert refusal.reason == "DOCUMENT_VERSION_CONFLICT"
    deleted = await stack.documents.DeleteDocument(pb.DeleteDocumentRequest(key=named("Plan")))
    assert deleted.version == 3
    assert not await found(stack, "lynx")
    for gone in (
        stack.documents.GetDocument(pb.GetDocumentRequest(key=named("Plan"))),
        stack.documents.ReadDocument(pb.ReadDocumentRequest(document_id=first.document_id)),
        stack.documents.DeleteDocument(pb.DeleteDocumentRequest(key=named("Plan"))),
    ):
        assert (await refused(gone)).reason == "DOCUMENT_NOT_FOUND"
    assert [each.deleted for each in await history(stack, "Plan")] == [False, False, True]
    again = await write(stack, "Ship the puma.", "Plan", expected=0)
    assert (again.version, again.document_id) == (4, first.document_id)


async def test_update_keeps_chunk_ids_of_unchanged_sections(stack: Stack) -> None:
    sections = [f"## Section {n}\n\nThe gecko number{n} sits here." for n in range(6)]
    await write(stack, "\n\n".join(sections), "Geckos")

    async def ids() -> dict[str, str]:
        hits = await found(stack, "gecko", page_size=20)
        return {each.memory.headings[0]: each.memory.id for each in hits}

    before = await ids()
    sections[2] = "## Section 2\n\nThe gecko number2 has gone to sleep."
    await write(
        stack,
        "# New beginning\n\nHello.\n\n" + "\n\n".join(sections).replace("## ", "# "),
        "Geckos",
    )
    after = await ids()
    assert {name for name in before if before[name] != after[name]} == {"Section 2"}
    assert await read(stack, "Geckos", headings=["Section 5"]) == "The gecko number5 sits here."


async def test_concurrent_appends_to_document_are_all_stored(stack: Stack) -> None:
    written = await asyncio.gather(
        *(
            append(stack, f"- heron number{n}", "Herons", author=f"w{n}", tags=[f"t{n % 2}"])
            for n in range(20)
        )
    )
    assert sorted(each.version for each in written) == list(range(1, 21))
    lines = (await read(stack, "Herons")).split("\n")
    assert sorted(lines) == sorted(f"- heron number{n}" for n in range(20))
    versions = await history(stack, "Herons")
    for before, after in pairwise(versions):
        assert after.content.startswith(before.content + "\n")
    assert await found(stack, "heron number7 number19")


async def test_repeated_document_request_writes_once(stack: Stack) -> None:
    first = await write(stack, "once", "Repeat", request_id="d-1")
    again = await write(stack, "once", "Repeat", request_id="d-1")
    assert (again.replayed, again.version_id) == (True, first.version_id)
    other = await refused(write(stack, "other", "Repeat", request_id="d-1"))
    assert other.reason == "REQUEST_ID_CONFLICT"
    sent = await upload(stack, b"# A\n\nfile", "Repeat", "a.md", request_id="d-2")
    twice = await upload(stack, b"# A\n\nfile", "Repeat", "a.md", request_id="d-2", part_bytes=2)
    assert (twice.replayed, twice.version) == (True, sent.version)
    changed = await refused(upload(stack, b"# B\n\nfile", "Repeat", "a.md", request_id="d-2"))
    assert changed.reason == "REQUEST_ID_CONFLICT"
    added = await append(stack, "more", "Repeat", request_id="d-3")
    once = await append(stack, "more", "Repeat", request_id="d-3")
    assert (once.replayed, once.version) == (True, added.version)
    assert await read(stack, "Repeat") == "# A\n\nfile\nmore"


async def test_document_title_is_unique_within_its_scope(stack: Stack) -> None:
    key = conversation_pb2.ConversationKey(session_key="scoped", agent="opus")
    made = await stack.ingest.EnsureConversation(ingest.EnsureConversationRequest(key=key))
    conversation = made.conversation.id
    scopes = [{}, {"agent": "opus"}, {"subject": "emi"}, {"conversation_id": conversation}]
    for scope in scopes:
        whose = document_pb2.DocumentScope(**scope)
        await write(stack, f"The okapi of {sorted(scope)}.", "Scoped", scope=whose)
    for scope in scopes:
        part = await stack.documents.ReadDocument(
            pb.ReadDocumentRequest(key=named("Scoped", **scope))
        )
        assert part.content == f"The okapi of {sorted(scope)}."
    listed = pb.ListDocumentsRequest(
        filter=pb.DocumentFilter(conversation_ids=[conversation]), page_size=5
    )
    [document] = (await stack.documents.ListDocuments(listed)).documents
    assert document.body.scope.agent == "opus"
    inside = memory_pb2.MemoryFilter(conversation_ids=[conversation])
    [hit] = await found(stack, "okapi", filter=inside)
    assert hit.memory.conversation_id == conversation


async def test_documents_are_listed_by_filter(stack: Stack) -> None:
    for number in range(5):
        await write(stack, f"Text {number}.", f"list/{number}", tags=["listed", f"n{number}"])

    async def titles(**fields: object) -> list[str]:
        wanted = pb.DocumentFilter(**{"tags": ["listed"], **fields})  # type: ignore[arg-type]
        request = pb.ListDocumentsRequest(filter=wanted, page_size=2)
        seen: list[str] = []
        while True:
            page = await stack.documents.ListDocuments(request)
            seen += [each.body.title[-1] for each in page.documents]
            if not page.next_page_token:
                return seen
            request.page_token = page.next_page_token

    assert await titles() == ["4", "3", "2", "1", "0"]
    assert await titles(tags=["n1", "n3"]) == ["3", "1"]
    assert await titles(title_prefix="list/2") == ["2"]
    assert await titles(agents=["nobody"]) == []


async def test_upload_of_a_file_over_the_limit_is_refused_before_it_is_sent(stack: Stack) -> None:
    sent = 0

    async def requests() -> AsyncIterator[pb.UploadDocumentRequest]:
        nonlocal sent
        header = pb.UploadHeader(document=new_document("Huge"), file_name="huge.txt")
        yield pb.UploadDocumentRequest(header=header)
        while sent < 1000:
            sent += 1
            await asyncio.sleep(0.01)
            yield pb.UploadDocumentRequest(data=b"x" * 1_000_000)

    async with Client.connect(ClientSettings(stack.addresses["ingest"])) as client:
        with pytest.raises(CallError) as caught:
            await client.document_service.UploadDocument(requests())
    assert caught.value.reason == "REQUEST_TOO_LARGE"
    assert caught.value.metadata["limit_bytes"] == str(10 * 1024 * 1024)
    # The limit is ten parts. The client sends on only until the refusal reaches it.
    assert sent < 100
    gone = pb.GetDocumentRequest(key=named("Huge"))
    assert (await refused(stack.documents.GetDocument(gone))).reason == "DOCUMENT_NOT_FOUND"


@pytest.mark.parametrize(
    ("data", "file_name", "problem"),
    [
        (b"", "empty.txt", "EMPTY"),
        (b" \n\t\n", "blank.md", "EMPTY"),
        (b"MZ\x90\x00\x03" + bytes(300), "setup.exe", "UNSUPPORTED"),
        (b"%PDF-1.7\nnothing of this is a PDF", "broken.pdf", "MALFORMED"),
        (b"PK\x03\x04" + b"\xff" * 200, "broken.docx", "MALFORMED"),
    ],
)
async def test_unreadable_upload_is_refused_with_its_problem_and_stores_nothing(
    stack: Stack, data: bytes, file_name: str, problem: str
) -> None:
    refusal = await refused(upload(stack, data, file_name, file_name, request_id=file_name))
    assert (refusal.code, refusal.reason) == (
        grpc.StatusCode.INVALID_ARGUMENT,
        "DOCUMENT_UNREADABLE",
    )
    assert refusal.metadata["problem"] == problem
    with stack.database.connect() as conn:
        for table in ("documents WHERE title", "append_requests WHERE request_id"):
            rows = conn.execute(f"SELECT FROM {table} = %s".encode(), [file_name]).fetchall()
            assert rows == []


async def test_upload_stream_without_exactly_one_header_is_refused(stack: Stack) -> None:
    header = pb.UploadDocumentRequest(
        header=pb.UploadHeader(document=new_document("Twice"), file_name="a.txt")
    )
    data = pb.UploadDocumentRequest(data=b"words")
    for requests in ([], [data], [header, data, header]):
        refusal = await refused(stack.documents.UploadDocument(iter(requests)))
        assert refusal.fields == {"header"}


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"title": ""}, "document.title"),
        ({"title": "t" * 513}, "document.title"),
        ({"title": "a\0b"}, "document.title"),
        ({"content": ""}, "content"),
        ({"content": "a\0b"}, "content"),
        ({"content": "x" * 1_048_577}, "content"),
        ({"tags": ["t", "t"]}, "document.tags"),
        (
            {"scope": document_pb2.DocumentScope(conversation_id="no")},
            "document.scope.conversation_id",
        ),
    ],
)
async def test_invalid_document_field_is_refused_by_name(
    stack: Stack, fields: dict[str, object], field: str
) -> None:
    given: dict[str, object] = {"content": "Words.", "title": "Bad", **fields}
    refusal = await refused(write(stack, **given))  # type: ignore[arg-type]
    assert (refusal.code, refusal.fields) == (grpc.StatusCode.INVALID_ARGUMENT, {field})
