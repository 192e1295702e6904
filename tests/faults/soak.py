"""`make test-soak`: an hour of mixed load with a fault every 20 seconds; reports the resources of each process."""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from faults.engines import may_mount
from faults.report import write
from faults.run import Outcome, Settings, run
from faults.usage import Growth, Usage, errors, watched
from faults.world import Fault

BEGIN, END = "<!-- soak: begin -->", "<!-- soak: end -->"
MIB = 1 << 20
#: Limits of a warm process: factor of memory growth, and additional descriptors and connections, since pools open and
#: close some.
LIMIT, SPREAD = 1.05, 3
#: Bytes that search caches for each message, up to EVERWORD_SEARCH_CACHE_MIB: words, and a short vector.
KEPT = 500
_STORAGE = (
    r"psycopg(_pool|\.errors)?\."
    r"(\w*Shutdown|OperationalError|DiskFull|PoolTimeout|ConnectionTimeout|CannotConnectNow)"
)
#: Expected log messages above WARNING and job errors: injected faults, erasures of a job's data, and RQ errors after a
#: fault or a flushed job.
EXPLAINED = [
    re.compile(pattern)
    for pattern in (
        rf"^job (failed|given up.*): (everword\.chat\.|redis|{_STORAGE})",
        # An erasure deleted or hid the job's data.
        r"^job failed: psycopg\.errors\.(ForeignKeyViolation|InsufficientPrivilege)",
        rf"^Worker.*(redis|InvalidJobOperation|NoSuchJob|{_STORAGE})",
    )
]


def main() -> None:
    options = argparse.ArgumentParser(prog="faults.soak", description=__doc__)
    options.add_argument("--minutes", type=float, default=60.0)
    options.add_argument("--every", type=float, default=20.0, help="seconds between two faults")
    options.add_argument("--pause", type=float, default=6.0, help="seconds between two calls")
    options.add_argument("--seed", type=int, default=int(time.time()))
    options.add_argument("--report", type=Path, help="page to write the table into")
    given = options.parse_args()
    settings = Settings(
        faults=round(given.minutes * 60 / given.every),
        seed=given.seed,
        every_s=given.every,
        pause_s=given.pause,
        workers=1,
        picks=_spares,
        drain_s=3600.0,
        disk=may_mount(),
    )
    print(f"seed {given.seed}")
    with tempfile.TemporaryDirectory(prefix="everword-soak-") as temporary:
        Path(temporary).chmod(0o711)  # PostgreSQL's account must be able to traverse the folder.
        outcome, usage = asyncio.run(_soak(Path(temporary), settings))
        said = errors(Path(temporary))
    growths = list(usage.growths(outcome.seconds))
    told = soak_report(outcome, growths, said)
    print(told)
    for promise, words in outcome.history.broken:
        print(f"BROKEN {promise.name}: {words}")
    if given.report:
        write(given.report, told, BEGIN, END)
    wrong = [
        *outcome.history.broken,
        *_grown(growths, outcome.history.acknowledged),
        *_unexplained(said),
        *usage.missing(growths),
    ]
    for each in wrong[len(outcome.history.broken) :]:
        print(f"WRONG {each}")
    sys.exit(1 if wrong else 0)


async def _soak(data: Path, settings: Settings) -> tuple[Outcome, Usage]:
    async with watched(data) as usage:
        return await run(data, settings, _say), usage


def _say(line: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {line}", flush=True)


def _spares(fault: Fault) -> bool:
    """Return whether a fault keeps services and workers alive; leaks only show in long-lived processes."""
    ends = fault.kind.startswith(("killed", "told to end", "restarted one after"))
    return not ends or fault.place in ("Postgres", "Valkey")


def _grown(growths: list[Growth], messages: int) -> Iterator[str]:
    """Yield a description of each process whose usage of some resource has grown since it was warm."""
    for each in growths:
        kept = KEPT * messages if each.name == "search" else 0
        if each.memory[1] - kept >= LIMIT * each.memory[0]:
            yield f"memory of {each.name}: {each.ratio:.3f} times"
        for what, (first, last) in (
            ("descriptors", each.descriptors),
            ("connections", each.connections),
        ):
            if last > first + SPREAD:
                yield f"{what} of {each.name}: {first:.0f} → {last:.0f}"


def _unexplained(said: Counter[tuple[str, str]]) -> Iterator[str]:
    for (logger, words), times in said.items():
        if not any(pattern.search(words) for pattern in EXPLAINED):
            yield f"logged {times} times by {logger}: {words}"


def soak_report(outcome: Outcome, growths: list[Growth], said: Counter[tuple[str, str]]) -> str:
    """Return the table of processes and that of logs, in Markdown."""
    lines = [
        f"{outcome.injected.total()} faults in {outcome.seconds / 60:.0f} minutes on {os.cpu_count()} cores "
        f"(seed {outcome.seed}): {outcome.history.acknowledged:,} writes acknowledged, "
        f"{len(outcome.history.broken)} promises broken.",
        "",
        "| process | minutes | memory, MiB | times | descriptors | connections |",
        "|---|---:|---:|---:|---:|---:|",
        *(
            f"| {each.name} | {each.minutes:.0f} | {each.memory[0] / MIB:.1f} → {each.memory[1] / MIB:.1f} "
            f"| {each.ratio:.3f} | {_both(each.descriptors)} | {_both(each.connections)} |"
            for each in growths
        ),
        "",
        "| logged above WARNING, or a job that failed | by | times |",
        "|---|---|---:|",
        *(f"| {words} | {logger} | {count} |" for (logger, words), count in said.most_common()),
    ]
    return "\n".join(lines)


def _both(values: tuple[float, float]) -> str:
    return f"{values[0]:.0f} → {values[1]:.0f}"


if __name__ == "__main__":
    main()
