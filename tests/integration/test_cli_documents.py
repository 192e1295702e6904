"""`everword documents` and `everword workspace`, for people and for programs, as docs/documents.md shows them."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from support.command_line import everword
from support.files import pdf
from support.stack import Stack

PAGE = (Path(__file__).parents[2] / "docs" / "documents.md").read_text(encoding="utf-8")
HANDBOOK = "# Handbook\n\nHow we work.\n\n## Rollback\n\nIf a release goes wrong, revert it."


def commands(first: str) -> list[list[str]]:
    """Return the commands of the page's block that starts with `first`."""
    [block] = re.findall(rf"```\n({first} .*?)```", PAGE, re.DOTALL)
    return [shlex.split(line, comments=True)[1:] for line in block.splitlines()]


async def run(stack: Stack, commands: list[list[str]]) -> list[str]:
    outputs = []
    for command in commands:
        finished = await everword(stack, *command)
        assert finished.status == 0, (command, finished.errors)
        outputs.append(finished.output)
    return outputs


async def test_commands_of_documents_page_work_as_documented(
    stack: Stack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "handbook.md").write_text(HANDBOOK)
    templates = tmp_path / "templates"
    (templates / "people").mkdir(parents=True)
    (templates / "welcome.md").write_text("# Welcome\n\nHello.")
    (templates / "people" / "ana.txt").write_text("Ana runs the shop.")
    (templates / "ignored.bin").write_bytes(b"\0")
    uploads = commands("everword documents upload")
    outputs = await run(stack, uploads)
    uploaded, written, appended, shown, listed, found, versions, deleted, seeded = outputs
    assert uploaded == "handbook: version 1, 2 chunks\n"
    assert written == "Release plan: version 1, 1 chunks\n"
    assert appended == "Release plan: version 2, 1 chunks\n"
    assert shown == "If a release goes wrong, revert it.\n"
    assert "text/markdown" in listed
    assert "› Rollback: If a release goes wrong" in found
    assert "Ship on Friday" in versions
    assert deleted == "Release plan: deleted\n"
    assert "people/ana" in seeded
    assert "ignored" not in seeded
    # Seeding happens once; documents deleted since are not recreated.
    await run(stack, [["documents", "delete", "welcome"]])
    await run(stack, [["documents", "write", "people/ana", "Ana has moved on."]])
    [again] = await run(stack, [["documents", "seed", "templates/"]])
    assert again.count("kept") == 2
    # An unreadable file does not prevent the others.
    (templates / "broken.pdf").write_bytes(b"%PDF-1.7 cut off")
    (templates / "later.md").write_text("Later.")
    partly = await everword(stack, "documents", "seed", "templates/")
    assert partly.status == 1
    assert "1 of 4 files" in partly.errors
    assert "failed" in partly.output
    assert "Later." in (await everword(stack, "documents", "show", "later")).output
    gone = await everword(stack, "documents", "show", "welcome")
    assert "DOCUMENT_NOT_FOUND" in gone.errors
    kept = (await everword(stack, "documents", "show", "people/ana", "--json")).json()
    assert (kept["content"], kept["document"]["version"]) == ("Ana has moved on.", 2)


async def test_workspace_files_are_written_and_shown(stack: Stack) -> None:
    outputs = await run(stack, commands("everword workspace write"))
    soul, memory, shown, listed, versions = outputs
    assert (soul, memory) == ("SOUL: version 1\n", "MEMORY: version 1\n")
    assert shown == "Ana drinks tea.\n"
    assert "identity" in listed
    assert "agent" in versions
    refused = await everword(stack, "workspace", "write", "SOUL", "Mine.", "--agent", "opus")
    assert refused.status != 0
    assert "WORKSPACE_FILE_PROTECTED" in refused.errors
    missing = await everword(stack, "workspace", "show", "soul", "--agent", "none")
    assert "DOCUMENT_NOT_FOUND" in missing.errors


async def test_upload_of_unreadable_file_prints_reason(stack: Stack, tmp_path: Path) -> None:
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7 and no more")
    finished = await everword(stack, "documents", "upload", str(broken))
    assert finished.status != 0
    assert "DOCUMENT_UNREADABLE" in finished.errors


async def test_upload_of_pdf_warns_about_pages_without_text(stack: Stack, tmp_path: Path) -> None:
    file = tmp_path / "half.pdf"
    file.write_bytes(pdf([[(11.0, "The ferry is blue.")], []]))
    first = await everword(stack, "documents", "upload", str(file))
    assert first.status == 0
    assert first.errors == "half: 1 of 2 pages has no text\n"
    written = (await everword(stack, "documents", "upload", str(file), "--json")).json()
    assert written["warnings"] == ["1 of 2 pages has no text"]
    found = await everword(stack, "search", "ferry", "--json")
    assert "The ferry is blue." in found.output
    file.write_bytes(pdf([[(11.0, "a")], [], [], [(11.0, "b")]]))
    written = (await everword(stack, "documents", "upload", str(file), "--json")).json()
    assert written["warnings"] == ["2 of 4 pages have no text"]
    file.write_bytes(pdf([[(11.0, "a")], [(11.0, "b")]]))
    assert (await everword(stack, "documents", "upload", str(file))).errors == ""
