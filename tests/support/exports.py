"""Small exports of chats and of other memory systems, in their own formats."""

from __future__ import annotations

import json
import re
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

#: 2026-03-02, 08:00 in UTC.
EIGHT = 1772438400


def zipped(path: Path, **files: object) -> Path:
    """Write a zip of JSON files; `__` in a name is a folder."""
    with zipfile.ZipFile(path, "w") as whole:
        for name, content in files.items():
            whole.writestr(f"{name.replace('__', '/')}.json", json.dumps(content))
    return path


def chats_in(path: Path) -> list[dict[str, Any]]:
    """Return the conversations of an export of ChatGPT or Claude."""
    with zipfile.ZipFile(path) as whole:
        chats: list[dict[str, Any]] = json.loads(whole.read("conversations.json"))
    return chats


def many(folder: Path, export: Path, copies: int) -> Path:
    """Write an export of ChatGPT, Claude or Gemini with several copies of each conversation that has an id."""
    with zipfile.ZipFile(export) as whole:
        files = {name: json.loads(whole.read(name)) for name in whole.namelist()}
    name, first = next(iter(files.items()))
    texts = [json.dumps(each) for each in first]
    # A copy differs from the original by its conversation id, or by its address.
    own = re.compile(r'("(?:id|conversation_id|uuid)": "(?:c|chat)-1|gemini\.google\.com/app/9f3c)')
    files[name] = [
        json.loads(own.sub(rf"\g<0>-{n}", text))
        for n in range(copies)
        for text in texts
        if n == 0 or own.search(text)
    ]
    return zipped(
        folder / export.name,
        **{each.removesuffix(".json").replace("/", "__"): files[each] for each in files},
    )


def _node(
    own: str, parent: str, children: list[str], role: str = "", **given: Any
) -> dict[str, Any]:
    if not role:
        return {"id": own, "message": None, "parent": None, "children": children}
    message = {
        "id": own,
        "author": {"role": role, "name": given.pop("name", None), "metadata": {}},
        "create_time": given.pop("time", None),
        "content": given.pop("content", {"content_type": "text", "parts": [given.pop("text", "")]}),
        "status": "finished_successfully",
        "weight": 1.0,
        "metadata": given.pop("metadata", {}),
        "recipient": given.pop("recipient", "all"),
    }
    return {"id": own, "message": message, "parent": parent, "children": children}


def chatgpt(folder: Path) -> Path:
    """Write a ChatGPT export: a question with two answers, the second with a tool and reasoning, and a picture."""
    code = {"content_type": "code", "language": "python", "text": "sum(range(4))"}
    printed = {"content_type": "execution_output", "text": "6"}
    thought = {"content_type": "thoughts", "thoughts": [{"summary": "s", "content": "c"}]}
    pointer = {
        "content_type": "image_asset_pointer",
        "asset_pointer": "file-service://file-P",
        "width": 8,
    }
    picture = {"content_type": "multimodal_text", "parts": [pointer, "And this?"]}
    files = {"attachments": [{"id": "file-P", "name": "p.png"}, {"id": "file-Q", "name": "q.pdf"}]}
    hidden = {"is_visually_hidden_from_conversation": True}
    model = {"model_slug": "gpt-5"}
    nodes = [
        _node("root", "", ["sys"]),
        _node("sys", "root", ["u1"], "system", metadata=hidden),
        _node("u1", "sys", ["a1", "th"], "user", text="What is 0+1+2+3?", time=EIGHT + 0.5),
        _node("a1", "u1", [], "assistant", text="Seven.", time=EIGHT + 1),
        _node("th", "u1", ["call"], "assistant", content=thought, time=EIGHT + 2),
        _node("call", "th", ["out"], "assistant", content=code, recipient="python", time=EIGHT + 3),
        _node("out", "call", ["a2"], "tool", content=printed, name="python", time=EIGHT + 4),
        _node("a2", "out", ["u2"], "assistant", text="Six.", metadata=model),
        _node("u2", "a2", ["a3"], "user", content=picture, metadata=files, time=EIGHT + 60),
        _node("a3", "u2", [], "assistant", text=""),
    ]  # fmt: skip
    chat = {
        "title": "Sums",
        "create_time": EIGHT,
        "update_time": EIGHT + 60,
        "mapping": {node["id"]: node for node in nodes},
        "current_node": "a3",
        "conversation_id": "c-1",
        "id": "c-1",
    }
    return zipped(folder / "chatgpt.zip", conversations=[chat], user={"id": "user-1"})


