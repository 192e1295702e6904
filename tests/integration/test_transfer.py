"""A complete namespace is exported and imported."""

from __future__ import annotations

import asyncio
import json
import re
import tracemalloc
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest
import pytest_asyncio

from everword.v1 import admin_service_pb2 as admin
from everword.v1 import document_service_pb2 as documents
from everword.v1 import erasure_service_pb2 as erase
from everword.v1 import fact_query_service_pb2 as profile
from everword.v1 import note_service_pb2 as notes
from everword.v1 import search_service_pb2 as search
from everword.v1.admin_service_pb2 import NamespaceLimits
from everword_ingest.transfer import batch
from everword_ingest.transfer.import_namespace import FIELDS
from everword_ingest.transfer.lines import read_lines
from support.callers import within
from support.calls import append_request, message, target
from support.command_line import everword
from support.damaged_files import DAMAGED, DEEP, NO_SETTINGS, changed_settings, job, sealed
from support.databases import cloned
from support.refusals import refused
from support.stack import Stack, running_stack
from support.transfer_namespace import (
    KEY,
    SAID,
    Filled,
    erasing,
    export,
    fill_everything,
    import_file,
    requests,
)
from support.waits import until

pytestmark = pytest.mark.asyncio(loop_scope="module")
DOCS = Path(__file__).parents[2] / "docs" / "export.md"


async def delete(stack: Stack, name: str) -> None:
    """Delete a namespace, after its legal holds, which would prevent that."""
    with stack.database.connect() as conn:
        conn.execute(
            "DELETE FROM legal_holds WHERE namespace_id = (SELECT id FROM namespaces WHERE name = %s)",
            [name],
        )
    await stack.admin.DeleteNamespace(admin.DeleteNamespaceRequest(name=name))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    with cloned(postgres_url) as database:
        async with running_stack(database, embedder=False) as stack:
            yield stack


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def filled(stack: Stack) -> Filled:
    return await fill_everything(stack)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def file(stack: Stack, filled: Filled) -> bytes:
    return await export(stack, "theirs")


def rules(stack: Stack) -> dict[str, str]:
    """Return the fields of each record, as listed in docs/export.md."""
    with stack.database.connect() as conn:
        rows = conn.execute(
            "SELECT record, array_to_string(transferred_columns(r), ', ') FROM transfer_rules r "
            "WHERE record IS NOT NULL ORDER BY place"
        ).fetchall()
    return dict(rows)


async def test_transfer_rules_cover_every_table_of_a_namespace(stack: Stack) -> None:
    with stack.database.connect() as conn:
        tables = conn.execute(
            "SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'namespace_id' "
            "WHERE c.relnamespace = 'everword'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition"
        ).fetchall()
        ruled = conn.execute("SELECT relation, record, remark FROM transfer_rules").fetchall()
        unordered = conn.execute(
            "SELECT record FROM transfer_rules r WHERE record IS NOT NULL AND source IS NULL AND NOT EXISTS ("
            "SELECT FROM pg_index i WHERE i.indrelid = r.relation::regclass AND i.indisunique AND ("
            "SELECT array_agg(a.attname::text) FROM pg_attribute a "
            "WHERE a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey)) <@ (ARRAY['namespace_id'] || r.keys))"
        ).fetchall()
        own = conn.execute(
            "SELECT attname FROM pg_attribute WHERE attrelid = 'namespaces'::regclass AND attnum > 0"
        ).fetchall()
    held = {name for (name,) in tables if not name.startswith("memory_vectors_")}
    assert held == {relation for relation, _, _ in ruled}, (
        "say in transfer_rules how it is exported"
    )
    assert all(record or remark for _, record, remark in ruled)
    # A namespace has one voice and one last night, so they need no order.
    assert not unordered, "its keys do not say which row comes next"
    # The file omits the namespace's number, name, state, and its limits set by operators.
    limits = set(NamespaceLimits.DESCRIPTOR.fields_by_name)
    assert {name for (name,) in own} == FIELDS | limits | {"id", "name", "state"}


