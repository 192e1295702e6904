"""The table of quality: means by set, language and kind of question, and those of earlier runs for comparison."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

MEASURES = (
    "first",
    "first-3",
    "recall@5",
    "recall@10",
    "ndcg@10",
    "nothing",
    "accepted",
    "inside",
    "mostly",
)
KEY = ("set", "language", "kind")
COLUMNS = (*KEY, "questions", *MEASURES)
Figures = Mapping[str, Any]


def figures(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the mean of each measure by set, language and kind; None for a measure that does not apply."""
    groups: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in KEY), []).append(row)
    return [
        {
            **dict(zip(KEY, key, strict=True)),
            "questions": len(group),
            **{name: _mean(group, name) for name in MEASURES},
        }
        for key, group in groups.items()
    ]


def table_rows(
    found: Sequence[Figures], earlier: Sequence[Figures] | None = None
) -> list[tuple[str, ...]]:
    """Return the cells of the table; with earlier figures, a cell reads `before → after`."""
    before = {tuple(each[name] for name in KEY): each for each in earlier or ()}
    return [
        (
            *(str(each[name]) or "-" for name in KEY),
            str(each["questions"]),
            *(
                _cell(each[name], before.get(tuple(each[part] for part in KEY), {}).get(name))
                for name in MEASURES
            ),
        )
        for each in found
    ]


def _mean(rows: Sequence[Mapping[str, Any]], name: str) -> float | None:
    values = [row[name] for row in rows if row.get(name) is not None]
    return statistics.fmean(values) if values else None


def _cell(value: float | None, earlier: float | None) -> str:
    if value is None:
        return ""
    return _number(value) if earlier is None else f"{_number(earlier)} → {_number(value)}"


def _number(value: float) -> str:
    text = f"{value:.3f}"
    return text.removeprefix("0") if value < 1 else text[:1]
