"""`make test-kills`: 30 kills under an import; ends on a line with the count of what went wrong."""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from kills.importer import Load
from kills.run import Outcome, Settings, Watchers, run


def main() -> None:
    options = argparse.ArgumentParser(prog="kills", description=__doc__)
    options.add_argument("--kills", type=int, default=30)
    options.add_argument("--messages", type=int, default=3000)
    options.add_argument("--seed", type=int, default=int(time.time()))
    options.add_argument("--keep", type=Path, help="folder to keep the data and the logs in")
    given = options.parse_args()
    load = Load(given.messages, pause_s=3.5, seed=given.seed)
    print(f"seed {given.seed}")
    with tempfile.TemporaryDirectory(prefix="everword-kills-") as temporary:
        Path(temporary).chmod(0o711)  # PostgreSQL's account passes through
        data = given.keep or Path(temporary)
        outcome = _run(data, Settings(load, given.kills))
    _report(outcome)


def _run(data: Path, settings: Settings) -> Outcome:
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    console = Console(stderr=True)
    with Progress(*columns, TimeElapsedColumn(), console=console) as progress:
        imported = progress.add_task("importing", total=settings.load.messages)
        draining = progress.add_task("draining", total=None)
        most = 0

        def drain(left: int) -> None:
            nonlocal most
            most = max(most, left)
            progress.update(draining, total=most, completed=most - left)

        watchers = Watchers(
            say=lambda line: console.print(line, highlight=False, markup=False),
            imported=lambda count: progress.update(imported, completed=count),
            draining=drain,
        )
        return asyncio.run(run(data, settings, watchers))


def _report(outcome: Outcome) -> None:
    print(f"{outcome.acknowledged} messages acknowledged, {outcome.retries} calls made again")
    print(f"{outcome.findings.summaries} summaries")
    for words in outcome.findings.words:
        print(words)
    print(outcome.line)
    found = outcome.findings
    sys.exit(1 if found.lost or found.doubled or found.stuck else 0)


if __name__ == "__main__":
    main()
