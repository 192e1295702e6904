"""Exports of other chats and memories are stored once, in order and with their times; damaged records are reported."""

from __future__ import annotations

import asyncio
import json
import random
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from everword.cli.main import main
from everword.client import Client, ClientSettings
from everword.formats import FORMATS, open_reading
from everword.importer import ImportSummary, import_records
from everword.transcripts import TranscriptError, parts, time_of
from everword.v1 import admin_service_pb2, document_service_pb2, memory_pb2, note_service_pb2
from everword.v1.search_service_pb2 import ListConversationsRequest, ListMessagesRequest
from support import exports
from support.broken_exports import damaged_files, spoilt, written
from support.command_line import EVERWORD, environment
from support.stack import Stack
from support.waits import until

DAY = "2026-03-02"
#: Expected messages by channel, key, agent and title: role, time and text of each.
SAID = {
    ("chatgpt", "c-1", "", "Sums"): [
        "user 08:00:00.500 What is 0+1+2+3?",
        "assistant 08:00:03 python(sum(range(4))) = 6",
        "assistant 08:00:03 Six.",
        'user 08:01:00 [image_asset_pointer {"content_type": "image_asset_pointer", '
        '"asset_pointer": "file-service://file-P", "width": 8}] [text And this?] [attachment q.pdf]',
    ],
    ("claude", "chat-1", "", "Disk"): [
        "user 08:00:00.123456 Why? [attachment E: disk]",
        "assistant 08:01:00 Let me look.",
        'assistant 08:01:00 web_search({"query": "E: disk"}) = full',
        "assistant 08:01:00 The disk is full.",
    ],
    ("gemini", DAY, "", "What to drink?"): [
        "user 08:00:00 What to drink? [file menu.png]",
        "assistant 08:00:00 Either:\n\n- tea\n- water",
    ],
    ("gemini", "9f3c", "", "And at noon?"): [
        "user 2026-03-03T09:00:00 And at noon?",
        "assistant 2026-03-03T09:00:00 Tea.",
    ],
    ("", "o-1", "opus", "Clock"): [
        "system 08:00:00 Be brief.",
        "user 08:01:00 Time?",
        "assistant 08:01:00 now({}) = 08:01",
    ],
    ("", "o-2", "", "Bye"): ["user 08:00:00 Bye"],
    ("letta", "sam", "sam", "Hello"): [
        "user 08:01:00 Hello",
        "assistant 08:02:00 Hi Ana",
        "assistant 08:03:00 roll_dice({}) = 4",
    ],
    ("langgraph", "thread-1", "", "Roll."): [
        "user 08:00:00 Roll.",
        'assistant 08:00:00 dice({"n": 6}) = 4',
        "assistant 08:02:00 Four.",
    ],
    ("ryvos", "s-1", "", "Roll."): [
        "user 08:00:00 Roll.",
        'assistant 08:02:00 dice({"n": 6}) = 4',
        "assistant 08:04:00 [four] it is",
    ],
    ("discord", "dm-1", "rivet", "Dice"): [
        "user 08:00:00 Roll.",
        'tool 08:01:00 dice({"n": 6}) = 4',
        "assistant 08:02:00 Four.",
    ],
}
#: Notes by key: kind, agent or subject, content, and tags.
NOTES = {
    "claude/memory": "memory of '': Ana runs servers. [claude]",
    "mem0/m-1": f"memory of 'ana': Drinks tea [{DAY}, food, source=chat]",
    "letta/sam/human": "memory_block of 'sam': Ana, from Rome []",
    "deploy_process": "memory of '': Run tests first. []",
    "hindsight/ana/20391a59a46ddb2b": f"fact of 'ana': Ana moved to Rome [{DAY}, Ana]",
    "hindsight/ana/a03c5fab274d9656": "observation of 'ana': Ana likes cities []",
}
DOCUMENTS = {
    "Ops/instructions": "Be brief.",
    "Ops/runbook.md": "# Disks",
    "doc-1": "I moved to Rome.",
}


def write_all(folder: Path, stack: Stack) -> list[str]:
    """Write an export of each format, and return the import arguments."""
    writers = (
        exports.chatgpt, exports.claude, exports.gemini, exports.openai, exports.mem0, exports.letta,
        exports.hindsight, exports.langgraph, exports.ryvos,
    )  # fmt: skip
    with stack.database.connect() as database:
        database.execute(exports.RIVETOS)
    address = f"{stack.database.admin_url}?options=-csearch_path%3Drivet,public"
    return [*(str(write(folder)) for write in writers), address]


