"""The report of a run: what its rows add up to, and the JSON that holds both."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from everword.bench.checkpoint import FinishedDataset, Row
from everword.bench.metrics import auroc, average, percentile
from everword.bench.summaries import total

NOTHING = "NOTHING_RELEVANT"


def build_report(
    commit: str | None, model: str | None, variant: str, finished: Sequence[FinishedDataset]
) -> dict[str, Any]:
    """Return the report of one variant, its sets and rows in the order in which they were asked."""
    rows = [row for each in finished for row in each.rows if row["variant"] == variant]
    names = dict.fromkeys(each.set for each in finished)
    embedded = all(each.embedded for each in finished)
    return {
        "commit": commit,
        "model": model if embedded else None,
        "profile": variant,
        "sets": [
            _set(name, [row for row in rows if row["set"] == name]) | _summaries(name, finished)
            for name in names
        ],
        "rows": rows,
    }


def _set(name: str, rows: list[Row]) -> dict[str, Any]:
    own = [row for row in rows if not row["foreign"]]
    answerable = [row for row in own if row["answerable"]]
    judged = [row for row in answerable if row["metrics"] is not None]
    categories = sorted({row["category"] for row in judged})
    return {
        "name": name,
        "queries": len(own),
        "overall": average([row["metrics"] for row in judged]),
        "by_category": {
            category: average([row["metrics"] for row in judged if row["category"] == category])
            for category in categories
        },
        "latency_ms": _latency(rows),
        "abstention": {
            "auroc_foreign": _auroc(answerable, [row for row in rows if row["foreign"]]),
            "auroc_near_miss": _auroc(answerable, [row for row in own if not row["answerable"]]),
            "answerable_rejected": _share_rejected(answerable),
        },
    }


def _summaries(name: str, finished: Sequence[FinishedDataset]) -> dict[str, Any]:
    """Return the figures of a set's summaries; empty if none were requested."""
    compacted = [each.compacted for each in finished if each.set == name and each.compacted]
    return {"summaries": total(compacted)} if compacted else {}


def _latency(rows: list[Row]) -> dict[str, float | None]:
    """Return percentiles over first askings: the embedder keeps the vectors of queries that it has seen."""
    values = [row["latency_ms"] for row in rows if row["first_asking"]]
    return {"p50": percentile(values, 0.5), "p95": percentile(values, 0.95)}


def _auroc(answerable: list[Row], other: list[Row]) -> float | None:
    return auroc([row["chance"] for row in answerable], [row["chance"] for row in other])


def _share_rejected(answerable: list[Row]) -> float | None:
    if not answerable:
        return None
    rejected = [row for row in answerable if row["verdict"] == NOTHING]
    return len(rejected) / len(answerable)


def write_json(path: Path, document: dict[str, Any]) -> None:
    """Write a document, all of it or nothing."""
    partial = path.with_name(f"{path.name}.tmp")
    partial.write_text(to_text(document), encoding="utf-8")
    os.replace(partial, path)


def to_text(document: dict[str, Any]) -> str:
    """Return a document as JSON, with each of its rows on a line."""
    rows = document.get("rows")
    if not rows:
        return json.dumps(document, ensure_ascii=False, indent=2) + "\n"
    head = {name: value for name, value in document.items() if name != "rows"}
    lines = ",\n".join(f"    {json.dumps(row, ensure_ascii=False)}" for row in rows)
    opening = json.dumps(head, ensure_ascii=False, indent=2).removesuffix("\n}")
    return f'{opening},\n  "rows": [\n{lines}\n  ]\n}}\n'
