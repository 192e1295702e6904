"""ChatGPT's export: `conversations.json`, each conversation a tree of messages of which one branch is shown.

What is read is the branch that ends in `current_node`, without what the page hides and without the model's thoughts. A
message to a tool and the tool's answer become one message. Files and pictures are not in the export: their names stay.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from everword.formats.records import Conversation, Record, conversation
from everword.transcripts import Entry, Part, TranscriptError, as_object, time_of
from everword.transcripts.chats import without_data

CHANNEL = "chatgpt"
_HIDDEN = {"thoughts", "reasoning_recap", "user_editable_context", "model_editable_context"}
_ROLES = {"user", "assistant", "system", "tool"}


def reader(shape: frozenset[str]) -> object:
    """Return what reads a part of this shape, if it is one of ChatGPT's."""
    return read if "item.mapping" in shape else None


def read(part: Part) -> Iterator[Record]:
    """Yield the messages of all conversations. Raises TranscriptError."""
    for chat, place in part.items("item", "conversation"):
        yield from _read_conversation(chat, place, part.meter.skipped)


def _read_conversation(chat: dict[str, Any], place: str, skipped: Counter[str]) -> Iterator[Entry]:
    own = chat.get("conversation_id") or chat.get("id")
    title = chat.get("title") or ""
    if not own:
        raise TranscriptError(f"{place}: it has no id")
    place = f"{place} ({title or own})"
    created = time_of(chat.get("create_time"), place)
    into = conversation(str(own), place, channel=CHANNEL, title=title, created=created)
    waiting: tuple[str, dict[str, Any]] | None = None
    for message in _branch(chat, place, skipped):
        fields = _fields(message, skipped)
        if fields is None:
            continue
        fields["create_time"] = time_of(message.get("create_time"), place)
        if waiting and fields["role"] == "tool" and fields["tool_name"] == waiting[1]["tool_name"]:
            called, call = waiting
            waiting = None
            yield into.message(called, **{**call, "tool_result": fields["tool_result"]})
            continue
        if waiting:
            yield _unanswered(into, *waiting)
            waiting = None
        own = str(message["id"])
        if fields["role"] == "assistant" and "tool_name" in fields:
            waiting = own, fields
        else:
            yield into.message(own, **fields)
    if waiting:
        yield _unanswered(into, *waiting)


def _unanswered(into: Conversation, called: str, call: dict[str, Any]) -> Entry:
    # With its answer, which may be in the next export, it is another message.
    return into.message(f"{called}:call", **call)


def _branch(chat: dict[str, Any], place: str, skipped: Counter[str]) -> list[dict[str, Any]]:
    """Return the messages from the root to the node that is shown, or to the latest leaf where none is named."""
    nodes = as_object(chat.get("mapping"), f"{place}: mapping")
    at = chat.get("current_node")
    if at not in nodes:
        leaves = [name for name, node in nodes.items() if not node.get("children")]
        at = max(leaves, key=lambda name: _created(nodes, name), default=None)
    found = list[dict[str, Any]]()
    passed = set[str]()
    while at in nodes and at not in passed:
        passed.add(at)
        node = as_object(nodes[at], f"{place}, node {at}")
        if node.get("message"):
            message = as_object(node["message"], f"{place}, node {at}")
            found.append({**message, "id": message.get("id") or at})
        at = node.get("parent")
    others = [node for name, node in nodes.items() if name not in passed and node.get("message")]
    skipped["on another branch"] += len(others)
    return found[::-1]


def _created(nodes: dict[str, Any], leaf: str) -> float:
    """Return when the last message was that leads to a leaf and says so."""
    at = leaf
    for _ in nodes:
        node = nodes.get(at) or {}
        if created := (node.get("message") or {}).get("create_time"):
            return float(created)
        at = str(node.get("parent"))
    return 0.0


def _fields(message: dict[str, Any], skipped: Counter[str]) -> dict[str, Any] | None:
    """Return the fields of a message, or None where the page does not show it."""
    metadata = message.get("metadata") or {}
    author = message.get("author") or {}
    content = message.get("content") or {}
    role = author.get("role")
    hidden = metadata.get("is_visually_hidden_from_conversation")
    if hidden or role not in _ROLES or content.get("content_type") in _HIDDEN:
        skipped["hidden"] += 1
        return None
    text, blocks = _said(content)
    files = [] if role == "tool" else _files(metadata, content)
    if not (text or blocks or files or role == "tool"):
        skipped["empty"] += 1
        return None
    fields: dict[str, Any] = {"role": role}
    if model := metadata.get("model_slug"):
        fields["metadata"] = {"model": model}
    recipient = message.get("recipient") or "all"
    told = text or "\n".join(block.get("text") or block["json"] for block in blocks)
    if role == "tool":
        return {**fields, "tool_name": author.get("name") or "tool", "tool_result": told}
    if role == "assistant" and recipient != "all":
        return {**fields, "tool_name": recipient, "tool_args": told}
    return {**fields, "content": text, "content_blocks": [*blocks, *files]}


def _files(metadata: dict[str, Any], content: dict[str, Any]) -> list[dict[str, str]]:
    """Return blocks for the files that came with a message, by name; pictures are among its parts."""
    parts = content.get("parts") or []
    shown = {str(part.get("asset_pointer")) for part in parts if isinstance(part, dict)}
    blocks = list[dict[str, str]]()
    for file in metadata.get("attachments") or []:
        own = str(file.get("id") or "")
        if file.get("name") and not (own and any(own in pointer for pointer in shown)):
            blocks.append({"type": "attachment", "text": str(file["name"])})
    return blocks


def _said(content: dict[str, Any]) -> tuple[str, list[dict[str, str]]]:
    """Return the text of a content, and its parts where some are not text."""
    parts = content.get("parts")
    if not isinstance(parts, list):
        told = [content.get(name) for name in ("title", "text", "result", "summary", "content")]
        return "\n".join(each for each in told if each and isinstance(each, str)), []
    if all(isinstance(each, str) for each in parts):
        return "\n".join(filter(None, parts)), []
    blocks = list[dict[str, str]]()
    for each in parts:
        if isinstance(each, str):
            blocks += [{"type": "text", "text": each}] if each else []
        elif isinstance(each, dict):
            words = each.get("text")
            text: dict[str, str] = {"text": words} if isinstance(words, str) and words else {}
            shown = json.dumps(without_data(each), ensure_ascii=False)
            kind = str(each.get("content_type") or "part")[:64]
            blocks.append({"type": kind, **text, "json": shown})
    if all(block["type"] == "text" for block in blocks):
        return "\n".join(block["text"] for block in blocks), []
    return "", blocks
