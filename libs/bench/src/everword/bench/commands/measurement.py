"""The common part of commands that measure: their options, and how an Everword is asked everything."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import click

from everword.bench.bench_namespace import MAX_WAIT_SECONDS
from everword.bench.checkpoint import Checkpoint, FinishedDataset
from everword.bench.dataset import questions
from everword.bench.native_format import BenchSet, read_sets
from everword.bench.provenance import changes, commit
from everword.bench.run import Run, Watcher
from everword.bench.target import Target, is_supplied, own_target, running_target
from everword.bench.variants import Variant, of_messages
from everword.cli.output import note, progress
from everword.cli.session import explain
from everword.client import CallError, ClientSettingsError
from everword.db.migrate import MigrationError
from everword.domain.settings import Environment
from everword.embedded.errors import EmbeddedError
from everword.transcripts import TranscriptError


@dataclass(frozen=True)
class BenchmarkRun:
    """Everything that was asked, and of what."""

    target: Target
    commit: str | None
    #: For example `local:all-MiniLM-L6-v2`; None without an embedder.
    model: str | None
    sets: Sequence[BenchSet]
    finished: Sequence[FinishedDataset]


def server_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that select the Everword to ask, and how long to wait for its embedder."""
    for option in (
        click.option(
            "--patience",
            type=click.FloatRange(min=0, min_open=True),
            default=MAX_WAIT_SECONDS,
            show_default=True,
            help="Seconds without a new vector after which the embedder counts as unavailable.",
        ),
        click.option("--running", is_flag=True, help="Use the running Everword that other commands would use."),
    ):  # fmt: skip
        command = option(command)
    return command


def data_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add what every retrieval benchmark takes: files, and the options of the Everword to ask."""
    file = click.Path(exists=True, dir_okay=False, path_type=Path)
    command = server_options(command)
    for option in (
        click.argument("more", metavar="[FILE]...", nargs=-1, type=file),
        click.option("--data", "files", metavar="FILE", multiple=True, required=True, type=file,
                     help="File of conversations and questions; more FILEs may follow."),
    ):  # fmt: skip
        command = option(command)
    return command


def ask_everything(
    paths: Sequence[Path],
    variants: Sequence[Variant],
    checkpoint: Path | None,
    running: bool,
    max_wait_s: float,
    summarised: bool = False,
    needs_vectors: bool = False,
) -> BenchmarkRun:
    """Ask the questions of files in every way that is chosen. Raises click's exceptions, and NotEmbedded."""
    try:
        sets = read_sets(paths)
        asking = _ask(sets, variants, checkpoint, running, max_wait_s, summarised, needs_vectors)
        return asyncio.run(asking)
    except (TranscriptError, EmbeddedError, MigrationError) as error:
        raise click.ClickException(str(error)) from error
    except ClientSettingsError as error:
        raise click.UsageError(str(error)) from error
    except (CallError, KeyboardInterrupt, asyncio.CancelledError) as error:
        if checkpoint is not None:
            note("What was finished is kept. Run the same command again to go on.")
        reason = explain(error) if isinstance(error, CallError) else "stopped"
        raise click.ClickException(reason) from error


def uses_running_server(running: bool) -> bool:
    """Return whether to use the running Everword instead of starting one."""
    return running or is_supplied(Environment(os.environ))


async def _ask(
    sets: Sequence[BenchSet],
    variants: Sequence[Variant],
    path: Path | None,
    running: bool,
    max_wait_s: float,
    summarised: bool,
    needs_vectors: bool,
) -> BenchmarkRun:
    this = asyncio.current_task()
    assert this is not None
    # A stack that is started for this must be stopped in order.
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, this.cancel)
    environment = Environment(os.environ)
    async with AsyncExitStack() as resources:
        if uses_running_server(running):
            target = running_target(environment)
            # The running one may have summaries; one started for the run has no workers that make them.
            variants = variants if summarised else [of_messages(each) for each in variants]
        else:
            target = await resources.enter_async_context(own_target(environment, note, summarised))
        code, model = await asyncio.to_thread(commit), await target.model()
        measured = {"commit": code, "model": model, "summarised": summarised}
        identity = {**measured, **await asyncio.to_thread(_identity, sets, variants)}
        checkpoint = _opened(Checkpoint(path, identity))
        with progress() as display:
            task = display.add_task("", total=len(variants) * sum(map(_size, sets)))
            watcher = Watcher(
                step=lambda text: display.update(task, description=text),
                asked=lambda number: display.advance(task, number),
                note=note,
            )
            run = Run(
                target.settings,
                variants,
                checkpoint,
                watcher,
                summarised=summarised,
                needs_vectors=needs_vectors,
                max_wait_s=max_wait_s,
            )
            await run.measure(sets)
        return BenchmarkRun(target, code, model, sets, checkpoint.finished)


def _identity(sets: Sequence[BenchSet], variants: Sequence[Variant]) -> dict[str, object]:
    """Return what a continued run must have in common with the interrupted one."""
    return {
        "changes": changes(),
        "variants": [[each.name, dict(each.fields)] for each in variants],
        "data": {each.name: each.digest for each in sets},
    }


def _size(each: BenchSet) -> int:
    return sum(len(questions(each.datasets, index)) for index in range(len(each.datasets)))


def _opened(checkpoint: Checkpoint) -> Checkpoint:
    checkpoint.open()
    if checkpoint.finished:
        note(f"going on after {len(checkpoint.finished)} conversations that are finished")
    if checkpoint.discarded:
        note("what an earlier run finished is of other code, data or variants, and is not used")
    return checkpoint


def checkpoint_of(output: Path | None) -> Path | None:
    """Return the path of the checkpoint, in the output's folder; None without an output."""
    return output.with_name(f"{output.name}.checkpoint") if output else None


def forget(checkpoint: Path | None) -> None:
    """Remove the checkpoint of a finished run."""
    if checkpoint is not None:
        checkpoint.unlink(missing_ok=True)
