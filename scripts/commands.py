"""The page of commands: what `--help` says of each."""

from __future__ import annotations

from collections.abc import Iterator

import click

from everword.cli.main import main

_HEAD = """\
# Commands

<!-- Written by `make reference` from the commands' own help. -->

What `everword COMMAND --help` says. Commands print tables for people, and JSON for programs with `--json`. They end
with status 0, or with another one and a sentence on the standard error where something is wrong.

`eval "$(_EVERWORD_COMPLETE=bash_source everword)"` in `~/.bashrc` completes commands by Tab; for zsh it is
`zsh_source`, in `~/.zshrc`; fish takes `_EVERWORD_COMPLETE=fish_source everword | source`.
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
