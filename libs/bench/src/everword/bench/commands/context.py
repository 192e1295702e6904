"""`everword bench context`: how much of the evidence a default context shows, and in how many tokens."""

from __future__ import annotations

import asyncio
import os
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from everword.bench.bench_namespace import fill, namespace, wait_until_embedded
from everword.bench.commands.measurement import server_options
from everword.bench.contexts import (
    PROFILE,
    ContextFigures,
    Row,
    ending_now,
    sample_queries,
    summarise,
)
from everword.bench.dataset import Dataset, Query
from everword.bench.native_format import BenchSet, read_sets
from everword.bench.provenance import commit
from everword.bench.report import write_json
from everword.bench.target import own_target, running_target
from everword.cli.files import ensure_writable
from everword.cli.output import line, note, print_table
from everword.cli.session import explain
from everword.client import CallError, ClientSettings
from everword.domain.records import message_text
from everword.domain.settings import Environment
from everword.embedded.errors import EmbeddedError
from everword.text.tokens.counter import packaged_counter
from everword.transcripts import TranscriptError

QUESTIONS = 10
EVIDENCE_COLUMNS = ("set", "budget", "context", "search", "answer", "s-answer", "relevant")
COST_COLUMNS = ("set", "budget", "tokens", "filled", "position", "lost", "cut", "nothing")
FALL_COLUMNS = ("set", "conversation", "profile", "before", "after", "fall")
#: Columns of numbers.
_RIGHT = " ".join(
    column
    for column in (*EVIDENCE_COLUMNS, *COST_COLUMNS, *FALL_COLUMNS)
    if column not in ("set", "conversation", "profile")
)


@dataclass(frozen=True)
class ContextRun:
    """The options of a measurement."""

    profiles: Sequence[str]
    questions: int
    #: True to move dates, so that each conversation has just ended.
    is_current: bool
    #: Contexts counted as used before the questions are asked once more; 0 skips this.
    uses: int
    patience: float


@click.command()
@click.argument(
    "files",
    metavar="FILE...",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
@server_options
@click.option(
    "--questions",
    type=click.IntRange(1),
    default=QUESTIONS,
    show_default=True,
    help="Questions per conversation, evenly spread over its answerable ones.",
)
@click.option(
    "--profile",
    "profiles",
    multiple=True,
    default=(PROFILE,),
    show_default=True,
    help="Ranking profile of the contexts and searches; can be repeated.",
)
@click.option(
    "--current",
    is_flag=True,
    help="Move the dates of each conversation, so that it has just ended.",
)
@click.option(
    "--uses",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Then build this many contexts that count as uses, and report how much evidence is lost.",
)
@click.option(
    "--json",
    "output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write figures and a row for each question and budget to this file.",
)
def context(
    files: tuple[Path, ...],
    questions: int,
    profiles: tuple[str, ...],
    current: bool,
    uses: int,
    output: Path | None,
    running: bool,
    patience: float,
) -> None:
    """Build contexts of 500 to 4,000 tokens for the questions of FILEs, and report their content.

    A question's evidence are the messages that answer it.

    \b
    context        share of the evidence among the items of the context
    answer         share of questions whose answer's text is shown (of those with answers)
    search         share of the evidence in Search results cut at the same size
    s-answer       answer, of the cut results
    relevant       share of the items that are evidence
    tokens         tokens of the context
    filled         tokens as a share of the budget
    cut            share of the shown evidence that is not shown whole
    lost           share of questions whose evidence is shown, but cut before the answer
    position       place of the evidence among the items, from 0 (first) to 1 (last)
    nothing        share of questions with the verdict that nothing is relevant

    The JSON file also has `provenance`, the share of the tokens that are numbers, days and headings, and `repeated`,
    the share of five-word sequences that occurred before in the context.

    Files have the format everword-bench/1 or that of LongMemEval.
    """
    ensure_writable("--json", output)
    run = ContextRun(profiles, questions, current, uses, patience)
    try:
        rows, falls = asyncio.run(_measure(run, read_sets(files), running))
    except (TranscriptError, EmbeddedError) as error:
        raise click.ClickException(str(error)) from error
    except CallError as error:
        raise click.ClickException(explain(error)) from error
    figures = summarise(rows)
    if output is not None:
        write_json(output, {"commit": commit(), "figures": figures, "falls": falls, "rows": rows})
    for profile in profiles:
        line(f"profile {profile}")
        own = [each for each in figures if each["profile"] == profile]
        for columns in (EVIDENCE_COLUMNS, COST_COLUMNS):
            print_table(columns, [_cells(each, columns) for each in own], right=_RIGHT)
    if falls:
        print_table(FALL_COLUMNS, [_cells(each, FALL_COLUMNS) for each in falls], right=_RIGHT)


async def _measure(
    run: ContextRun, sets: Sequence[BenchSet], running: bool
) -> tuple[list[Row], list[Row]]:
    environment = Environment(os.environ)
    if running:
        return await _ask(running_target(environment).settings, run, sets)
    async with own_target(environment, note) as target:
        return await _ask(target.settings, run, sets)


async def _ask(
    settings: ClientSettings, run: ContextRun, sets: Sequence[BenchSet]
) -> tuple[list[Row], list[Row]]:
    rows, falls = list[Row](), list[Row]()
    for bench_set in sets:
        for number, dataset in enumerate(bench_set.datasets, start=1):
            note(f"{bench_set.name} {dataset.name}: {number} of {len(bench_set.datasets)}")
            dated = ending_now(dataset, datetime.now(UTC)) if run.is_current else dataset
            queries = sample_queries(dated, run.questions)
            names = {"set": bench_set.name, "conversation": dataset.name}
            async with namespace(settings, "bench-context-") as client:
                token, places = await fill(client, dated, lambda text: None)
                if not await wait_until_embedded(client, token, lambda text: None, run.patience):
                    note("no embedder is running: the benchmark goes on without vectors")
                measured = ContextFigures(client, places, _texts(dated), packaged_counter())
                for profile in run.profiles:
                    for query in queries:
                        rows += [{**names, **row} for row in await measured.measure(query, profile)]
                    if run.uses:
                        fall = await _fall(measured, queries, profile, run.uses)
                        falls.append({**names, "profile": profile, **fall})
    return rows, falls


async def _fall(measured: ContextFigures, queries: Sequence[Query], profile: str, uses: int) -> Row:
    """Return the evidence in contexts before and after some contexts that count as uses."""

    async def mean() -> float:
        return statistics.fmean(
            [await measured.evidence(each, profile, counted=False) for each in queries]
        )

    before = await mean()
    for number in range(uses):
        await measured.evidence(queries[number % len(queries)], profile, counted=True)
    after = await mean()
    return {"before": before, "after": after, "fall": before - after}


def _texts(dataset: Dataset) -> dict[str, str]:
    """Return the text of each message, by its external id."""
    return {
        entry.message.external_id: message_text(
            entry.message.content,
            [{"text": block.text} for block in entry.message.content_blocks],
            entry.message.tool_name,
            entry.message.tool_args,
            tool_result=entry.message.tool_result,
        )
        for entry in dataset.entries
    }


def _cells(row: Row, columns: Sequence[str]) -> tuple[str, ...]:
    return tuple(_cell(name, row[name]) for name in columns)


def _cell(name: str, value: Any) -> str:
    if value is None:
        return "–"
    if name == "tokens":
        return f"{value:.0f}"
    return f"{value:.2f}" if isinstance(value, float) else str(value)