async def test_documented_export_format_equals_transfer_rules(stack: Stack) -> None:
    described = dict(re.findall(r"^\| `(\w+)` \| [^|]* \| `([^`]+)` \|", DOCS.read_text(), re.M))
    assert described == rules(stack)
    left_out = dict(re.findall(r"^\| `(\w+)` \| ([^|`]+) \|$", DOCS.read_text(), re.M))
    with stack.database.connect() as conn:
        rows = conn.execute("SELECT relation, remark FROM transfer_rules WHERE record IS NULL")
        assert left_out == dict(rows.fetchall())


async def test_imported_namespace_exports_equally_and_answers_alike(
    stack: Stack, filled: Filled, file: bytes
) -> None:
    lines = file.splitlines()
    kinds = Counter(next(iter(json.loads(line))) for line in lines)
    assert set(rules(stack)) | {"export", "namespace", "end"} == set(kinds)
    assert b"Secret." not in file
    assert b"Own" not in file, "that is another namespace's"
    written = await import_file(stack, "elsewhere", file)
    assert (written.records, written.records_existing) == (len(lines) - 2, 0)
    assert await export(stack, "elsewhere") == file
    for name in ("Search", "GetMemory", "ExplainFact", "GetDocument", "GetNote"):
        first, second = [await ask(stack, name, filled, each) for each in ("theirs", "elsewhere")]
        # Addresses contain the namespace's name.
        assert str(first).replace("viking://theirs/", "viking://elsewhere/") == str(second)
        assert first.ByteSize() > 50, name
    with stack.database.connect() as conn:
        due = conn.execute(
            "SELECT n.name, count(*) FROM embedding_queue q JOIN namespaces n ON n.id = q.namespace_id "
            "WHERE n.name IN ('theirs', 'elsewhere') GROUP BY 1"
        ).fetchall()
        jobs = conn.execute(
            "SELECT count(*) FILTER (WHERE task = 'embed'), "
            "       count(*) FILTER (WHERE not_before > now() + interval '30 days') "
            "FROM jobs JOIN namespaces n ON n.id = namespace_id AND n.name = 'elsewhere'"
        ).fetchone()
    assert ("elsewhere", kinds["passage"]) in due
    assert jobs == (8, 0)
    # Sequences of the database continue.
    later = append_request("And it came back.")
    later.conversation.CopyFrom(target(KEY, agent="kit", channel="cli"))
    again = await stack.ingest.AppendMessages(later, metadata=within("elsewhere"))
    assert again.conversation_id == filled.conversation_id


async def ask(stack: Stack, name: str, filled: Filled, namespace: str) -> Any:
    theirs = filled.theirs
    calls: dict[str, tuple[Any, Any]] = {
        "Search": (stack.search, search.SearchRequest(query="gecko name words tea", explain=True)),
        "GetMemory": (stack.search, search.GetMemoryRequest(memory_id=filled.message_id)),
        "ExplainFact": (stack.fact_queries, profile.ExplainFactRequest(fact_id=theirs.fact_id)),
        "GetDocument": (
            stack.documents,
            documents.GetDocumentRequest(document_id=theirs.document_id),
        ),
        "GetNote": (stack.notes, notes.GetNoteRequest(note_id=theirs.note_id)),
    }
    stub, request = calls[name]
    response = await getattr(stub, name)(request, metadata=within(namespace))
    if name == "Search":
        assert SAID in {each.memory.content for each in response.results}
        for arm in response.arms:
            arm.ClearField("duration")
    return response


async def test_import_keeps_erased_content_blocked(
    stack: Stack, filled: Filled, file: bytes
) -> None:
    await import_file(stack, "without", file)
    request = append_request(message("Secret.", author="Zoë Żuk", external_id="x-2"))
    request.conversation.CopyFrom(target(KEY, agent="kit", channel="cli"))
    found = await refused(stack.ingest.AppendMessages(request, metadata=within("without")))
    assert found.reason == "CONTENT_ERASED"


def stored(stack: Stack, name: str) -> int:
    """Return the number of stored lines of a namespace's file."""
    with stack.database.connect() as conn:
        row = conn.execute(
            "SELECT lines FROM namespace_imports JOIN namespaces n ON n.id = namespace_id WHERE name = %s",
            [name],
        ).fetchone()
    return int(row[0]) if row else 0


