"""`everword notes`, for people and for programs, as docs/notes.md shows it."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from support.command_line import everword
from support.stack import Stack

PAGE = (Path(__file__).parents[2] / "docs" / "notes.md").read_text(encoding="utf-8")


async def test_commands_of_notes_page_work_as_documented(stack: Stack) -> None:
    [block] = re.findall(r"```\n(everword notes write .*?)```", PAGE, re.DOTALL)
    commands = [shlex.split(line, comments=True)[1:] for line in block.splitlines()]
    outputs = []
    for command in commands:
        finished = await everword(stack, *command)
        assert finished.status == 0, finished.errors
        outputs.append(finished.output)
    written, found, again, versions, logged, listed, deleted = outputs
    assert (written, again) == ("deploy_process: version 1\n", "deploy_process: version 2\n")
    assert "Build the image" in found
    assert versions.count("Run tests") == 2
    assert "Fixed the login" in logged
    assert "Fixed the login" in listed
    assert deleted == "deploy_process: deleted\n"
    gone = await everword(stack, "notes", "get", "deploy_process")
    assert gone.status != 0
    assert "NOTE_NOT_FOUND" in gone.errors
    finished = await everword(stack, "notes", "history", "deploy_process", "--json")
    assert [each["deleted"] for each in finished.json()["versions"]] == [True, False, False]


async def test_note_write_with_wrong_expected_version_fails(stack: Stack) -> None:
    first = ("notes", "write", "plan", "Ship on Friday.", "--expect", "0", "--agent", "opus")
    written = (await everword(stack, *first, "--json")).json()
    assert (written["version"], written["replayed"]) == (1, False)
    lost = await everword(stack, *first)
    assert lost.status != 0
    assert written["version_id"] in lost.errors
    read = await everword(stack, "notes", "get", "plan", "--agent", "opus")
    assert read.output == "Ship on Friday.\n"


async def test_handoffs_grant_creates_grant_and_show_prints_its_calls(stack: Stack) -> None:
    empty = await everword(stack, "handoffs", "show", "acme/shop", "41", "--instructions")
    assert "nothing was handed over" in empty.errors
    assert "WriteHandoff" in empty.output
    made = await everword(stack, "handoffs", "grant", "acme/shop", "41", "--calls", "3", "--json")
    assert made.json()["secret"]
    shown = await everword(stack, "handoffs", "show", "acme/shop", "41")
    assert made.json()["grant"]["id"] in shown.output
    assert "0 of 3" in shown.output
