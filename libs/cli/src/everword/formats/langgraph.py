"""LangGraph's checkpoints in SQLite, as `langgraph-checkpoint-sqlite` writes them; LangGraph itself is not needed.

Read is the line of checkpoints that leads to each thread's latest one. A message is taken from the first checkpoint
that holds it, which also says when it was; so what was trimmed later is there, too.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any

import msgpack

from everword.formats.chat_records import chat_entries
from everword.formats.records import Record, conversation, digest
from everword.transcripts import Meter, TranscriptError, time_of

CHANNEL = "langgraph"
_ROLES = {
    "human": "user",
    "ai": "assistant",
    "system": "system",
    "tool": "tool",
    "function": "function",
    "developer": "system",
    # What was streamed and kept so.
    "HumanMessageChunk": "user",
    "AIMessageChunk": "assistant",
    "ToolMessageChunk": "tool",
    # Of messages that are no objects, but what OpenAI's API takes.
    "user": "user",
    "assistant": "assistant",
}
#: Parts of a message that are also in its `tool_calls`, and what a model thought.
_SKIPPED_PARTS = {"tool_use", "tool_call", "function_call", "thinking", "reasoning"}
#: Each object in another takes some 50 KB of the stack.
_MOST_NESTED = 50
#: Messages by whose id and in what order they appeared, of one thread.
_Found = dict[str, dict[str, Any]]


def reader(tables: dict[str, set[str]]) -> object:
    """Return what reads a database with these tables, if it holds checkpoints."""
    fits = {"thread_id", "checkpoint_ns", "parent_checkpoint_id"} <= tables.get(
        "checkpoints", set()
    )
    return read if fits else None


def read(connection: sqlite3.Connection, place: str, meter: Meter) -> Iterator[Record]:
    """Yield the messages of all threads, a conversation each. Raises TranscriptError."""
    [meter.total] = connection.execute(
        "SELECT count(*) FROM checkpoints WHERE checkpoint_ns = ''"
    ).fetchone()
    threads = connection.execute(
        "SELECT thread_id, max(checkpoint_id), count(*) FROM checkpoints WHERE checkpoint_ns = ''"
        " GROUP BY thread_id ORDER BY min(checkpoint_id)"
    ).fetchall()
    for thread, latest, count in threads:
        meter.at = where = f"{place}: thread {thread}"
        found: _Found = {}
        for checkpoint in _line(connection, thread, latest):
            _take(connection, thread, checkpoint, found, where)
        into = conversation(thread, where, channel=CHANNEL)
        yield from chat_entries(list(found.values()), into)
        meter.done += count


def _line(connection: sqlite3.Connection, thread: str, latest: str) -> list[str]:
    """Return the ids of the checkpoints from the first of a thread to `latest`."""
    rows = connection.execute(
        "SELECT checkpoint_id, parent_checkpoint_id FROM checkpoints"
        " WHERE thread_id = ? AND checkpoint_ns = ''",
        (thread,),
    )
    parents = dict(rows.fetchall())
    line = list[str]()
    at: str | None = latest
    while at is not None and at in parents:
        line.append(at)
        at = parents.pop(at)
    return line[::-1]


def _take(
    connection: sqlite3.Connection, thread: str, checkpoint: str, found: _Found, place: str
) -> None:
    """Add the messages of a checkpoint, and those that its step wrote, which are not there yet."""
    key = (thread, checkpoint)
    kind, data = connection.execute(
        "SELECT type, checkpoint FROM checkpoints"
        " WHERE thread_id = ? AND checkpoint_ns = '' AND checkpoint_id = ?",
        key,
    ).fetchone()
    state = _decoded(kind, data, place)
    if not isinstance(state, dict):
        raise TranscriptError(f"{place}: checkpoint {checkpoint} holds no state")
    moment = time_of(state.get("ts"), place)
    channels = list((state.get("channel_values") or {}).values())
    writes = connection.execute(
        "SELECT type, value FROM writes WHERE thread_id = ? AND checkpoint_ns = ''"
        " AND checkpoint_id = ? AND channel NOT LIKE '\\_\\_%' ESCAPE '\\' ORDER BY task_id, idx",
        key,
    )
    channels += [_decoded(kind, data, place) for kind, data in writes]
    for value in channels:
        said = Counter[str]()
        for message in value if isinstance(value, list) else [value]:
            if told := _told(message, said):
                found.setdefault(told["id"], {**told, "created_at": moment})


def _decoded(kind: str | None, data: bytes, place: str) -> Any:
    """Return what was serialised, objects as their fields. Nothing in it is run."""
    try:
        if kind == "msgpack":
            return _unpacked(data, 0)
        if kind == "json":
            return json.loads(data)
    except (ValueError, msgpack.UnpackException) as error:
        raise TranscriptError(f"{place}: a checkpoint is damaged ({error})") from None
    if kind == "pickle":
        raise TranscriptError(f"{place}: it is pickled, which is not safe to read")
    return None


def _unpacked(data: bytes, depth: int) -> Any:
    if depth > _MOST_NESTED:
        raise ValueError(f"objects are nested more than {_MOST_NESTED} deep")
    return msgpack.unpackb(data, ext_hook=partial(_extension, depth), strict_map_key=False)


def _extension(depth: int, code: int, data: bytes) -> Any:
    """Return the fields or the argument of an object: LangGraph packs module, class, and those."""
    packed = _unpacked(data, depth + 1)
    return packed[2] if isinstance(packed, list) and 3 <= len(packed) <= 4 else packed


def _told(message: Any, said: Counter[str]) -> dict[str, Any] | None:
    """Return a message as a chat has it; None for anything else. `said` counts those before it in its list."""
    if isinstance(message, dict) and message.get("type") == "constructor":
        message = message.get("kwargs")
    if not isinstance(message, dict) or "content" not in message:
        return None
    role = _ROLES.get(str(message.get("type") or message.get("role")))
    if role is None:
        return None
    content = message["content"]
    if isinstance(content, list):
        content = [each for each in content if not _is_skipped(each)]
    calls = [
        call
        if "function" in call
        else {"id": call.get("id"), "function": {"name": call["name"], "arguments": call["args"]}}
        for call in message.get("tool_calls") or []
    ]
    own = message.get("id")
    if not own:
        # The same words said again are another message, and stand below the first ones in every later checkpoint.
        words = digest(role, json.dumps([content, calls], default=str))
        said[words] += 1
        own = f"{words}-{said[words]}"
    return {
        "id": str(own),
        "role": role,
        "content": content,
        "name": message.get("name"),
        "tool_calls": calls,
        "tool_call_id": message.get("tool_call_id"),
    }


def _is_skipped(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") in _SKIPPED_PARTS
