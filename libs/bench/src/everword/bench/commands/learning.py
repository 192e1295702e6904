"""`everword bench learning`: precision and recall of the facts that are learned from labelled conversations."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import httpx2

from everword.bench.commands.measurement import server_options, uses_running_server
from everword.bench.learning.figures import (
    Row,
    attribute_rows,
    claim_rows,
    missed_rows,
    step_row,
)
from everword.bench.learning.judgement import RIGHT
from everword.bench.learning.labels import LearningSet, read_learning_set, sample_set
from everword.bench.learning.run import NothingLearns, SessionResult, measure_set
from everword.bench.provenance import commit
from everword.bench.report import write_json
from everword.bench.target import own_target, running_target
from everword.cli.files import ensure_writable
from everword.cli.output import line, note, print_entries, print_table
from everword.cli.session import explain
from everword.client import CallError
from everword.domain.settings import Environment
from everword.embedded.errors import EmbeddedError
from everword.transcripts import TranscriptError

STEPS = ("rules", "sleep", "overall")
STEP_COLUMNS = ("set", "step", "expected", "found", "recall", "claims", "right", "precision")
MISTAKE_COLUMNS = ("set", "step", "traps", "updates", "updated", "outdated", "dated", "dates-right")
ATTRIBUTE_COLUMNS = STEP_COLUMNS[2:]
WRONG_COLUMNS = ("conversation", "verdict", "subject", "attribute", "value")
TOKEN_COLUMNS = ("step", "input", "output")
#: Summaries are not measured, and would occupy the model: more messages than a session has.
_NO_SUMMARIES = {"EVERWORD_COMPACT_AFTER_MESSAGES": "100000"}
_MODELS_TIMEOUT_S = 30.0


@click.command()
@click.argument(
    "files",
    metavar="[SET]...",
    nargs=-1,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
@server_options
@click.option(
    "--model",
    "url",
    metavar="URL",
    help="Start an Everword that learns with the language model of this server, which has OpenAI's API. The model is "
    "EVERWORD_CHAT_MODEL, or the first that the server lists.",
)
@click.option(
    "--json",
    "output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write figures, claims and missed facts to this file.",
)
def learning(
    files: tuple[Path, ...], url: str | None, output: Path | None, running: bool, patience: float
) -> None:
    """Learn from labelled conversations, and compare the facts with the labels.

    Without SETs, the sample set of this package is used. Each conversation is imported into a namespace of its own;
    rules read it, then Sleep with the language model that the server has, if any.

    \b
    step       rules, facts that Sleep added, or overall
    expected   facts that must be learned
    found      those of them that are learned; recall is their share
    claims     learned facts, people with a relation and events, without guesses
    right      claims that agree with a label; precision is their share
    traps      claims that a label names as wrong: guesses, quotations, facts of others, …
    updates    values that another one replaces in the conversation
    updated    updates whose current value is believed, and the old one is not
    outdated   updates whose old value is still believed
    dated      found facts with a start date; dates-right are those learned with it

    A claim without a label counts as wrong; all wrong claims are listed.
    """
    ensure_writable("--json", output)
    if url and uses_running_server(running):
        raise click.UsageError(
            "--model starts an Everword of its own: omit --running, and unset EVERWORD_ADDRESS"
        )
    try:
        sets = [read_learning_set(path) for path in files or (sample_set(),)]
        results = asyncio.run(_measure(sets, url, running, patience))
    except (TranscriptError, EmbeddedError, NothingLearns, httpx2.HTTPError) as error:
        raise click.ClickException(str(error)) from error
    except CallError as error:
        raise click.ClickException(explain(error)) from error
    document = {"commit": commit(), "sets": [_report(*each) for each in results]}
    if output is not None:
        write_json(output, document)
    _print(results)


async def _measure(
    sets: Sequence[LearningSet], url: str | None, running: bool, patience: float
) -> list[tuple[LearningSet, list[SessionResult]]]:
    environment = Environment(os.environ)
    if uses_running_server(running):
        settings = running_target(environment).settings
        return [(each, await measure_set(settings, each, patience, note)) for each in sets]
    # The services inherit these variables.
    os.environ.update(_NO_SUMMARIES)
    if url:
        os.environ["EVERWORD_CHAT_URL"] = url
        os.environ.setdefault("EVERWORD_CHAT_MODEL", await _first_model(url, environment))
    async with own_target(environment, note, summarising=True) as target:
        return [(each, await measure_set(target.settings, each, patience, note)) for each in sets]


async def _first_model(url: str, environment: Environment) -> str:
    """Return the first model of a server; nothing is asked if EVERWORD_CHAT_MODEL is set."""
    if name := environment.text("EVERWORD_CHAT_MODEL"):
        return name
    key = environment.text("EVERWORD_CHAT_API_KEY")
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    address = f"{url.rstrip('/').removesuffix('/v1')}/v1/models"
    async with httpx2.AsyncClient(timeout=_MODELS_TIMEOUT_S) as client:
        response = await client.get(address, headers=headers)
        response.raise_for_status()
    listed = response.json().get("data") or []
    if not listed:
        raise click.ClickException(f"{url} lists no models: set EVERWORD_CHAT_MODEL")
    return str(listed[0]["id"])


def _report(learning_set: LearningSet, results: Sequence[SessionResult]) -> dict[str, Any]:
    return {
        "name": learning_set.name,
        "digest": learning_set.digest,
        "steps": _steps(learning_set, results),
        "attributes": attribute_rows([each.overall for each in results]),
        "tokens": _tokens(results),
        "sleep_seconds": sum(each.claims.seconds for each in results),
        "parked_sessions": sum(each.claims.sleep.parked_sessions for each in results),
        "left_out_steps": list(results[0].claims.sleep.left_out_steps),
        "claims": [row for each in results for row in _claims(each)],
        "missed": [row for each in results for row in missed_rows(each.overall)],
    }


def _steps(learning_set: LearningSet, results: Sequence[SessionResult]) -> list[Row]:
    return [
        step_row(learning_set.name, step, [getattr(each, step) for each in results])
        for step in STEPS
    ]


def _claims(result: SessionResult) -> Iterator[Row]:
    """Yield the rows of all claims that are believed after Sleep."""
    rules = {(each.claim.kind, each.claim.id) for each in result.rules.claims}
    rows = claim_rows(result.overall, "")
    for each, row in zip(result.overall.claims, rows, strict=True):
        yield {**row, "step": "rules" if (each.claim.kind, each.claim.id) in rules else "sleep"}


def _tokens(results: Sequence[SessionResult]) -> Mapping[str, tuple[int, int]]:
    """Return the tokens of each step of Sleep, over all sessions."""
    sums: dict[str, tuple[int, int]] = {}
    for result in results:
        for step, (read, written) in result.claims.tokens.items():
            before = sums.get(step, (0, 0))
            sums[step] = (before[0] + read, before[1] + written)
    return sums


def _print(results: Sequence[tuple[LearningSet, list[SessionResult]]]) -> None:
    steps = [row for each in results for row in _steps(*each)]
    _print_rows(STEP_COLUMNS, steps, 2)
    _print_rows(MISTAKE_COLUMNS, steps, 2)
    for learning_set, sessions in results:
        line(f"set {learning_set.name}, by attribute")
        rows = attribute_rows([each.overall for each in sessions])
        _print_rows(("attribute", *ATTRIBUTE_COLUMNS), rows, 1)
        if tokens := _tokens(sessions):
            counts = [(step, *each) for step, each in sorted(tokens.items())]
            print_table(TOKEN_COLUMNS, counts, right="input output")
        if parked := sum(each.claims.sleep.parked_sessions for each in sessions):
            line(f"parked sessions, in which Sleep learned nothing: {parked}")
        wrong = [row for each in sessions for row in _claims(each) if row["verdict"] != RIGHT]
        line(f"wrong claims: {len(wrong)}")
        print_entries(
            WRONG_COLUMNS,
            [(*_wrong_cells(row), row["quote"]) for row in wrong],
            fold="value",
        )


def _wrong_cells(row: Row) -> tuple[str, ...]:
    verdict = f"{row['verdict']}: {row['trap']}" if row["trap"] else row["verdict"]
    return (row["conversation"], verdict, row["subject"], row["attribute"], row["value"])


def _print_rows(columns: tuple[str, ...], rows: Sequence[Row], names: int) -> None:
    cells = [tuple(_cell(row[name]) for name in columns) for row in rows]
    print_table(columns, cells, right=" ".join(columns[names:]))


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.2f}" if isinstance(value, float) else str(value)
