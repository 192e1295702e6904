"""The measurement: every system in turn, round after round, each in an empty folder."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from everword.bench.peers.figures import figures_of, medians
from everword.bench.peers.system import PeerConversation, PeerError, System
from everword.bench.peers.trial import Say, measure_all, measure_import

#: Writes the local model's files; the services' code cannot be imported from here.
EXPORT = "everword_embedder.export"
FORMS = ("bytes", "floats")
#: Rounds that also import with the other form of the weights.
OTHER_ROUNDS = 2


@dataclass
class PeerFigures:
    """The figures of one system so far."""

    version: str = ""
    #: Figures by name, each with one value for each round.
    values: dict[str, list[float]] = field(default_factory=dict)

    def add(self, figures: Mapping[str, float]) -> None:
        for name, value in figures.items():
            self.values.setdefault(name, []).append(value)

    def as_json(self) -> dict[str, Any]:
        return {"version": self.version, "medians": medians(self.values), "values": self.values}


def other_form(form: str) -> str:
    """Return the form of the weights that is not the default here."""
    [other] = set(FORMS) - {form}
    return other


async def measure_rounds(
    systems: Sequence[System],
    conversations: Sequence[PeerConversation],
    form: str,
    rounds: int,
    say: Say,
) -> AsyncIterator[tuple[int, dict[str, PeerFigures]]]:
    """Measure all systems in alternation; the order turns from round to round. Raises PeerError and EmbeddedError.

    After each round, yields the number of finished rounds and the figures so far by system.
    """
    measured = {system.name: PeerFigures() for system in systems}
    for number in range(rounds):
        turned = [*systems[number % len(systems) :], *systems[: number % len(systems)]]
        for system in turned:
            prefix = f"round {number + 1}/{rounds}, {system.name}: "
            await _measure_round(
                system,
                conversations,
                form,
                measured[system.name],
                number < OTHER_ROUNDS,
                lambda text, prefix=prefix: say(prefix + text),  # type: ignore[misc]
            )
        yield number + 1, measured


async def _measure_round(
    system: System,
    conversations: Sequence[PeerConversation],
    form: str,
    measured: PeerFigures,
    with_other: bool,
    say: Say,
) -> None:
    with empty_folder() as folder:
        trial = await measure_all(system, form, folder, conversations, say)
    measured.version = trial.version
    figures = figures_of(trial)
    measured.add(figures)
    say(f"{figures['import_per_s']:.0f} messages/s, {figures['at_rest_p50_ms']:.1f} ms at rest")
    if with_other:
        other = other_form(form)
        with empty_folder() as folder:
            trial = await measure_import(
                system, other, folder, conversations, lambda text: say(f"{text}, {other}")
            )
        measured.add({"import_per_s_other": trial.messages / trial.import_s})


@contextmanager
def empty_folder() -> Iterator[Path]:
    """Lend a folder that is removed afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="everword-peers-"))
    # PostgreSQL may run as another user, which must be able to enter the folder.
    folder.chmod(0o711)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def export_model(folder: Path) -> str:
    """Write Everword's model for the peers; return the form of its weights that is faster here. Raises PeerError."""

    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", EXPORT, str(folder),
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    output, errors = await process.communicate()
    if process.returncode != 0:
        raise PeerError(f"the local model cannot be exported: {errors.decode().strip()}")
    (folder / "model.json").write_bytes(output)
    return str(json.loads(output)["form"])