def client_of(stack: Stack, namespace: str = "") -> Any:
    at = stack.addresses
    settings = ClientSettings(at["ingest"], at["search"], at["compactor"], namespace=namespace)
    return Client.connect(settings)


def as_line(message: memory_pb2.NewMessage) -> str:
    role = memory_pb2.Role.Name(message.role).removeprefix("ROLE_").lower()
    time = message.create_time.ToJsonString().removesuffix("Z").removeprefix(f"{DAY}T")
    blocks = [f"[{each.type} {each.text or each.json}]" for each in message.content_blocks]
    tool = f"{message.tool_name}({message.tool_args}) = {message.tool_result}"
    return " ".join(
        filter(None, [role, time, tool if message.tool_name else message.content, *blocks])
    )


async def stored(stack: Stack) -> tuple[dict[Any, list[str]], dict[str, str], dict[str, str]]:
    """Return conversations, notes and documents in the form of SAID, NOTES and DOCUMENTS."""
    said, notes, documents = dict[Any, list[str]](), dict[str, str](), dict[str, str]()
    for each in (await stack.search.ListConversations(ListConversationsRequest())).conversations:
        listed = await stack.search.ListMessages(ListMessagesRequest(conversation_id=each.id))
        key = (each.key.channel, each.key.session_key, each.key.agent, each.details.title)
        said[key] = [as_line(message.body) for message in reversed(listed.messages)]
    for note in (await stack.notes.ListNotes(note_service_pb2.ListNotesRequest())).notes:
        whose = note.body.scope.agent or note.body.scope.subject
        notes[note.body.key] = (
            f"{note.body.kind} of {whose!r}: {note.body.content} [{', '.join(note.body.tags)}]"
        )
    for found in (
        await stack.documents.ListDocuments(document_service_pb2.ListDocumentsRequest())
    ).documents:
        read = await stack.documents.ReadDocument(
            document_service_pb2.ReadDocumentRequest(document_id=found.id)
        )
        documents[read.document.body.title] = read.content
    return said, notes, documents


async def test_import_of_every_format_keeps_roles_order_and_times_and_is_idempotent(
    stack: Stack, tmp_path: Path
) -> None:
    sources = write_all(tmp_path, stack)
    async with client_of(stack) as client:

        async def import_all() -> list[ImportSummary]:
            return [await import_records(client, open_reading(each).records) for each in sources]

        first = await import_all()
        found = await stored(stack)
        again = await import_all()
    said, notes, documents = found
    assert said == SAID
    assert notes == NOTES
    assert documents == DOCUMENTS
    assert sum(each.messages_written for each in first) == sum(map(len, SAID.values()))
    assert [each.existing for each in first] == [0] * len(sources)
    written = [
        (each.messages_written, each.notes_written, each.documents_written) for each in again
    ]
    assert written == [(0, 0, 0)] * len(sources)
    assert sum(each.existing for each in again) == sum(map(len, SAID.values())) + len(NOTES) + len(
        DOCUMENTS
    )
    assert await stored(stack) == found


async def command(stack: Stack, *arguments: str) -> Result:
    """Run `everword import` in this process, against the running services."""
    invoke = CliRunner().invoke
    variables = environment(stack)
    return await asyncio.to_thread(invoke, main, ["import", *arguments], env=variables)


