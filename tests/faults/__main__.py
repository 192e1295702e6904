"""`make test-faults`: many faults under mixed traffic; the last line counts violations of each promise."""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path

from faults.engines import may_mount
from faults.report import report, write
from faults.run import Outcome, Settings, run


def main() -> None:
    options = argparse.ArgumentParser(prog="faults", description=__doc__)
    options.add_argument("--faults", type=int, default=1000)
    options.add_argument("--every", type=float, default=4.0, help="seconds between two, on average")
    options.add_argument(
        "--pause", type=float, default=10.0, help="seconds between two calls of a caller"
    )
    options.add_argument("--seed", type=int, default=int(time.time()))
    options.add_argument("--only", default="", help="faults whose place or kind holds this")
    options.add_argument("--keep", type=Path, help="folder to keep the data and the logs in")
    options.add_argument("--report", type=Path, help="page to write the table into")
    given = options.parse_args()
    settings = Settings(
        faults=given.faults,
        seed=given.seed,
        every_s=given.every,
        pause_s=given.pause,
        picks=lambda fault: given.only in f"{fault.place} {fault.kind}",
        disk=may_mount(),
        drain_s=3600.0,
    )
    print(f"seed {given.seed}")
    with tempfile.TemporaryDirectory(prefix="everword-faults-") as temporary:
        Path(temporary).chmod(0o711)  # PostgreSQL's account must be able to traverse the folder.
        outcome = asyncio.run(run(given.keep or Path(temporary), settings, _say))
    if given.report:
        write(given.report, report(outcome))
    _tell(outcome)


def _say(line: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {line}", flush=True)


def _tell(outcome: Outcome) -> None:
    print(report(outcome))
    for promise, words in outcome.history.broken:
        print(f"BROKEN {promise.name}: {words}")
    print(f"faults {outcome.injected.total()}, {outcome.history.line}")
    sys.exit(1 if outcome.history.broken else 0)


if __name__ == "__main__":
    main()
