"""Claude's export: `conversations.json`, `memories.json` and `projects.json`, in a zip or by themselves.

Of a conversation whose messages name their parents, the branch that is shown is read. The model's thoughts are left
out. Text and tool calls of a message come in their order, each a message of its own, with the result beside the call.
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
from everword.transcripts import Entry, Part, TranscriptError, as_object, time_of

CHANNEL = "claude"
_ROLES = {"human": "user", "user": "user", "assistant": "assistant"}


def reader(shape: frozenset[str]) -> object:
    """Return what reads a part of this shape, if it is one of Claude's."""
    if "item.chat_messages" in shape:
        return read_conversations
    if shape & {"item.conversations_memory", "item.project_memories"}:
        return read_memories
    if {"item.docs", "item.prompt_template"} <= shape:
        return read_projects
    return None


def read_conversations(part: Part) -> Iterator[Record]:
    """Yield the messages of all conversations. Raises TranscriptError."""
    for chat, place in part.items("item", "conversation"):
        own, title = chat.get("uuid"), chat.get("name") or ""
        if not own:
            raise TranscriptError(f"{place}: it has no uuid")
        place = f"{place} ({title or own})"
        created = time_of(chat.get("created_at"), place)
        into = conversation(str(own), place, channel=CHANNEL, title=title, created=created)
        branch = _branch(chat, place)
        skipped = part.meter.skipped
        skipped["on another branch"] += len(chat.get("chat_messages") or []) - len(branch)
        for message in branch:
            told = list(_messages(message, into))
            skipped["empty"] += not told
            yield from told


def read_memories(part: Part) -> Iterator[Record]:
    """Yield what Claude keeps in mind, a note for all conversations and one for each project."""
    for kept, place in part.items("item", "account"):
        told = {"claude/memory": kept.get("conversations_memory")}
        for project, text in (kept.get("project_memories") or {}).items():
            told[f"claude/memory/{project}"] = text
        for key, text in told.items():
            if text:
                yield note(key, str(text), place, kind="memory", tags=["claude"])


def read_projects(part: Part) -> Iterator[Record]:
    """Yield the files and the instructions of projects, as documents."""
    titles = set[str]()
    for project, place in part.items("item", "project"):
        name = project.get("name") or project.get("uuid") or "project"
        texts = [("instructions", project.get("prompt_template"))]
        for given in project.get("docs") or []:
            file = as_object(given, place)
            texts.append((file.get("filename") or "file", file.get("content")))
        for title, text in texts:
            if not text:
                continue
            whole = f"{name}/{title}"
            if whole in titles:
                whole = f"{whole} ({digest(text)[:8]})"
            titles.add(whole)
            yield document(whole, str(text), f"{place}, {title}", tags=["claude"])


def _branch(chat: dict[str, Any], place: str) -> list[dict[str, Any]]:
    """Return the messages that are shown: all, or from the leaf up to the root where they name their parents."""
    messages = [
        as_object(each, f"{place}, message {number}")
        for number, each in enumerate(chat.get("chat_messages") or [], start=1)
    ]
    by_id = {message.get("uuid"): message for message in messages}
    parents = [message.get("parent_message_uuid") for message in messages]
    if not any(parent in by_id for parent in parents):
        return messages
    named = set(parents)
    leaves = [message for message in messages if message.get("uuid") not in named]
    latest = max(leaves, key=lambda each: str(each.get("created_at") or ""), default=messages[-1])
    at: dict[str, Any] | None = by_id.get(chat.get("current_leaf_message_uuid"), latest)
    found = list[dict[str, Any]]()
    while at is not None:
        # What was passed is taken away, so that a circle ends.
        by_id.pop(at.get("uuid"), None)
        found.append(at)
        at = by_id.get(at.get("parent_message_uuid"))
    return found[::-1]


def _messages(message: dict[str, Any], into: Conversation) -> Iterator[Entry]:
    """Yield what a message says and which tools it calls, in their order."""
    own = str(message.get("uuid") or "")
    role = _ROLES.get(message.get("sender") or "")
    if not own or not role:
        raise TranscriptError(f"{into.place}: a message has no uuid, or an unknown sender")
    moment = time_of(message.get("created_at"), into.place)
    said = _in_order(message)
    files = _files(message)
    if files and (not said or "tool_name" in said[-1]):
        said.append({"content": ""})
    for number, fields in enumerate(said):
        if files and number == len(said) - 1:
            fields = {**fields, "content_blocks": files}
        name = f"{own}:{number}" if number else own
        yield into.message(name, role=role, create_time=moment, **fields)


def _in_order(message: dict[str, Any]) -> list[dict[str, Any]]:
    """Return texts and calls; texts that follow each other are one."""
    found = list[dict[str, Any]]()
    calls = dict[object, dict[str, Any]]()
    for block in message.get("content") or []:
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "text" and block.get("text"):
            if found and "content" in found[-1]:
                found[-1]["content"] += f"\n{block['text']}"
            else:
                found.append({"content": block["text"]})
        elif kind == "tool_use":
            arguments = json.dumps(block.get("input"), ensure_ascii=False)
            found.append({"tool_name": str(block.get("name") or "tool"), "tool_args": arguments})
            calls[block.get("id") or block.get("name")] = found[-1]
        elif kind == "tool_result":
            call = calls.get(block.get("tool_use_id") or block.get("name"))
            if call is not None:
                call["tool_result"] = _text(block.get("content"))
    if not found and message.get("text"):
        found.append({"content": message["text"]})
    return found


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return "" if content is None else json.dumps(content, ensure_ascii=False)
    texts = [part.get("text") or part.get("title") for part in content if isinstance(part, dict)]
    return "\n".join(text for text in texts if isinstance(text, str))


def _files(message: dict[str, Any]) -> list[dict[str, str]]:
    """Return the files of a message as blocks: pasted ones with their text, others by name."""
    blocks = list[dict[str, str]]()
    for kind in ("attachments", "files"):
        for file in message.get(kind) or []:
            if not isinstance(file, dict):
                continue
            name = json.dumps({"file_name": file.get("file_name") or ""}, ensure_ascii=False)
            text = file.get("extracted_content") or file.get("file_name") or ""
            blocks.append({"type": kind.removesuffix("s"), "text": text, "json": name})
    return blocks
