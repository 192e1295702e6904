"""`everword bench`: how well Search finds, measured on files of questions whose answers are known, and how fast."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from everword.bench import variants
from everword.bench.commands.context import context
from everword.bench.commands.learning import learning
from everword.bench.commands.measurement import (
    BenchmarkRun,
    ask_everything,
    checkpoint_of,
    data_options,
    forget,
)
from everword.bench.commands.peers import peers
from everword.bench.commands.quality import quality
from everword.bench.commands.speed import speed
from everword.bench.plots import PlotError, draw
from everword.bench.report import build_report, write_json
from everword.bench.tables import (
    CATEGORY_COLUMNS,
    CATEGORY_METRICS,
    category_rows,
    markdown,
    overall_columns,
    overall_rows,
)
from everword.bench.variants import Variant
from everword.cli.files import ensure_writable, make_folder
from everword.cli.output import line, print_table

MODES = ("hybrid", "lexical", "semantic", "trigram")
Report = dict[str, Any]


@click.group()
def bench() -> None:
    """Measure how well Search finds the answers to questions, and how fast Everword is.

    FILEs hold conversations with questions and the messages that answer them, in the format everword-bench/1 or in
    LongMemEval's own. Each conversation is imported into a namespace of its own, which is deleted after its questions.
    By default an Everword is started for the run and removed afterwards. With --running, or if EVERWORD_ADDRESS is set,
    the running one is used, and EVERWORD_API_KEY must be an admin key if keys are required. A running Everword makes
    summaries, so without --summaries only messages are requested.
    """


bench.add_command(context)
bench.add_command(learning)
bench.add_command(peers)
bench.add_command(quality)
bench.add_command(speed)


@bench.command()
@data_options
@click.option(
    "--profile",
    type=click.Choice([each.name for each in variants.PROFILES]),
    show_default=f"the server's, which is {variants.DEFAULT_PROFILE}",
    help="Ranking profile of the mode hybrid.",
)
@click.option(
    "--mode",
    "modes",
    type=click.Choice(MODES),
    multiple=True,
    default=("hybrid",),
    show_default=True,
    help="Search mode; repeat to compare several.",
)
@click.option(
    "--summaries",
    is_flag=True,
    help="Summarise all messages before the questions; a summary in the results counts as its "
    "messages. Without this, an Everword started for the run makes no summaries, and a running one "
    "is asked for messages only.",
)
@click.option(
    "--json",
    "output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write figures and the answer to every question to this file. Progress is "
    "stored in a file next to it; if interrupted, the same command continues from there.",
)
def retrieval(
    files: tuple[Path, ...],
    more: tuple[Path, ...],
    profile: str | None,
    modes: tuple[str, ...],
    summaries: bool,
    output: Path | None,
    running: bool,
    patience: float,
) -> None:
    """Ask the questions of FILEs, and measure how well their answers are found.

    A question is answered by messages; recall@k is their share among the first k results.
    Averages are over answerable questions. The AUROCs measure how well the confidence, the
    probability that one of the first ten results answers, separates answerable questions from
    those of other conversations, and from the file's own unanswerable ones. `rejected` is the
    share of answerable questions with the verdict that nothing is relevant. Times are of first
    calls, because query vectors are cached.
    """
    if profile and "hybrid" not in modes:
        raise click.UsageError("--profile applies only to hybrid: add --mode hybrid, or omit it")
    checkpoint = checkpoint_of(output)
    ensure_writable("--json", output, checkpoint)
    chosen = [variants.of_mode(mode, profile or "") for mode in dict.fromkeys(modes)]
    paths = [*files, *more]
    asked = ask_everything(paths, chosen, checkpoint, running, patience, summaries)
    reports = _reports(asked, chosen)
    if output is not None:
        write_json(output, _document(reports))
        forget(checkpoint)
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
    help="Compare only this; repeatable.",
)
@click.option("--no-plots", is_flag=True, help="Draw no plots, which need matplotlib.")
def ablation(
    files: tuple[Path, ...],
    more: tuple[Path, ...],
    folder: Path,
    names: tuple[str, ...],
    running: bool,
    patience: float,
    no_plots: bool,
) -> None:
    """Ask the questions of FILEs with every variant of ranking, and write a table and plots."""
    chosen = [each for each in variants.ABLATION if not names or each.name in names]
    make_folder("--out", folder)
    output, table = folder / "ablation.json", folder / "ablation.md"
    checkpoint = checkpoint_of(output)
    ensure_writable("--out", output, checkpoint, table)
    asked = ask_everything([*files, *more], chosen, checkpoint, running, patience)
    reports = _reports(asked, chosen)
    write_json(output, _document(reports))
    forget(checkpoint)
    table.write_text(markdown(reports), encoding="utf-8")
    click.echo(markdown(reports), nl=False)
    if not no_plots:
        try:
            for path in draw(reports, folder):
                line(f"wrote {path}")
        except PlotError as error:
            raise click.ClickException(str(error)) from error


def _reports(asked: BenchmarkRun, variants: Sequence[Variant]) -> list[Report]:
    return [build_report(asked.commit, asked.model, each.name, asked.finished) for each in variants]


def _document(reports: list[Report]) -> Report:
    if len(reports) == 1:
        return reports[0]
    first = reports[0]
    return {"commit": first["commit"], "model": first["model"], "variants": reports}
