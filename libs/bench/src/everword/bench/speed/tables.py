"""A run as a table, and two runs side by side."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from everword.bench.speed.row import TARGETS, FigureGoal

Document = Mapping[str, Any]
COLUMNS = ("id", "value", "floor", "ratio", "p95, ms", "to reach")
NUMBERS = "value floor ratio"
COMPARED = ("id", "scale", "before", "now", "now/before", "ratios", "")
COMPARED_NUMBERS = "scale before now now/before"
#: Runs differ by so much without any reason.
NOISE = 0.1


def table_rows(rows: Sequence[Document], scale: int) -> list[tuple[str, ...]]:
    """Return a row for each figure of a scale."""
    return [
        (
            row["id"],
            f"{number(row['value'])} {row['unit']}",
            number(row["floor"]),
            number(row["ratio"]),
            number(row["details"].get("p95_ms")),
            TARGETS[row["id"]].wanted,
        )
        for row in rows
        if row["scale"] == scale
    ]


def read(path: Path) -> Document:
    """Return a run that was written before. Raises ValueError for another file."""
    document = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(document, dict) or not all("id" in row for row in document.get("rows", ())):
        raise ValueError(f"{path} holds no run of `everword bench speed`")
    return document


def compared_rows(old: Document, new: Document) -> list[tuple[str, ...]]:
    """Return a row for each figure that both runs have."""
    before = {(row["id"], row["scale"]): row for row in old["rows"]}
    return [
        _compared(before[key], row)
        for row in new["rows"]
        if (key := (row["id"], row["scale"])) in before
    ]


def _compared(old: Document, new: Document) -> tuple[str, ...]:
    change = new["value"] / old["value"] if old["value"] else None
    ratios = f"{number(old['ratio'])} → {number(new['ratio'])}"
    values = number(old["value"]), f"{number(new['value'])} {new['unit']}", number(change)
    verdict = _verdict(change, TARGETS.get(new["id"]))
    return (new["id"], f"{new['scale']:,}", *values, ratios, verdict)


def _verdict(change: float | None, target: FigureGoal | None) -> str:
    if change is None or target is None or abs(change - 1) <= NOISE:
        return ""
    return "better" if (change > 1) is target.more else "worse"


def number(value: float | None) -> str:
    """Return a figure with as many digits as say something."""
    if value is None:
        return "–"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
