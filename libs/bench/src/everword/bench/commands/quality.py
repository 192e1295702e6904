"""`everword bench quality`: one table of how well Search answers, by set, language and kind of question."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import click

from everword.bench.commands.measurement import server_options, uses_running_server
from everword.bench.native_format import BenchSet, read_sets
from everword.bench.provenance import commit
from everword.bench.quality.figures import COLUMNS, KEY, figures, table_rows
from everword.bench.quality.probes import closed_probes, packaged_probes, sampled_sets
from everword.bench.quality.run import QualityRun, Row
from everword.bench.report import write_json
from everword.bench.target import own_target, running_target
from everword.cli.files import ensure_writable
from everword.cli.output import note, print_table, progress
from everword.cli.session import explain
from everword.client import CallError, ClientSettingsError
from everword.db.migrate import MigrationError
from everword.domain.settings import Environment
from everword.embedded.errors import EmbeddedError
from everword.transcripts import TranscriptError

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.argument("files", metavar="[FILE]...", nargs=-1, type=_FILE)
@server_options
@click.option(
    "--packaged/--no-packaged",
    default=True,
    show_default=True,
    help="Ask the probes of this package too.",
)
@click.option(
    "--closed",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Also ask the probes in this folder. Only their figures are written, not their questions.",
)
@click.option(
    "--sample",
    type=click.IntRange(1),
    help="Ask at most this many questions of each FILE, of its first conversations.",
)
@click.option(
    "--json",
    "output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write figures, and a row for each question that is not closed, to this file.",
)
@click.option(
    "--against",
    "earlier",
    type=_FILE,
    multiple=True,
    help="Compare with the figures of this earlier --json file; repeatable.",
)
def quality(
    files: tuple[Path, ...],
    packaged: bool,
    closed: Path | None,
    sample: int | None,
    output: Path | None,
    earlier: tuple[Path, ...],
    running: bool,
    patience: float,
) -> None:
    """Ask the packaged probes and the questions of FILEs at default settings, and print a table of quality.

    The probes are chats in twelve languages, questions about periods and days, follow-up questions, and statements
    among longer or similar texts. FILEs have the format everword-bench/1 or that of LongMemEval. Each conversation is
    imported into a namespace of its own.

    \b
    first      share of questions whose first result answers
    first-3    share of questions with an answer among the first three results
    recall@k   share of the relevant messages among the first k results
    ndcg@10    nDCG of the first ten results
    nothing    share of answerable questions with the verdict that nothing is relevant
    accepted   share of foreign questions without that verdict
    inside     share of the results in the period that the question names, of as many as it has messages, at most ten
    mostly     share of questions with at least .8 inside
    """
    ensure_writable("--json", output)
    try:
        sets = read_sets(packaged_probes()) if packaged else []
        sets += sampled_sets(files, sample)
        hidden = closed_probes(closed) if closed else []
        before = [row for path in earlier for row in _earlier_figures(path)]
        if not sets and not hidden:
            raise click.UsageError("give FILEs or --closed, or omit --no-packaged")
        model, rows = asyncio.run(_measure([*sets, *hidden], running, patience))
    except (TranscriptError, EmbeddedError, MigrationError) as error:
        raise click.ClickException(str(error)) from error
    except ClientSettingsError as error:
        raise click.UsageError(str(error)) from error
    except CallError as error:
        raise click.ClickException(explain(error)) from error
    found = figures(rows)
    if output is not None:
        names = {each.name for each in hidden}
        shown = [row for row in rows if row["set"] not in names]
        write_json(output, {"commit": commit(), "model": model, "figures": found, "rows": shown})
    print_table(COLUMNS, table_rows(found, before), right=" ".join(COLUMNS[len(KEY) :]))


async def _measure(
    sets: Sequence[BenchSet], running: bool, patience: float
) -> tuple[str | None, list[Row]]:
    """Return the embedding model and a row for each question."""
    environment = Environment(os.environ)
    async with AsyncExitStack() as resources:
        if uses_running_server(running):
            target = running_target(environment)
        else:
            target = await resources.enter_async_context(own_target(environment, note))
        display = resources.enter_context(progress())
        task = display.add_task("", total=len(sets))

        def step(text: str) -> None:
            display.update(task, description=text)

        run = QualityRun(target.settings, patience, step, note)
        rows: list[Row] = []
        for each in sets:
            rows += await run.measure(each)
            display.advance(task)
        return await target.model(), rows


def _earlier_figures(path: Path) -> list[dict[str, Any]]:
    """Return the figures of an earlier run. Raises TranscriptError if the file has none."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))["figures"]
    except (ValueError, KeyError, TypeError) as error:
        raise TranscriptError(f"{path}: it was not written by `everword bench quality`") from error
    return list(found)