async def test_dry_run_lists_imported_and_skipped_records_and_stores_nothing(
    stack: Stack, tmp_path: Path
) -> None:
    files = [str(write(tmp_path)) for write in (exports.chatgpt, exports.gemini, exports.mem0)]
    tried = json.loads((await command(stack, *files, "--dry-run", "--json")).output)["files"]
    assert tried[0] == {
        "file": files[0], "format": "chatgpt", "conversations": 1, "messages": 4, "notes": 0, "documents": 0,
        "first_time": f"{DAY}T08:00:00.500000+00:00", "last_time": f"{DAY}T08:01:00+00:00",
        "skipped": {"hidden": 2, "other files": 1, "on another branch": 1, "empty": 1},
        "records_skipped": 0, "skipped_records": [],
    }  # fmt: skip
    assert tried[1]["skipped"] == {"of other products": 1, "no prompt": 1}
    assert (tried[2]["notes"], tried[2]["skipped"]) == (1, {"expired": 1})
    shown = (await command(stack, *files, "--dry-run")).output
    rows = [line.split() for line in shown.splitlines()]
    assert [files[1], "gemini", "2", "4", "0", "0", DAY, "2026-03-03"] in rows
    assert f"{files[2]}: left out 1 expired" in shown
    assert await stored(stack) == ({}, {}, {})
    done = await command(stack, files[0], files[2], "--agent", "opus", "--subject", "ana")
    rows = [line.split() for line in done.output.splitlines()]
    assert [files[0], "chatgpt", "1", "4", "0", "0", "0"] in rows
    assert [files[2], "mem0", "0", "0", "1", "0", "0"] in rows
    said, notes, _ = await stored(stack)
    assert list(said) == [("chatgpt", "c-1", "opus", "Sums")]
    assert notes == {"mem0/m-1": f"memory of 'opus': Drinks tea [{DAY}, food, source=chat]"}


#: Stored messages of a namespace, in order.
STORED = """
SELECT c.channel, c.session_key, c.title, m.seq, m.role, m.content, m.tool_result, m.occurred_at, m.external_id
FROM messages m JOIN conversations c ON c.id = m.conversation_id JOIN namespaces n ON n.id = m.namespace_id
WHERE n.name = %s ORDER BY c.channel, c.session_key, m.seq
"""
#: Any other writer of the same conversation waits until this transaction ends.
IN_THE_WAY = """
INSERT INTO conversations (namespace_id, id, channel, session_key)
SELECT id, gen_random_uuid(), %s, %s FROM namespaces WHERE name = 'default'
"""
WAITING = (
    "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
)


def exports_of_many(folder: Path) -> Iterator[tuple[Path, str, str]]:
    """Write exports of twenty conversations; yield each with channel and key of one in the middle."""
    said = [{"role": "user", "content": f"{m}"} for m in range(4)]
    chats = [{"id": f"c-{n}", "created": exports.EIGHT, "messages": said} for n in range(20)]
    yield written(folder / "chats.json", chats), "", "c-10"
    (folder / "one").mkdir()
    yield exports.many(folder, exports.chatgpt(folder / "one"), 20), "chatgpt", "c-1-10"
    yield exports.many(folder, exports.claude(folder / "one"), 20), "claude", "chat-1-10"
    yield exports.many(folder, exports.gemini(folder / "one"), 20), "gemini", "9f3c-10"


async def test_killed_import_resumes_with_the_same_result(stack: Stack, tmp_path: Path) -> None:
    twin = admin_service_pb2.Namespace(name="twin")
    await stack.admin.CreateNamespace(admin_service_pb2.CreateNamespaceRequest(namespace=twin))
    with stack.database.connect() as database, stack.database.connect() as other:
        for path, channel, key in exports_of_many(tmp_path):
            with database.transaction(force_rollback=True):
                database.execute(IN_THE_WAY, [channel, key])
                process = await asyncio.create_subprocess_exec(
                    *(EVERWORD, "import", str(path)), env=environment(stack)
                )
                await until(lambda: bool(other.execute(WAITING).fetchall()))
                process.kill()
                assert await process.wait() != 0
                await until(lambda: not other.execute(WAITING).fetchall())
            async with client_of(stack) as client, client_of(stack, "twin") as elsewhere:
                resumed = await import_records(client, open_reading(str(path)).records)
                whole = await import_records(elsewhere, open_reading(str(path)).records)
            assert 0 < resumed.messages_existing < resumed.messages == whole.messages_written
            stored_in = [other.execute(STORED, [name]).fetchall() for name in ("default", "twin")]
            assert stored_in[0] == stored_in[1], path.name


def read(path: Path) -> list[Any]:
    return list(open_reading(str(path)).records)


def texts(path: Path) -> list[str]:
    return [as_line(each.message) for each in read(path)]


def test_unreadable_source_error_names_its_place_and_hides_passwords(tmp_path: Path) -> None:
    def told(source: str, format_: str = "") -> str:
        with pytest.raises(TranscriptError) as caught:
            list(open_reading(source, format_, strict=True).records)
        return str(caught.value)

    for path, expected in damaged_files(tmp_path):
        assert expected in told(str(path))
        assert "\n" not in told(str(path))
    assert "it is nothing that mem0 writes" in told(str(tmp_path / "chatgpt.zip"), "mem0")
    refused = told("postgresql://ana:secret@127.0.0.1:1/none")
    assert refused.startswith("postgresql://127.0.0.1:1/none: connection")
    assert "secret" not in refused
    for password in ("se#cret", "se/cret", "se?cret", "se@cret", "se:cret"):
        refused = told(f"postgresql://ana:{password}@127.0.0.1:1/none?password={password}")
        assert "cret" not in refused, refused


