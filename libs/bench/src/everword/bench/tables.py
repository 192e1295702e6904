"""Reports as tables: cells for a terminal, Markdown for documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from everword.bench.calibration_fit import Bin, FittedCalibration
from everword.bench.metrics import NAMES

RELIABILITY_COLUMNS = ("relevance", "predicted", "observed", "results")
#: Metrics compared by the ablation.
HEADLINE = ("recall@10", "ndcg@10")
Report = dict[str, Any]

#: Metrics shown for each category; the JSON has all of them.
CATEGORY_METRICS = ("recall@10", "recall@50", "ndcg@10", "mrr")
CATEGORY_COLUMNS = ("set", "category", *CATEGORY_METRICS)


def overall_columns(report: Report) -> tuple[str, ...]:
    return (report["profile"], *(each["name"] for each in report["sets"]))


def overall_rows(report: Report) -> list[tuple[str, ...]]:
    """Return a row for each figure, with a cell for each set."""
    figures = [_figures(each) for each in report["sets"]]
    return [(name, *(each[name] for each in figures)) for name in figures[0]]


def category_rows(report: Report) -> list[tuple[str, ...]]:
    return [
        (each["name"], category, *(_number(values[name]) for name in CATEGORY_METRICS))
        for each in report["sets"]
        for category, values in each["by_category"].items()
    ]


def reliability_rows(bins: Sequence[Bin]) -> list[tuple[str, ...]]:
    """Return a row for each bin: predicted relevance, observed relevance, and number of results."""
    return [
        (
            f"{number / len(bins):.1f}–{(number + 1) / len(bins):.1f}",
            _number(each.predicted),
            _number(each.observed),
            str(each.results),
        )
        for number, each in enumerate(bins)
    ]


def calibration_figures(each: FittedCalibration) -> list[tuple[str, str]]:
    """Return the label and value of each figure of a calibration."""
    return [
        ("queries", str(each.queries)),
        ("ECE", _number(each.error, 4)),
        ("floor", _number(each.calibration.floor, 4)),
        ("nothing relevant: answerable", _number(each.answerable_rejected)),
        ("nothing relevant: foreign", _number(each.foreign_rejected)),
        ("nothing relevant: near misses", _number(each.near_misses_rejected)),
    ]


def _figures(each: dict[str, Any]) -> dict[str, str]:
    """Return the figures of a set by label."""
    latency, abstention = each["latency_ms"], each["abstention"]
    return {
        "queries": str(each["queries"]),
        **{name: _number(each["overall"][name]) for name in NAMES},
        "p50, ms": _number(latency["p50"], 1),
        "p95, ms": _number(latency["p95"], 1),
        "AUROC, foreign": _number(abstention["auroc_foreign"]),
        "AUROC, near misses": _number(abstention["auroc_near_miss"]),
        "answerable rejected": _number(abstention["answerable_rejected"]),
        **_summary_figures(each.get("summaries")),
    }


def _summary_figures(summaries: dict[str, Any] | None) -> dict[str, str]:
    if summaries is None:
        return {}
    return {
        "summaries": str(summaries["summaries"]),
        "context / transcript": _number(summaries["context_share"]),
        "evidence reachable": _number(summaries["evidence_reachable"]),
    }


def markdown(reports: Sequence[Report]) -> str:
    """Return the headline metrics of variants, a row each and a column for each set."""
    sets = [each["name"] for each in reports[0]["sets"]]
    head = ["ranked by", *(f"{name}: {' / '.join(HEADLINE)}" for name in sets)]
    lines = [_line(head), _line(["---"] * len(head))]
    for report in reports:
        cells = [
            " / ".join(_number(each["overall"][metric]) for metric in HEADLINE)
            for each in report["sets"]
        ]
        lines.append(_line([report["profile"], *cells]))
    return "\n".join(lines) + "\n"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _number(value: float | None, digits: int = 3) -> str:
    return "–" if value is None else f"{value:.{digits}f}"
