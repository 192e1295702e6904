"""The command `everword` and its subcommands."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cached_property
from importlib import import_module
from importlib.metadata import entry_points

import click
from click.shell_completion import CompletionItem

from everword.cli.catalogue import ENTRIES, SECTIONS


class LazyGroup(click.Group):
    """A group that imports a command when it is called, and none to list them."""

    @cached_property
    def _places(self) -> dict[str, str]:
        own = {
            name: f"everword.cli.{entry.place}"
            for name, entry in ENTRIES.items()
            if not entry.distribution
        }
        # Other distributions bring commands too, such as the benchmarks.
        return own | {found.name: found.value for found in entry_points(group="everword.commands")}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(self._places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._places:
            return None
        module, _, name = self._places[cmd_name].partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        wanted = args[0]
        if wanted in ENTRIES and wanted not in self._places:
            ctx.fail(
                f"{wanted!r} comes with {ENTRIES[wanted].distribution}, which is not installed"
            )
        if wanted not in self._places and (close := get_close_matches(wanted, self._places)):
            ctx.fail(f"No such command {wanted!r}. Did you mean {' or '.join(map(repr, close))}?")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for section, entries in SECTIONS.items():
            rows = [(name, entry.line) for name, entry in entries.items() if name in self._places]
            with formatter.section(section):
                formatter.write_dl(rows)
        if others := sorted(self._places.keys() - ENTRIES.keys()):
            with formatter.section("Others"):
                formatter.write_dl([(name, "") for name in others])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        found = [
            CompletionItem(name, help=ENTRIES[name].line if name in ENTRIES else None)
            for name in self.list_commands(ctx)
            if name.startswith(incomplete)
        ]
        return found + click.Command.shell_complete(self, ctx, incomplete)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="everword-cli")
def main() -> None:
    """Long-term memory for AI agents.

    Commands that talk to a running Everword find the one that `everword up` started on this
    machine, or the one at EVERWORD_ADDRESS. EVERWORD_API_KEY is the key they show.
    """
