"""The command `everword` and its subcommands."""

from __future__ import annotations

import textwrap
from difflib import get_close_matches
from functools import cached_property
from importlib import import_module
from importlib.metadata import entry_points

import click
from click.shell_completion import CompletionItem

from everword.cli.catalogue import COMMON, ENTRIES, TOPICS


class LazyGroup(click.Group):
    """A group that imports a command when it is called; listing commands imports none."""

    @cached_property
    def _places(self) -> dict[str, str]:
        own = {
            name: f"everword.cli.{entry.place}"
            for name, entry in ENTRIES.items()
            if not entry.distribution
        }
        # Other distributions provide commands too, such as the benchmarks.
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
                f"{wanted!r} is part of {ENTRIES[wanted].distribution}, which is not installed"
            )
        if wanted not in self._places and (close := get_close_matches(wanted, self._places)):
            ctx.fail(f"No such command {wanted!r}. Did you mean {' or '.join(map(repr, close))}?")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Common commands"):
            formatter.write_dl([(name, ENTRIES[name].line) for name in COMMON])
        topics = {
            topic: [name for name in entries if name in self._places]
            for topic, entries in TOPICS.items()
        }
        if others := sorted(self._places.keys() - ENTRIES.keys()):
            topics["others"] = others
        column = max(map(len, topics)) + 4
        with formatter.section("All commands by topic"):
            for topic, names in topics.items():
                # Unlike write_dl, this does not break the names of commands at hyphens.
                lines = textwrap.fill(
                    " ".join(names),
                    formatter.width,
                    initial_indent=f"  {topic}".ljust(column),
                    subsequent_indent=" " * column,
                    break_on_hyphens=False,
                )
                formatter.write(f"{lines}\n")

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write(
            "\n`everword help TOPIC` describes the commands of a topic.\n"
            "`everword COMMAND --help` describes a command.\n"
        )

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

    Commands call the Everword that `everword up` started on this machine, or the one at
    EVERWORD_ADDRESS, with the API key in EVERWORD_API_KEY.
    """
