"""Ryvos' SQLite files: sessions in `sessions.db`, entries of its memory, and what Viking keeps in `viking.db`."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from typing import Any

from everword.formats.chat_records import chat_entries
from everword.formats.records import Record, conversation, day_of, note
from everword.transcripts import Meter, parse_json

CHANNEL = "ryvos"


def reader(tables: dict[str, set[str]]) -> object:
    """Return what reads a database with these tables, if it is one of Ryvos'."""
    is_sessions = {"session_id", "role", "content", "timestamp"} <= tables.get("messages", set())
    is_viking = {"user_id", "path", "content"} <= tables.get("viking_entries", set())
    return read if is_sessions or is_viking else None


def read(connection: sqlite3.Connection, place: str, meter: Meter) -> Iterator[Record]:
    """Yield the messages of all sessions, and notes for what was remembered. Raises TranscriptError."""
    names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    kept = [name for name in ("messages", "memory", "viking_entries") if name in names]
    for name in kept:
        [count] = connection.execute(f"SELECT count(*) FROM {name}").fetchone()
        meter.total += count
    if "messages" in kept:
        yield from _sessions(connection, place, meter, "session_meta" in names)
    if "memory" in kept:
        for own, key, value in connection.execute("SELECT id, key, value FROM memory ORDER BY id"):
            meter.done += 1
            meter.at = f"{place}: memory {own}"
            if value:
                yield note(str(key), str(value), meter.at, kind="memory")
            else:
                meter.skipped["empty"] += 1
    if "viking_entries" in kept:
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
        messages = [each for row in rows for each in _messages(row, meter.skipped)]
        into = conversation(session, where, channel=channels.get(session) or CHANNEL)
        yield from chat_entries(messages, into)
        meter.done += count


def _messages(row: tuple[Any, ...], skipped: Counter[str]) -> Iterator[dict[str, Any]]:
    """Yield a row as a chat has it: its words and calls, and then each result of a tool."""
    own, role, content, moment = row
    blocks = _blocks(content)
    texts = [block["text"] for block in blocks if block.get("type") == "text" and block.get("text")]
    calls = [
        {"id": block.get("id"), "function": {"name": block["name"], "arguments": block["input"]}}
        for block in blocks
        if block.get("type") == "tool_use"
    ]
    results = [block for block in blocks if block.get("type") == "tool_result"]
    shared = {"created_at": moment}
    if not (texts or calls or results):
        skipped["thoughts" if blocks else "empty"] += 1
    if texts or calls:
        said = {"role": role, "content": "\n".join(texts), "tool_calls": calls}
        yield {**shared, "id": str(own), **said}
    for number, result in enumerate(results):
        answer = {"tool_call_id": result.get("tool_use_id"), "content": result.get("content")}
        yield {**shared, "id": f"{own}-{number}", "role": "tool", **answer}


def _blocks(content: str) -> list[dict[str, Any]]:
    """Return the blocks of a message; what is no list of blocks is text."""
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
        given = parse_json((tags or "[]").encode(), where)
        labels = [day_of(created), category, *(given if isinstance(given, list) else [])]
        scope = {"subject": user if user != "default" else ""}
        if not content:
            meter.skipped["empty"] += 1
        else:
            yield note(
                path,
                content,
                where,
                kind="memory",
                tags=map(str, filter(None, labels)),
                scope=scope,
            )
