"""`make test-fuzz`: calls of every RPC with hostile requests, and their outcome."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from fuzz.outcome import Outcome
from fuzz.run import run

#: Limits: seconds of a health check, and factor of memory growth, which allows for dictionaries loaded on demand.
HEALTH_S = 0.2
GROWTH = 1.3


def main() -> None:
    options = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    options.add_argument("--calls", type=int, default=100_000)
    options.add_argument("--seed", type=int, default=int(time.time()))
    options.add_argument("--json", type=Path, help="file to write what came of it to")
    given = options.parse_args()
    print(f"seed {given.seed}")
    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("calling", total=given.calls)
        outcome = asyncio.run(
            run(given.calls, given.seed, lambda made: progress.update(task, completed=made))
        )
    Console(width=200).print(_table(outcome))
    for fault, count in Counter(outcome.faults).most_common(40):
        print(f"{count} × {fault}")
    for name in sorted(outcome.unanswered):
        print(f"{name} was never answered: make its requests better")
    slowest = outcome.health_quantile(1.0)
    print(f"memory {outcome.memory_mb}, health within {slowest * 1000:.0f} ms")
    if given.json:
        given.json.write_text(json.dumps(_as_json(outcome), indent=1) + "\n")
    wrong = outcome.faults or outcome.unanswered
    sys.exit(1 if wrong or outcome.growth > GROWTH or slowest > HEALTH_S else 0)


def _table(outcome: Outcome) -> Table:
    codes = sorted({code for _, code in outcome.codes})
    table = Table("RPC", *codes)
    for name in sorted({name for name, _ in outcome.codes}):
        table.add_row(name, *(str(outcome.codes[name, code] or "") for code in codes))
    return table


def _as_json(outcome: Outcome) -> dict[str, object]:
    return {
        "seed": outcome.seed,
        "calls": outcome.calls,
        "codes": {f"{name} {code}": count for (name, code), count in outcome.codes.items()},
        "faults": outcome.faults,
        "unanswered": sorted(outcome.unanswered),
        "memory_mb": outcome.memory_mb,
        "health_ms": {
            str(share): outcome.health_quantile(share) * 1000 for share in (0.5, 0.99, 1)
        },
    }


if __name__ == "__main__":
    main()
