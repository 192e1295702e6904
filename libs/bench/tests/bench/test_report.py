"""Sums of rows, and the tables, plots and JSON made of them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from everword.bench.checkpoint import FinishedDataset
from everword.bench.metrics import NAMES, judge
from everword.bench.plots import PlotError, draw
from everword.bench.report import build_report, to_text, write_json
from everword.bench.tables import (
    CATEGORY_COLUMNS,
    category_rows,
    markdown,
    overall_columns,
    overall_rows,
)


def row(ranked: str, relevant: str, **fields: Any) -> dict[str, Any]:
    return {
        "variant": "recall",
        "set": "s",
        "category": "single-hop",
        "answerable": True,
        "foreign": False,
        "chance": 0.8,
        "verdict": "RELEVANT",
        "latency_ms": 10.0,
        "first_asking": True,
        "metrics": judge(ranked, set(relevant)) if relevant else None,
        **fields,
    }


ROWS = [
    row("a", "a"),
    row("ba", "a", category="temporal", chance=0.4, latency_ms=20.0),
    row("b", "", chance=0.1, verdict="NOTHING_RELEVANT"),
    row("a", "a", category="adversarial", answerable=False, chance=0.4),
    row("a", "", answerable=False, foreign=True, chance=0.2, latency_ms=30.0),
    row("", "", answerable=False, foreign=True, chance=0.0, first_asking=False),
]


def report(*rows: dict[str, Any], model: str | None = "m", embedded: bool = True) -> dict[str, Any]:
    return build_report(
        "abc", model, "recall", [FinishedDataset("s", "c", embedded, list(rows or ROWS))]
    )


def test_report_averages_only_answerable_queries_with_known_messages() -> None:
    [each] = report()["sets"]
    assert each["queries"] == 4
    assert set(each["overall"]) == set(NAMES)
    assert each["overall"]["recall@1"] == 0.5
    assert each["overall"]["mrr"] == 0.75
    assert {name: values["mrr"] for name, values in each["by_category"].items()} == {
        "single-hop": 1.0, "temporal": 0.5,
    }  # fmt: skip


def test_abstention_compares_answerable_with_foreign_and_near_miss_queries() -> None:
    [each] = report()["sets"]
    assert each["abstention"] == {
        "auroc_foreign": pytest.approx(5 / 6),
        "auroc_near_miss": pytest.approx(1.5 / 3),
        "answerable_rejected": pytest.approx(1 / 3),
    }
    [alone] = report(ROWS[0])["sets"]
    assert alone["abstention"] == {
        "auroc_foreign": None, "auroc_near_miss": None, "answerable_rejected": 0,
    }  # fmt: skip


def test_latency_counts_only_questions_asked_for_the_first_time() -> None:
    [each] = report()["sets"]
    assert each["latency_ms"] == {"p50": 10.0, "p95": pytest.approx(28.0)}


def test_report_names_the_model_only_if_vectors_were_used() -> None:
    assert report()["model"] == "m"
    assert report(embedded=False)["model"] is None


def test_report_contains_only_rows_of_its_variant() -> None:
    rows = [*ROWS, row("a", "a", variant="lexical")]
    assert report(*rows)["rows"] == ROWS
    assert (
        build_report(None, None, "lexical", [FinishedDataset("s", "c", True, rows)])["rows"]
        == rows[-1:]
    )


def test_write_json_is_valid_and_has_one_row_per_line(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    path.write_text("what was there before")
    write_json(path, report())
    text = path.read_text()
    assert json.loads(text) == report()
    assert len([line for line in text.splitlines() if '"variant"' in line]) == len(ROWS)
    assert list(tmp_path.iterdir()) == [path]
    assert json.loads(to_text({"variants": [report()]})) == {"variants": [report()]}


def test_report_tables_have_a_cell_for_each_column() -> None:
    assert overall_columns(report()) == ("recall", "s")
    shown = {row[0]: row[1:] for row in overall_rows(report())}
    assert shown["queries"] == ("4",)
    assert shown["recall@1"] == ("0.500",)
    assert shown["AUROC, foreign"] == ("0.833",)
    [missing] = [row[1:] for row in overall_rows(report(ROWS[0])) if row[0] == "AUROC, foreign"]
    assert missing == ("–",)
    assert [len(cells) for cells in category_rows(report())] == [len(CATEGORY_COLUMNS)] * 2


def test_the_markdown_table_has_a_row_for_each_variant() -> None:
    other = {**report(ROWS[1]), "profile": "other"}
    assert markdown([report(ROWS[0]), other]).splitlines() == [
        "| ranked by | s: recall@10 / ndcg@10 |",
        "| --- | --- |",
        "| recall | 1.000 / 1.000 |",
        "| other | 1.000 / 0.631 |",
    ]


def test_plots_are_identical_for_identical_figures(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    reports = [report(), {**report(ROWS[1]), "profile": "other"}]
    drawn = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        drawn.append([path.read_text() for path in draw(reports, tmp_path / name)])
    assert drawn[0] == drawn[1]
    assert len(drawn[0]) == 3
    assert all("<svg" in text and ">other<" in text for text in drawn[0])


def test_draw_without_matplotlib_names_the_extra_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(PlotError, match=r"everword\[plots\]"):
        draw([report()], tmp_path)
