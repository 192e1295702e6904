"""`everword bench`: how well Search finds, measured on files of questions whose answers are known."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import click

from everword.bench import variants
from everword.bench.checkpoint import Checkpoint
from everword.bench.dataset import BenchSet, read_sets
from everword.bench.plots import PlotError, draw
from everword.bench.provenance import changes, commit
from everword.bench.report import build_report, write_json
from everword.bench.run import Run, Watcher
from everword.bench.stand import PATIENCE_S
from everword.bench.tables import (
    CATEGORY_COLUMNS,
    CATEGORY_METRICS,
    category_rows,
    markdown,
    overall_columns,
    overall_rows,
)
from everword.bench.target import is_given, own_target, running_target
from everword.bench.variants import Variant
from everword.bench.world import questions
from everword.cli.output import line, note, print_table, progress
from everword.cli.session import explain
from everword.client import CallError
from everword.client.transcripts import TranscriptError
from everword.db.migrate import MigrationError
from everword.domain.settings import Environment, SettingError
from everword.embedded.errors import EmbeddedError

MODES = ("hybrid", "lexical", "semantic", "trigram")
Report = dict[str, Any]


@click.group()
def bench() -> None:
    """Measure how well Search finds what answers a question.

    FILEs hold conversations with questions and the messages that answer them, in the format
    everword-bench/1 or LongMemEval's own. Each conversation is put into a namespace of its own,
    which is deleted when its questions are asked. An Everword is started for it and thrown away
    after; with --running, or EVERWORD_*_ADDRESS set, the one that other commands find is used,
    and EVERWORD_API_KEY must be an admin key where keys are needed.
    """


def data_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add what every benchmark takes: files, the Everword to ask, and how long to be patient."""
    file = click.Path(exists=True, dir_okay=False, path_type=Path)
    for option in (
        click.option(
            "--patience",
            type=click.FloatRange(min=0, min_open=True),
            default=PATIENCE_S,
            show_default=True,
            help="Seconds without a new vector after which nobody is taken to embed.",
        ),
        click.option("--running", is_flag=True, help="Use the Everword that other commands find."),
        click.argument("more", metavar="[FILE]...", nargs=-1, type=file),
        click.option("--data", "files", metavar="FILE", multiple=True, required=True, type=file,
                     help="What to measure with; more FILEs may follow."),
    ):  # fmt: skip
        command = option(command)
    return command


@bench.command()
@data_options
@click.option(
    "--profile",
    default="",
    show_default=f"the server's, which is {variants.DEFAULT_PROFILE}",
    help="Profile that hybrid ranks by.",
)
@click.option(
    "--mode",
    "modes",
    type=click.Choice(MODES),
    multiple=True,
    default=("hybrid",),
    show_default=True,
    help="How to match; several times to compare.",
)
@click.option(
    "--json",
    "output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write figures and the answer to every question to this file. What is finished is kept "
    "in a file beside it, from which the same command goes on if it is broken off.",
)
def retrieval(
    files: tuple[Path, ...],
    more: tuple[Path, ...],
    profile: str,
    modes: tuple[str, ...],
    output: Path | None,
    running: bool,
    patience: float,
) -> None:
    """Ask the questions of FILEs, and say how well their answers are found.

    A question is answered by messages; recall@k is their share among the first k results.
    Averages are over answerable questions. The AUROCs say how well the
    best result's relevance tells answerable questions from those of the next conversation, and
    from the file's own unanswerable ones (AUROC); rejected is the share of answerable ones of
    which the verdict is that nothing is relevant. Times are those of questions asked for the
    first time, since the vectors of queries are cached.
    """
    chosen = [variants.of_mode(mode, profile) for mode in dict.fromkeys(modes)]
    checkpoint = output.with_name(f"{output.name}.checkpoint") if output else None
    reports = _measured([*files, *more], chosen, checkpoint, running, patience)
    if output is not None:
        write_json(output, _document(reports))
        _forget(checkpoint)
    for report in reports:
        columns = overall_columns(report)
        print_table(columns, overall_rows(report), right=" ".join(columns[1:]))
        print_table(CATEGORY_COLUMNS, category_rows(report), right=" ".join(CATEGORY_METRICS))