def claude(folder: Path) -> Path:
    """Write a Claude export: a chat with two alternative answers (the latter visible), a tool, a pasted file, and other
    data.
    """

    def message(own: str, parent: str, sender: str, at: str, **given: Any) -> dict[str, Any]:
        shared = {"uuid": own, "parent_message_uuid": parent, "sender": sender, "text": ""}
        return {**shared, "created_at": at, "attachments": [], "files": [], "content": [], **given}

    pasted = {
        "file_name": "log.txt",
        "file_size": 7,
        "file_type": "txt",
        "extracted_content": "E: disk",
    }
    told = [
        {"type": "thinking", "thinking": "Hm."},
        {"type": "text", "text": "Let me look."},
        {"type": "tool_use", "id": "t-1", "name": "web_search", "input": {"query": "E: disk"}},
        {
            "type": "tool_result",
            "tool_use_id": "t-1",
            "content": [{"type": "text", "text": "full"}],
        },
        {"type": "text", "text": "The disk is full."},
    ]
    root = "00000000-0000-4000-8000-000000000000"
    messages = [
        message(
            "m-1", root, "human", "2026-03-02T08:00:00.123456Z", text="Why?", attachments=[pasted]
        ),
        message("m-2", "m-1", "assistant", "2026-03-02T08:00:05Z", text="No idea."),
        message("m-3", "m-1", "assistant", "2026-03-02T08:01:00Z", content=told),
        message("m-4", "m-3", "human", "2026-03-02T08:02:00Z"),
    ]
    chat = {
        "uuid": "chat-1",
        "name": "Disk",
        "created_at": "2026-03-02T08:00:00Z",
        "chat_messages": messages,
    }
    docs = [
        {
            "uuid": "d-1",
            "filename": "runbook.md",
            "content": "# Disks",
            "created_at": "2026-01-01T00:00:00Z",
        }
    ]
    project = {"uuid": "p-1", "name": "Ops", "prompt_template": "Be brief.", "docs": docs}
    memories = [
        {"conversations_memory": "Ana runs servers.", "project_memories": {}, "account_uuid": "a-1"}
    ]
    return zipped(
        folder / "claude.zip", conversations=[chat], memories=memories, projects=[project], users=[]
    )


def gemini(folder: Path) -> Path:
    """Write Google Takeout's log, latest entry first, with an entry of another product and one without a prompt."""

    def entry(
        title: str, at: str, *html: str, header: str = "Gemini Apps", **more: Any
    ) -> dict[str, Any]:
        answer = {"safeHtmlItem": [{"html": each} for each in html]} if html else {}
        return {
            "header": header,
            "title": title,
            "time": at,
            "products": [header],
            **answer,
            **more,
        }

    url = {"titleUrl": "https://gemini.google.com/app/9f3c"}
    log = [
        entry("Prompted And at noon?", "2026-03-03T09:00:00.000Z", "<p>Tea.</p>", **url),
        entry("Searched for tea", "2026-03-02T09:30:00.000Z", header="Search"),
        entry("Used an Assistant feature", "2026-03-02T09:20:00.000Z"),
        entry(
            "Prompted What to drink?", "2026-03-02T08:00:00Z", "<p>Either:</p><ul><li>tea</li><li>water</li></ul>",
            attachedFiles=["menu.png"],
        ),
    ]  # fmt: skip
    return zipped(folder / "takeout.zip", **{"Takeout__My Activity__Gemini Apps__MyActivity": log})


def openai(folder: Path) -> Path:
    """Write chats of OpenAI's API as a list, with a byte order mark and times in milliseconds."""
    call = {"id": "call-1", "type": "function", "function": {"name": "now", "arguments": "{}"}}
    first = [
        {"role": "system", "content": "Be brief."},
        {
            "role": "user",
            "content": [{"type": "text", "text": "Time?"}],
            "created_at": (EIGHT + 60) * 1000,
        },
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call-1", "content": "08:01"},
    ]
    chats = [
        {"id": "o-1", "agent": "opus", "title": "Clock", "created": EIGHT, "messages": first},
        {"id": "o-2", "created": EIGHT, "messages": [{"role": "user", "content": "Bye"}]},
    ]
    path = folder / "openai.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(chats).encode())
    return path


