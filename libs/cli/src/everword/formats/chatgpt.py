"""ChatGPT's export: `conversations.json`, each conversation a tree of messages of which the page shows one branch.

The branch that ends in `current_node` is read, without hidden messages and without the model's thoughts. A message to a
tool and the tool's answer become one message. Files and pictures are not in the export; their names are kept.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from everword.formats.records import Record, conversation
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
from everword.transcripts.chats import without_data

CHANNEL = "chatgpt"
_HIDDEN = {"thoughts", "reasoning_recap", "user_editable_context", "model_editable_context"}
#: Fields with the text of a content without parts, in the order in which they are tried.
_TEXTS = ("title", "text", "result", "summary", "content")
_ROLES = {"user", "assistant", "system", "tool"}


def reader(shape: frozenset[str]) -> object:
    """Return the function that reads a part of this shape; None if it is not ChatGPT's."""
    return read if shape & {"item.mapping", "item.current_node"} else None


def read(part: Part) -> Iterator[Record]:
    """Yield the messages of all conversations. Raises TranscriptError if the file is damaged."""
    for chat, place in part.items("item", "conversation"):
        with part.meter.skipping(place):
            yield from _read_conversation(chat, place, part.meter)


def _read_conversation(chat: dict[str, Any], place: str, meter: Meter) -> Iterator[Entry]:
    own = name_in(chat, "conversation_id", place) or name_in(chat, "id", place)
    title = text_in(chat, "title", place)
    if not own:
        raise RecordError(place, "it has no id")
    place = f"{place} ({title or own})"
    created = time_of(chat.get("create_time"), place)
    into = conversation(own, place, channel=CHANNEL, title=title, created=created)
    for name, fields in _calls_with_results(_displayed_messages(chat, place, meter)):
        with meter.skipping(f"{place}, message {name}"):
            yield into.message(name, **fields)


