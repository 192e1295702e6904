"""Ryvos' SQLite files: sessions in `sessions.db`, entries of its memory, and what Viking keeps in `viking.db`."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from typing import Any

from everword.formats.records import Record, chat_entries, conversation, day_of, note
from everword.transcripts import (
    NOT_UTF8,
    Meter,
    RecordError,
    has_replaced_bytes,
    list_in,
    parse_json,
    text_in,
    time_of,
)

CHANNEL = "ryvos"


def reader(tables: dict[str, set[str]]) -> object:
    """Return the function that reads a database with these tables; None if it is not Ryvos'."""
    is_sessions = {"session_id", "role", "content", "timestamp"} <= tables.get("messages", set())
    is_viking = {"user_id", "path", "content"} <= tables.get("viking_entries", set())
    return read if is_sessions or is_viking else None


def read(connection: sqlite3.Connection, place: str, meter: Meter) -> Iterator[Record]:
    """Yield the messages of all sessions, and a note for each memory.

    Raises: TranscriptError if the database is damaged.
    """
    names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    retained = [name for name in ("messages", "memory", "viking_entries") if name in names]
    for name in retained:
        [count] = connection.execute(f"SELECT count(*) FROM {name}").fetchone()
        meter.total += count
    if "messages" in retained:
        yield from _sessions(connection, place, meter, "session_meta" in names)
    if "memory" in retained:
        for own, key, value in connection.execute("SELECT id, key, value FROM memory ORDER BY id"):
            meter.done += 1
            meter.at = where = f"{place}: memory {own}"
            with meter.skipping(where):
                key, value = _text(key, "key", where), _text(value, "value", where)
                if value:
                    yield note(key, value, where, kind="memory")
                else:
                    meter.skipped["empty"] += 1
    if "viking_entries" in retained:
        yield from _viking(connection, place, meter)


def _sessions(
    connection: sqlite3.Connection, place: str, meter: Meter, has_channels: bool
) -> Iterator[Record]:
    channels = dict[str, str]()
    if has_channels:
        channels = dict(connection.execute("SELECT session_id, channel FROM session_meta"))
    sessions = connection.execute(
        "SELECT session_id, count(*) FROM messages GROUP BY session_id ORDER BY min(id)"
    ).fetchall()
    for session, count in sessions:
        rows = connection.execute(
            "SELECT id, role, content, timestamp FROM messages WHERE session_id = ? ORDER BY id",
            (session,),
        )
        meter.at = where = f"{place}: session {session}"
        with meter.skipping(where):
            channel = _text(channels.get(session) or CHANNEL, "channel", where)
            into = conversation(_text(session, "session_id", where), where, channel=channel)
            messages = list[dict[str, Any]]()
            for row in rows:
                at = f"{where}, message {row[0]}"
                with meter.skipping(at):
                    messages += _messages(row, at, meter.skipped)
            yield from chat_entries(messages, into, meter)
        meter.done += count


def _messages(row: tuple[Any, ...], place: str, skipped: Counter[str]) -> list[dict[str, Any]]:
    """Return a row in the form of a chat: text and tool calls, then each tool result. Raises RecordError."""
    own, role, content, moment = row
    role = _text(role, "role", place)
    time_of(moment, place)
    blocks = _blocks(_text(content, "content", place))
    texts = [text_in(block, "text", place) for block in blocks if block.get("type") == "text"]
    texts = [text for text in texts if text]
    calls = [_call(block, place) for block in blocks if block.get("type") == "tool_use"]
    results = [block for block in blocks if block.get("type") == "tool_result"]
    shared = {"created_at": moment}
    if not (texts or calls or results):
        skipped["thoughts" if blocks else "empty"] += 1
    found = list[dict[str, Any]]()
    if texts or calls:
        said = {"role": role, "content": "\n".join(texts), "tool_calls": calls}
        found.append({**shared, "id": str(own), **said})
    for number, result in enumerate(results):
        answer = {"tool_call_id": result.get("tool_use_id"), "content": result.get("content")}
        found.append({**shared, "id": f"{own}-{number}", "role": "tool", **answer})
    return found


def _call(block: dict[str, Any], place: str) -> dict[str, Any]:
    """Return a tool call in the form of a chat. Raises RecordError."""
    name = text_in(block, "name", place)
    if not name:
        raise RecordError(place, "a tool call has no name")
    return {"id": block.get("id"), "function": {"name": name, "arguments": block.get("input")}}


def _text(value: Any, name: str, place: str) -> str:
    """Return the text of a column. Raises RecordError for a value of another type."""
    if has_replaced_bytes(value):
        raise RecordError(place, f"{name}: {NOT_UTF8}")
    if not isinstance(value, str):
        raise RecordError(place, f"{name} must be text, not {type(value).__name__}")
    return value


def _blocks(content: str) -> list[dict[str, Any]]:
    """Return the blocks of a message; other content becomes one block of text."""
    try:
        blocks = json.loads(content) if content.startswith("[") else None
    except ValueError:
        blocks = None
    if isinstance(blocks, list) and all(isinstance(block, dict) for block in blocks):
        return blocks
    return [{"type": "text", "text": content}]


def _viking(connection: sqlite3.Connection, place: str, meter: Meter) -> Iterator[Record]:
    rows = connection.execute(
        "SELECT user_id, path, content, category, tags, created_at FROM viking_entries ORDER BY id"
    )
    for user, path, content, category, tags, created in rows:
        meter.done += 1
        meter.at = where = f"{place}: {path}"
        with meter.skipping(where):
            path, content = _text(path, "path", where), _text(content, "content", where)
            user = _text(user or "default", "user_id", where)
            labels = list_in({"tags": parse_json((tags or "[]").encode(), where)}, "tags", where)
            labels = [day_of(created, where), category, *labels]
            if not content:
                meter.skipped["empty"] += 1
                continue
            yield note(
                path,
                content,
                where,
                kind="memory",
                tags=map(str, filter(None, labels)),
                scope={"subject": user if user != "default" else ""},
            )