def test_import_refuses_an_object_larger_than_the_memory_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "_MOST_BYTES", 256 * 1024)
    small = {"messages": [{"role": "user", "content": "x" * 100_000}]}
    assert len(read(written(tmp_path / "many.json", [small] * 4))) == 4
    large = {"messages": [{"role": "user", "content": "x" * 400_000}]}
    with pytest.raises(TranscriptError, match="after chat 1 \\(an object has more than"):
        read(written(tmp_path / "large.json", [small, large]))


def test_randomly_damaged_files_are_read_or_refused_with_an_error(tmp_path: Path) -> None:
    chance = random.Random(1)
    exports_of_all = (
        exports.chatgpt, exports.claude, exports.gemini, exports.openai, exports.mem0, exports.letta,
        exports.hindsight, exports.langgraph, exports.ryvos,
    )  # fmt: skip
    whole = [write(tmp_path) for write in exports_of_all]
    refusals = list[str]()
    for number in range(200):
        path = whole[number % len(whole)]
        broken = tmp_path / f"broken{path.suffix}"
        broken.write_bytes(spoilt(chance, path.read_bytes()))
        try:
            for _ in open_reading(str(broken), chance.choice(("", *FORMATS)), strict=True).records:
                pass
        except TranscriptError as error:
            refusals.append(str(error))
    assert all(each.startswith(str(tmp_path)) for each in refusals)
    assert 50 < len(refusals) < 200


def test_times_of_every_unit_are_parsed_alike_and_zero_means_none() -> None:
    eight = "2026-03-02T08:00:00+00:00"
    given: tuple[object, ...] = (
        exports.EIGHT, exports.EIGHT * 10**3, exports.EIGHT * 10**6, exports.EIGHT * 10**9, float(exports.EIGHT),
        str(exports.EIGHT), "2026-03-02T08:00:00", "2026-03-02 10:00:00+02:00", "2026-03-02T08:00:00.000000000Z",
    )  # fmt: skip
    assert [time_of(each, "here") for each in given] == [eight] * len(given)
    assert [time_of(each, "here") for each in (None, "", 0, 0.0)] == [""] * 4


def test_import_keeps_all_messages_of_broken_branches_and_duplicate_ids(
    tmp_path: Path,
) -> None:
    [chat] = exports.chats_in(exports.chatgpt(tmp_path))
    path = tmp_path / "branches.json"
    # No branch is marked as current, so the latest is used, also if its last message has no time.
    assert len(texts(written(path, [{**chat, "current_node": None}]))) == 4
    circle = {**chat["mapping"], "u1": {**chat["mapping"]["u1"], "parent": "u2"}}
    assert len(texts(written(path, [{**chat, "mapping": circle}]))) == 4
    # Each message is in several checkpoints, without an id.
    nameless = texts(exports.langgraph(tmp_path, named=False))
    assert nameless == SAID["langgraph", "thread-1", "", "Roll."]
    answers = [
        {"header": "Gemini Apps", "title": "Prompted Hi", "time": f"{DAY}T08:00:00Z", "safeHtmlItem": [{"html": each}]}
        for each in ("Hello", "Hi")
    ]  # fmt: skip
    entries = read(written(tmp_path / "MyActivity.json", answers))
    assert len({entry.message.external_id for entry in entries}) == 3
    assert [entry.message.content for entry in entries] == ["Hi", "Hi", "Hi", "Hello"]


def test_large_export_is_read_one_conversation_at_a_time(tmp_path: Path) -> None:
    [chat] = exports.chats_in(exports.chatgpt(tmp_path))
    chat["mapping"]["u1"]["message"]["content"]["parts"] = ["word " * 20_000]
    path = tmp_path / "large.json"
    with path.open("w") as file:
        file.write("[" + ",".join([json.dumps(chat)] * 80) + "]")
    size = path.stat().st_size
    tracemalloc.start()
    try:
        count = sum(1 for _ in open_reading(str(path)).records)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert count == 320
    assert peak < size / 5
