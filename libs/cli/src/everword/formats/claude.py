"""Claude's export: `conversations.json`, `memories.json` and `projects.json`, in a zip or as single files.

If the messages of a conversation name their parents, only the branch shown is read. The model's thoughts are left out.
Texts and tool calls of a message become messages of their own, in their order; a call includes its result.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from everword.formats.records import (
    Conversation,
    Record,
    conversation,
    digest,
    document,
    note,
)
from everword.transcripts import (
    Entry,
    Meter,
    Part,
    RecordError,
    as_object,
    list_in,
    name_in,
    object_in,
    text_in,
    time_of,
)

CHANNEL = "claude"
_ROLES = {"human": "user", "user": "user", "assistant": "assistant"}


def reader(shape: frozenset[str]) -> object:
    """Return the function that reads a part of this shape; None if it is not Claude's."""
    if "item.chat_messages" in shape:
        return read_conversations
    if shape & {"item.conversations_memory", "item.project_memories"}:
        return read_memories
    if {"item.docs", "item.prompt_template"} <= shape:
        return read_projects
    return None


def read_conversations(part: Part) -> Iterator[Record]:
    """Yield the messages of all conversations. Raises TranscriptError if the file is damaged."""
    for chat, place in part.items("item", "conversation"):
        with part.meter.skipping(place):
            yield from _read_conversation(chat, place, part.meter)


def _read_conversation(chat: dict[str, Any], place: str, meter: Meter) -> Iterator[Entry]:
    own, title = name_in(chat, "uuid", place), text_in(chat, "name", place)
    if not own:
        raise RecordError(place, "it has no uuid")
    if chat.get("chat_messages") is None:
        raise RecordError(place, "it has no chat_messages")
    place = f"{place} ({title or own})"
    created = time_of(chat.get("created_at"), place)
    into = conversation(own, place, channel=CHANNEL, title=title, created=created)
    for message, where in _branch(chat, place, meter):
        with meter.skipping(where):
            told = list(_messages(message, into, where))
            meter.skipped["empty"] += not told
            yield from told


def read_memories(part: Part) -> Iterator[Record]:
    """Yield what Claude keeps in mind, a note for all conversations and one for each project."""
    for retained, place in part.items("item", "account"):
        texts = dict[str, Any]()
        with part.meter.skipping(place):
            if not retained.keys() & {"conversations_memory", "project_memories"}:
                raise RecordError(place, "it has no memories")
        with part.meter.skipping(place):
            texts["claude/memory"] = text_in(retained, "conversations_memory", place)
        with part.meter.skipping(f"{place}: project_memories"):
            for project, text in object_in(retained, "project_memories", place).items():
                texts[f"claude/memory/{project}"] = text
        for key in texts:
            where = f"{place}: {key}"
            with part.meter.skipping(where):
                if text := text_in(texts, key, where):
                    yield note(key, text, where, kind="memory", tags=["claude"])


def read_projects(part: Part) -> Iterator[Record]:
    """Yield the files and the instructions of projects, as documents."""
    titles = set[str]()
    for project, place in part.items("item", "project"):
        with part.meter.skipping(place):
            name = text_in(project, "name", place) or name_in(project, "uuid", place)
            if not name:
                raise RecordError(place, "it has neither a name nor a uuid")
            for title, text in _texts(project, place, part.meter):
                whole = f"{name}/{title}"
                if whole in titles:
                    whole = f"{whole} ({digest(text)[:8]})"
                titles.add(whole)
                where = f"{place}, {title}"
                with part.meter.skipping(where):
                    yield document(whole, text, where, tags=["claude"])


def _texts(project: dict[str, Any], place: str, meter: Meter) -> Iterator[tuple[str, str]]:
    """Yield titles and texts of the instructions and the files of a project, without malformed and empty ones."""
    with meter.skipping(f"{place}, instructions"):
        if text := text_in(project, "prompt_template", f"{place}, instructions"):
            yield "instructions", text
    for number, given in enumerate(list_in(project, "docs", place), start=1):
        where = f"{place}, file {number}"
        with meter.skipping(where):
            file = as_object(given, where)
            if file.get("content") is None:
                raise RecordError(where, "it has no content")
            if text := text_in(file, "content", where):
                yield text_in(file, "filename", where) or "file", text


