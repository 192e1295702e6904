"""`everword call` on a running stack: unary calls, streams and errors."""

from __future__ import annotations

import json

from support.command_line import everword
from support.stack import Stack


async def test_call_sends_json_and_prints_the_response(stack: Stack) -> None:
    request = {"note": {"key": "plan", "content": "Ship on Friday."}}
    given = json.dumps(request)
    written = await everword(stack, "call", "Note/WriteNote", "-", given=given)
    assert written.json()["version"] == 1
    listed = await everword(stack, "call", "NoteService/ListNotes")
    [note] = listed.json()["notes"]
    assert note["body"]["content"] == "Ship on Friday."
    missing = await everword(stack, "call", "Note/GetNote", '{"key": {"key": "plant"}}')
    assert missing.status == 1
    assert "NOTE_NOT_FOUND" in missing.errors
    assert "Did you mean 'plan'" in missing.errors


async def test_call_reads_and_prints_streams_as_json_lines(stack: Stack) -> None:
    batches = [
        {
            "batch": {
                "conversation": {"key": {"session_key": "thread"}},
                "messages": [{"role": "ROLE_USER", "content": content, "external_id": content}],
            }
        }
        for content in ("one", "two")
    ]
    given = "\n".join(map(json.dumps, batches))
    imported = await everword(stack, "call", "Ingest/ImportMessages", "-", given=given)
    assert imported.json()["messages_written"] == 2
    node = '{"node": {"label": "Ana", "type": "person"}}'
    made = await everword(stack, "call", "Graph/CreateNode", node)
    assert made.status == 0, made.errors
    exported = await everword(stack, "call", "GraphQuery/ExportGraph")
    parts = [json.loads(line) for line in exported.output.splitlines()]
    assert [node["label"] for part in parts for node in part["nodes"]] == ["Ana"]
