"""`everword bench context`: how much of what answers a question is in a default context."""

from __future__ import annotations

import asyncio
import os
import statistics
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from everword.bench.bench_namespace import fill, namespace, wait_until_embedded
from everword.bench.commands.measurement import data_options
from everword.bench.contexts import (
    PROFILES,
    USES,
    ContextFigures,
    Row,
    ending_now,
    sample_queries,
    summarise,
)
from everword.bench.dataset import Dataset
from everword.bench.native_format import read_sets
from everword.bench.provenance import commit
from everword.bench.report import write_json
from everword.bench.target import own_target, running_target
from everword.cli.files import ensure_writable
from everword.cli.output import line, note, print_table
from everword.cli.session import explain
from everword.client import CallError, ClientSettings
from everword.domain.settings import Environment
from everword.embedded.errors import EmbeddedError
from everword.text.tokens.counter import packaged_counter
from everword.transcripts import TranscriptError

QUESTIONS = 10
DATES = ("original", "current")
FIGURES = ("search", "context", "ratio", "filled", "provenance", "repeated")


@click.command()
@data_options
@click.option(
    "--questions",
    type=click.IntRange(1),
    default=QUESTIONS,
    show_default=True,
    help="Questions per conversation, evenly spread over its answerable ones.",
)
@click.option(
    "--json",
    "output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write figures and every answer to this file.",
)
def context(
    files: tuple[Path, ...],
    more: tuple[Path, ...],
    questions: int,
    output: Path | None,
    running: bool,
    patience: float,
) -> None:
    """Build contexts for the questions of FILEs, and report their content.

    A question is answered by messages. `context` is their share in a context, `search` the share in the results of
    Search that fit into the same budget, and `ratio` the first divided by the second. `filled` is the used share of the
    budget if there was more to add, `provenance` the share of tokens for dates and names, `repeated` the share of
    five-word sequences that occurred before. With `current` dates each conversation has just ended. `fall` is the loss
    of results after 80 contexts that count as uses.
    """
    ensure_writable("--json", output)
    try:
        sets = read_sets([*files, *more])
        asked = [(each.name, dataset) for each in sets for dataset in each.datasets]
        rows, falls = asyncio.run(_measure(asked, questions, running, patience))
    except (TranscriptError, EmbeddedError) as error:
        raise click.ClickException(str(error)) from error
    except CallError as error:
        raise click.ClickException(explain(error)) from error
    figures = summarise(rows)
    if output is not None:
        write_json(output, {"commit": commit(), "figures": figures, "falls": falls, "rows": rows})
    columns = ("set", "budget", *FIGURES)
    for profile in PROFILES:
        for dates in DATES:
            line(f"{profile}, {dates} dates")
            requested = [f for f in figures if (f["profile"], f["dates"]) == (profile, dates)]
            print_table(
                columns, [_cells(f, columns) for f in requested], right=" ".join(columns[1:])
            )
    fall_columns = ("set", "dates", "profile", "before", "after", "fall")
    print_table(
        fall_columns, [_cells(each, fall_columns) for each in falls], right="before after fall"
    )


async def _measure(
    asked: Sequence[tuple[str, Dataset]], questions: int, running: bool, max_wait_s: float
) -> tuple[list[Row], list[Row]]:
    environment = Environment(os.environ)
    if running:
        return await _ask(running_target(environment).settings, asked, questions, max_wait_s)
    async with own_target(environment, note) as target:
        return await _ask(target.settings, asked, questions, max_wait_s)


async def _ask(
    settings: ClientSettings,
    asked: Sequence[tuple[str, Dataset]],
    questions: int,
    max_wait_s: float,
) -> tuple[list[Row], list[Row]]:
    rows, falls = list[Row](), list[Row]()
    for name, dataset in asked:
        queries = sample_queries(dataset, questions)
        for dates in DATES:
            moved = dataset if dates == "original" else ending_now(dataset, datetime.now(UTC))
            async with namespace(settings, "bench-context-") as client:
                token, places = await fill(client, moved, lambda text: None)
                if not await wait_until_embedded(client, token, lambda text: None, max_wait_s):
                    note("nobody makes vectors: the benchmark goes on without")
                measured = ContextFigures(client, places, packaged_counter())
                note(f"{name} {dataset.name}, {dates} dates: asking {len(queries)} questions")
                for query in queries:
                    rows += [{"set": name, **row} for row in await measured.ask(query, dates)]
                for profile in PROFILES:
                    fall = {"set": name, "conversation": dataset.name, "dates": dates}
                    falls.append(
                        {**fall, "profile": profile, **await _fall(measured, queries, profile)}
                    )
    return rows, falls


async def _fall(measured: ContextFigures, queries: Sequence[Any], profile: str) -> Row:
    """Return what contexts hold before and after some that count as uses."""

    async def mean() -> float:
        return statistics.fmean([await measured.evidence(each, profile, False) for each in queries])

    before = await mean()
    for number in range(USES):
        await measured.evidence(queries[number % len(queries)], profile, True)
    after = await mean()
    return {"before": before, "after": after, "fall": before - after}


def _cells(row: Row, columns: Sequence[str]) -> tuple[str, ...]:
    return tuple(_cell(row[name]) for name in columns)


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else str(value)