@bench.command()
@data_options
@click.option(
    "--out",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="Folder to write ablation.json, ablation.md and the plots to.",
)
@click.option(
    "--variant",
    "names",
    type=click.Choice([each.name for each in variants.ABLATION]),
    multiple=True,
    help="Compare these alone.",
)
@click.option("--no-plots", is_flag=True, help="Draw nothing, for which matplotlib is needed.")
def ablation(
    files: tuple[Path, ...],
    more: tuple[Path, ...],
    folder: Path,
    names: tuple[str, ...],
    running: bool,
    patience: float,
    no_plots: bool,
) -> None:
    """Ask the questions of FILEs in every way of ranking, and write a table and plots."""
    chosen = [each for each in variants.ABLATION if not names or each.name in names]
    folder.mkdir(parents=True, exist_ok=True)
    checkpoint = folder / "ablation.json.checkpoint"
    reports = _measured([*files, *more], chosen, checkpoint, running, patience)
    write_json(folder / "ablation.json", _document(reports))
    _forget(checkpoint)
    (folder / "ablation.md").write_text(markdown(reports), encoding="utf-8")
    click.echo(markdown(reports), nl=False)
    if not no_plots:
        try:
            for path in draw(reports, folder):
                line(f"wrote {path}")
        except PlotError as error:
            raise click.ClickException(str(error)) from error


def _measured(
    paths: Sequence[Path],
    chosen: Sequence[Variant],
    checkpoint: Path | None,
    running: bool,
    patience_s: float,
) -> list[Report]:
    """Return a report for each variant."""
    try:
        sets = read_sets(paths)
        return asyncio.run(_measure(sets, chosen, checkpoint, running, patience_s))
    except (TranscriptError, EmbeddedError, MigrationError) as error:
        raise click.ClickException(str(error)) from error
    except SettingError as error:
        raise click.UsageError(str(error)) from error
    except (CallError, KeyboardInterrupt, asyncio.CancelledError) as error:
        if checkpoint is not None:
            note("What was finished is kept. Run the same command again to go on.")
        reason = explain(error) if isinstance(error, CallError) else "stopped"
        raise click.ClickException(reason) from error


async def _measure(
    sets: Sequence[BenchSet],
    chosen: Sequence[Variant],
    path: Path | None,
    running: bool,
    patience_s: float,
) -> list[Report]:
    this = asyncio.current_task()
    assert this is not None
    # A stack that is started for this must be stopped in order.
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, this.cancel)
    environment = Environment(os.environ)
    async with AsyncExitStack() as resources:
        if running or is_given(environment):
            target = running_target(environment)
        else:
            target = await resources.enter_async_context(own_target(environment, note))
        code = await asyncio.to_thread(commit)
        identity = {
            "commit": code,
            "changes": await asyncio.to_thread(changes),
            "model": target.model,
            "variants": [each.name for each in chosen],
            "data": {each.name: each.digest for each in sets},
        }
        checkpoint = _opened(Checkpoint(path, identity))
        total = len(chosen) * sum(
            len(questions(each.worlds, index)) for each in sets for index in range(len(each.worlds))
        )
        with progress() as display:
            task = display.add_task("", total=total)
            watcher = Watcher(
                step=lambda text: display.update(task, description=text),
                asked=lambda number: display.advance(task, number),
                note=note,
            )
            run = Run(target.settings, chosen, checkpoint, watcher, patience_s=patience_s)
            await run.measure(sets)
        return [build_report(code, target.model, each.name, checkpoint.finished) for each in chosen]


def _opened(checkpoint: Checkpoint) -> Checkpoint:
    checkpoint.open()
    if checkpoint.finished:
        note(f"going on after {len(checkpoint.finished)} conversations that are finished")
    if checkpoint.discarded:
        note("what an earlier run finished is of other code, data or variants, and is not used")
    return checkpoint


def _document(reports: list[Report]) -> Report:
    """Return what is written for one variant, or for several."""
    if len(reports) == 1:
        return reports[0]
    first = reports[0]
    return {"commit": first["commit"], "model": first["model"], "variants": reports}


def _forget(checkpoint: Path | None) -> None:
    if checkpoint is not None:
        checkpoint.unlink(missing_ok=True)
