"""Commands in documents exist, with the options used there."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click

from everword.cli.main import main
from support.documents import ROOT, documents

#: A command in a block of code, after a prompt, a path, variables, or another program that runs it.
LINE = re.compile(
    r"^ *(?:\$ )?(?:\w+=\S+ )*(?:docker compose run --rm (?:everword|migrate)|(?:\S*/bin/)?everword) (.*)"
)


def _commands(page: Path) -> Iterator[str]:
    """Yield the arguments after `everword` of all commands in a document."""
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    yield from (found[1] for line in lines if (found := LINE.match(line)))
    yield from re.findall(r"`everword ([a-z][^`]*)`", text)


def _unknown(words: list[str]) -> list[str]:
    """Return the first word that is not a command, or the options that a command does not have."""
    command: click.Command = main
    context = click.Context(main)
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        found = command.get_command(context, words[0])
        if found is None:
            return words[:1]
        command, words = found, words[1:]
    known = {"--help"}.union(*({*each.opts, *each.secondary_opts} for each in command.params))
    return [
        word for word in words if re.match(r"--?[a-z]", word) and word.split("=")[0] not in known
    ]


def test_documented_commands_and_options_exist() -> None:
    commands = [(page, command) for page in documents() for command in _commands(page)]
    assert len(commands) > 250
    wrong = [
        f"{page.name}: everword {command}"
        for page, command in commands
        if _unknown(shlex.split(re.split(r" [|>] ", command)[0], comments=True))
    ]
    assert wrong == []


def test_documented_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    named = {
        name
        for page in documents()
        for name in re.findall(
            r"(?:`|^)make ([a-z-]+)", page.read_text(encoding="utf-8"), re.MULTILINE
        )
    }
    assert {"demo", "test", "up"} <= named <= targets
