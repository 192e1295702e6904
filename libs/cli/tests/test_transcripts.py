"""Transcript files: allowed contents, and error messages for malformed files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import ParseDict

from everword.samples import sample_path
from everword.transcripts import (
    Entry,
    TranscriptError,
    read_transcript,
    to_line,
)
from everword.v1 import conversation_pb2, memory_pb2

LINE = {"session_key": "s", "role": "user", "content": "hello"}


def jsonl(folder: Path, *lines: dict[str, Any] | str) -> Path:
    path = folder / "chat.jsonl"
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return path


def document(folder: Path, *messages: dict[str, Any], **conversation: Any) -> Path:
    path = folder / "bench.json"
    entry = {"conversation": "c", "messages": messages, "queries": [], **conversation}
    path.write_text(json.dumps({"format": "everword-bench/1", "conversations": [entry]}))
    return path


def problem(path: Path) -> str:
    with pytest.raises(TranscriptError) as caught:
        list(read_transcript(path))
    return str(caught.value)


def test_sample_transcript_is_read_with_tools_metadata_classes_and_times() -> None:
    entries = list(read_transcript(sample_path()))
    assert len(entries) >= 150
    by_id = {entry.message.external_id: entry for entry in entries}
    call = by_id["mig-006"]
    assert call.message.role == memory_pb2.ROLE_TOOL
    assert json.loads(call.message.tool_args)["host"] == "10.20.4.17"
    assert call.message.create_time.ToJsonString() == "2026-03-02T08:14:00Z"
    assert call.message.metadata["session"] == "2026-03-02"
    assert call.target.key.session_key == "slack:orders-db"
    assert call.target.key.agent == "atlas"
    assert call.target.details.title == "Moving orderdesk from MySQL to PostgreSQL"
    assert any(entry.message.automated for entry in entries)
    assert any(entry.message.importance_class for entry in entries)


def test_jsonl_line_names_its_conversation(tmp_path: Path) -> None:
    path = jsonl(
        tmp_path,
        {**LINE, "agent": "opus", "channel": "cli", "subject": "ana", "instance": "laptop"},
        "",
        {**LINE, "session_key": "t", "id": "m-2", "tool_args": {"n": 1}},
    )
    first, second = read_transcript(path)
    assert (first.target.key.agent, first.target.key.channel) == ("opus", "cli")
    assert first.target.details.subject == "ana"
    assert first.message.instance == "laptop"
    assert not first.target.details.instance
    assert second.target.key.session_key == "t"
    assert second.message.external_id == "m-2"
    assert second.message.tool_args == '{"n": 1}'


def test_jsonl_line_without_id_gets_a_stable_id(tmp_path: Path) -> None:
    [before] = read_transcript(jsonl(tmp_path, LINE))
    same, other = read_transcript(jsonl(tmp_path, LINE, LINE))
    assert same.message.external_id == before.message.external_id != ""
    assert other.message.external_id != same.message.external_id


def test_jsonl_line_with_empty_id_gets_a_generated_id(tmp_path: Path) -> None:
    for empty in ({"id": None}, {"id": ""}, {"external_id": None}, {"external_id": "", "id": None}):
        [first] = read_transcript(jsonl(tmp_path, {**LINE, **empty}))
        [again] = read_transcript(jsonl(tmp_path, {**LINE, **empty}))
        assert first.message.external_id == again.message.external_id != ""
    [own] = read_transcript(jsonl(tmp_path, {**LINE, "id": "m-1", "external_id": None}))
    assert own.message.external_id == "m-1"
    for empty in ({"id": None}, {"id": ""}):
        path = document(tmp_path, {"role": "user", "content": "x", **empty})
        assert "it has no id" in problem(path)


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("2026-01-01T00:00:00", "2026-01-01T00:00:00Z"),
        ("2026-01-01T01:00:00.25+01:00", "2026-01-01T00:00:00.250Z"),
        (1767225600, "2026-01-01T00:00:00Z"),
        (1767225600000, "2026-01-01T00:00:00Z"),
        (1767225600.5, "2026-01-01T00:00:00.500Z"),
    ],
)
def test_message_time_may_lack_a_zone_or_be_a_number(
    tmp_path: Path, given: object, stored: str
) -> None:
    message = {"id": "m-1", "role": "user", "content": "x", "create_time": given}
    for path in (jsonl(tmp_path, {**message, **LINE}), document(tmp_path, message)):
        [entry] = read_transcript(path)
        assert entry.message.create_time.ToJsonString() == stored


def test_empty_create_time_is_left_unset(tmp_path: Path) -> None:
    for none in (None, "", 0):
        [entry] = read_transcript(jsonl(tmp_path, {**LINE, "create_time": none}))
        assert not entry.message.HasField("create_time")


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"role": "usr"}, "role is 'usr'; it must be one of system, user, assistant, tool"),
        ({"role": None}, "role is null"),
        ({"importance_class": "high"}, "one of task, fact, preference, correction"),
        ({"contnet": "x"}, 'no field named "contnet"'),
        ({"session_key": ""}, "session_key"),
        ({"content": "a\0b"}, "NUL"),
        ({"metadata": {"deep": ["a\0b"]}}, "NUL"),
        ({"content": "\ud800"}, "surrogate"),
        ({"content": "x" * (1024 * 1024 + 1)}, "content: must be at most 1048576 bytes"),
        ({"create_time": "last week"}, "create_time: 'last week' is not a time"),
        ({"create_time": True}, "create_time: 'True' is not a time"),
        ({"tags": ["a", "a"]}, "tags"),
        ({"metadata": [1]}, "metadata"),
        ({"id": 7}, "external_id"),
    ],
)
def test_invalid_line_is_reported_with_file_number_and_reason(
    tmp_path: Path, change: dict[str, Any], named: str
) -> None:
    path = jsonl(tmp_path, LINE, {**LINE, **change})
    text = problem(path)
    assert text.startswith(f"{path}:2: ")
    assert named in text
    assert "\n" not in text


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("{", "not JSON"),
        ("[1]", "object is expected"),
        ("nul", "not JSON"),
        ("[" * 100_000, "nested too deeply"),
    ],
    ids=["unfinished", "array", "word", "deep"],
)
def test_line_that_is_not_a_json_object_is_reported(tmp_path: Path, line: str, named: str) -> None:
    path = jsonl(tmp_path, LINE, line)
    assert problem(path).startswith(f"{path}:2: ")
    assert named in problem(path)


def test_line_that_is_not_utf8_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_bytes(json.dumps(LINE).encode() + b'\n{"content": "\xff"}\n')
    assert problem(path) == f"{path}:2: it is not UTF-8"


def test_invalid_message_of_a_document_is_reported_with_its_conversation(tmp_path: Path) -> None:
    path = document(tmp_path, {"id": "m-1", "role": "nobody", "content": "x"})
    assert problem(path).startswith(f"{path}: conversation 'c', message 1 (m-1): role is 'nobody'")
    assert "it has no id" in problem(document(tmp_path, {"role": "user", "content": "x"}))
    assert 'no field named "titel"' in problem(document(tmp_path, {"id": "1"}, titel="x"))


def test_a_document_of_another_format_is_refused_with_a_hint(tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(LINE))
    assert "everword-bench/1" in problem(path)
    assert ".jsonl" in problem(path)
    path.write_text('{"format":\n "everword-bench/1",\n oops}')
    assert problem(path).startswith(f"{path}: it is damaged (lexical error")


def stored(entry: Entry) -> tuple[conversation_pb2.Conversation, memory_pb2.Message]:
    conversation = conversation_pb2.Conversation(
        id="c", key=entry.target.key, details=entry.target.details, message_count=1
    )
    return conversation, memory_pb2.Message(id="m", conversation_id="c", seq=1, body=entry.message)


def test_exported_lines_are_read_back_unchanged(tmp_path: Path) -> None:
    entries = list(read_transcript(sample_path()))
    path = jsonl(tmp_path, *(to_line(*stored(entry)) for entry in entries))
    assert list(read_transcript(path)) == entries


def test_message_without_external_id_is_exported_with_its_id(tmp_path: Path) -> None:
    body = ParseDict({"role": "ROLE_USER", "content": "x"}, memory_pb2.NewMessage())
    key = conversation_pb2.ConversationKey(session_key="s")
    line = to_line(conversation_pb2.Conversation(key=key), memory_pb2.Message(id="m-9", body=body))
    assert line == {"session_key": "s", "role": "user", "content": "x", "external_id": "m-9"}
