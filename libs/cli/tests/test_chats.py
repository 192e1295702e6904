"""Chats as OpenAI's API has them are read as conversations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from everword.transcripts import Entry, TranscriptError, read_transcript
from everword.v1 import memory_pb2

FUNCTION = {"name": "run_sql", "arguments": '{"sql": "SELECT 1"}'}
CALL = {"id": "call_1", "type": "function", "function": FUNCTION}
CHAT: list[dict[str, Any]] = [
    {"role": "developer", "content": "Be brief."},
    {"role": "user", "name": "Ana", "content": "How many orders?"},
    {"role": "assistant", "content": None, "tool_calls": [CALL, {**CALL, "id": "call_2"}]},
    {"role": "tool", "tool_call_id": "call_2", "content": [{"type": "text", "text": "(37 rows)"}]},
    {"role": "tool", "tool_call_id": "call_1", "content": "(1 row)"},
    {"role": "assistant", "content": [{"type": "text", "text": "There are"}, {"type": "text", "text": "37."}]},
    {
        "role": "user",
        "content": [
            {"type": "text", "text": "And this?"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 5000}},
        ],
    },
]  # fmt: skip


def written(folder: Path, name: str, content: object) -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def read(path: Path) -> list[Entry]:
    return list(read_transcript(path))


def test_chat_tool_calls_are_joined_with_results_and_text_parts_merged(tmp_path: Path) -> None:
    chat = {"id": "thread-7", "agent": "opus", "created": 1772438400, "messages": CHAT}
    path = written(tmp_path, "chat.json", chat)
    entries = read(path)
    messages = [entry.message for entry in entries]
    roles = [memory_pb2.Role.Name(each.role).removeprefix("ROLE_") for each in messages]
    assert roles == ["SYSTEM", "USER", "ASSISTANT", "ASSISTANT", "ASSISTANT", "USER"]
    assert (messages[1].author, messages[1].content) == ("Ana", "How many orders?")
    first, second = messages[2:4]
    assert (first.tool_name, first.tool_result) == ("run_sql", "(1 row)")
    assert first.tool_args == '{"sql": "SELECT 1"}'
    assert (first.external_id, second.external_id) == ("call_1", "call_2")
    assert second.tool_result == "(37 rows)"
    assert messages[4].content == "There are\n37."
    text, picture = messages[5].content_blocks
    assert (text.text, picture.type) == ("And this?", "image_url")
    assert len(picture.json) < 200
    assert {each.create_time.ToJsonString() for each in messages} == {"2026-03-02T08:00:00Z"}
    keys = {(entry.target.key.session_key, entry.target.key.agent) for entry in entries}
    assert keys == {("thread-7", "opus")}
    assert len({each.external_id for each in messages}) == len(messages)
    assert [each.message for each in read(path)] == messages


def test_chat_file_shapes_are_distinguished(tmp_path: Path) -> None:
    chats = [{"messages": CHAT}, {"messages": CHAT[:2], "session_key": "mine"}]
    shapes = {
        "bare.json": CHAT,
        "several.json": chats,
        "tuning.jsonl": "\n".join(map(json.dumps, chats)),
        "lines.jsonl": "\n\n".join(map(json.dumps, CHAT)),
    }
    found = {}
    for name, content in shapes.items():
        path = written(tmp_path, name, content)
        found[name] = list(dict.fromkeys(entry.target.key.session_key for entry in read(path)))
    assert found == {
        "bare.json": ["bare"],
        "several.json": ["several-1", "mine"],
        "tuning.jsonl": ["tuning-1", "mine"],
        "lines.jsonl": ["lines"],
    }


def test_chat_with_legacy_functions_and_unmatched_results_is_read(tmp_path: Path) -> None:
    old = [
        {"role": "assistant", "content": "Let me look.", "function_call": {"name": "find", "arguments": "{}"}},
        {"role": "function", "name": "find", "content": "nothing"},
        {"role": "tool", "tool_call_id": "gone", "content": "late"},
        {"role": "assistant", "tool_calls": [CALL]},
        {"role": "assistant", "content": None, "refusal": "No."},
    ]  # fmt: skip
    messages = [entry.message for entry in read(written(tmp_path, "old.json", old))]
    told = [(each.content, each.tool_name, each.tool_result) for each in messages]
    assert told == [
        ("Let me look.", "", ""),
        ("", "find", "nothing"),
        ("late", "", ""),
        ("", "run_sql", ""),
        ("No.", "", ""),
    ]
    # The answer may come when the file is read again.
    assert messages[3].external_id != "call_1"


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.json", {"messages": [*CHAT, {"role": "bot", "content": "x"}]}, ", message 8: role is 'bot'"),
        ("a.json", [{"messages": CHAT}, {"messages": ["x"]}], "chat 2, message 1: a JSON object"),
        ("a.json", {"messages": [{"role": "user", "content": 5}]}, ", message 1: content must be"),
        ("a.json", {"messages": [{"role": "assistant", "tool_calls": [{}]}]}, "message 1: a tool call has no"),
        ("a.json", {"messages": [{"role": "user", "content": "a\0"}]}, "message 1: NUL"),
        ("a.json", {"messages": [{"role": "user", "content": "a", "created_at": "soon"}]}, "'soon' is not a time"),
        ("a.jsonl", '{"role": "user", "content": "a"}\n\n{"role": "user", "content": {}}', ".jsonl:3: content must"),
        ("a.jsonl", '{"role": "user", "content": "a"}\n{"role": "bot"}', ".jsonl:2: role is 'bot'"),
        ("a.jsonl", '{"messages": []}\n{"messages": [{"role": "x"}]}', ".jsonl:2, message 1: role"),
        ("a.json", {"a": 1}, "it contains no `messages`"),
    ],
)  # fmt: skip
def test_chat_error_names_the_line_or_message(
    tmp_path: Path, name: str, content: object, told: str
) -> None:
    with pytest.raises(TranscriptError) as caught:
        read(written(tmp_path, name, content))
    assert told in str(caught.value)
