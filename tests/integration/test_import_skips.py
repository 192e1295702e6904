"""`everword import` skips and lists records that it cannot store, and exits with 3."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from everword.v1.search_service_pb2 import BrowseRequest
from support.command_line import everword
from support.erasure_checks import erase
from support.stack import Stack

SKIPPED = 3


def chat(own: str | None, *said: str, **more: Any) -> dict[str, Any]:
    """Return a conversation of a ChatGPT export."""
    mapping: dict[str, Any] = {}
    for number, text in enumerate(said):
        message = {
            "author": {"role": "user"},
            "content": {"content_type": "text", "parts": [text]},
            "create_time": 1767225600.0 + number,
        }
        parent = str(number - 1) if number else None
        mapping[str(number)] = {"message": message, "parent": parent, "children": []}
    named = {} if own is None else {"id": own}
    last = str(len(said) - 1)
    return {**named, "title": "T", "mapping": mapping, "current_node": last, **more}


def written(path: Path, content: object) -> str:
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return str(path)


async def imported(stack: Stack, *arguments: str) -> tuple[int, list[dict[str, Any]], str]:
    """Return the exit status of an import, its files as JSON, and its error output."""
    done = await everword(stack, "import", *arguments, "--json")
    assert "Traceback" not in done.errors
    return done.status, json.loads(done.output)["files"], done.errors


async def test_import_with_malformed_records_stores_the_others_and_exits_with_3(
    stack: Stack, tmp_path: Path
) -> None:
    one = written(
        tmp_path / "one.json",
        [chat("c-1", "FIRST"), chat(None, "NO-ID"), chat("c-3", mapping=None), chat("c-4", "LAST")],
    )
    two = written(
        tmp_path / "two.jsonl", '{"oops"\n{"session_key": "s", "role": "user", "content": "TWO"}'
    )
    status, [first, second], errors = await imported(stack, one, two)
    assert status == SKIPPED
    assert (first["messages_written"], first["records_skipped"]) == (2, 2)
    assert first["skipped_records"] == [
        {"place": f"{one}: conversation 2", "reason": "it has no id"},
        {"place": f"{one}: conversation 3 (T)", "reason": "it has no mapping"},
    ]
    assert second["skipped_records"][0]["place"] == f"{two}:1"
    assert f"skipped: {one}: conversation 2: it has no id" in errors
    found = await everword(stack, "search", "LAST", "--json")
    assert "LAST" in found.output
    # A repeated import adds nothing and reports the same.
    status, [again, _], _ = await imported(stack, one, two)
    assert status == SKIPPED
    assert (again["messages_written"], again["messages_existing"]) == (0, 2)
    assert again["skipped_records"] == first["skipped_records"]
    shown = await everword(stack, "import", one)
    assert shown.status == SKIPPED
    assert f"{one}: 2 records skipped" in shown.output.replace("\n", "")
    status, [tried, _], _ = await imported(stack, one, two, "--dry-run")
    assert (status, tried["records_skipped"]) == (SKIPPED, 2)
    repaired = written(tmp_path / "one.json", [chat("c-1", "FIRST"), chat("c-4", "LAST")])
    assert (await imported(stack, repaired))[0] == 0


async def test_import_strict_stops_at_the_first_malformed_record_and_keeps_earlier_ones(
    stack: Stack, tmp_path: Path
) -> None:
    one = written(
        tmp_path / "one.json", [chat("c-1", "FIRST"), chat(None, "?"), chat("c-4", "LAST")]
    )
    two = written(tmp_path / "two.json", [chat("c-5", "TWO")])
    status, [first], errors = await imported(stack, "--strict", one, two)
    assert status == 1
    assert first["messages_written"] == 1
    assert first["error"] == f"{one}: conversation 2: it has no id"
    assert f"Error: {one}: conversation 2: it has no id" in errors
    assert "Run the same command again" in errors


async def test_import_of_a_damaged_file_stores_what_it_reads_and_the_other_files(
    stack: Stack, tmp_path: Path
) -> None:
    whole = json.dumps([chat("c-1", "FIRST"), chat("c-2", "LOST")])
    cut = written(tmp_path / "cut.json", whole[:-9])
    none = written(tmp_path / "none.json", {"a": 1})
    good = written(tmp_path / "good.json", [chat("c-3", "GOOD")])
    status, files, errors = await imported(stack, cut, none, good)
    assert status == 1
    assert [each["messages_written"] for each in files] == [1, 0, 1]
    assert "it is damaged after conversation 1" in files[0]["error"]
    assert "it contains no `messages`" in files[1]["error"]
    assert f"{none}: " in errors
    assert "it is damaged after conversation 1" in errors


async def test_import_skips_and_lists_records_that_the_server_refuses(
    stack: Stack, tmp_path: Path
) -> None:
    def lines(*contents: str) -> str:
        said = [
            {
                "session_key": f"s-{number % 2}",
                "role": "user",
                "content": content,
                "id": f"m-{number}",
            }
            for number, content in enumerate(contents)
        ]
        said.append({"session_key": "", "role": "user", "content": "h"})
        return written(tmp_path / "chat.jsonl", "\n".join(map(json.dumps, said)))

    assert (await imported(stack, lines("a", "b", "c", "d")))[0] == SKIPPED
    # The server refuses changes of a stored message, texts over 1 MiB, and keys without letters.
    path = lines("a", "other words", "c", "d", "e", "x" * (1024 * 1024 + 1), "g")
    for written_now, existing in ((2, 3), (0, 5)):
        status, [report], errors = await imported(stack, path)
        assert status == SKIPPED
        assert (report["messages_written"], report["messages_existing"]) == (written_now, existing)
        named = {each["place"]: each["reason"] for each in report["skipped_records"]}
        assert list(named) == [f"{path}:6", f"{path}:8", f"{path}:2"]
        assert "EXTERNAL_ID_CONFLICT" in named[f"{path}:2"]
        assert "content" in named[f"{path}:6"]
        assert "session_key" in named[f"{path}:8"]
        assert f"skipped: {path}:2" in errors


async def test_import_skips_erased_messages(stack: Stack, tmp_path: Path) -> None:
    def lines(*contents: str) -> str:
        said = [
            {"session_key": "s", "role": "user", "content": each, "id": each} for each in contents
        ]
        return written(tmp_path / "chat.jsonl", "\n".join(map(json.dumps, said)))

    path = lines("one", "two", "three")
    assert (await imported(stack, path))[0] == 0
    found = await stack.search.Browse(BrowseRequest())
    gone = next(each.id for each in found.memories if each.content == "two")
    await erase(stack, message_id=gone)
    status, [report], _ = await imported(stack, lines("one", "two", "three", "four"))
    assert (status, report["messages_written"]) == (SKIPPED, 1)
    [named] = report["skipped_records"]
    assert named["place"] == f"{path}:2"
    assert "CONTENT_ERASED" in named["reason"]


async def test_import_prints_no_escape_sequence_of_a_malformed_record(
    stack: Stack, tmp_path: Path
) -> None:
    title = "T\x1b[2J\nskipped: nothing"
    path = written(tmp_path / "one.json", [chat("c-1", "a"), chat("c-2", title=title, mapping=5)])
    done = await everword(stack, "import", path)
    assert done.status == SKIPPED
    assert "\x1b" not in done.errors
    assert "\nskipped: nothing" not in done.errors


async def test_import_strict_names_the_record_that_the_server_refuses(
    stack: Stack, tmp_path: Path
) -> None:
    said = [("m-1", "one"), ("m-2", "two"), ("m-1", "other words"), ("m-4", "four")]
    lines = [
        {"session_key": "s", "role": "user", "content": content, "id": own} for own, content in said
    ]
    path = written(tmp_path / "chat.jsonl", "\n".join(map(json.dumps, lines)))
    status, [report], errors = await imported(stack, "--strict", path)
    assert status == 1
    assert report["error"].startswith(f"{path}:3: ")
    assert "EXTERNAL_ID_CONFLICT" in report["error"]
    assert f"Error: {path}:3: " in errors
    assert report["messages_written"] == 2


async def test_import_of_two_memories_of_one_id_stores_both_once(
    stack: Stack, tmp_path: Path
) -> None:
    note = {"id": "q", "user_id": "u", "memory": "A"}
    odd = written(tmp_path / "mem0.json", [note, {**note, "memory": "B"}, {**note, "id": "r"}])
    for new in (3, 0):
        status, [report], _ = await imported(stack, odd)
        assert (status, report["notes_written"], report["notes_existing"]) == (0, new, 3 - new)
