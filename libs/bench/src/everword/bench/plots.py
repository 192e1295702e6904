"""Reports as plots, in SVG that is the same for the same figures. Needs matplotlib, which `everword[plots]` brings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from everword.bench.calibration_fit import FittedCalibration
from everword.bench.metrics import RECALL_AT
from everword.bench.tables import HEADLINE, Report

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH, HEIGHT = 9.0, 4.0


class PlotError(Exception):
    """Nothing can be drawn; the message says why."""


def draw(reports: Sequence[Report], folder: Path) -> list[Path]:
    """Write the plots of an ablation into a folder and return their paths. Raises PlotError without matplotlib."""
    with svg():
        figures = {
            f"{metric.replace('@', '-at-')}.svg": _bars(reports, metric) for metric in HEADLINE
        }
        figures["recall-by-depth.svg"] = _depths(reports)
        for name, figure in figures.items():
            save_figure(figure, folder / name)
    return [folder / name for name in figures]


def draw_reliability(fitted: Mapping[str, FittedCalibration], path: Path) -> None:
    """Plot observed against predicted relevance, one line per profile. Raises PlotError without matplotlib."""
    with svg():
        figure = new_figure()
        axes = figure.add_subplot()
        axes.plot((0, 1), (0, 1), color="0.7", linewidth=1, linestyle="--")
        for name, each in fitted.items():
            told = [bin_.predicted for bin_ in each.bins if bin_.predicted is not None]
            seen = [bin_.observed for bin_ in each.bins if bin_.observed is not None]
            axes.plot(told, seen, marker="o", markersize=4, label=f"{name}, ECE {each.error:.3f}")
        axes.set_xlim(0, 1)
        axes.set_ylim(0, 1)
        axes.set_xlabel("relevance told")
        axes.set_ylabel("share that was relevant")
        axes.spines[["top", "right"]].set_visible(False)
        figure.legend(loc="outside right upper", frameon=False)
        save_figure(figure, path)


@contextmanager
def svg() -> Iterator[None]:
    """Draw so that text stays text, and ids do not change from run to run. Raises PlotError."""
    try:
        import matplotlib
    except ImportError:
        raise PlotError(
            "plots need matplotlib: pip install 'everword[plots]', or leave them out"
        ) from None
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "everword"}):
        yield


def save_figure(figure: Figure, path: Path) -> None:
    figure.savefig(path, format="svg", metadata={"Date": None})


def _bars(reports: Sequence[Report], metric: str) -> Figure:
    """Return one metric: a group of bars for each set, a bar for each variant."""
    figure = new_figure()
    axes = figure.add_subplot()
    sets = [each["name"] for each in reports[0]["sets"]]
    width = 0.8 / len(reports)
    for number, report in enumerate(reports):
        heights = [each["overall"][metric] or 0.0 for each in report["sets"]]
        places = [place - 0.4 + (number + 0.5) * width for place in range(len(sets))]
        bars = axes.bar(places, heights, width * 0.92, label=report["profile"])
        axes.bar_label(bars, fmt="%.2f", fontsize=7, padding=1)
    axes.set_xticks(range(len(sets)), sets)
    axes.set_ylim(0, 1)
    axes.set_ylabel(metric)
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside right upper", frameon=False)
    return figure


def _depths(reports: Sequence[Report]) -> Figure:
    """Return recall by the number of results looked at: a panel for each set, a line for each variant."""
    figure = new_figure()
    sets = [each["name"] for each in reports[0]["sets"]]
    panels = figure.subplots(1, len(sets), sharey=True, squeeze=False)[0]
    for index, (name, axes) in enumerate(zip(sets, panels, strict=True)):
        for report in reports:
            overall = report["sets"][index]["overall"]
            heights = [overall[f"recall@{k}"] or 0.0 for k in RECALL_AT]
            label = report["profile"] if index == 0 else None
            axes.plot(RECALL_AT, heights, marker="o", markersize=3, label=label)
        axes.set_title(name, fontsize=10)
        axes.set_xscale("log")
        axes.set_xticks(RECALL_AT, [str(k) for k in RECALL_AT])
        axes.minorticks_off()
        axes.set_ylim(0, 1)
        axes.set_xlabel("results")
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("recall")
    figure.legend(loc="outside right upper", frameon=False)
    return figure


def new_figure() -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(WIDTH, HEIGHT), layout="constrained")
