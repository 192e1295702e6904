"""`everword import` and `export`: complete, resumable, and lossless in a round trip."""

from __future__ import annotations

import asyncio
import json
import signal
from pathlib import Path
from typing import Any

import pytest

from everword.client import Client, ClientSettings
from everword.samples import sample_path
from everword.transcripts import read_transcript
from everword.v1 import memory_pb2
from everword.v1.conversation_pb2 import ConversationKey
from everword.v1.search_service_pb2 import BrowseRequest
from support.calls import append, message
from support.command_line import EVERWORD, environment, everword
from support.stack import Stack
from support.tool_calls import stored_sentences, write_pending_sentences
from support.waits import until

SAMPLE = str(sample_path())


def settings(stack: Stack, namespace: str = "") -> ClientSettings:
    at = stack.addresses
    return ClientSettings(at["ingest"], at["search"], at["compactor"], namespace=namespace)


async def stored(stack: Stack, key: ConversationKey, namespace: str = "") -> list[Any]:
    async with Client.connect(settings(stack, namespace)) as client:
        conversation = await client.get_conversation(key)
        return [message.body async for message in client.iter_messages(conversation.id)]


def jsonl(path: Path, *contents: str) -> Path:
    lines = [{"session_key": "s", "role": "user", "content": each} for each in contents]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


async def test_sample_is_imported_unchanged_and_second_import_adds_nothing(
    stack: Stack,
) -> None:
    entries = list(read_transcript(sample_path()))
    [first] = (await everword(stack, "import", SAMPLE, "--json")).json()["files"]
    assert first["messages_written"] == len(entries)
    assert first["conversations"] == len({entry.target.key.session_key for entry in entries})
    for key in {entry.target.key.session_key: entry.target.key for entry in entries}.values():
        sent = [entry.message for entry in entries if entry.target.key == key]
        assert await stored(stack, key) == sent
    [second] = (await everword(stack, "import", SAMPLE, "--json")).json()["files"]
    assert (second["messages_written"], second["messages_existing"]) == (0, len(entries))


async def test_openai_chat_is_imported_once_with_results_of_tool_calls(
    stack: Stack, tmp_path: Path
) -> None:
    called = {"name": "bash", "arguments": json.dumps({"command": "make test"})}
    chat = [
        {"role": "user", "name": "Ana", "content": "Do the tests pass?"},
        {"role": "assistant", "tool_calls": [{"id": "call_9", "function": called}]},
        {"role": "tool", "tool_call_id": "call_9", "content": "1 failed, 20 passed in 2.1s"},
    ]
    path = tmp_path / "thread-9.json"
    path.write_text(json.dumps({"agent": "opus", "messages": chat}))
    for new, existing in ((2, 0), (0, 2)):
        [done] = (await everword(stack, "import", str(path), "--json")).json()["files"]
        assert (done["messages_written"], done["messages_existing"]) == (new, existing)
    key = ConversationKey(session_key="thread-9", agent="opus")
    asked, call = await stored(stack, key)
    assert (asked.author, call.tool_result) == ("Ana", "1 failed, 20 passed in 2.1s")
    await write_pending_sentences(stack)
    [(sentence, _)] = stored_sentences(stack.database).values()
    assert sentence == "Ran “make test”: 1 failed, 20 passed."


async def test_import_prints_table_of_files_without_escape_sequences(
    stack: Stack, tmp_path: Path
) -> None:
    one = jsonl(tmp_path / "one.jsonl", "a", "b")
    two = jsonl(tmp_path / "two.jsonl", "c")
    done = await everword(stack, "import", str(one), str(two))
    assert done.status == 0
    assert done.errors == ""
    rows = {row.split()[0]: row.split()[1:] for row in done.output.splitlines() if row.strip()}
    assert rows[str(one)] == ["everword", "1", "2", "0", "0", "0"]
    assert rows[str(two)] == ["everword", "1", "1", "0", "0", "0"]
    assert "\x1b" not in done.output


async def test_strict_import_stops_at_bad_line_and_resumes_after_repair(
    stack: Stack, tmp_path: Path
) -> None:
    path = jsonl(tmp_path / "chat.jsonl", *(f"message {n}" for n in range(1200)))
    lines = path.read_text().splitlines()
    lines[1100] = lines[1100].replace("user", "usr")
    path.write_text("\n".join(lines))
    broken = await everword(stack, "import", str(path), "--strict")
    assert broken.status == 1
    assert f"{path}:1101: role is 'usr'" in broken.errors
    assert "Run the same command again" in broken.errors
    assert "Traceback" not in broken.errors
    lines[1100] = lines[1100].replace("usr", "user")
    path.write_text("\n".join(lines))
    [report] = (await everword(stack, "import", str(path), "--json")).json()["files"]
    assert (report["messages_written"], report["messages_existing"]) == (100, 1100)
    contents = [body.content for body in await stored(stack, ConversationKey(session_key="s"))]
    assert contents == [f"message {n}" for n in range(1200)]


