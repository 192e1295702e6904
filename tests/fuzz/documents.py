"""`make test-fuzz-documents`: reads and cuts damaged files of each format, and what came of them."""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from everword_ingest.documents.parsing import (
    DocumentUnreadable,
    ParsedDocument,
    ParseLimits,
    Unreadable,
    chunk_document,
    parse_document,
)
from everword_ingest.documents.parsing.decoding import clean
from fuzz.files import Upload, draw_upload

LIMITS = ParseLimits(wall_s=20.0, cpu_s=10)
#: Reading may end so long after its deadline on a busy machine.
GRACE_S = 5.0
#: Of the processor, for files of this size.
CUTTING_S = 3.0
CALLERS = 4
GROWTH_MB = 60
#: Part of the files after which memory is first looked at.
WARM_UP = 0.2


@dataclass
class Outcome:
    """What came of a run."""

    seed: int
    files: int = 0
    #: By the name of the file, and `READ` or why it is not readable.
    results: Counter[tuple[str, str]] = field(default_factory=Counter)
    #: What must not happen, with the number of the file.
    faults: list[str] = field(default_factory=list)
    #: How parsers ended that gave no answer.
    deaths: Counter[str] = field(default_factory=Counter)
    slowest_s: float = 0.0
    memory_mb: tuple[float, float] = (0.0, 0.0)


async def run(count: int, seed: int, progress: Callable[[int], None]) -> Outcome:
    """Read files and cut them. The file of a number is the same in each run with a seed."""
    outcome = Outcome(seed)
    numbers = iter(range(count))
    listener = _Deaths(outcome)
    log = logging.getLogger("everword_ingest.documents.parsing.process")
    log.addHandler(listener)

    async def call() -> None:
        for number in numbers:
            upload = draw_upload(random.Random(f"{seed} {number}"))
            await _read(upload, number, outcome)
            outcome.files += 1
            if outcome.files == max(int(count * WARM_UP), 1):
                outcome.memory_mb = (_memory_mb(), 0.0)
            progress(outcome.files)

    try:
        await asyncio.gather(*(call() for _ in range(CALLERS)))
    finally:
        log.removeHandler(listener)
    outcome.memory_mb = (outcome.memory_mb[0], _memory_mb())
    left = [child for child in psutil.Process().children() if "parsing.worker" in str(child)]
    if left:
        outcome.faults.append(f"{len(left)} parsers are left")
    return outcome


async def _read(upload: Upload, number: int, outcome: Outcome) -> None:
    result = "READ"
    # Files wait for their turn, which is not the time of this one.
    began = time.monotonic()
    try:
        parsed = await parse_document(upload.data, upload.name, upload.media_type, LIMITS)
        outcome.faults += [
            f"{number}: {fault}" for fault in await asyncio.to_thread(_check, parsed)
        ]
    except DocumentUnreadable as error:
        result = error.reason
        if (
            error.reason not in Unreadable
            or not 10 < len(error.detail) < 200
            or "/" in error.detail
        ):
            outcome.faults.append(f"{number}: {error}")
    # Anything else is what this looks for.
    except Exception as error:
        result = "FAULT"
        outcome.faults.append(f"{number} ({upload.name}): {type(error).__name__}: {error}"[:300])
    took = time.monotonic() - began
    outcome.slowest_s = max(outcome.slowest_s, took)
    if took > CALLERS * (LIMITS.wall_s + GRACE_S):
        outcome.faults.append(f"{number}: took {took:.0f} s")
    outcome.results[upload.name, result] += 1


def _check(parsed: ParsedDocument) -> list[str]:
    """Return what is wrong with a document that was read, and with its chunks."""
    faults = []
    if clean(parsed.text) != parsed.text or "\0" in f"{parsed.title}{parsed.sections}":
        faults.append("control characters")
    began = time.thread_time()
    chunks = chunk_document(parsed)
    if time.thread_time() - began > CUTTING_S:
        faults.append(f"cutting took {time.thread_time() - began:.0f} s")
    held = "".join(chunk.content for chunk in chunks)
    if len(held) < sum(len("".join(section.text.split())) for section in parsed.sections):
        faults.append("text was lost")
    if not all(chunk.content.strip() for chunk in chunks):
        faults.append("a chunk is empty")
    return faults


class _Deaths(logging.Handler):
    def __init__(self, outcome: Outcome) -> None:
        super().__init__()
        self._outcome = outcome

    def emit(self, record: logging.LogRecord) -> None:
        self._outcome.deaths[str(record.__dict__.get("exit_code"))] += 1


def _memory_mb() -> float:
    return float(psutil.Process().memory_info().rss) / 1e6


def main() -> None:
    options = argparse.ArgumentParser(prog="fuzz.documents", description=__doc__)
    options.add_argument("--files", type=int, default=10_000)
    options.add_argument("--seed", type=int, default=int(time.time()))
    options.add_argument("--json", type=Path, help="file to write what came of it to")
    given = options.parse_args()
    print(f"seed {given.seed}")
    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("reading", total=given.files)
        outcome = asyncio.run(
            run(given.files, given.seed, lambda made: progress.update(task, completed=made))
        )
    Console().print(_table(outcome))
    for fault in outcome.faults[:40]:
        print(fault)
    first, last = outcome.memory_mb
    print(f"parsers that ended by {dict(outcome.deaths)}, slowest {outcome.slowest_s:.1f} s")
    print(f"memory {first:.0f} MB, then {last:.0f} MB")
    if given.json:
        results = {f"{name} {result}": n for (name, result), n in outcome.results.items()}
        summary = {"seed": outcome.seed, "results": results, "faults": outcome.faults}
        given.json.write_text(json.dumps(summary, indent=1) + "\n")
    sys.exit(1 if outcome.faults or last - first > GROWTH_MB else 0)


def _table(outcome: Outcome) -> Table:
    results = sorted({result for _, result in outcome.results})
    table = Table("file", *results)
    for name in sorted({name for name, _ in outcome.results}):
        table.add_row(name, *(str(outcome.results[name, result] or "") for result in results))
    return table


if __name__ == "__main__":
    main()
