"""The commands of docs/tutorial.md, run in order, print the documented output."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from everword.cli.main import main
from everword.client.settings import DEFAULT_ADDRESS
from support.command_line import EVERWORD, environment, run
from support.documents import ROOT
from support.learning import learn
from support.one_address import proxied
from support.stack import Stack

#: A program with its file name, a block of commands, or a block of output.
BLOCK = re.compile(
    r"(?:[Ss]ave this as `(?P<file>[\w.]+)`:\n\n)?^```(?P<tag>python|sh|text)\n(?P<body>.*?)^```",
    re.MULTILINE | re.DOTALL,
)


def _is_shown(shown: str, output: str) -> bool:
    """Return whether the output has the shown lines in order; `…` matches any text in a line, or any lines."""
    lines = [re.escape(line.strip()).replace("…", ".*") for line in shown.splitlines() if line]
    return bool(re.search(r" *\n(?:.*\n)*? *".join(lines), output))


async def _output(stack: Stack, folder: Path, block: str) -> str:
    """Run a block of commands in a folder: `everword` in this process, for speed, and other commands in a shell."""
    path = f"{Path(EVERWORD).parent}{os.pathsep}{os.environ['PATH']}"
    outputs = []
    for others, ours in re.findall(r"((?:(?!everword ).*\n)*)(?:everword (.*)\n)?", block):
        if others:
            done = await run(
                stack, "bash", "-ec", f"cd {folder}\n{others}", variables={"PATH": path}
            )
            assert (done.status, done.errors) == (0, ""), others
            outputs.append(done.output)
        if ours:
            words = [re.sub(r"^(\w+\.md)$", rf"{folder}/\1", word) for word in shlex.split(ours)]
            called = await asyncio.to_thread(
                CliRunner().invoke, main, words, env=environment(stack)
            )
            assert called.exit_code == 0, f"{ours}: {called.output}"
            outputs.append(called.stdout)
    return "".join(outputs)


@pytest.fixture
def address(stack: Stack, tmp_path: Path) -> Iterator[str]:
    with proxied(stack.addresses, tmp_path / "proxy") as address:
        yield address


async def test_tutorial_commands_print_documented_output(
    stack: Stack, address: str, tmp_path: Path
) -> None:
    page = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
    page = page.replace(DEFAULT_ADDRESS, address)
    output, checked = "", 0
    for block in BLOCK.finditer(page):
        file, tag, body = block.group("file", "tag", "body")
        if tag == "python":
            (tmp_path / file).write_text(body, encoding="utf-8")
        elif tag == "sh":
            output = await _output(stack, tmp_path, body)
            if "buf curl" in body or "news.py" in body:
                # The tutorial has the reader wait some seconds, in which workers learn.
                await learn(stack)
        else:
            assert _is_shown(body, output), f"{body}\nis not in\n{output}"
            checked += 1
    assert checked >= 8
