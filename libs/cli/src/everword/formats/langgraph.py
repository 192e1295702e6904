"""LangGraph's checkpoints in SQLite, as written by `langgraph-checkpoint-sqlite`; LangGraph itself is not needed.

Only checkpoints that lead to the latest one of each thread are read. A message is taken from the first checkpoint that
contains it, with that checkpoint's time; so messages that were trimmed later are imported, too.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import msgpack

from everword.formats.records import Record, chat_entries, conversation, digest
from everword.transcripts import (
    Meter,
    RecordError,
    as_object,
    has_replaced_bytes,
    list_in,
    name_in,
    object_in,
    text_in,
    time_of,
)

CHANNEL = "langgraph"
_ROLES = {
    "human": "user",
    "ai": "assistant",
    "system": "system",
    "tool": "tool",
    "function": "function",
    "developer": "system",
    # Chunks of streamed messages that were stored as they are.
    "HumanMessageChunk": "user",
    "AIMessageChunk": "assistant",
    "ToolMessageChunk": "tool",
    # Of messages that are no objects, but what OpenAI's API takes.
    "user": "user",
    "assistant": "assistant",
}
#: Parts that repeat a message's `tool_calls`, and the model's thoughts.
_SKIPPED_PARTS = {"tool_use", "tool_call", "function_call", "thinking", "reasoning"}
#: Fields that distinguish a message of an unknown type from state with a field `content`.
_MESSAGE_FIELDS = {"additional_kwargs", "response_metadata", "tool_calls", "tool_call_id"}
#: Each object in another takes some 50 KB of the stack.
_MOST_NESTED = 50


def reader(tables: dict[str, set[str]]) -> object:
    """Return the function that reads a database with these tables; None if it has no checkpoints."""
    fits = {"thread_id", "checkpoint_ns", "parent_checkpoint_id"} <= tables.get(
        "checkpoints", set()
    )
    return read if fits else None


def read(connection: sqlite3.Connection, place: str, meter: Meter) -> Iterator[Record]:
    """Yield the messages of all threads; each thread is a conversation. Raises RecordError and TranscriptError."""
    [meter.total] = connection.execute(
        "SELECT count(*) FROM checkpoints WHERE checkpoint_ns = ''"
    ).fetchone()
    threads = connection.execute(
        "SELECT thread_id, max(checkpoint_id), count(*) FROM checkpoints WHERE checkpoint_ns = ''"
        " GROUP BY thread_id ORDER BY min(checkpoint_id)"
    ).fetchall()
    for thread, latest, count in threads:
        meter.at = where = f"{place}: thread {thread}"
        with meter.skipping(where):
            yield from _read_thread(connection, thread, latest, where, meter)
        meter.done += count


def _read_thread(
    connection: sqlite3.Connection, thread: str, latest: str, place: str, meter: Meter
) -> Iterator[Record]:
    if has_replaced_bytes(thread):
        raise RecordError(place, "its id is not UTF-8")
    into = conversation(thread, place, channel=CHANNEL)
    messages = _Messages(place, meter)
    for checkpoint in _line(connection, thread, latest):
        where = f"{place}, checkpoint {checkpoint}"
        with meter.skipping(where):
            messages.take(*_read_checkpoint(connection, thread, checkpoint, where))
    yield from chat_entries(list(messages.found.values()), into, meter)


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


def _read_checkpoint(
    connection: sqlite3.Connection, thread: str, checkpoint: str, place: str
) -> tuple[str, list[Any]]:
    """Return the time of a checkpoint, and the values of its channels and of its writes. Raises RecordError."""
    key = (thread, checkpoint)
    kind, data = connection.execute(
        "SELECT type, checkpoint FROM checkpoints"
        " WHERE thread_id = ? AND checkpoint_ns = '' AND checkpoint_id = ?",
        key,
    ).fetchone()
    state = _decoded(kind, data, place)
    if not isinstance(state, dict):
        raise RecordError(place, "it contains no state")
    moment = time_of(state.get("ts"), place)
    values = list(object_in(state, "channel_values", place).values())
    writes = connection.execute(
        "SELECT type, value FROM writes WHERE thread_id = ? AND checkpoint_ns = ''"
        " AND checkpoint_id = ? AND channel NOT LIKE '\\_\\_%' ESCAPE '\\' ORDER BY task_id, idx",
        key,
    )
    return moment, values + [_decoded(kind, data, place) for kind, data in writes]


class _Messages:
    """The messages of a thread, each from the first checkpoint that contains it."""

    def __init__(self, place: str, meter: Meter) -> None:
        #: Messages by id, in the order in which they appeared.
        self.found = dict[str, dict[str, Any]]()
        self._place = place
        self._meter = meter
        #: Malformed messages that were already reported; later checkpoints repeat them.
        self._named = set[tuple[str, str]]()

    def take(self, moment: str, values: Iterable[Any]) -> None:
        """Add the messages among a checkpoint's values with its time, `moment`; those of earlier checkpoints stay."""
        for value in values:
            said = Counter[str]()
            for number, message in enumerate(
                value if isinstance(value, list) else [value], start=1
            ):
                try:
                    if told := _chat_message(message, said, self._place):
                        self.found.setdefault(told["id"], {**told, "created_at": moment})
                except RecordError as error:
                    self._skip(message, number, error)

    def _skip(self, message: Any, number: int, error: RecordError) -> None:
        own = message.get("id") if isinstance(message, dict) else None
        name = own if isinstance(own, str) else f"{number}"
        if (name, error.reason) not in self._named:
            self._named.add((name, error.reason))
            self._meter.skip_record(RecordError(f"{self._place}, message {name}", error.reason))


