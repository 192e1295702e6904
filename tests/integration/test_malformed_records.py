"""A malformed record of an export is skipped and listed; the others are read."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

import msgpack
import pytest

from everword.formats import Record, open_reading
from everword.transcripts import Entry, Meter, RecordError, TranscriptError
from everword.v1.note_service_pb2 import WriteNoteRequest
from support import exports
from support.broken_exports import written
from support.malformed_exports import Export, all_exports, malformed

NAMES = (
    "chatgpt", "claude", "claude-projects", "claude-memories", "gemini", "mem0", "openai", "letta",
    "letta-passages", "hindsight-facts", "hindsight-models", "jsonl", "bench",
)  # fmt: skip

#: Malformed records between two others, which are read nevertheless.
IN_FILE = 40


def read(path: Path) -> tuple[list[Any], Meter]:
    """Return the identity of each record, and the skipped records."""
    reading = open_reading(str(path))
    return [identity(each) for each in reading.records], reading.meter


def identity(record: Record) -> Any:
    if isinstance(record, Entry):
        key, message = record.target.key, record.message
        return key.session_key, message.external_id, message.content, message.tool_args
    return record.SerializeToString(deterministic=True)


def batched(records: Iterable[tuple[str, Any]]) -> Iterator[list[tuple[str, Any]]]:
    """Yield up to `IN_FILE` records at a time."""
    left = iter(records)
    while some := list(islice(left, IN_FILE)):
        yield some


@pytest.mark.parametrize("name", NAMES)
def test_import_with_any_field_missing_or_wrong_reads_the_other_records(
    tmp_path: Path, name: str
) -> None:
    export: Export = next(each for each in all_exports(tmp_path) if each.name == name)
    first, middle, last = export.records
    others, _ = read(export.write(tmp_path, [first, last]))
    assert len(others) >= 2
    skipped = 0
    # Several in one file, since most of the time is spent on reading a file at all.
    for some in batched(malformed(middle)):
        done = [name for name, _ in some]
        found, meter = read(export.write(tmp_path, [first, *(each for _, each in some), last]))
        assert set(others) <= set(found), done
        assert not [each for each in meter.skipped_records if "Error" in each.reason], done
        skipped += meter.records_skipped
    assert skipped > 20


@pytest.mark.parametrize("name", NAMES)
def test_import_with_malformed_first_record_recognises_the_format(
    tmp_path: Path, name: str
) -> None:
    export: Export = next(each for each in all_exports(tmp_path) if each.name == name)
    others, _ = read(export.write(tmp_path, list(export.records)))
    for wrong in (None, "odd", {}, {"title": 5}):
        found, meter = read(export.write(tmp_path, [wrong, *export.records]))
        assert found == others, wrong
        assert meter.records_skipped == 1, wrong


def test_import_strict_raises_the_error_of_the_first_malformed_record(tmp_path: Path) -> None:
    for export in all_exports(tmp_path):
        path = export.write(tmp_path, [export.records[0], 5, export.records[2]])
        with pytest.raises(RecordError, match="object"):
            list(open_reading(str(path), strict=True).records)


def test_import_of_chatgpt_skips_malformed_messages_and_follows_the_branch(tmp_path: Path) -> None:
    [chat] = exports.chats_in(exports.chatgpt(tmp_path))
    whole, _ = read(written(tmp_path / "chats.json", [chat]))
    chat["mapping"]["a2"] = "odd"
    chat["mapping"]["a3"]["parent"] = "gone"
    chat["mapping"]["out"]["message"]["author"]["role"] = "critic"
    found, meter = read(
        written(tmp_path / "chats.json", [chat, {"title": "no mapping", "id": "c"}])
    )
    place = f"{tmp_path / 'chats.json'}: conversation 1 (Sums)"
    named = {each.place.removeprefix(place): each.reason for each in meter.skipped_records}
    assert named.pop(", node a2") == "a JSON object is expected, not text"
    assert "author.role is 'critic'" in named.pop(", message out")
    assert [*named.values()] == ["it has no mapping"]
    # The tool call without its result remains, and so do both user messages.
    assert {each[2] for each in found if each[2]} == {"What is 0+1+2+3?"}
    assert len(found) == len(whole) - 1


def test_import_of_claude_skips_a_message_of_an_unknown_sender(tmp_path: Path) -> None:
    def message(own: str, parent: str, sender: str) -> dict[str, Any]:
        return {"uuid": own, "parent_message_uuid": parent, "sender": sender, "text": f"say {own}"}

    chat = {
        "uuid": "chat",
        "chat_messages": [
            message("1", "root", "human"),
            message("2", "1", "robot"),
            {**message("", "2", "assistant")},
            message("4", "3", "human"),
        ],
    }
    found, meter = read(written(tmp_path / "claude.json", [chat, {**chat, "uuid": None}]))
    assert [each[2] for each in found] == ["say 1", "say 4"]
    reasons = [each.reason for each in meter.skipped_records]
    assert reasons == [
        "it has no uuid",
        "sender is 'robot'; it must be human or assistant",
        "it has no uuid",
    ]


def test_import_of_german_gemini_log_removes_labels_and_scripts(
    tmp_path: Path,
) -> None:
    def entry(title: str, minute: int, *html: str, **more: Any) -> dict[str, Any]:
        answer = {"safeHtmlItem": [{"html": each} for each in html]} if html else {}
        at = f"2026-03-02T09:{minute:02}:00Z"
        return {"header": "Gemini-Apps", "title": title, "time": at, **answer, **more}

    log = [
        entry(
            "Eingegebener Prompt: Wie alt ist Rom?", 1, "<style>p {}</style><p>&uuml;ber 2700</p>"
        ),
        entry("Eingegebener Prompt:\xa0Und Paris?", 2),
        entry("Hat Gemini-Apps verwendet", 3),
        entry("Prompted No time", 4, time=None),
        entry("Prompted Hi", 5, "<script>alert(1)</script>ok"),
    ]
    found, meter = read(written(tmp_path / "MyActivity.json", log))
    assert [each[2] for each in found] == [
        "Wie alt ist Rom?",
        "über 2700",
        "Und Paris?",
        "Hi",
        "ok",
    ]
    [skipped] = meter.skipped_records
    assert skipped.place.endswith("entry 4")
    assert skipped.reason == "it has no time"
    # Another language is learned from entries with answers.
    log = [entry(f"Prompt envoyé : {each}", each, "<p>oui</p>") for each in range(4)]
    found, _ = read(written(tmp_path / "MyActivity.json", [*log, entry("Prompt envoyé : seul", 9)]))
    assert [each[2] for each in found if each[2] != "oui"] == ["0", "1", "2", "3", "seul"]


def test_import_of_openai_messages_skips_one_without_content(tmp_path: Path) -> None:
    calls = [
        {"id": own, "type": "function", "function": {"name": own, "arguments": "{}"}}
        for own in ("a", "b")
    ]
    messages: list[dict[str, Any]] = [
        {"role": "developer", "content": "Rules."},
        {"role": "user", "content": None},
        {"role": "wizard", "content": "Boo"},
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "b", "content": "B"},
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]},
        {"role": "function", "name": "old", "content": "Old"},
    ]
    path = written(tmp_path / "chat.json", messages)
    entries = list(open_reading(str(path)).records)
    _, meter = read(path)
    said = [
        (each.message.content or each.message.tool_name, each.message.tool_result)
        for each in entries
        if isinstance(each, Entry)
    ]
    assert said == [("Rules.", ""), ("a", ""), ("b", "B"), ("No.", ""), ("Old", "")]
    assert {each.reason.partition(";")[0] for each in meter.skipped_records} == {
        "it has no content",
        "role is 'wizard'",
    }
    # After a repair, the other records keep their ids.
    messages[1]["content"] = "Hello"
    repaired = list(open_reading(str(written(tmp_path / "chat.json", messages))).records)
    assert {identity(each) for each in entries} < {identity(each) for each in repaired}


def test_import_skips_lines_without_session_key_at_any_position(tmp_path: Path) -> None:
    good = [{"session_key": "s", "role": "user", "content": f"{n}", "id": f"{n}"} for n in range(3)]
    bad = [{"role": "user", "content": "lost"}, "[1]", "{"]
    for place in range(4):
        lines = [*good[:place], *bad, *good[place:]]
        texts = [each if isinstance(each, str) else json.dumps(each) for each in lines]
        found, meter = read(written(tmp_path / "chat.jsonl", "\n".join(texts).encode()))
        assert [each[2] for each in found] == ["0", "1", "2"]
        assert meter.records_skipped == 3


def test_import_skips_records_that_are_not_utf8(tmp_path: Path) -> None:
    for export in all_exports(tmp_path):
        if export.file.endswith(".zip"):
            continue
        path = export.write(tmp_path, list(export.records))
        whole, _ = read(path)
        others, _ = read(export.write(tmp_path, [export.records[0], export.records[2]]))
        data = export.write(tmp_path, [export.records[0], export.records[1], export.records[2]])
        text = json.dumps(export.records[1])
        # The record in the middle gets a Latin-1 byte.
        start = data.read_bytes().index(text.encode())
        quote = data.read_bytes().rindex(b'"', start, start + len(text))
        path.write_bytes(data.read_bytes()[:quote] + b"\xe9" + data.read_bytes()[quote:])
        found, meter = read(path)
        assert set(others) <= set(found) < set(whole), export.name
        assert [each.reason for each in meter.skipped_records] == ["it is not UTF-8"], export.name


def test_import_of_truncated_file_reads_its_complete_records_and_raises(tmp_path: Path) -> None:
    for export in all_exports(tmp_path):
        if export.file.endswith((".zip", ".jsonl")):
            continue
        path = export.write(tmp_path, list(export.records))
        path.write_bytes(path.read_bytes()[:-9])
        reading = open_reading(str(path))
        found = list[Any]()
        with pytest.raises(TranscriptError, match="it is damaged after"):
            found.extend(identity(each) for each in reading.records)
        before, _ = read(export.write(tmp_path, [export.records[0]]))
        assert set(before) <= set(found) or not found, export.name


def test_import_of_zip_with_truncated_part_reads_its_complete_records_and_raises(
    tmp_path: Path,
) -> None:
    [chat] = exports.chats_in(exports.chatgpt(tmp_path))
    chats = [{**chat, "id": f"c-{number}"} for number in range(4)]
    others, _ = read(written(tmp_path / "two.json", chats[:2]))
    last, _ = read(written(tmp_path / "last.json", chats[3:]))
    cut = json.dumps(chats[:3])[:-60]
    for more, rest in (({}, []), ({"conversations-2.json": json.dumps(chats[3:])}, last)):
        path = tmp_path / "export.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for name, text in {"conversations.json": cut, **more}.items():
                archive.writestr(name, text)
        reading = open_reading(str(path))
        found = list[Any]()
        with pytest.raises(
            TranscriptError, match=r"conversations\.json: it is damaged after conver"
        ):
            found.extend(identity(each) for each in reading.records)
        assert found == others + rest
        assert reading.meter.records_skipped == 0


def test_import_of_zip_reports_a_damaged_part(
    tmp_path: Path,
) -> None:
    [chat] = exports.chats_in(exports.chatgpt(tmp_path))
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("conversations.json", json.dumps([chat]))
        archive.writestr("conversations-2.json", json.dumps([{**chat, "id": "c-2"}]))
    data = path.read_bytes()
    path.write_bytes(data.replace(b'"id": "c-2"', b'"id": "c-3"'))
    reading = open_reading(str(path))
    found = list[Any]()
    with pytest.raises(TranscriptError, match=r"conversations-2\.json: it is damaged"):
        found.extend(identity(each) for each in reading.records)
    assert found == read(written(tmp_path / "one.json", [chat]))[0]
    with pytest.raises(TranscriptError, match=r"conversations-2\.json: it is damaged"):
        list(open_reading(str(path), strict=True).records)


def test_import_of_memories_with_one_id_keeps_each_different_text(tmp_path: Path) -> None:
    first = {"id": "q", "memory": "A", "user_id": "u"}
    others = [first, {**first, "memory": "B"}, {**first, "user_id": "v", "memory": "C"}]
    path = written(tmp_path / "mem0.json", [first, *others])
    for _ in range(2):
        notes = [
            each.note
            for each in open_reading(str(path)).records
            if isinstance(each, WriteNoteRequest)
        ]
        assert [each.content for each in notes] == ["A", "A", "B", "C"]
        keys = [(each.key, each.scope.subject) for each in notes]
        assert keys[0] == keys[1] == ("mem0/q", "u")
        assert keys[2] == (f"mem0/q/{keys[2][0][7:]}", "u") != keys[0]
        assert keys[3] == ("mem0/q", "v")


def test_import_of_a_database_skips_malformed_rows(tmp_path: Path) -> None:
    path = exports.ryvos(tmp_path)
    whole, _ = read(path)
    with closing(sqlite3.connect(path)) as database, database:
        row = "INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, ?, ?, ?)"
        bad = [
            ("s-1", "wizard", "x", "2026-03-02T08:09:00Z"),
            ("s-1", "user", "x", "soon"),
            ("s-1", "user", '[{"type": "tool_use"}]', "2026-03-02T08:09:00Z"),
            ("s-1", "user", '[{"type": "text", "text": 5}]', "2026-03-02T08:09:00Z"),
            ("", "user", "x", "2026-03-02T08:09:00Z"),
        ]
        database.executemany(row, bad)
        latin = row.replace("?, ?, ?, ?", "'s-1', 'user', CAST(? AS TEXT), ''")
        database.execute(latin, [b"caf\xe9"])
        database.execute("INSERT INTO memory VALUES (2, 'empty', NULL)")
    found, meter = read(path)
    assert found == whole
    assert meter.records_skipped == len(bad) + 2
    assert "it is not UTF-8" in str(meter.skipped_records)


def test_import_of_checkpoints_skips_malformed_checkpoints_and_messages(tmp_path: Path) -> None:
    path = exports.langgraph(tmp_path)
    whole, _ = read(path)
    odd = {"type": "ai", "content": "x", "id": "odd", "tool_calls": [{"args": {}}]}
    unknown = {"type": "robot", "content": "x", "id": "r", "additional_kwargs": {}}
    late = {"id": "2f0", "ts": "soon", "channel_values": {"messages": []}}
    states = [
        (
            "thread-2",
            None,
            msgpack.packb({"ts": "", "channel_values": {"messages": [odd, unknown]}}),
        ),
        ("thread-3", None, b"\xc1"),
        ("thread-4", None, msgpack.packb([1])),
        ("thread-5", None, msgpack.packb(late)),
    ]
    with closing(sqlite3.connect(path)) as database, database:
        for thread, parent, data in states:
            row = (thread, "", "2f0-0", parent, "msgpack", data, b"{}")
            database.execute("INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    found, meter = read(path)
    assert found == whole
    assert [each.reason.partition(" (")[0] for each in meter.skipped_records] == [
        "a tool call has no name",
        "its type is 'robot', which is not a role",
        "it is damaged",
        "it contains no state",
        "'soon' is not a time",
    ]
