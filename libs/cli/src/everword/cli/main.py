"""The command `everword` and its subcommands."""

from __future__ import annotations

from importlib.metadata import entry_points

import click

from everword.cli.audit import audit, compaction_status
from everword.cli.browse import browse
from everword.cli.calendar import rollup, significant
from everword.cli.compact import compact
from everword.cli.context import context
from everword.cli.conversations import conversations
from everword.cli.demo import demo
from everword.cli.export import export
from everword.cli.import_ import import_
from everword.cli.keys import keys
from everword.cli.maintenance import backfill, queue_status, retry_failed
from everword.cli.migrate import migrate
from everword.cli.models import models
from everword.cli.namespaces import namespaces
from everword.cli.protoset import protoset
from everword.cli.search import search
from everword.cli.stats import stats
from everword.cli.summaries import summaries
from everword.cli.up import up


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="everword-cli")
def main() -> None:
    """Long-term memory for AI agents.

    Commands that talk to a running Everword find the one that `everword up` started on this
    machine, or the addresses in EVERWORD_INGEST_ADDRESS, EVERWORD_SEARCH_ADDRESS and
    EVERWORD_COMPACTOR_ADDRESS. EVERWORD_API_KEY is the key they show.
    """


for command in (
    up,
    demo,
    import_,
    export,
    search,
    browse,
    context,
    conversations,
    stats,
    summaries,
    compaction_status,
    audit,
    keys,
    namespaces,
    queue_status,
    retry_failed,
    backfill,
    compact,
    rollup,
    significant,
    models,
    migrate,
    protoset,
):
    main.add_command(command)
# Other distributions bring commands too, such as the benchmarks.
for found in entry_points(group="everword.commands"):
    main.add_command(found.load())
