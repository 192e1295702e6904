"""Writes a run's results to a page: counts of injected faults, and of checks of each promise."""

from __future__ import annotations

import os
import re
from collections import Counter
from pathlib import Path

from faults.history import Promise
from faults.run import Outcome

BEGIN, END = "<!-- faults: begin -->", "<!-- faults: end -->"
#: A worker's name without its number.
_NUMBERED = re.compile(r"-\d+$")
#: The promise most at risk from a fault, by a word of its place or kind; the first match counts.
_AT_RISK = (
    ("clock", Promise.ORDER),
    ("lease", Promise.ONCE),
    ("worker", Promise.ENDS),
    ("model", Promise.DERIVED),
    ("Valkey", Promise.ENDS),
    ("search", Promise.FRESH),
    ("embedder", Promise.DERIVED),
    ("compactor", Promise.ENDS),
    ("ingest", Promise.ERASED),
    ("torn", Promise.ONCE),
    ("", Promise.KEPT),
)


def report(outcome: Outcome) -> str:
    """Return both tables, in Markdown."""
    history = outcome.history
    lines = [
        f"{outcome.injected.total()} faults in {outcome.seconds / 60:.0f} minutes on {os.cpu_count()} cores "
        f"(seed {outcome.seed}): "
        f"{history.acknowledged:,} writes acknowledged, {sum(history.retried.values()):,} calls made again, "
        f"{outcome.summaries:,} summaries. Background work was complete {outcome.drained_s:.0f} s after the last call; "
        f"{outcome.given_up} jobs had failed for good, were listed, and were done when tried again.",
        "",
        "| promise | looked at | broken |",
        "|---|---:|---:|",
        *(f"| {each} | {history.looked[each]:,} | {history.broken_of(each)} |" for each in Promise),
        "",
        "| fault | of | puts at risk | injected | result |",
        "|---|---|---|---:|---|",
        *_rows(outcome),
    ]
    return "\n".join(lines)


def _rows(outcome: Outcome) -> list[str]:
    counted: Counter[tuple[str, str]] = Counter()
    for (kind, place), count in outcome.injected.items():
        row = _NUMBERED.sub("", place), kind
        counted[row] += count
    rows = []
    for place, kind in sorted(counted):
        promise = next(each for word, each in _AT_RISK if word in f"{place} {kind}")
        broken = outcome.history.broken_of(promise)
        result = f"broken {broken} times in this run" if broken else "holds"
        rows.append(f"| {kind} | {place} | {promise} | {counted[place, kind]} | {result} |")
    return rows


def write(page: Path, text: str, begin: str = BEGIN, end: str = END) -> None:
    """Insert a text between two markers of a page."""
    before, _, rest = page.read_text().partition(begin)
    _, _, after = rest.partition(end)
    page.write_text(f"{before}{begin}\n{text}\n{end}{after}")