async def test_concurrent_imports_of_one_file_store_nothing_twice(
    stack: Stack, file: bytes
) -> None:
    both = await asyncio.gather(
        import_file(stack, "both", file), import_file(stack, "both", file), return_exceptions=True
    )
    assert any(isinstance(each, admin.ImportNamespaceResponse) for each in both)
    for each in both:
        if isinstance(each, grpc.aio.AioRpcError):
            assert each.code() in (grpc.StatusCode.ABORTED, grpc.StatusCode.ALREADY_EXISTS)
    assert await export(stack, "both") == file


async def test_import_of_file_older_than_an_erasure_is_refused(
    stack: Stack, filled: Filled, file: bytes
) -> None:
    await import_file(stack, "rid-of-it", file)
    goes = erase.EraseRequest(target=erase.ErasureTarget(message_id=filled.message_id))
    await stack.erasures.Erase(goes, metadata=within("rid-of-it"))
    found = await refused(import_file(stack, "older", file))
    assert found.reason == "CONTENT_ERASED"
    assert "namespace rid-of-it" in found.message
    assert stored(stack, "older") == 2, "nothing of it is stored"
    await until(lambda: not erasing(stack))
    newer = await export(stack, "rid-of-it")
    assert b"gecko" in file
    assert b"gecko" not in newer
    await import_file(stack, "newer", newer)
    assert await export(stack, "newer") == newer
    for name in ("newer", "rid-of-it"):
        await delete(stack, name)
    # The erasure log of the namespace no longer exists.
    assert (await import_file(stack, "older", file)).records == len(file.splitlines()) - 2


async def test_import_fills_fields_missing_from_an_older_file_with_defaults(
    stack: Stack, file: bytes
) -> None:
    older = re.sub(rb',"needs_review":\w+', b"", file)
    assert older != file
    await import_file(stack, "of-before", sealed(older.splitlines()[:-1]))
    assert await export(stack, "of-before") == sealed(
        re.sub(rb'"needs_review":true', b'"needs_review":false', file).splitlines()[:-1]
    )


async def test_interrupted_import_resumes_where_it_stopped(
    stack: Stack, file: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch, "_MOST_RECORDS", 10)
    lines = file.splitlines()
    started = asyncio.Event()

    async def broken_off() -> AsyncIterator[Any]:
        for request in requests("slowly", b"\n".join([*lines[:60], b""])):
            yield request
        started.set()
        await asyncio.sleep(60)

    call = stack.admin.ImportNamespace(broken_off())
    await started.wait()
    await until(lambda: stored(stack, "slowly") == 52)
    call.cancel()
    unseen = await refused(
        stack.search.Search(search.SearchRequest(query="gecko"), metadata=within("slowly"))
    )
    assert unseen.reason == "NAMESPACE_NOT_FOUND"
    cut = await refused(import_file(stack, "slowly", b"\n".join(lines[:120])))
    assert (cut.code, "cut off" in cut.message) == (grpc.StatusCode.INVALID_ARGUMENT, True)
    other = sealed([*lines[:100], b'{"night":{"night":"2001-01-01"}}'])
    assert (await refused(import_file(stack, "slowly", other))).reason == "NAMESPACE_ALREADY_EXISTS"
    whole = await import_file(stack, "slowly", file)
    assert (whole.records_existing, whole.records) == (118, len(lines) - 2)
    assert await export(stack, "slowly") == file
    twice = await import_file(stack, "slowly", file)
    assert twice.records_existing == twice.records == whole.records
    assert await export(stack, "slowly") == file
    longer = sealed([*lines[:-1], b'{"night":{"night":"2001-01-01"}}'])
    assert (
        await refused(import_file(stack, "slowly", longer))
    ).reason == "NAMESPACE_ALREADY_EXISTS"
    assert (await refused(import_file(stack, "third", file))).reason == "NAMESPACE_ALREADY_EXISTS"


@pytest.mark.parametrize("name", NO_SETTINGS)
async def test_import_with_invalid_namespace_settings_is_refused(
    stack: Stack, file: bytes, name: str
) -> None:
    lines = file.splitlines()[:2]
    lines[1] = changed_settings(lines[1], *NO_SETTINGS[name])
    found = await refused(import_file(stack, name.replace(" ", "-"), sealed(lines)))
    assert (found.reason, "Line 2 of the file" in found.message) == ("VALIDATION_FAILED", True)


