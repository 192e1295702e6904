"""`everword bench speed`: the speed of Everword compared with the best that the machine could do."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import Any

import click

from everword.bench.plots import PlotError
from everword.bench.provenance import commit
from everword.bench.report import write_json
from everword.bench.speed import run, tables
from everword.bench.speed.bench_stack import bench_stack
from everword.bench.speed.machine import machine
from everword.bench.speed.plots import draw
from everword.bench.speed.row import IDS, Row
from everword.cli.files import ensure_writable, make_folder
from everword.cli.output import line, note, print_table, progress
from everword.cli.session import explain
from everword.client import CallError
from everword.embedded.errors import EmbeddedError

SCALE = 10_000
_file = click.Path(dir_okay=False, path_type=Path)
_folder = click.Path(file_okay=False, path_type=Path)


@click.command()
@click.option(
    "--scale",
    "scales",
    type=click.IntRange(100),
    multiple=True,
    default=(SCALE,),
    show_default=True,
    help="Memories in the namespace; repeatable.",
)
@click.option(
    "--only",
    type=click.Choice(IDS),
    multiple=True,
    metavar="ID",
    help="Measure only this; repeatable.",
)
@click.option("--json", "output", type=_file, help="Write all figures to this file.")
@click.option(
    "--compare",
    "old",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Compare the figures with those of this file.",
)
@click.option("--plots", type=_folder, help="Draw every figure into this folder.")
@click.option(
    "--keep",
    type=_folder,
    help="Keep the database in this folder; the next run reuses its loaded data.",
)
def speed(
    scales: tuple[int, ...],
    only: tuple[str, ...],
    output: Path | None,
    old: Path | None,
    plots: Path | None,
    keep: Path | None,
) -> None:
    """Measure ingest, searches and background work at each scale, each with its lower bound.

    An Everword is started for the run, on disk and with fsync, and a stub of its models; this process is the client.
    Lower bounds are measured in the same run: COPY of the same rows, the SQL of the calls alone, empty calls, the stub
    alone. The id of a figure contains its nominal scale; the scale column has the measured one.
    """
    ensure_writable("--json", output)
    make_folder("--plots", plots)
    try:
        before = tables.read(old) if old else None
        document = asyncio.run(_measure(sorted(set(scales)), frozenset(only or IDS), keep, output))
    except (EmbeddedError, RuntimeError, TimeoutError, ValueError) as error:
        raise click.ClickException(str(error)) from error
    except CallError as error:
        raise click.ClickException(explain(error)) from error
    except (KeyboardInterrupt, asyncio.CancelledError) as error:
        raise click.ClickException("stopped") from error
    for scale in sorted(set(scales)):
        line(f"{scale:,} memories")
        print_table(
            tables.COLUMNS, tables.table_rows(document["rows"], scale), right=tables.NUMBERS
        )
    if before:
        compared = tables.compared_rows(before, document)
        print_table(tables.COMPARED, compared, right=tables.COMPARED_NUMBERS)
    if plots:
        try:
            for path in draw(document["rows"], plots):
                line(f"wrote {path}")
        except PlotError as error:
            raise click.ClickException(str(error)) from error


async def _measure(
    scales: list[int], figures: frozenset[str], keep: Path | None, output: Path | None
) -> dict[str, Any]:
    """Return the figures of all scales, writing the document after each figure."""
    this = asyncio.current_task()
    assert this is not None
    # On SIGTERM the started processes must be stopped in order.
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, this.cancel)
    document: dict[str, Any] = {"rows": []}
    code = await asyncio.to_thread(commit)
    rows: list[Row] = []
    async with bench_stack(keep, note) as measured:
        about = await asyncio.to_thread(machine, measured)
        with progress() as display:
            task = display.add_task("", total=None)

            def tell(step: str, done: int, total: int) -> None:
                display.update(task, description=step, completed=done, total=max(1, total))

            for scale in scales:
                async for row in run.measure(measured, scale, figures, tell):
                    rows.append(row)
                    document = run.document(code, about, rows)
                    if output:
                        await asyncio.to_thread(write_json, output, document)
                    note(f"{row.id} at {scale:,}: {tables.number(row.value)} {row.unit}")
    return document