def _decoded(kind: str | None, data: bytes, place: str) -> Any:
    """Return the deserialised value, objects as their fields; no code in it is run.

    Raises: RecordError if the data is damaged or pickled.
    """
    try:
        if kind == "msgpack":
            return _unpacked(data, 0)
        if kind == "json":
            return json.loads(data)
    except (ValueError, msgpack.UnpackException) as error:
        raise RecordError(place, f"it is damaged ({error})") from None
    if kind == "pickle":
        raise RecordError(place, "it is pickled, which is not safe to read")
    return None


def _unpacked(data: bytes, depth: int) -> Any:
    if depth > _MOST_NESTED:
        raise ValueError(f"objects are nested more than {_MOST_NESTED} deep")
    return msgpack.unpackb(data, ext_hook=partial(_extension, depth), strict_map_key=False)


def _extension(depth: int, code: int, data: bytes) -> Any:
    """Return the fields or the argument of an object: LangGraph packs module, class, and those."""
    packed = _unpacked(data, depth + 1)
    return packed[2] if isinstance(packed, list) and 3 <= len(packed) <= 4 else packed


def _chat_message(message: Any, said: Counter[str], place: str) -> dict[str, Any] | None:
    """Return a message in the form of a chat; None for state that is no message. Raises RecordError.

    `said` is the number of messages before it in its list.
    """
    if isinstance(message, dict) and message.get("type") == "constructor":
        message = message.get("kwargs")
    if not isinstance(message, dict) or "content" not in message:
        return None
    named = message.get("type") or message.get("role")
    role = _ROLES.get(named) if isinstance(named, str) else None
    if role is None:
        if message.keys() & _MESSAGE_FIELDS:
            raise RecordError(place, f"its type is {str(named)[:100]!r}, which is not a role")
        return None
    content = message["content"]
    if isinstance(content, list):
        content = [each for each in content if not _is_skipped(each)]
    calls = [_call(each, place) for each in list_in(message, "tool_calls", place)]
    own = name_in(message, "id", place)
    if not own:
        # The same words said again are another message, and stand below the first ones in every later checkpoint.
        words = digest(role, json.dumps([content, calls], default=str))
        said[words] += 1
        own = f"{words}-{said[words]}"
    return {
        "id": own,
        "role": role,
        "content": content,
        "name": text_in(message, "name", place),
        "tool_calls": calls,
        "tool_call_id": message.get("tool_call_id"),
    }


def _call(given: Any, place: str) -> dict[str, Any]:
    """Return a tool call in the form of a chat. Raises RecordError."""
    call = as_object(given, f"{place}, tool call")
    if "function" in call:
        return call
    function = {"name": text_in(call, "name", place), "arguments": call.get("args")}
    if not function["name"]:
        raise RecordError(place, "a tool call has no name")
    return {"id": call.get("id"), "function": function}


def _is_skipped(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") in _SKIPPED_PARTS
