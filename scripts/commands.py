"""The page of commands: what `--help` says of each."""

from __future__ import annotations

from collections.abc import Iterator

import click

from everword.cli.main import main

_HEAD = """\
# Commands

<!-- Written by `make reference` from the commands' own help. -->

This is the output of `everword COMMAND --help`. Commands print tables for people; with `--json`, they print JSON for
programs. `everword call` reaches every public RPC with JSON. If a command fails, it prints an error to standard error,
and its exit status is not 0.

Enable completion of commands, options, services and methods in your shell:

| shell | line | file |
|---|---|---|
| bash | `eval "$(_EVERWORD_COMPLETE=bash_source everword)"` | `~/.bashrc` |
| zsh | `eval "$(_EVERWORD_COMPLETE=zsh_source everword)"` | `~/.zshrc` |
| fish | `_EVERWORD_COMPLETE=fish_source everword \\| source` | `~/.config/fish/config.fish` |
"""
_WIDTH = 100


def page() -> Iterator[str]:
    """Yield the lines of the page."""
    yield _HEAD.rstrip("\n")
    for context in _contexts(click.Context(main, info_name="everword")):
        depth = context.command_path.count(" ")
        yield from (
            "",
            f"{'#' * (depth + 1)} {context.command_path}" if depth else "## everword",
            "",
        )
        yield from ("```text", context.get_help(), "```")


def _contexts(context: click.Context) -> Iterator[click.Context]:
    """Iterate over a command and all below it, as they are called."""
    context.max_content_width = context.terminal_width = _WIDTH
    yield context
    command = context.command
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            if below is not None and not below.hidden:
                yield from _contexts(click.Context(below, parent=context, info_name=name))
