"""`everword calibrate`: fit the relevance of results to questions with known answers."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
import psycopg

from everword.bench.calibration_fit import FittedCalibration, variants_of
from everword.bench.calibration_fit import calibrate as calibrate_rows
from everword.bench.commands.measurement import (
    BenchmarkRun,
    ask_everything,
    checkpoint_of,
    data_options,
    forget,
    uses_running_server,
)
from everword.bench.isotonic import FitError
from everword.bench.plots import PlotError, draw_reliability
from everword.bench.run import NotEmbedded
from everword.bench.tables import RELIABILITY_COLUMNS, calibration_figures, reliability_rows
from everword.bench.target import running_target
from everword.bench.variants import Variant
from everword.cli.files import ensure_writable
from everword.cli.output import line, print_table
from everword.client import ClientSettingsError
from everword.db.calibrations import CalibrationError, Calibrations
from everword.domain.calibration import PROFILES, WITHOUT_MODEL, CalibratedProfile, to_json
from everword.domain.settings import Environment


@click.command()
@data_options
@click.option(
    "--profile",
    "profiles",
    type=click.Choice(PROFILES),
    multiple=True,
    show_default="all",
    help="Calibrate only this profile of hybrid, or mode with one arm; repeatable.",
)
@click.option(
    "--out",
    "output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write to this file, in the format of the shipped calibrations, and store nothing. "
    "Progress is stored next to it; if interrupted, the same command continues from there.",
)
@click.option(
    "--plot",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Draw the reliability curves into this SVG file; needs matplotlib.",
)
def calibrate(
    files: tuple[Path, ...],
    more: tuple[Path, ...],
    profiles: tuple[str, ...],
    output: Path | None,
    plot: Path | None,
    running: bool,
    patience: float,
) -> None:
    """Ask the questions of FILEs, and fit the function from ranking scores to relevance.

    FILEs and the Everword used are as for `everword bench`. Relevance is the share of results with the same evidence
    that answered their question. The floor, below which nothing is relevant, is set so that 2 % of the answerable
    questions would be rejected. Without --out, calibrations are stored in the database of the running Everword and
    apply at once to its active embedding model; that takes EVERWORD_ADMIN_DATABASE_URL, or `everword up` on this
    machine.

    The printed figures come from calibrations fitted to the other conversations.
    """
    owner = None if output else _owner(running)
    checkpoint = checkpoint_of(output)
    ensure_writable("--out", output, checkpoint)
    ensure_writable("--plot", plot)
    chosen = variants_of(profiles)
    asked = _run_datasets([*files, *more], chosen, checkpoint, running, patience)
    fitted = {each.name: _fitted(asked, each.name) for each in chosen}
    found = [_calibrated(asked, name, each) for name, each in fitted.items()]
    if output is not None:
        output.write_text(to_json(found), encoding="utf-8")
        forget(checkpoint)
    if owner is not None:
        _store(owner, found)
    _print(fitted)
    if plot is not None:
        try:
            draw_reliability(fitted, plot)
        except PlotError as error:
            raise click.ClickException(str(error)) from error


def _run_datasets(
    paths: Sequence[Path],
    variants: Sequence[Variant],
    checkpoint: Path | None,
    running: bool,
    patience: float,
) -> BenchmarkRun:
    """Ask all questions. Raises click.ClickException if a profile ranks by vectors and no embedder runs."""
    needing = next((each.name for each in variants if each.name not in WITHOUT_MODEL), "")
    try:
        return ask_everything(
            paths, variants, checkpoint, running, patience, needs_vectors=bool(needing)
        )
    except NotEmbedded:
        raise click.ClickException(
            f"{needing} cannot be calibrated without vectors: start an embedder, or choose others by --profile"
        ) from None


def _owner(running: bool) -> Calibrations:
    """Return the store for calibrations. Raises click.UsageError if no running Everword would use them."""
    if not uses_running_server(running):
        raise click.UsageError("give --out FILE, or calibrate the Everword that runs by --running")
    try:
        url = running_target(Environment(os.environ)).admin_url
    except ClientSettingsError as error:
        raise click.UsageError(str(error)) from error
    if not url:
        raise click.UsageError(
            "set EVERWORD_ADMIN_DATABASE_URL to the connection string of the schema's owner, or give --out FILE"
        )
    return Calibrations(url)


def _fitted(asked: BenchmarkRun, profile: str) -> FittedCalibration:
    rows = [row for each in asked.finished for row in each.rows if row["variant"] == profile]
    try:
        return calibrate_rows(rows)
    except FitError as error:
        raise click.ClickException(f"{profile} cannot be calibrated: {error}") from error


def _calibrated(asked: BenchmarkRun, profile: str, fitted: FittedCalibration) -> CalibratedProfile:
    provenance = {
        "data": [{"name": each.name, "sha256": each.digest} for each in asked.sets],
        "queries": fitted.queries,
        "results": fitted.results,
        "expected_calibration_error": fitted.error,
        "answerable_rejected": fitted.answerable_rejected,
        "commit": asked.commit,
        "created_at": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    model = None if profile in WITHOUT_MODEL else (asked.model or "").partition(":")[2]
    return CalibratedProfile(profile, model, fitted.calibration, provenance)


def _store(owner: Calibrations, found: list[CalibratedProfile]) -> None:
    try:
        owner.store(found)
    except CalibrationError as error:
        raise click.ClickException(str(error)) from error
    except psycopg.OperationalError as error:
        raise click.ClickException(f"cannot reach the database: {error}") from error


def _print(fitted: Mapping[str, FittedCalibration]) -> None:
    for name, each in fitted.items():
        line(f"{name}, {'conversations left out' if each.is_crossed else 'what it was fitted to'}")
        columns: Any = RELIABILITY_COLUMNS
        print_table(columns, reliability_rows(each.bins), right=" ".join(columns[1:]))
        print_table((name, ""), calibration_figures(each))