def mem0(folder: Path) -> Path:
    """Write a result of mem0's `get_all`, with one expired memory."""
    shared = {"user_id": "ana", "agent_id": None, "run_id": None, "hash": "h", "updated_at": None}
    results = [
        {
            "id": "m-1", "memory": "Drinks tea", "created_at": "2026-03-02T00:00:00-07:00",
            "metadata": {"source": "chat"}, "categories": ["food"], **shared,
        },
        {"id": "m-2", "memory": "Is in Rome", "expiration_date": "2020-01-01", "created_at": None, **shared},
    ]  # fmt: skip
    path = folder / "mem0.json"
    path.write_text(json.dumps({"results": results, "relations": []}))
    return path


def letta(folder: Path) -> Path:
    """Write a Letta agent file: a block, a user's message as Letta wraps it, an answer by a tool, and a tool."""

    def message(role: str, text: str, at: int, **more: Any) -> dict[str, Any]:
        content = [{"type": "text", "text": text}] if text else []
        time = f"2026-03-02T08:0{at}:00+00:00"
        return {
            "type": "message",
            "id": f"message-{at}",
            "role": role,
            "content": content,
            "created_at": time,
            **more,
        }

    def call(own: str, name: str, arguments: str) -> dict[str, Any]:
        return {"id": own, "type": "function", "function": {"name": name, "arguments": arguments}}

    said = json.dumps({"type": "user_message", "message": "Hello", "time": "now"})
    agent = {
        "name": "sam",
        "memory_blocks": [],
        "block_ids": ["block-0"],
        "system": "You are sam.",
        "id": "agent-0",
        "messages": [
            message("system", "You are sam.", 0),
            message("user", said, 1),
            message(
                "assistant",
                "",
                2,
                tool_calls=[call("c-1", "send_message", '{"message": "Hi Ana"}')],
            ),
            message("tool", '{"status": "OK"}', 2, tool_call_id="c-1"),
            message("assistant", "", 3, tool_calls=[call("c-2", "roll_dice", "{}")]),
            message("tool", "4", 3, tool_call_id="c-2"),
        ],
    }
    blocks = [{"id": "block-0", "label": "human", "value": "Ana, from Rome", "limit": 5000}]
    path = folder / "sam.af"
    path.write_text(
        json.dumps({"agents": [agent], "groups": [], "blocks": blocks, "files": [], "tools": []})
    )
    return path


def hindsight(folder: Path) -> Path:
    """Write a bank's transfer archive: a document with a fact, and an observation."""
    fact = {
        "text": "Ana moved to Rome",
        "fact_type": "world",
        "occurred_start": "2026-03-02T08:00:00Z",
        "entities": ["Ana"],
    }
    document = {
        "id": "doc-1", "original_text": "I moved to Rome.", "tags": ["chat"], "facts": [fact], "chunks": [],
    }  # fmt: skip
    observation = {"text": "Ana likes cities", "sources": [], "proof_count": 2, "tags": []}
    return zipped(
        folder / "bank.zip",
        manifest={"version": 1, "source_bank_id": "ana"},
        documents__1=document,
        observations=[observation],
    )