async def test_imported_job_without_due_time_is_due_at_once(stack: Stack, file: bytes) -> None:
    first, second = file.splitlines()[:2]
    # A namespace without any erasure.
    second = changed_settings(second, "created_at", b'"2026-03-02T08:00:00+00:00"')
    line = job("learn", "themes", not_before="infinity")
    await import_file(stack, "again", sealed([first, second, line]))
    with stack.database.connect() as conn:
        due = conn.execute(
            "SELECT j.not_before <= now() FROM jobs j JOIN namespaces n ON n.id = j.namespace_id "
            "WHERE n.name = 'again' AND j.task = 'learn'"
        ).fetchall()
    assert due == [(True,)]


async def test_read_lines_skips_empty_chunks_without_using_memory() -> None:
    async def parts() -> AsyncIterator[bytes]:
        yield b"first\nse"
        for _ in range(100_000):
            yield b""
        yield b"cond\n\nleft"

    tracemalloc.start()
    lines = [line async for line in read_lines(parts())]
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert lines == [b"first", b"second", b""]
    assert most < 100_000


@pytest.mark.parametrize("text", DAMAGED)
async def test_import_of_damaged_file_is_refused_with_the_reason(
    stack: Stack, file: bytes, text: str
) -> None:
    name = f"damaged-{list(DAMAGED).index(text)}"
    found = await refused(import_file(stack, name, sealed(DAMAGED[text](file.splitlines()[:-1]))))
    assert found.reason == "VALIDATION_FAILED"
    assert text.lower() in found.message.lower()


async def test_import_of_changed_or_shortened_file_is_refused_at_its_end(
    stack: Stack, file: bytes
) -> None:
    lines = file.splitlines()
    voice = next(place for place, line in enumerate(lines) if line.startswith(b'{"summary_voice"'))
    changed = [*lines]
    changed[voice] = lines[voice].replace(b'"user_name":""', b'"user_name":"Z"')
    shortened = [*lines[:-2], lines[-1]]
    for name, damaged, text in (
        ("changed", changed, "its checksum is wrong"),
        ("shortened", shortened, "some are lost"),
        ("longer", [*lines, b"{}"], "continues after its last record"),
        (
            "endless",
            [*lines[:-1], b'{"end":{"records":1e999}}'],
            "last line of the file is damaged",
        ),
        ("deep", [*lines[:-1], b'{"end":%s}' % DEEP], "last line of the file is damaged"),
    ):
        found = await refused(import_file(stack, name, b"\n".join(damaged) + b"\n"))
        assert text in found.message


async def test_export_during_an_erasure_is_refused(stack: Stack, file: bytes) -> None:
    await import_file(stack, "erasing", file)
    with stack.database.connect() as conn:
        conn.execute(
            "INSERT INTO erasures (namespace_id, id, kind, target_hash, updated_at) "
            "SELECT id, gen_random_uuid(), 3, '', now() + interval '1 hour' FROM namespaces WHERE name = 'erasing'"
        )

    async def whole() -> bytes:
        return await export(stack, "erasing")

    assert (await refused(whole())).reason == "CONCURRENT_UPDATE"
    await delete(stack, "erasing")


async def test_namespaces_export_and_import_commands_move_a_namespace(
    stack: Stack, file: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "theirs.jsonl"
    written = await everword(stack, "namespaces", "export", "theirs", "--output", str(path))
    assert written.status == 0, written.errors
    assert path.read_bytes() == file
    assert not path.with_name("theirs.jsonl.part").exists()
    read = await everword(stack, "namespaces", "import", "moved", str(path), "--json")
    assert read.json()["records"] == len(file.splitlines()) - 2
    path.write_bytes(file[:-20])
    cut = await everword(stack, "namespaces", "import", "cut", str(path))
    assert cut.status == 1
    assert "cut off" in cut.errors


async def test_transfer_rules_order_tables_after_the_tables_they_reference(stack: Stack) -> None:
    """Imports store rows in this order; the deletion of a namespace deletes them in the opposite order."""
    with stack.database.connect() as conn:
        early = conn.execute(
            "SELECT DISTINCT child.relation, parent.relation FROM pg_constraint c "
            "JOIN transfer_rules child ON to_regclass(child.relation) = c.conrelid "
            "JOIN transfer_rules parent ON to_regclass(parent.relation) = c.confrelid "
            "WHERE c.contype = 'f' AND child.place < parent.place"
        ).fetchall()
    assert early == [], "raise the place of the first table in transfer_rules"
