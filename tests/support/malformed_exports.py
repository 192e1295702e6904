"""Exports with one malformed record, in every way that JSON allows."""

from __future__ import annotations

import copy
import json
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support import exports

#: Replacements of a field or a whole record, including null.
WRONG: list[Any] = [
    None,
    5,
    "odd",
    [],
    {},
    True,
    ["x"],
    [None],
    {"a": 1},
    -1e300,
    "\0",
    "\ud800",
    "",
]
_MISSING: Any = object()


@dataclass(frozen=True)
class Export:
    """An export of three records; the one in the middle can be replaced."""

    name: str
    #: First, middle and last record.
    records: tuple[Any, Any, Any]
    #: Returns the JSON document with these records.
    document: Callable[[list[Any]], Any]
    file: str = "export.json"

    def write(self, folder: Path, records: list[Any]) -> Path:
        path = folder / self.file
        document = self.document(records)
        if path.suffix == ".zip":
            with zipfile.ZipFile(path, "w") as whole:
                for name, part in document.items():
                    whole.writestr(name, json.dumps(part))
        elif path.suffix == ".jsonl":
            path.write_text("\n".join(json.dumps(each) for each in document))
        else:
            path.write_text(json.dumps(document))
        return path


def malformed(record: Any) -> Iterator[tuple[str, Any]]:
    """Yield a record with each of its fields missing and wrong, and a description of the change."""
    for wrong in WRONG:
        yield f"{wrong!r}", wrong
    for path in _paths(record):
        for wrong in (_MISSING, *WRONG):
            changed = copy.deepcopy(record)
            holder = changed
            for key in path[:-1]:
                holder = holder[key]
            if wrong is _MISSING:
                del holder[path[-1]]
            else:
                holder[path[-1]] = wrong
            yield f"{path} {'missing' if wrong is _MISSING else repr(wrong)}", changed


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, each in items:
        yield (*path, key)
        if isinstance(each, dict | list):
            yield from _paths(each, (*path, key))


def three(record: Any, *names: str) -> tuple[Any, Any, Any]:
    """Return a record between two copies with other ids; `names` are the ids in it."""

    def other(mark: str) -> Any:
        text = json.dumps(record)
        for name in names:
            text = text.replace(f'"{name}"', f'"{mark}{name}"')
        return json.loads(text)

    return other("a-"), record, other("z-")


def _parts(path: Path) -> dict[str, Any]:
    with zipfile.ZipFile(path) as whole:
        return {each: json.loads(whole.read(each)) for each in whole.namelist()}


def all_exports(folder: Path) -> list[Export]:
    def plain(records: list[Any]) -> Any:
        return records

    [chat] = exports.chats_in(exports.chatgpt(folder))
    claude = _parts(exports.claude(folder))
    [talk], [project] = claude["conversations.json"], claude["projects.json"]
    [log] = _parts(exports.gemini(folder)).values()
    memory = json.loads(exports.mem0(folder).read_text())["results"][0]
    openai = json.loads(exports.openai(folder).read_text("utf-8-sig"))[0]
    letta = json.loads(exports.letta(folder).read_text())
    bank = _parts(exports.hindsight(folder))
    fact = bank["documents/1.json"]["facts"][0]
    passage = {"id": "p", "text": "t", "archive_id": "x", "created_at": exports.EIGHT, "tags": []}
    line = {"session_key": "s", "role": "user", "content": "said", "id": "m", "tags": ["t"]}
    said = {"conversation": "c", "messages": [{"id": "1", "role": "user", "content": "Hi"}]}
    model = {
        "id": "i",
        "name": "n",
        "source_query": "q",
        "content": "c",
        "bank_id": "b",
        "tags": [],
    }
    return [
        Export("chatgpt", three(chat, "c-1"), plain),
        Export("claude", three(talk, "chat-1"), plain),
        Export("claude-projects", three(project, "Ops"), plain),
        Export("claude-memories", ({"conversations_memory": "a"}, {"project_memories": {"p": "b"}},
                                   {"conversations_memory": "z"}), plain),
        Export("gemini", three(log[-1], "Prompted What to drink?"), plain),
        Export("mem0", three(memory, "m-1"), lambda records: {"results": records}),
        Export("openai", three(openai, "o-1"), plain),
        Export("letta", three(letta["agents"][0], "sam"), lambda agents: {**letta, "agents": agents}),
        Export("letta-passages", three(passage, "p"), plain),
        Export("hindsight-facts", three(fact, fact["text"]),
               lambda facts: {**bank, "documents/1.json": {**bank["documents/1.json"], "facts": facts}}, "b.zip"),
        Export("hindsight-models", three(model, "n"),
               lambda models: {"manifest.json": bank["manifest.json"], "models.json": models}, "b.zip"),
        Export("jsonl", three(line, "m"), plain, "export.jsonl"),
        Export("bench", three(said, "c"),
               lambda talks: {"format": "everword-bench/1", "conversations": talks}),
    ]  # fmt: skip