def _displayed_messages(
    chat: dict[str, Any], place: str, meter: Meter
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the id and the fields of each message that ChatGPT displays, without malformed ones."""
    for name, message in _branch(chat, place, meter):
        where = f"{place}, message {name}"
        with meter.skipping(where):
            fields = _fields(as_object(message, where), where, meter.skipped)
            if fields is not None:
                yield name_in(message, "id", where) or name, fields


def _calls_with_results(
    messages: Iterator[tuple[str, dict[str, Any]]],
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield messages; a tool call and the result after it become one message."""
    waiting: tuple[str, dict[str, Any]] | None = None
    for name, fields in messages:
        if waiting and fields["role"] == "tool" and fields["tool_name"] == waiting[1]["tool_name"]:
            called, call = waiting
            waiting = None
            yield called, {**call, "tool_result": fields["tool_result"]}
            continue
        if waiting:
            yield _unanswered(*waiting)
            waiting = None
        if fields["role"] == "assistant" and "tool_name" in fields:
            waiting = name, fields
        else:
            yield name, fields
    if waiting:
        yield _unanswered(*waiting)


def _unanswered(called: str, call: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    # With its answer, which may be in the next export, it is another message.
    return f"{called}:call", call


def _branch(chat: dict[str, Any], place: str, meter: Meter) -> list[tuple[str, Any]]:
    """Return the messages from the root to the current node, or to the latest leaf if the export names no current node.

    Each comes with the id of its node. Malformed nodes are skipped, and the branch goes on above them.
    """
    if chat.get("mapping") is None:
        raise RecordError(place, "it has no mapping")
    nodes, parents, missing = _tree(chat, place, meter)
    at: str | None = name_in(chat, "current_node", place)
    if at not in nodes and at not in parents:
        inner = set(parents.values())
        leaves = [name for name in nodes if name not in inner] or list(nodes)
        at = max(leaves, key=lambda name: _created(nodes, parents, name), default=None)
    found = list[tuple[str, Any]]()
    passed = set[str]()
    while at and at not in passed:
        passed.add(at)
        if at in missing:
            meter.skip_record(
                RecordError(f"{place}, node {at}", "it is missing, but another node refers to it")
            )
        elif (message := nodes.get(at, {}).get("message")) is not None:
            found.append((at, message))
        at = parents.get(at)
    others = [node for name, node in nodes.items() if name not in passed and node.get("message")]
    meter.skipped["on another branch"] += len(others)
    return found[::-1]


def _tree(
    chat: dict[str, Any], place: str, meter: Meter
) -> tuple[dict[str, dict[str, Any]], dict[str, str], set[str]]:
    """Return nodes by id, the parents of nodes, and the missing nodes. Malformed nodes are skipped."""
    mapping = object_in(chat, "mapping", place)
    nodes, parents, by_children = dict[str, dict[str, Any]](), dict[str, str](), dict[str, str]()
    for name, value in mapping.items():
        where = f"{place}, node {name}"
        with meter.skipping(where):
            node = as_object(value, where)
            children = list_in(node, "children", where)
            parents[name] = name_in(node, "parent", where)
            by_children |= {child: name for child in children if isinstance(child, str)}
            nodes[name] = node
            if "message" not in node:
                raise RecordError(where, "it has no message")
    for name, parent in by_children.items():
        # If a node does not name its parent, the parent's list of children may name the node.
        if parents.get(name) not in mapping:
            parents[name] = parent
    return nodes, parents, {name for name in parents.values() if name} - mapping.keys()


def _created(nodes: dict[str, dict[str, Any]], parents: dict[str, str], leaf: str) -> float:
    """Return when the last message was that leads to a leaf and says so."""
    at: str | None = leaf
    for _ in nodes:
        message = nodes.get(at or "", {}).get("message")
        created = message.get("create_time") if isinstance(message, dict) else None
        if isinstance(created, int | float) and created:
            return float(created)
        at = parents.get(at or "")
    return 0.0


def _fields(message: dict[str, Any], place: str, skipped: Counter[str]) -> dict[str, Any] | None:
    """Return the fields of a message, or None if ChatGPT does not display it. Raises RecordError."""
    metadata = object_in(message, "metadata", place)
    author = object_in(message, "author", place)
    content = object_in(message, "content", place)
    role = text_in(author, "role", place)
    hidden = metadata.get("is_visually_hidden_from_conversation")
    if hidden or text_in(content, "content_type", place) in _HIDDEN:
        skipped["hidden"] += 1
        return None
    if role not in _ROLES:
        shown = repr(role[:100]) if role else "missing"
        raise RecordError(
            place, f"author.role is {shown}; it must be one of user, assistant, system, tool"
        )
    if not content:
        raise RecordError(place, "it has no content")
    created = time_of(message.get("create_time"), place)
    text, blocks = _content_text(content, place)
    files = [] if role == "tool" else _files(metadata, content, place)
    if not (text or blocks or files or role == "tool"):
        skipped["empty"] += 1
        return None
    fields: dict[str, Any] = {"role": role, "create_time": created}
    if model := text_in(metadata, "model_slug", place):
        fields["metadata"] = {"model": model}
    recipient = text_in(message, "recipient", place) or "all"
    told = text or "\n".join(block.get("text") or block["json"] for block in blocks)
    if role == "tool":
        name = text_in(author, "name", place) or "tool"
        return {**fields, "tool_name": name, "tool_result": told}
    if role == "assistant" and recipient != "all":
        return {**fields, "tool_name": recipient, "tool_args": told}
    return {**fields, "content": text, "content_blocks": [*blocks, *files]}


def _files(metadata: dict[str, Any], content: dict[str, Any], place: str) -> list[dict[str, str]]:
    """Return blocks for the files that came with a message, by name; pictures are among its parts."""
    parts = list_in(content, "parts", place)
    shown = {str(part.get("asset_pointer")) for part in parts if isinstance(part, dict)}
    blocks = list[dict[str, str]]()
    for each in list_in(metadata, "attachments", place):
        file = as_object(each, f"{place}, attachment")
        own, name = name_in(file, "id", place), text_in(file, "name", place)
        if name and not (own and any(own in pointer for pointer in shown)):
            blocks.append({"type": "attachment", "text": name})
    return blocks


def _content_text(content: dict[str, Any], place: str) -> tuple[str, list[dict[str, str]]]:
    """Return the text of a content, and its parts if some are not text. Raises RecordError."""
    parts = list_in(content, "parts", place)
    if content.get("parts") is None:
        if not content.keys() & set(_TEXTS):
            raise RecordError(place, "content has no parts")
        told = [text_in(content, name, place) for name in _TEXTS if name in content]
        return "\n".join(filter(None, told)), []
    parts = [each for each in parts if each is not None]
    if all(isinstance(each, str) for each in parts):
        return "\n".join(filter(None, parts)), []
    blocks = list[dict[str, str]]()
    for each in parts:
        if isinstance(each, str):
            blocks += [{"type": "text", "text": each}] if each else []
        else:
            each = as_object(each, f"{place}, part")
            words = each.get("text")
            text: dict[str, str] = {"text": words} if isinstance(words, str) and words else {}
            shown = json.dumps(without_data(each), ensure_ascii=False)
            kind = str(each.get("content_type") or "part")[:64]
            blocks.append({"type": kind, **text, "json": shown})
    if all(block["type"] == "text" for block in blocks):
        return "\n".join(block["text"] for block in blocks), []
    return "", blocks
