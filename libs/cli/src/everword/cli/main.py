"""The command `everword` and its subcommands."""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from importlib.metadata import entry_points

import click

#: Where each command is. It is loaded when it is called: a start takes half as long as with all of them.
COMMANDS = {
    "answer": "answer:answer",
    "audit": "audit:audit",
    "backfill": "maintenance:backfill",
    "backup": "backup.commands:backup",
    "browse": "browse:browse",
    "budget": "costs.budget:budget",
    "cat": "addresses:cat",
    "checkpoints": "checkpoints:checkpoints",
    "compact": "compact:compact",
    "compaction-status": "audit:compaction_status",
    "context": "context:context",
    "conversations": "conversations:conversations",
    "costs": "costs.costs:costs",
    "demo": "demo:demo",
    "doctor": "doctor:doctor",
    "documents": "documents:documents",
    "erase": "erasures:erase",
    "erasures": "erasures:erasures",
    "events": "people:events",
    "export": "export:export",
    "facts": "facts:facts",
    "flush": "flush:flush",
    "get": "get:get",
    "graph": "graph.commands:graph",
    "import": "import_:import_",
    "keys": "keys:keys",
    "lore": "lore.commands:lore",
    "ls": "addresses:ls",
    "migrate": "migrate:migrate",
    "models": "models:models",
    "namespaces": "namespaces:namespaces",
    "patterns": "patterns:patterns",
    "people": "people:people",
    "notes": "notes:notes",
    "prices": "costs.prices:prices",
    "protoset": "protoset:protoset",
    "queue-status": "maintenance:queue_status",
    "rebuild": "rebuild:rebuild",
    "restore": "backup.commands:restore",
    "retention": "retention:retention",
    "retry-failed": "maintenance:retry_failed",
    "rollup": "calendar:rollup",
    "search": "search:search",
    "significant": "calendar:significant",
    "sleep": "sleep:sleep",
    "stats": "stats:stats",
    "strategies": "people:strategies",
    "summaries": "summaries:summaries",
    "themes": "themes:themes",
    "topics": "topics:topics",
    "up": "up:up",
    "verify": "verify:verify",
    "workspace": "workspace:workspace",
    "watch": "watch:watch",
}


class LazyGroup(click.Group):
    """A group that imports a command when it is asked for."""

    @cached_property
    def _places(self) -> dict[str, str]:
        # Other distributions bring commands too, such as the benchmarks.
        others = {found.name: found.value for found in entry_points(group="everword.commands")}
        return {name: f"everword.cli.{place}" for name, place in COMMANDS.items()} | others

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(self._places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._places:
            return None
        module, _, name = self._places[cmd_name].partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="everword-cli")
def main() -> None:
    """Long-term memory for AI agents.

    Commands that talk to a running Everword find the one that `everword up` started on this
    machine, or the addresses in EVERWORD_INGEST_ADDRESS, EVERWORD_SEARCH_ADDRESS and
    EVERWORD_COMPACTOR_ADDRESS. EVERWORD_API_KEY is the key they show.
    """