async def test_interrupted_import_prints_how_to_resume_and_resumes(
    stack: Stack, tmp_path: Path
) -> None:
    path = jsonl(tmp_path / "chat.jsonl", *(f"message {n}" for n in range(12_000)))
    process = await asyncio.create_subprocess_exec(
        *(EVERWORD, "import", str(path)),
        env=environment(stack),
        stderr=asyncio.subprocess.PIPE,
        # Background processes of a shell ignore interrupts, and their children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    key = ConversationKey(session_key="s")
    async with Client.connect(settings(stack)) as client:

        async def something_is_stored() -> bool:
            return bool((await client.search_service.Browse(BrowseRequest(page_size=1))).memories)

        await until(something_is_stored)
        process.send_signal(signal.SIGINT)
        _, errors = await asyncio.wait_for(process.communicate(), 90)
        assert process.returncode != 0
        assert b"Run the same command again" in errors
        assert b"Traceback" not in errors
        before = (await client.get_conversation(key)).message_count
        assert 0 < before < 12_000
        [report] = (await everword(stack, "import", str(path), "--json")).json()["files"]
        assert report["messages_existing"] >= before
        assert (await client.get_conversation(key)).message_count == 12_000


async def test_import_reports_message_that_conflicts_with_stored_content(
    stack: Stack, tmp_path: Path
) -> None:
    path = tmp_path / "chat.jsonl"
    line = {"session_key": "s", "role": "user", "content": "first words", "external_id": "m-1"}
    path.write_text(json.dumps(line))
    assert (await everword(stack, "import", str(path))).status == 0
    path.write_text(json.dumps({**line, "content": "other words"}))
    done = await everword(stack, "import", str(path))
    assert done.status == 3
    strict = await everword(stack, "import", str(path), "--strict")
    assert strict.status == 1
    assert "EXTERNAL_ID_CONFLICT" in strict.errors
    assert "EXTERNAL_ID_CONFLICT" in done.errors
    assert "external_id m-1" in done.errors
    assert [body.content for body in await stored(stack, ConversationKey(session_key="s"))] == [
        "first words"
    ]


async def test_exported_transcript_is_imported_unchanged_into_another_namespace(
    stack: Stack, tmp_path: Path
) -> None:
    await everword(stack, "import", SAMPLE)
    await everword(stack, "namespaces", "create", "copy")
    key = next(entry.target.key for entry in read_transcript(sample_path()))
    path = tmp_path / "out.jsonl"
    by_key = ["--session-key", key.session_key, "--agent", key.agent, "--channel", key.channel]
    exported = await everword(stack, "export", *by_key, "--output", str(path))
    assert exported.status == 0
    assert exported.output == ""
    imported = await everword(stack, "import", str(path), "--namespace", "copy")
    assert imported.status == 0, imported.errors
    original = await stored(stack, key)
    assert await stored(stack, key, namespace="copy") == original != []
    async with Client.connect(settings(stack, "copy")) as copy:
        details = (await copy.get_conversation(key)).details
    assert details.title == "Moving orderdesk from MySQL to PostgreSQL"


async def test_export_prints_json_lines_or_readable_text(stack: Stack) -> None:
    written = await append(
        stack,
        message("Where is the report?\x1b[2J", author="Ana"),
        message(
            "", role=memory_pb2.ROLE_TOOL, tool_name="find", tool_args="*.pdf", tool_result="a\nb"
        ),
    )
    lines = (await everword(stack, "export", written.conversation_id)).output.splitlines()
    first, second = map(json.loads, lines)
    assert first["content"] == "Where is the report?\x1b[2J"
    assert (first["session_key"], first["author"], first["role"]) == ("s", "Ana", "user")
    assert first["external_id"] == written.messages[0].message_id
    assert (second["tool_name"], second["tool_result"]) == ("find", "a\nb")
    text = (await everword(stack, "export", written.conversation_id, "--format", "text")).output
    assert "Ana (user):\nWhere is the report?�[2J\n" in text
    assert "  find *.pdf\n  a\n  b\n" in text


@pytest.mark.parametrize("form", ["jsonl", "text"])
async def test_export_of_unknown_conversation_fails_and_creates_no_file(
    stack: Stack, tmp_path: Path, form: str
) -> None:
    path = tmp_path / "out"
    done = await everword(
        stack, "export", "--session-key", "none", "--format", form, "--output", str(path)
    )
    assert done.status == 1
    assert "CONVERSATION_NOT_FOUND" in done.errors
    assert not path.exists()
