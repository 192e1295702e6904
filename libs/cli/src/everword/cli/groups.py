"""Groups of commands that answer an unknown command with a suggestion."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import Any

import click


class HintingGroup(click.Group):
    """A group that answers an unknown command with a suggestion."""

    def __init__(self, *args: Any, hint: Callable[[str], list[str]], **kwargs: Any) -> None:
        """`hint` returns whole commands to suggest for an argument that is similar to no command."""
        super().__init__(*args, **kwargs)
        self._hint = hint

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        unknown = args[0]
        if unknown not in self.commands:
            close = get_close_matches(unknown, self.commands)
            commands = [f"{ctx.command_path} {name}" for name in close] or self._hint(unknown)
            meant = " or ".join(f"`{command}`" for command in commands)
            ctx.fail(f"No such command {unknown!r}. Did you mean {meant}?")
        return super().resolve_command(ctx, args)
