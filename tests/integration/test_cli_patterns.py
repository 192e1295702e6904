"""`everword patterns`, for people and for programs, as docs/notes.md shows it."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

from everword_ingest.patterns.confidence import confidence
from support.command_line import everword
from support.stack import Stack

PAGE = (Path(__file__).parents[2] / "docs" / "notes.md").read_text(encoding="utf-8")


async def test_pattern_commands_of_notes_page_work_as_documented(stack: Stack) -> None:
    [block] = re.findall(r"```\n(everword call Pattern.*?)```", PAGE, re.DOTALL)
    commands = [shlex.split(line, comments=True)[1:] for line in block.splitlines()]
    *_, why = commands
    recorded, decided, threshold, listed = [
        await everword(stack, *command) for command in commands[:-1]
    ]
    assert recorded.json()["pattern"]["entity"] == "REMA 1000"
    assert decided.json()["decision"]["explanation"].startswith("It was right in 1 of 1")
    assert not decided.json()["decision"]["approved"]
    assert "previous" not in threshold.json()
    assert '{"account": "6540"}' in listed.output
    [pattern] = (await everword(stack, *commands[3], "--json")).json()["patterns"]
    outcome = json.dumps({"pattern_id": pattern["id"], "agreed": False, "reason": "private"})
    assert (await everword(stack, "call", "Pattern/RecordOutcome", outcome)).status == 0
    explained = (await everword(stack, *why[:-1], pattern["id"])).output
    assert "private" in explained
    assert "ask first" in explained


def test_page_lists_correct_confidence_of_counts() -> None:
    rows = re.findall(r"^\| (\d+) \| (\d+) \| \.(\d+) \|$", PAGE, re.MULTILINE)
    assert len(rows) == 7
    for right, wrong, told in rows:
        assert round(confidence(int(right), int(wrong)), 2) == float(f"0.{told}")
