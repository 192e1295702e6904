"""The command `everword` and its subcommands."""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from importlib.metadata import entry_points

import click
from click.shell_completion import CompletionItem

from everword.cli.catalogue import SECTIONS


class LazyGroup(click.Group):
    """A group that imports a command when it is called, and none to list them."""

    @cached_property
    def _places(self) -> dict[str, str]:
        own = {
            name: f"everword.cli.{entry.place}"
            for entries in SECTIONS.values()
            for name, entry in entries.items()
            if entry.place
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

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        unlisted = set(self._places)
        for section, entries in SECTIONS.items():
            rows = [(name, entry.line) for name, entry in entries.items() if name in self._places]
            with formatter.section(section):
                formatter.write_dl(rows)
            unlisted -= entries.keys()
        if unlisted:
            with formatter.section("Others"):
                formatter.write_dl([(name, "") for name in sorted(unlisted)])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        lines = {
            name: entry.line for entries in SECTIONS.values() for name, entry in entries.items()
        }
        names = [name for name in self.list_commands(ctx) if name.startswith(incomplete)]
        found = [CompletionItem(name, help=lines.get(name)) for name in names]
        return found + click.Command.shell_complete(self, ctx, incomplete)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="everword-cli")
def main() -> None:
    """Long-term memory for AI agents.

    Commands that talk to a running Everword find the one that `everword up` started on this
    machine, or the addresses in EVERWORD_INGEST_ADDRESS, EVERWORD_SEARCH_ADDRESS and
    EVERWORD_COMPACTOR_ADDRESS. EVERWORD_API_KEY is the key they show.
    """