def _branch(chat: dict[str, Any], place: str, meter: Meter) -> list[tuple[dict[str, Any], str]]:
    """Return the displayed messages: all, or if they name their parents, the branch from the root to the leaf.

    Each comes with its place. Malformed ones are skipped; the branch goes on with the message before.
    """
    messages = dict[str, tuple[dict[str, Any], str]]()
    for number, each in enumerate(list_in(chat, "chat_messages", place), start=1):
        where = f"{place}, message {number}"
        with meter.skipping(where):
            message = as_object(each, where)
            own = text_in(message, "uuid", where)
            if not own:
                raise RecordError(where, "it has no uuid")
            text_in(message, "parent_message_uuid", where)
            messages[own] = message, where
    parents = {
        own: message.get("parent_message_uuid") or "" for own, (message, _) in messages.items()
    }
    if not any(parent in messages for parent in parents.values()):
        return list(messages.values())
    # The parent of the first message is the root, which is no message. Any other unknown parent was malformed.
    root, before = next(iter(parents.values())), ""
    for own, parent in parents.items():
        if parent not in messages and parent != root:
            parents[own] = before
        before = own
    named = set(parents.values())
    leaves = [own for own in messages if own not in named] or [before]
    times = {own: messages[own][0].get("created_at") for own in leaves}
    has_times = all(time and isinstance(time, str) for time in times.values())
    latest = max(leaves, key=lambda own: str(times[own])) if has_times else leaves[-1]
    shown = chat.get("current_leaf_message_uuid")
    at = shown if isinstance(shown, str) and shown in messages else latest
    found = list[tuple[dict[str, Any], str]]()
    count = len(messages)
    while at in messages:
        # Visited messages are removed, so that a cycle ends.
        found.append(messages.pop(at))
        at = parents[at]
    meter.skipped["on another branch"] += count - len(found)
    return found[::-1]


def _messages(message: dict[str, Any], into: Conversation, place: str) -> Iterator[Entry]:
    """Yield the texts and the tool calls of a message, in order. Raises RecordError."""
    own, sender = text_in(message, "uuid", place), text_in(message, "sender", place)
    role = _ROLES.get(sender)
    if not role:
        shown = repr(sender[:100]) if sender else "missing"
        raise RecordError(place, f"sender is {shown}; it must be human or assistant")
    moment = time_of(message.get("created_at"), place)
    said = _in_order(message, place)
    files = _files(message, place)
    if files and (not said or "tool_name" in said[-1]):
        said.append({"content": ""})
    for number, fields in enumerate(said):
        if files and number == len(said) - 1:
            fields = {**fields, "content_blocks": files}
        name = f"{own}:{number}" if number else own
        yield into.message(name, role=role, create_time=moment, **fields)


def _in_order(message: dict[str, Any], place: str) -> list[dict[str, Any]]:
    """Return texts and calls; consecutive texts are merged. Raises RecordError."""
    found = list[dict[str, Any]]()
    calls = dict[str, dict[str, Any]]()
    for each in list_in(message, "content", place):
        block = as_object(each, f"{place}, content")
        kind = text_in(block, "type", place)
        if not kind:
            raise RecordError(place, "a block of its content has no type")
        if kind == "text" and block.get("text") is None:
            raise RecordError(place, "a block of text has no text")
        if kind == "text" and (text := text_in(block, "text", place)):
            if found and "content" in found[-1]:
                found[-1]["content"] += f"\n{text}"
            else:
                found.append({"content": text})
        elif kind == "tool_use":
            name = text_in(block, "name", place)
            arguments = json.dumps(block.get("input"), ensure_ascii=False)
            found.append({"tool_name": name or "tool", "tool_args": arguments})
            calls[name_in(block, "id", place) or name] = found[-1]
        elif kind == "tool_result":
            named = name_in(block, "tool_use_id", place) or text_in(block, "name", place)
            if named in calls:
                calls[named]["tool_result"] = _text(block.get("content"))
    if not found and (text := text_in(message, "text", place)):
        found.append({"content": text})
    if not found and message.get("content") is None and message.get("text") is None:
        raise RecordError(place, "it has no content")
    return found


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return "" if content is None else json.dumps(content, ensure_ascii=False)
    texts = [part.get("text") or part.get("title") for part in content if isinstance(part, dict)]
    return "\n".join(text for text in texts if isinstance(text, str))


def _files(message: dict[str, Any], place: str) -> list[dict[str, str]]:
    """Return the files of a message as blocks: pasted files with their text, others by name. Raises RecordError."""
    blocks = list[dict[str, str]]()
    for kind in ("attachments", "files"):
        for each in list_in(message, kind, place):
            file = as_object(each, f"{place}, {kind}")
            name = text_in(file, "file_name", place)
            shown = json.dumps({"file_name": name}, ensure_ascii=False)
            text = text_in(file, "extracted_content", place) or name
            blocks.append({"type": kind.removesuffix("s"), "text": text, "json": shown})
    return blocks