def langgraph(folder: Path, *, named: bool = True) -> Path:
    """Write three checkpoints of a thread with LangGraph's serializer, in the tables of its SQLite saver."""
    from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
    from langgraph.checkpoint.base import empty_checkpoint
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

    asked = HumanMessage("Roll.", id="h-1")
    called = AIMessage("", id="a-1", tool_calls=[{"id": "c-1", "name": "dice", "args": {"n": 6}}])
    rolled = ToolMessage("4", id="t-1", tool_call_id="c-1")
    told = AIMessage("Four.", id="a-2")
    if not named:
        for each in (asked, called, rolled, told):
            each.id = None
    serializer = JsonPlusSerializer()
    path = folder / ("checkpoints.sqlite" if named else "nameless.sqlite")
    with closing(sqlite3.connect(path)) as database, database:
        database.executescript(
            "CREATE TABLE checkpoints (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '',"
            " checkpoint_id TEXT NOT NULL, parent_checkpoint_id TEXT, type TEXT, checkpoint BLOB, metadata BLOB,"
            " PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id));"
            "CREATE TABLE writes (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '',"
            " checkpoint_id TEXT NOT NULL, task_id TEXT NOT NULL, idx INTEGER NOT NULL, channel TEXT NOT NULL,"
            " type TEXT, value BLOB, PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx));"
        )
        for number, messages in enumerate(([asked], [asked, called], [called, rolled, told])):
            checkpoint = {
                **empty_checkpoint(),
                "id": f"1f0-{number}",
                "ts": f"2026-03-02T08:0{number}:00.000000+00:00",
                "channel_values": {"messages": messages, "turns": number},
            }
            kind, data = serializer.dumps_typed(checkpoint)
            before = f"1f0-{number - 1}" if number else None
            row = ("thread-1", "", f"1f0-{number}", before, kind, data, b"{}")
            database.execute("INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        kind, data = serializer.dumps_typed([called])
        wrote = ("thread-1", "", "1f0-0", "task", 0, "messages", kind, data)
        database.execute("INSERT INTO writes VALUES (?, ?, ?, ?, ?, ?, ?, ?)", wrote)
    return path


def ryvos(folder: Path) -> Path:
    """Write a session with a tool and with text that is no list of blocks, and an entry of the memory."""
    blocks = [
        ("user", [{"type": "text", "text": "Roll."}]),
        ("assistant", [{"type": "thinking", "thinking": "Hm."}]),
        ("assistant", [{"type": "tool_use", "id": "c-1", "name": "dice", "input": {"n": 6}}]),
        (
            "user",
            [{"type": "tool_result", "tool_use_id": "c-1", "content": "4", "is_error": False}],
        ),
    ]
    rows = [(role, json.dumps(content)) for role, content in blocks] + [
        ("assistant", "[four] it is")
    ]
    path = folder / "ryvos.db"
    with closing(sqlite3.connect(path)) as database, database:
        database.executescript(
            "CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT NOT NULL, role TEXT NOT NULL,"
            " content TEXT NOT NULL, timestamp TEXT NOT NULL, metadata TEXT);"
            "CREATE TABLE memory (id INTEGER PRIMARY KEY, key TEXT, value TEXT);"
            "INSERT INTO memory VALUES (1, 'deploy_process', 'Run tests first.');"
        )
        for minute, (role, content) in enumerate(rows):
            row = ("s-1", role, content, f"2026-03-02T08:0{minute}:00+00:00")
            database.execute(
                "INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, ?, ?, ?)",
                row,
            )
    return path


#: RivetOS' tables, and two conversations with the same key.
RIVETOS = """
CREATE SCHEMA rivet;
SET search_path = rivet, public;
CREATE TABLE ros_conversations ( id UUID PRIMARY KEY DEFAULT gen_random_uuid(), session_key TEXT NOT NULL,
  agent TEXT NOT NULL, channel TEXT NOT NULL, channel_id TEXT, bot_identity TEXT, title TEXT,
  settings JSONB DEFAULT '{}', active BOOLEAN DEFAULT true, created_at TIMESTAMPTZ NOT NULL DEFAULT NOW(),
  updated_at TIMESTAMPTZ NOT NULL DEFAULT NOW());
CREATE TABLE ros_messages ( id UUID PRIMARY KEY DEFAULT gen_random_uuid(), conversation_id UUID NOT NULL,
  agent TEXT NOT NULL, channel TEXT NOT NULL, role TEXT NOT NULL, content TEXT NOT NULL DEFAULT '', tool_name TEXT,
  tool_args JSONB, tool_result TEXT, metadata JSONB DEFAULT '{}', created_at TIMESTAMPTZ NOT NULL DEFAULT NOW());
INSERT INTO ros_conversations (id, session_key, agent, channel, title) VALUES
  ('00000000-0000-4000-8000-000000000001', 'dm-1', 'rivet', 'discord', 'Dice'),
  ('00000000-0000-4000-8000-000000000002', 'dm-1', 'rivet', 'discord', 'Dice');
INSERT INTO ros_messages (conversation_id, agent, channel, role, content, tool_name, tool_args, tool_result, created_at)
SELECT ('00000000-0000-4000-8000-00000000000' || c)::uuid, 'rivet', 'discord', r, t, n, a::jsonb, o, s::timestamptz
FROM (VALUES
  (1, 'user', 'Roll.', NULL, NULL, NULL, '2026-03-02 08:00:00Z'),
  (1, 'tool', '', 'dice', '{"n": 6}', '4', '2026-03-02 08:01:00Z'),
  (2, 'assistant', 'Four.', NULL, NULL, NULL, '2026-03-02 09:02:00+01')) AS v (c, r, t, n, a, o, s);
"""
