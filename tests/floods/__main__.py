"""`make test-floods`: effect of one tenant's floods on another tenant's calls."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from pathlib import Path

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from floods.run import Row, run

#: Maximal factor of a call's duration during a flood.
LIMIT = 3.0


def main() -> None:
    options = argparse.ArgumentParser(prog="floods", description=__doc__)
    options.add_argument("--callers", type=int, default=200)
    options.add_argument(
        "--only", action="append", default=[], help="a kind of flood; all if absent"
    )
    options.add_argument("--json", type=Path, help="file to write the rows to")
    given = options.parse_args()
    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("flooding", total=len(given.only) or 8)
        rows = asyncio.run(run(given.callers, given.only, lambda kind: progress.advance(task)))
    Console().print(_table(rows))
    if given.json:
        given.json.write_text(json.dumps([row.as_json() for row in rows], indent=1) + "\n")
    sys.exit(1 if any(row.ratio > LIMIT for row in rows) else 0)


def _table(rows: list[Row]) -> Table:
    table = Table(
        "flood", "another tenant's", "alone ms", "beside ms", "ratio", "answered", "refused"
    )
    for row in rows:
        figures = f"{row.alone_ms:.1f}", f"{row.beside_ms:.1f}", f"{row.ratio:.2f}"
        table.add_row(row.flood, row.timed, *figures, str(row.answered), str(row.refused))
    return table


if __name__ == "__main__":
    main()
